#include "transport/verbs/staged.hpp"

#include <algorithm>
#include <cstring>

#include "peal/error.hpp"

namespace peal::verbs {

namespace {

/// Whole pages, for fetches that absorb.
constexpr std::size_t most_data = 8192;
static_assert(most_data + sizeof(staged_header) <= slot_bytes);
/// Packets of one payload at a turn, before other messages have theirs.
constexpr int packets_a_turn = 8;

}  // namespace

void staged::start(connection& from, fetch& f) noexcept {
  const std::uint64_t number = ++last_number_;
  incoming_.emplace(number, incoming{from.peer, &f});
  asks_.push_back({from.peer, {staged_kind::ask, 0, number, f.where.words[0], f.bytes}});
}

bool staged::step() noexcept {
  bool moved = false;
  while (ask()) moved = true;
  for (std::size_t each = 0; each < jobs_.size();) {
    moved |= serve(jobs_[each]);
    if (jobs_[each].sent < jobs_[each].bytes) {
      ++each;
      continue;
    }
    jobs_[each] = jobs_.back();
    jobs_.pop_back();
  }
  return moved;
}

/// The oldest question that finds room.
bool staged::ask() noexcept {
  for (auto each = asks_.begin(); each != asks_.end(); ++each) {
    connection* to = all_.of(each->to);
    if (!to || to->state != connection_state::open || !sender_.send_staged(*to, &each->what, sizeof each->what, nullptr, 0)) continue;
    asks_.erase(each);
    return true;
  }
  return false;
}

bool staged::serve(job& mine) noexcept {
  connection* to = all_.of(mine.to);
  if (!to || to->state != connection_state::open) return false;
  bool moved = false;
  for (int packet = 0; packet < packets_a_turn && mine.sent < mine.bytes; ++packet) {
    const std::size_t bytes = std::min<std::uint64_t>(most_data, mine.bytes - mine.sent);
    const staged_header header{staged_kind::data, 0, mine.number, mine.sent, bytes};
    if (!sender_.send_staged(*to, &header, sizeof header, mine.data + mine.sent, bytes)) break;
    mine.sent += bytes;
    moved = true;
  }
  return moved;
}

void staged::arrived(connection& from, const std::byte* packet, std::size_t bytes) noexcept {
  staged_header header;
  if (bytes < sizeof header) return;
  std::memcpy(&header, packet, sizeof header);
  if (header.kind == staged_kind::ask) {
    jobs_.push_back({from.peer, reinterpret_cast<const std::byte*>(header.position), header.bytes, header.number});
    return;
  }
  const auto found = incoming_.find(header.number);
  if (found == incoming_.end() || found->second.from != from.peer || header.bytes != bytes - sizeof header) return;
  incoming& mine = found->second;
  fetch& f = *mine.into;
  if (header.position + header.bytes > f.bytes) return;
  if (f.absorb) f.absorb(f, packet + sizeof header, header.position, header.bytes);
  else std::memcpy(static_cast<std::byte*>(f.into) + header.position, packet + sizeof header, header.bytes);
  mine.arrived += header.bytes;
  if (mine.arrived < f.bytes) return;
  incoming_.erase(found);
  f.done(f, {});
}

void staged::abandon(peer_id gone) noexcept {
  std::erase_if(asks_, [&](const question& each) { return each.to == gone; });
  std::erase_if(jobs_, [&](const job& each) { return each.to == gone; });
  std::vector<fetch*> ending;
  for (auto each = incoming_.begin(); each != incoming_.end();) {
    if (each->second.from != gone) {
      ++each;
      continue;
    }
    ending.push_back(each->second.into);
    each = incoming_.erase(each);
  }
  for (fetch* each : ending) each->done(*each, make_error_code(errc::peer_failed));
}

}  // namespace peal::verbs
