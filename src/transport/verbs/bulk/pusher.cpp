#include "transport/verbs/bulk/pusher.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "transport/verbs/connections.hpp"
#include "transport/verbs/parsing.hpp"

namespace peal::verbs {

namespace {

/// Bytes that may have been pushed to one peer without an answer, in multiples of what is pushed of
/// one payload.
constexpr std::size_t most_unanswered = 8;
/// Slots that are left to ordinary messages.
constexpr std::size_t spare_slots = 16;
/// Payloads of one peer whose beginning has come, and that nobody has taken. A peer that is in
/// order has far fewer unanswered: most_unanswered times what it pushes, in packets.
constexpr std::size_t most_beginnings = 1 << 16;
/// Up to here a READ of the rest would cost more than to push it too.
constexpr std::size_t whole = 2 * most_payload;

/// Above it the receiver reads one half while the sender pushes the other, each with a CPU of its
/// own where devices are emulated.
std::size_t share_of(std::size_t bytes, std::size_t most) noexcept {
  if (bytes <= std::min(whole, most)) return bytes;
  return std::min(bytes / 2, most) / most_payload * most_payload;
}

}  // namespace

// ---- the sender of payloads

std::uint64_t pusher::plan(connection& to, const std::byte* data, std::size_t bytes) noexcept {
  const std::size_t planned = share_of(bytes, endpoint_.set.most_pushed);
  const std::size_t packets = (planned + most_payload - 1) / most_payload;
  if (planned == 0 || !to.carries() || to.eager.refuses_eager()) return 0;
  if (to.eager.credits.left() < packets + to.eager.credits.window() / 2 ||
      endpoint_.slots.free() < packets + spare_slots)
    return 0;
  outgoing& mine = outgoing_[to.peer];
  if (mine.bytes + planned > most_unanswered * endpoint_.set.most_pushed) return 0;
  const std::uint32_t number = ++mine.last_number;
  mine.bytes += planned;
  mine.all.push_back({number, planned});
  jobs_.push_back({to.peer, number, data, planned, 0});
  return std::uint64_t{number} << 32 | planned;
}

bool pusher::step() noexcept {
  bool moved = false;
  for (auto each = jobs_.begin(); each != jobs_.end();) {
    moved |= serve(*each);
    if (each->sent < each->bytes) ++each;
    else each = jobs_.erase(each);
  }
  return moved;
}

bool pusher::serve(job& mine) noexcept {
  connection* const to = connections_.of(mine.to);
  if (!to || !to->is_open()) return false;
  const std::uint32_t age = mine.number - outgoing_[mine.to].all.front().number;
  const std::size_t before = mine.sent;
  while (mine.sent < mine.bytes) {
    const std::size_t piece = std::min(most_payload, mine.bytes - mine.sent);
    const payload_header header{payload_kind::push, age, mine.number,
                                std::uint64_t{mine.bytes} << 32 | mine.sent, piece};
    if (!sender_.send_staged(*to, &header, sizeof header, mine.data + mine.sent, piece)) break;
    mine.sent += piece;
    endpoint_.counters.pushed_bytes += piece;
  }
  return mine.sent > before;
}

void pusher::withdraw(peer_id to, std::uint64_t word) noexcept {
  const auto found = word ? outgoing_.find(to) : outgoing_.end();
  if (found == outgoing_.end()) return;
  outgoing& mine = found->second;
  const auto number = static_cast<std::uint32_t>(word >> 32);
  const auto which = std::ranges::find(mine.all, number, &unanswered::number);
  if (which == mine.all.end()) return;
  mine.bytes -= which->bytes;
  mine.all.erase(which);
  std::erase_if(jobs_, [&](const job& each) { return each.to == to && each.number == number; });
}

// ---- the receiver

void pusher::forget(beginnings& of, beginnings::iterator which) noexcept {
  if (which->data) kept_ -= which->planned;
  of.erase(which);
}

/// The first piece of a payload that no fetch has asked for yet.
void pusher::begin(beginnings& known, const payload_view& said) noexcept {
  const auto number = static_cast<std::uint32_t>(said.header.number);
  // Forgets the payloads that the sender has withdrawn since. Numbers are compared modulo 2^32.
  for (auto each = known.begin(); each != known.end();) {
    if (!each->into && static_cast<std::int32_t>(each->number - (number - said.header.detail)) < 0)
      forget(known, each);
    else ++each;
  }
  beginning fresh{number, said.planned(), 0, nullptr, nullptr};
  if (kept_ + fresh.planned <= endpoint_.set.kept)
    fresh.data.reset(new (std::nothrow) std::byte[fresh.planned]);
  if (fresh.data) kept_ += fresh.planned;
  else ++endpoint_.counters.pushes_dropped;
  known.push_back(std::move(fresh));
}

outcome pusher::arrived(peer_id from, const payload_view& said) noexcept {
  beginnings& known = incoming_[from];
  const auto number = static_cast<std::uint32_t>(said.header.number);
  const std::uint32_t at = said.at();
  auto found = std::ranges::find(known, number, &beginning::number);
  if (found == known.end()) {
    if (at > 0) return {};  // of one that was dropped or taken in part
    begin(known, said);
    if (known.size() > most_beginnings)
      return outcome::senseless("the beginnings of more payloads than may be unanswered");
    found = known.end() - 1;
  }
  if (found->planned != said.planned())
    return outcome::senseless("another beginning of a payload than it announced");
  if (!found->into && !found->data) return {};  // dropped
  if (found->arrived != at)
    return outcome::senseless("a piece of the beginning of a payload that was not its turn");
  found->arrived += static_cast<std::uint32_t>(said.header.bytes);
  if (!found->into) {
    std::memcpy(found->data.get() + at, said.data, said.header.bytes);
    return {};
  }
  fetch& f = *found->into;
  const std::size_t bytes = std::min<std::size_t>(said.header.bytes, f.bytes - at);
  take(f, said.data, at, bytes);
  // What was pushed beyond the length of a fetch is not wanted.
  if (found->arrived >= std::min<std::size_t>(found->planned, f.bytes)) forget(known, found);
  count(f, bytes);
  return {};
}

std::size_t pusher::claim(fetch& f, std::size_t& here) noexcept {
  here = 0;
  const std::uint64_t word = f.where.words[3];
  if (word == 0) return 0;
  beginnings& known = incoming_[f.from];
  const auto number = static_cast<std::uint32_t>(word >> 32),
             planned = static_cast<std::uint32_t>(word);
  const std::size_t wanted = std::min<std::size_t>(planned, f.bytes);
  if (wanted == 0) return 0;  // a peer in order has no number then
  const auto found = std::ranges::find(known, number, &beginning::number);
  if (found == known.end()) {
    known.push_back({number, planned, 0, nullptr, &f});
    return wanted;
  }
  // An announcement that comes twice finds the fetch of the first one.
  if (found->into) return 0;
  // What does not fit its announcement is not used; what was dropped is read like the rest.
  if (!found->data || found->planned != planned) {
    forget(known, found);
    return 0;
  }
  here = std::min<std::size_t>(found->arrived, wanted);
  take(f, found->data.get(), 0, here);
  kept_ -= found->planned;
  found->data.reset();
  found->into = &f;
  if (here == wanted) known.erase(found);
  return wanted;
}

bool pusher::under_way(peer_id with) const noexcept {
  if (std::ranges::find(jobs_, with, &job::to) != jobs_.end()) return true;
  const auto found = incoming_.find(with);
  return found != incoming_.end() && std::ranges::any_of(found->second, [](const beginning& each) {
           return each.into != nullptr;
         });
}

void pusher::abandon(peer_id gone, std::vector<fetch*>& ending) noexcept {
  outgoing_.erase(gone);
  std::erase_if(jobs_, [&](const job& each) { return each.to == gone; });
  const auto found = incoming_.find(gone);
  if (found == incoming_.end()) return;
  for (const beginning& each : found->second) {
    if (each.data) kept_ -= each.planned;
    if (each.into) ending.push_back(each.into);
  }
  incoming_.erase(found);
}

}  // namespace peal::verbs
