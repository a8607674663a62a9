#include "transport/verbs/eager/sender.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/copy.hpp"
#include "transport/verbs/connection.hpp"

namespace peal::verbs {

namespace {

/// Held packets are posted early when they are worth a doorbell by their size alone: the device
/// would idle meanwhile.
constexpr std::uint32_t enough_bytes = 4 * slot_bytes;

/// Send queue entries kept for the return of credits.
constexpr std::uint32_t kept_back(std::uint32_t depth) noexcept {
  return std::min<std::uint32_t>(4, depth / 4);
}

[[gnu::always_inline]] inline std::uint32_t write_message(std::byte* at, envelope e,
                                                          const void* payload) noexcept {
  std::memcpy(at, &e, sizeof e);
  if (e.bytes() <= short_copy) copy_short(at + sizeof e, payload, e.bytes());
  else std::memcpy(at + sizeof e, payload, e.bytes());
  return static_cast<std::uint32_t>(sizeof e + e.bytes());
}

/// Of one message that begins there, with its envelope.
std::uint16_t message_bytes(const std::byte* at) noexcept {
  envelope e;
  std::memcpy(&e, at, sizeof e);
  return static_cast<std::uint16_t>(sizeof e + e.bytes());
}

std::uint64_t address_of(const void* memory) noexcept {
  return reinterpret_cast<std::uint64_t>(memory);
}

}  // namespace

sender::sender(endpoint& endpoint, peer_events& told)
    : endpoint_{endpoint},
      events_{told},
      most_outstanding_{endpoint.set.send_depth - kept_back(endpoint.set.send_depth)},
      most_unsignaled_{std::min<std::uint32_t>(64, endpoint.set.send_depth / 4)} {
  alone_.sg_list = alone_pieces_.data();
  for (std::size_t each = 0; each < chain_.size(); ++each) {
    chain_[each].next = each + 1 < chain_.size() ? &chain_[each + 1] : nullptr;
    chain_[each].sg_list = &pieces_[each];
    chain_[each].num_sge = 1;
  }
}

// Slots come back only behind a signaled request, so there must be one often enough. Each
// connection has brought as many slots as it can have posted one by one without a signal
// (endpoint::make_room), so no connection waits for the slots of others, but for those of a chain,
// which may take more, and whose last request is signaled. Where there are too many connections for
// that, half of the slots go out with a signal each (endpoint::few_slots).
inline bool sender::wants_signal(const eager_channel& to, bool has_slot) const noexcept {
  return to.sent.unsignaled() + 1 >= most_unsignaled_ ||
         (has_slot && endpoint_.slots.free() < endpoint_.few_slots);
}

slot_id sender::take_slot() noexcept {
  const slot_id taken = endpoint_.slots.take();
  // One slab more, now and then, for many peers at once.
  if (taken != no_slot || !endpoint_.add_send_slots()) return taken;
  return endpoint_.slots.take();
}

/// Credits ride on a message once they are worth the four bytes, and always when `always`.
inline void sender::attach(eager_channel& to, ibv_send_wr& request, std::uint32_t flags,
                           bool always) noexcept {
  request.opcode = IBV_WR_SEND;
  if (!always && flags == 0 && !to.credits.worth_sending_along() && !to.is_to_tell_refusal())
    return;
  if (endpoint_.window_changes(to.credits.window())) [[unlikely]]
    resize_window(to);
  request.opcode = IBV_WR_SEND_WITH_IMM;
  request.imm_data = flags | to.credits.owed() | (refuses_ ? immediate::refuses_eager : 0);
}

/// With the credits that return: a peer that has used its window gets a larger one as long as there
/// are receives for it, or a smaller one when others need them. Not before it has used a part of it
/// that is worth returning.
void sender::resize_window(eager_channel& to) noexcept {
  verbs::credits& of = to.credits;
  // On another rail than the first one it has a receive queue of its own, which does not grow.
  if (!of.worth_sending_along() || to.rail != 0) return;
  const endpoint::window_change by = endpoint_.resize_window(of.window(), of.owed());
  if (by.grows) of.widen(by.receives);
  else of.narrow(by.receives);
}

/// Returns how many the device took. The first carries the credits, if any does. What `failed_`
/// says is told when the caller has noted what was posted.
[[gnu::always_inline]] inline std::uint32_t sender::post(connection& to, ibv_send_wr& first,
                                                         std::uint32_t count) noexcept {
  ibv_send_wr* refused = nullptr;
  const int failed = ibv_post_send(to.eager.pair.get(), &first, &refused);
  std::uint32_t done = count;
  if (failed != 0) [[unlikely]] {
    done = 0;
    for (ibv_send_wr* each = &first; each && each != refused; each = each->next) ++done;
    failed_ = failed != ENOMEM && failed != EAGAIN ? failed : 0;  // a full queue passes
  }
  to.eager.sent.posted(done);
  if (done > 0 && first.opcode == IBV_WR_SEND_WITH_IMM) {
    if (!(first.imm_data & immediate::gives_up)) [[likely]]
      to.eager.credits.give_back(first.imm_data & immediate::credit_bits);
    to.eager.told_refusal();
  }
  return done;
}

[[gnu::always_inline]] inline bool sender::post_one(connection& to, ibv_send_wr& request) noexcept {
  request.wr_id = to.id(work::send, to.eager.sent.next()).word;
  if (post(to, request, 1) == 0) {
    tell_failure(to);
    return false;
  }
  note_signals(to.eager, 1, (request.send_flags & IBV_SEND_SIGNALED) != 0);
  return true;
}

inline void sender::note_signals(eager_channel& to, std::uint32_t count, bool last) noexcept {
  to.sent.note_signals(count, last);
  if (last) ++endpoint_.counters.signaled;
}

[[gnu::always_inline]] inline bool sender::post_now(connection& to, envelope e,
                                                    const void* payload) noexcept {
  const auto bytes = static_cast<std::uint32_t>(sizeof e + e.bytes());
  ibv_send_wr& request = alone_;
  std::array<ibv_sge, 2>& pieces = alone_pieces_;
  request.num_sge = 1;
  request.send_flags = 0;
  slot_id slot = no_slot;
  if (bytes <= endpoint_.inline_bytes) [[likely]] {
    request.send_flags = IBV_SEND_INLINE;
    std::byte* const head = to.eager.copies.head_of(to.eager.sent.next());
    // The device's library takes longer over a second piece than this copy does.
    if (bytes <= inline_copies::head_bytes) {
      pieces[0] = {address_of(head), write_message(head, e, payload), 0};
    } else {
      constexpr std::size_t first = inline_copies::head_bytes - sizeof e;
      std::byte* const rest = to.eager.copies.rest_of(to.eager.sent.next());
      std::memcpy(head, &e, sizeof e);
      std::memcpy(head + sizeof e, payload, first);
      std::memcpy(rest, static_cast<const std::byte*>(payload) + first, e.bytes() - first);
      pieces[0] = {address_of(head), inline_copies::head_bytes, 0};
      pieces[1] = {address_of(rest), static_cast<std::uint32_t>(e.bytes() - first), 0};
      request.num_sge = 2;
    }
  } else {
    slot = take_slot();
    if (slot == no_slot) return false;
    pieces[0] = {address_of(endpoint_.slots.at(slot)),
                 write_message(endpoint_.slots.at(slot), e, payload),
                 endpoint_.slots.key(slot, to.eager.rail)};
  }
  attach(to.eager, request, 0, false);
  if (wants_signal(to.eager, slot != no_slot)) request.send_flags |= IBV_SEND_SIGNALED;
  ++endpoint_.counters.doorbells;
  if (!post_one(to, request)) {
    if (slot != no_slot) endpoint_.slots.give_back(slot);
    return false;
  }
  if (slot != no_slot) to.eager.sent.use({to.eager.sent.last(), slot, 0, 0, false, true});
  to.eager.credits.spend();
  to.eager.used_in(endpoint_.epoch);
  ++endpoint_.counters.requests;
  ++endpoint_.counters.messages;
  endpoint_.counters.eager_bytes += e.bytes();
  return true;
}

bool sender::send(connection& to, envelope e, const void* payload) noexcept {
  const bool behind = !to.eager.held.empty();
  if (behind && endpoint_.set.coalesce && append(to.eager, e, payload)) return true;
  if (to.eager.credits.left() == 0 || !room(to.eager)) return false;
  // Something is held although nothing went out since the last poll: a chain that could not be
  // posted.
  if (behind || together_ || to.eager.last_use() == endpoint_.epoch) return hold(to, e, payload);
  return post_now(to, e, payload);
}

/// Behind what waits in the last packet, when it fits: no work request, no credit.
bool sender::append(eager_channel& to, envelope e, const void* payload) noexcept {
  const held_packet& last = to.held.last();
  const std::size_t end = aligned(last.bytes);
  if (last.flags != 0 || last.at + end + sizeof e + e.bytes() > slot_bytes) return false;
  to.held.lengthen(static_cast<std::uint32_t>(end) +
                   write_message(endpoint_.slots.at(last.slot) + last.at + end, e, payload));
  ++endpoint_.counters.messages;
  endpoint_.counters.eager_bytes += e.bytes();
  return true;
}

/// A packet more, without its contents: in a slot of its own, or behind the last one. False: there
/// is no slot.
inline bool sender::add_packet(eager_channel& to, std::size_t bytes) noexcept {
  if (!to.held.empty() && !endpoint_.set.coalesce && bytes <= endpoint_.inline_bytes) {
    const held_packet& before = to.held.last();
    const std::size_t at = aligned(before.at + before.bytes);
    if (before.bytes <= endpoint_.inline_bytes && at + bytes <= slot_bytes) {
      to.held.add_behind(at, bytes);
      return true;
    }
  }
  const slot_id slot = take_slot();
  if (slot == no_slot) return false;
  to.held.add(slot, bytes, 0);
  return true;
}

bool sender::hold(connection& to, envelope e, const void* payload) noexcept {
  held_packets& held = to.eager.held;
  if (held.full()) {
    post_held(to);
    if (held.full() || !to.is_open()) return false;
  }
  if (!add_packet(to.eager, sizeof e + e.bytes())) return false;
  (void)write_message(endpoint_.slots.at(held.last().slot) + held.last().at, e, payload);
  to.eager.credits.spend();
  to.eager.used_in(endpoint_.epoch);
  ++endpoint_.counters.messages;
  endpoint_.counters.eager_bytes += e.bytes();
  note(to);
  if (held.full() || held.bytes() >= enough_bytes) post_held(to);
  return true;
}

bool sender::send_staged(connection& to, const void* header, std::size_t header_bytes,
                         const void* data, std::size_t bytes) noexcept {
  eager_channel& its = to.eager;
  if (its.credits.left() == 0 || !room(its)) return false;
  if (its.held.full()) post_held(to);
  if (its.held.full() || !to.is_open()) return false;
  const slot_id slot = take_slot();
  if (slot == no_slot) return false;
  std::byte* const at = endpoint_.slots.at(slot);
  std::memcpy(at, header, header_bytes);
  if (bytes > 0) std::memcpy(at + header_bytes, data, bytes);
  its.held.add(slot, header_bytes + bytes, immediate::staged);
  its.credits.spend();
  its.used_in(endpoint_.epoch);
  note(to);
  return true;
}

void sender::note(connection& of) noexcept {
  if (of.eager.enter_list()) listed_.push_back(&of);
}

void sender::forget(connection& gone) noexcept {
  if (gone.eager.leave_list()) std::erase(listed_, &gone);
}

std::vector<slot_id> sender::take_slots(connection& gone) noexcept {
  eager_channel& its = gone.eager;
  for (std::uint32_t each = 0; each < its.held.count(); ++each)
    if (its.held[each].last_in_slot) endpoint_.slots.give_back(its.held[each].slot);
  std::vector<slot_id> made = std::move(its.own_receives);
  its.sent.take_slots(made);
  for (const kept_packet& each : std::exchange(its.kept, {}))
    if (each.slot != no_slot && each.last_in_slot) made.push_back(each.slot);
  return made;
}

void sender::flush_listed() noexcept {
  for (std::size_t each = 0; each < listed_.size();) {
    connection& to = *listed_[each];
    eager_channel& its = to.eager;
    if (to.is_in_use()) {
      if (!its.held.empty()) post_held(to);
      if (to.is_open() && its.has_news()) (void)post_control(to, 0, false);
    }
    // What could not be done stays for the next turn.
    if (to.is_in_use() && (!its.held.empty() || its.has_news())) {
      ++each;
      continue;
    }
    its.leave_list();
    listed_[each] = listed_.back();
    listed_.pop_back();
  }
}

void sender::post_held(connection& to) noexcept {
  held_packets& held = to.eager.held;
  const std::uint32_t count = held.count(), first = to.eager.sent.next();
  for (std::uint32_t each = 0; each < count; ++each) {
    const held_packet& packet = held[each];
    ibv_send_wr& request = chain_[each];
    pieces_[each] = {address_of(endpoint_.slots.at(packet.slot) + packet.at), packet.bytes,
                     endpoint_.slots.key(packet.slot, to.eager.rail)};
    request.wr_id = to.id(work::send, first + each).word;
    request.send_flags = packet.bytes <= endpoint_.inline_bytes ? IBV_SEND_INLINE : 0;
    request.opcode = IBV_WR_SEND;
    if (packet.flags != 0) {
      request.opcode = IBV_WR_SEND_WITH_IMM;
      request.imm_data = packet.flags | (refuses_ ? immediate::refuses_eager : 0);
    }
  }
  attach(to.eager, chain_[0], held[0].flags, false);
  // The end of the chain tells when all of its slots are free.
  ibv_send_wr& last = chain_[count - 1];
  last.send_flags |= IBV_SEND_SIGNALED;
  ibv_send_wr* const next = std::exchange(last.next, nullptr);
  const std::uint32_t done = post(to, chain_[0], count);
  ++endpoint_.counters.doorbells;
  endpoint_.counters.requests += done;
  last.next = next;
  note_signals(to.eager, done, done == count);
  std::uint32_t bytes = 0;
  for (std::uint32_t each = 0; each < done; ++each) {
    bytes += held[each].bytes;
    to.eager.sent.use({first + each, held[each].slot, held[each].at,
                       static_cast<std::uint16_t>(held[each].bytes), held[each].flags != 0,
                       held[each].last_in_slot});
  }
  held.remove(done, bytes);
  tell_failure(to);
}

/// A message of nothing. For one that returns credits the peer keeps a receive beyond the window:
/// only one is under way, since the next is sent for what this one allowed. For the last one of all
/// it keeps another. Everything else takes a credit as messages do (receive_budget.hpp).
bool sender::post_control(connection& to, std::uint32_t flags, bool signaled) noexcept {
  credits& mine = to.eager.credits;
  const bool uncounted = mine.due() || ((flags & immediate::leaving) && mine.left() == 0);
  if (to.eager.sent.outstanding() + 1 >= endpoint_.set.send_depth ||
      (!uncounted && mine.left() == 0))
    return false;
  ibv_send_wr request{};
  request.num_sge = 0;
  request.send_flags = IBV_SEND_INLINE;
  attach(to.eager, request, flags | (uncounted ? immediate::uncounted : 0), true);
  if (signaled || wants_signal(to.eager, false)) request.send_flags |= IBV_SEND_SIGNALED;
  ++endpoint_.counters.controls;
  if (!post_one(to, request)) return false;
  to.eager.sent.posted_control(!uncounted);
  if (!uncounted) mine.spend();
  return true;
}

void sender::give_up_credits(connection& to, std::uint32_t keep) noexcept {
  credits& mine = to.eager.credits;
  if (!to.is_open() || mine.left() <= keep ||
      to.eager.sent.outstanding() + 1 >= endpoint_.set.send_depth)
    return;
  const std::uint32_t over = mine.left() - keep;
  ibv_send_wr request{};
  request.num_sge = 0;
  request.send_flags = IBV_SEND_INLINE;
  request.opcode = IBV_WR_SEND_WITH_IMM;
  request.imm_data = immediate::gives_up | over | (refuses_ ? immediate::refuses_eager : 0);
  if (wants_signal(to.eager, false)) request.send_flags |= IBV_SEND_SIGNALED;
  ++endpoint_.counters.controls;
  if (!post_one(to, request)) return;
  to.eager.sent.posted_control(true);
  mine.give_up(over);
  mine.spend();
}

// A WRITE of nothing: it needs no memory and no receive on the other side, which need not look
// either.
void sender::probe(connection& to) noexcept {
  const bool idle = to.eager.sent.idle();
  if (idle && to.is_in_use() && !to.eager.has_left()) post_probe(to);
}

void sender::post_probe(connection& to) noexcept {
  if (to.eager.sent.outstanding() + 1 >= endpoint_.set.send_depth) return;
  ibv_send_wr request{};
  request.opcode = IBV_WR_RDMA_WRITE;
  request.send_flags = IBV_SEND_SIGNALED;
  ++endpoint_.counters.controls;
  if (!post_one(to, request)) return;
  to.eager.sent.posted_control(false);
  to.eager.sent.note_probe();
}

void sender::send_last(connection& to) noexcept {
  if (!to.eager.held.empty()) post_held(to);
  if (to.is_open()) (void)post_control(to, immediate::leaving, true);
}

// ---- a connection that broke and is made again

/// Everything that is not known to be at the peer's adapter.
void sender::interrupt(connection& broken) noexcept {
  eager_channel& its = broken.eager;
  kept_packets found;
  its.sent.give_up([&](std::uint32_t sequence, const sent_packet* where) {
    if (where && where->slot == no_slot && !where->counted()) return;
    kept_packet made;
    if (where && where->slot == no_slot) {
      made.bytes = 0;
    } else if (where) {
      made.slot = where->slot;
      made.at = where->at;
      made.staged = where->staged;
      made.last_in_slot = where->last_in_slot;
      made.bytes = where->bytes;
      if (made.bytes == 0) made.bytes = message_bytes(endpoint_.slots.at(made.slot));
    } else {
      const std::byte* const head = its.copies.head_of(sequence);
      made.bytes = message_bytes(head);
      const std::size_t first = std::min<std::size_t>(made.bytes, inline_copies::head_bytes);
      made.inlined.assign(head, head + first);
      const std::byte* const rest = its.copies.rest_of(sequence);
      made.inlined.insert(made.inlined.end(), rest, rest + (made.bytes - first));
    }
    found.push_back(std::move(made));
  });
  // What the connection before this one left, and this one has not sent again.
  std::ranges::move(its.kept, std::back_inserter(found));
  its.kept = std::move(found);
}

bool sender::agree(connection& on, std::uint32_t taken, std::uint16_t window, std::uint16_t most,
                   bool refuses) noexcept {
  eager_channel& its = on.eager;
  const auto kept = static_cast<std::uint32_t>(its.kept.size());
  // So many the peer has for certain. A packet that is held has spent its credit.
  const std::uint32_t certain = its.credits.spent() - its.held.count() - kept;
  if (taken - certain > kept || its.credits.spent() - taken > window) return false;
  for (std::uint32_t left = taken - certain; left > 0; --left) {
    const kept_packet& over = its.kept.front();
    if (over.slot != no_slot && over.last_in_slot) endpoint_.slots.give_back(over.slot);
    its.kept.pop_front();
  }
  its.go_on(taken, window, most, refuses);
  return true;
}

void sender::send_again(connection& over) noexcept {
  eager_channel& its = over.eager;
  kept_packets again = std::exchange(its.kept, {});
  for (; !again.empty(); again.pop_front()) {
    kept_packet& each = again.front();
    ibv_sge pieces[2];
    ibv_send_wr request{};
    request.sg_list = pieces;
    request.num_sge = 1;
    request.send_flags = again.size() == 1 ? IBV_SEND_SIGNALED : 0;
    const std::uint32_t sequence = its.sent.next();
    if (each.is_empty()) {
      request.num_sge = 0;
      request.send_flags |= IBV_SEND_INLINE;
    } else if (each.slot != no_slot) {
      pieces[0] = {address_of(endpoint_.slots.at(each.slot) + each.at), each.bytes,
                   endpoint_.slots.key(each.slot, its.rail)};
    } else {
      // In one piece and two cells, as it was posted first.
      const std::size_t first = std::min(each.inlined.size(), inline_copies::head_bytes);
      std::byte* const head = its.copies.head_of(sequence);
      std::byte* const rest = its.copies.rest_of(sequence);
      std::memcpy(head, each.inlined.data(), first);
      std::memcpy(rest, each.inlined.data() + first, each.inlined.size() - first);
      pieces[0] = {address_of(head), static_cast<std::uint32_t>(first), 0};
      pieces[1] = {address_of(rest), static_cast<std::uint32_t>(each.inlined.size() - first), 0};
      if (each.inlined.size() > first) request.num_sge = 2;
      request.send_flags |= IBV_SEND_INLINE;
    }
    attach(its, request, each.staged ? immediate::staged : 0, each.is_empty());
    if (!post_one(over, request)) {
      // It broke meanwhile, and keeps what was posted; the rest stands behind that. A queue that
      // was empty before takes as many as were in it once.
      if (over.is_open()) events_.broke(over, "it takes no packets");
      std::ranges::move(again, std::back_inserter(its.kept));
      return;
    }
    if (each.is_empty()) its.sent.posted_control(true);
    else if (each.slot != no_slot)
      its.sent.use({sequence, each.slot, each.at, each.bytes, each.staged, each.last_in_slot});
    ++endpoint_.counters.packets_again;
  }
  if (!its.held.empty() || its.has_news()) note(over);
}

void sender::completed(eager_channel& of, std::uint32_t sequence) noexcept {
  of.sent.complete(sequence, [this](slot_id each) { endpoint_.slots.give_back(each); });
}

}  // namespace peal::verbs
