#include "transport/verbs/connect/failure_notices.hpp"

#include <algorithm>

namespace peal::verbs {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds first_notice_pause{20};
/// One that is dead never answers; one behind a cut link shall not wait long once that is mended.
constexpr milliseconds longest_notice_pause{4000};

}  // namespace

void failure_notices::tell(peer_id which) noexcept {
  if (connector_.say(which, handshake_kind::failed, 0) == 0)
    untold_.push_back({which, clock::now() + first_notice_pause, first_notice_pause});
}

void failure_notices::confirmed(peer_id by) noexcept {
  std::erase_if(untold_, [by](const notice& each) { return each.to == by; });
}

failure_notices::clock::time_point failure_notices::due() const noexcept {
  auto first = clock::time_point::max();
  for (const notice& each : untold_) first = std::min(first, each.at);
  return first;
}

void failure_notices::repeat(clock::time_point now) noexcept {
  std::erase_if(untold_, [&](notice& each) {
    if (now < each.at) return false;
    each.pause = std::min(each.pause * 2, longest_notice_pause);
    each.at = now + each.pause;
    return connector_.say(each.to, handshake_kind::failed, 0) != 0;
  });
}

}  // namespace peal::verbs
