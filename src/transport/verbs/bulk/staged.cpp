#include "transport/verbs/bulk/staged.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "transport/verbs/bulk/fetcher.hpp"
#include "transport/verbs/bulk/pieces/packed_payload.hpp"
#include "transport/verbs/connections.hpp"

namespace peal::verbs {

namespace {

/// Packets of one payload at a turn, before other messages have theirs.
constexpr int packets_a_turn = 8;

}  // namespace

void staged::start(connection& from, fetch& f, std::size_t begin, std::size_t end) noexcept {
  const std::uint64_t number = ++last_number_;
  incoming_.emplace(number, incoming{from.peer, &f, begin, end - begin, end - begin});
  asks_.push_back(
      {from.peer, {payload_kind::ask, 0, number, begin, end - begin}, exposed::number(f.where)});
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
    connection* to = connections_.of(each->to);
    if (!to || !to->is_open() ||
        !sender_.send_staged(*to, &each->what, sizeof each->what, &each->number,
                             sizeof each->number))
      continue;
    asks_.erase(each);
    return true;
  }
  return false;
}

bool staged::serve(job& mine) noexcept {
  connection* to = connections_.of(mine.to);
  if (!to || !to->is_open()) return false;
  bool moved = false;
  std::array<std::byte, most_payload> packed;
  for (int packet = 0; packet < packets_a_turn && mine.sent < mine.bytes; ++packet) {
    std::size_t bytes = std::min<std::uint64_t>(most_payload, mine.bytes - mine.sent);
    const std::uint64_t at = mine.begin + mine.sent;
    const std::byte* const data =
        mine.packed ? mine.packed->part(at, bytes, packed.data()) : mine.data + at;
    const payload_header header{payload_kind::data, 0, mine.number, mine.sent, bytes};
    if (!sender_.send_staged(*to, &header, sizeof header, data, bytes)) break;
    mine.sent += bytes;
    endpoint_.counters.staged_bytes += bytes;
    moved = true;
  }
  return moved;
}

outcome staged::asked(connection& from, const payload_header& header,
                      std::uint64_t exposed) noexcept {
  const exposure* found = nullptr;
  switch (exposures_.find(exposed, from.peer, header.position, header.bytes, found)) {
    case exposure_answer::over: return {reception::over};
    case exposure_answer::never:
      return outcome::senseless("a question for memory that was not exposed to it");
    case exposure_answer::found: break;
  }
  if (std::ranges::find(jobs_, exposed, &job::exposed) != jobs_.end()) return {reception::over};
  packed_payload* const packed = found->packed.get();
  if (packed) packed->leave_from(header.position);
  jobs_.push_back(
      {from.peer, found->data, packed, header.position, header.bytes, header.number, exposed});
  return {};
}

void staged::withdraw(std::uint64_t number) noexcept {
  std::erase_if(jobs_, [number](const job& each) { return each.exposed == number; });
}

outcome staged::arrived(connection& from, const payload_header& header,
                        const std::byte* data) noexcept {
  const auto found = incoming_.find(header.number);
  if (found == incoming_.end())
    return header.number - 1 < last_number_
               ? outcome{reception::over}
               : outcome::senseless("part of a payload that nobody asked for");
  if (found->second.from != from.peer)
    return outcome::senseless("part of a payload that another rank was asked for");
  incoming& mine = found->second;
  fetch& f = *mine.into;
  // They come in order, and each once.
  if (header.bytes > mine.missing || header.position != mine.bytes - mine.missing)
    return outcome::senseless("part of a payload that was not its turn");
  take(f, data, mine.begin + header.position, header.bytes);
  mine.missing -= header.bytes;
  if (mine.missing == 0) incoming_.erase(found);
  count(f, header.bytes);
  return {};
}

bool staged::awaits(peer_id from) const noexcept {
  return std::any_of(incoming_.begin(), incoming_.end(),
                     [&](const auto& each) { return each.second.from == from; });
}

void staged::abandon(peer_id gone, std::vector<fetch*>& ending) noexcept {
  std::erase_if(asks_, [&](const question& each) { return each.to == gone; });
  std::erase_if(jobs_, [&](const job& each) { return each.to == gone; });
  for (auto each = incoming_.begin(); each != incoming_.end();) {
    if (each->second.from != gone) {
      ++each;
      continue;
    }
    ending.push_back(each->second.into);
    each = incoming_.erase(each);
  }
}

}  // namespace peal::verbs
