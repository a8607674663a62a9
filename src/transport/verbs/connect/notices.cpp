#include "transport/verbs/connect/notices.hpp"

#include <algorithm>
#include <cerrno>

namespace peal::verbs {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds first_notice_pause{20};
/// One that is dead never answers; one behind a cut link shall not wait long once that is mended.
constexpr milliseconds longest_notice_pause{4000};

}  // namespace

/// Whether there is any use in saying it again: the way to the peer may come back.
bool notices::say(peer_id to) noexcept {
  const int why = connector_.say(to, what_, 0);
  return why == 0 || why == ETIMEDOUT || why == ENETUNREACH || why == EHOSTUNREACH;
}

void notices::tell(peer_id which) noexcept {
  confirmed(which);  // of what was said before
  const auto now = clock::now();
  if (say(which)) untold_.push_back({which, now + first_notice_pause, first_notice_pause, now});
}

void notices::confirmed(peer_id by) noexcept {
  std::erase_if(untold_, [by](const notice& each) { return each.to == by; });
}

notices::clock::time_point notices::due() const noexcept {
  auto first = clock::time_point::max();
  for (const notice& each : untold_) first = std::min(first, each.at);
  return first;
}

void notices::repeat(clock::time_point now) noexcept {
  std::erase_if(untold_, [&](notice& each) {
    if (now < each.at) return false;
    each.pause = std::min(each.pause * 2, longest_notice_pause);
    each.at = now + each.pause;
    return !say(each.to);
  });
}

std::vector<peer_id> notices::silent(clock::time_point now, clock::duration for_so_long) const {
  std::vector<peer_id> found;
  for (const notice& each : untold_)
    if (now - each.since > for_so_long) found.push_back(each.to);
  return found;
}

}  // namespace peal::verbs
