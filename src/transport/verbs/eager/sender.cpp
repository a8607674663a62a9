#include "transport/verbs/eager/sender.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/copy.hpp"

namespace peal::verbs {

namespace {

/// Held packets are posted early when they are worth a doorbell by their size alone: the device would idle meanwhile.
constexpr std::uint32_t enough_bytes = 4 * slot_bytes;

constexpr std::size_t few_slots = 16;

/// Send queue entries kept for the return of credits.
constexpr std::uint32_t kept_back(std::uint32_t depth) noexcept { return std::min<std::uint32_t>(4, depth / 4); }

std::uint32_t write_message(std::byte* at, envelope e, const void* payload) noexcept {
  std::memcpy(at, &e, sizeof e);
  if (e.bytes() <= short_copy) copy_short(at + sizeof e, payload, e.bytes());
  else std::memcpy(at + sizeof e, payload, e.bytes());
  return static_cast<std::uint32_t>(sizeof e + e.bytes());
}

std::uint64_t address_of(const void* memory) noexcept { return reinterpret_cast<std::uint64_t>(memory); }

}  // namespace

sender::sender(lane& shared, peer_events& told) : lane_{shared}, events_{told} {
  for (std::size_t each = 0; each < chain_.size(); ++each) {
    chain_[each].next = each + 1 < chain_.size() ? &chain_[each + 1] : nullptr;
    chain_[each].sg_list = &pieces_[each];
    chain_[each].num_sge = 1;
  }
}

bool sender::room(const connection& to) const noexcept {
  return to.outstanding() + to.held_count + kept_back(lane_.set.send_depth) < lane_.set.send_depth;
}

// Slots come back only behind a signaled request, so there must be one often enough. Each connection has brought as many slots as it can
// have posted one by one without a signal (lane::make_room), so nobody waits for others, but for those of a chain, which may take more, and
// whose last request is signaled; and when slots are short, every one is.
bool sender::wants_signal(const connection& to, bool has_slot) const noexcept {
  return to.unsignaled + 1 >= std::min<std::uint32_t>(64, lane_.set.send_depth / 4) || (has_slot && lane_.slots.free() < few_slots);
}

slot_id sender::take_slot() noexcept {
  const slot_id taken = lane_.slots.take();
  // One slab more, now and then, for many peers at once.
  if (taken != no_slot || !lane_.slots.grow(1)) return taken;
  return lane_.slots.take();
}

/// Credits ride on a message once they are worth the four bytes, and always when `always`.
inline void sender::attach(connection& to, ibv_send_wr& request, std::uint32_t flags, bool always) noexcept {
  request.opcode = IBV_WR_SEND;
  if (!always && flags == 0 && to.owed * 4 < to.window && !to.tell_refusal) return;
  request.opcode = IBV_WR_SEND_WITH_IMM;
  request.imm_data = flags | to.owed | (refuses_ ? immediate::refuses_eager : 0);
}

/// Returns how many the device took. The first carries the credits, if any does.
[[gnu::always_inline]] inline std::uint32_t sender::post(connection& to, ibv_send_wr& first, std::uint32_t count) noexcept {
  ibv_send_wr* refused = nullptr;
  const int failed = ibv_post_send(to.control.get(), &first, &refused);
  std::uint32_t done = count;
  if (failed != 0) [[unlikely]] {
    done = 0;
    for (ibv_send_wr* each = &first; each && each != refused; each = each->next) ++done;
  }
  to.posted += done;
  if (done > 0 && first.opcode == IBV_WR_SEND_WITH_IMM) {
    to.owed = static_cast<std::uint16_t>(to.owed - (first.imm_data & immediate::credit_bits));
    to.tell_refusal = false;
  }
  // A full queue passes; anything else does not.
  if (failed != 0 && failed != ENOMEM && failed != EAGAIN) [[unlikely]]
    events_.broke(to, std::strerror(failed));
  return done;
}

[[gnu::always_inline]] inline bool sender::post_one(connection& to, ibv_send_wr& request) noexcept {
  request.wr_id = work_id::make(work::send, to.index, to.generation, to.posted + 1).word;
  if (post(to, request, 1) == 0) return false;
  note_signals(to, 1, (request.send_flags & IBV_SEND_SIGNALED) != 0);
  return true;
}

/// So many were posted; `last`: the last of them asks for a completion, as no other does.
inline void sender::note_signals(connection& to, std::uint32_t count, bool last) noexcept {
  to.unsignaled = last ? 0 : to.unsignaled + count;
  if (last) ++lane_.counted.signaled;
}

[[gnu::always_inline]] inline bool sender::post_now(connection& to, envelope e, const void* payload) noexcept {
  const auto bytes = static_cast<std::uint32_t>(sizeof e + e.bytes());
  ibv_sge pieces[2];
  ibv_send_wr request{};
  request.sg_list = pieces;
  request.num_sge = 1;
  slot_id slot = no_slot;
  alignas(16) std::byte together[sizeof e + short_copy];
  if (bytes <= lane_.inline_bytes) {
    request.send_flags = IBV_SEND_INLINE;
    if (bytes <= sizeof together) {  // the device's library takes longer over a second piece than this copy does
      pieces[0] = {address_of(together), write_message(together, e, payload), 0};
    } else {
      pieces[0] = {address_of(&e), sizeof e, 0};
      pieces[1] = {address_of(payload), static_cast<std::uint32_t>(e.bytes()), 0};
      request.num_sge = 2;
    }
  } else {
    slot = take_slot();
    if (slot == no_slot) return false;
    pieces[0] = {address_of(lane_.slots.at(slot)), write_message(lane_.slots.at(slot), e, payload), lane_.slots.key(slot)};
  }
  attach(to, request, 0, false);
  if (wants_signal(to, slot != no_slot)) request.send_flags |= IBV_SEND_SIGNALED;
  ++lane_.counted.doorbells;
  if (!post_one(to, request)) {
    if (slot != no_slot) lane_.slots.give_back(slot);
    return false;
  }
  if (slot != no_slot) to.sent.push_back({to.posted, slot});
  --to.credits;
  to.last_epoch = lane_.epoch;
  ++lane_.counted.requests;
  ++lane_.counted.messages;
  lane_.counted.eager_bytes += e.bytes();
  return true;
}

bool sender::send(connection& to, envelope e, const void* payload) noexcept {
  const bool behind = to.held_count > 0;
  if (behind && lane_.set.coalesce && append(to, e, payload)) return true;
  if (to.credits == 0 || !room(to)) return false;
  // Something is held although nothing went out since the last poll: a chain that could not be posted.
  if (behind || together_ || to.last_epoch == lane_.epoch) return hold(to, e, payload);
  return post_now(to, e, payload);
}

/// Behind what waits in the last packet, when it fits: no work request, no credit.
bool sender::append(connection& to, envelope e, const void* payload) noexcept {
  held_packet& last = to.held[to.held_count - 1];
  const std::size_t end = aligned(last.bytes);
  if (last.flags != 0 || last.at + end + sizeof e + e.bytes() > slot_bytes) return false;
  const std::uint32_t before = last.bytes;
  last.bytes = static_cast<std::uint32_t>(end) + write_message(lane_.slots.at(last.slot) + last.at + end, e, payload);
  to.held_bytes += last.bytes - before;
  ++lane_.counted.messages;
  lane_.counted.eager_bytes += e.bytes();
  return true;
}

/// A packet more, without its contents: in a slot of its own, or behind the last one. False: there is no slot.
inline bool sender::add_packet(connection& to, std::size_t bytes) noexcept {
  if (to.held_count > 0 && !lane_.set.coalesce && bytes <= lane_.inline_bytes) {
    held_packet& before = to.held[to.held_count - 1];
    const std::size_t at = aligned(before.at + before.bytes);
    if (before.bytes <= lane_.inline_bytes && at + bytes <= slot_bytes) {
      before.last_in_slot = false;
      to.held[to.held_count++] = {before.slot, static_cast<std::uint16_t>(at), true, static_cast<std::uint32_t>(bytes), 0};
      return true;
    }
  }
  const slot_id slot = take_slot();
  if (slot == no_slot) return false;
  to.held[to.held_count++] = {slot, 0, true, static_cast<std::uint32_t>(bytes), 0};
  return true;
}

bool sender::hold(connection& to, envelope e, const void* payload) noexcept {
  if (to.held_count == connection::longest_chain) {
    post_held(to);
    if (to.held_count == connection::longest_chain || to.state != connection_state::open) return false;
  }
  if (!add_packet(to, sizeof e + e.bytes())) return false;
  const held_packet& last = to.held[to.held_count - 1];
  (void)write_message(lane_.slots.at(last.slot) + last.at, e, payload);
  to.held_bytes += last.bytes;
  --to.credits;
  to.last_epoch = lane_.epoch;
  ++lane_.counted.messages;
  lane_.counted.eager_bytes += e.bytes();
  note(to);
  if (to.held_count == connection::longest_chain || to.held_bytes >= enough_bytes) post_held(to);
  return true;
}

bool sender::send_staged(connection& to, const void* header, std::size_t header_bytes, const void* data, std::size_t bytes) noexcept {
  if (to.credits == 0 || !room(to)) return false;
  if (to.held_count == connection::longest_chain) post_held(to);
  if (to.held_count == connection::longest_chain || to.state != connection_state::open) return false;
  const slot_id slot = take_slot();
  if (slot == no_slot) return false;
  std::byte* const at = lane_.slots.at(slot);
  std::memcpy(at, header, header_bytes);
  if (bytes > 0) std::memcpy(at + header_bytes, data, bytes);
  held_packet& last = to.held[to.held_count++];
  last = {slot, 0, true, static_cast<std::uint32_t>(header_bytes + bytes), immediate::staged};
  to.held_bytes += last.bytes;
  --to.credits;
  to.last_epoch = lane_.epoch;
  note(to);
  return true;
}

void sender::note(connection& of) noexcept {
  if (of.listed) return;
  of.listed = true;
  listed_.push_back(&of);
}

void sender::forget(connection& gone) noexcept {
  if (gone.listed) std::erase(listed_, &gone);
  gone.listed = false;
}

void sender::flush_listed() noexcept {
  for (std::size_t each = 0; each < listed_.size();) {
    connection& to = *listed_[each];
    if (to.state == connection_state::open && !to.over()) {
      if (to.held_count > 0) post_held(to);
      if (to.state == connection_state::open && (to.credits_due() || to.tell_refusal)) (void)post_control(to, 0, false);
    }
    // What could not be done stays for the next turn.
    const bool open = to.state == connection_state::open && !to.over();
    if (open && (to.held_count > 0 || to.credits_due() || to.tell_refusal)) {
      ++each;
      continue;
    }
    to.listed = false;
    listed_[each] = listed_.back();
    listed_.pop_back();
  }
}

void sender::post_held(connection& to) noexcept {
  const std::uint32_t count = to.held_count, first = to.posted + 1;
  for (std::uint32_t each = 0; each < count; ++each) {
    const held_packet& packet = to.held[each];
    ibv_send_wr& request = chain_[each];
    pieces_[each] = {address_of(lane_.slots.at(packet.slot) + packet.at), packet.bytes, lane_.slots.key(packet.slot)};
    request.wr_id = work_id::make(work::send, to.index, to.generation, first + each).word;
    request.send_flags = packet.bytes <= lane_.inline_bytes ? IBV_SEND_INLINE : 0;
    request.opcode = IBV_WR_SEND;
    if (packet.flags != 0) {
      request.opcode = IBV_WR_SEND_WITH_IMM;
      request.imm_data = packet.flags | (refuses_ ? immediate::refuses_eager : 0);
    }
  }
  attach(to, chain_[0], to.held[0].flags, false);
  // The end of the chain tells when all of its slots are free.
  ibv_send_wr& last = chain_[count - 1];
  last.send_flags |= IBV_SEND_SIGNALED;
  ibv_send_wr* const next = std::exchange(last.next, nullptr);
  const std::uint32_t done = post(to, chain_[0], count);
  ++lane_.counted.doorbells;
  lane_.counted.requests += done;
  last.next = next;
  note_signals(to, done, done == count);
  for (std::uint32_t each = 0; each < done; ++each) {
    to.held_bytes -= to.held[each].bytes;
    if (!to.held[each].last_in_slot) continue;
    if (chain_[each].send_flags & IBV_SEND_INLINE) lane_.slots.give_back(to.held[each].slot);
    else to.sent.push_back({first + each, to.held[each].slot});
  }
  if (done < count) [[unlikely]]
    std::move(to.held.begin() + done, to.held.begin() + count, to.held.begin());
  to.held_count -= done;
}

/// A message of nothing, for which the peer keeps receives beyond the credits.
bool sender::post_control(connection& to, std::uint32_t flags, bool signaled) noexcept {
  if (to.outstanding() + 1 >= lane_.set.send_depth) return false;
  ibv_send_wr request{};
  request.num_sge = 0;
  request.send_flags = IBV_SEND_INLINE;
  attach(to, request, flags | immediate::uncounted, true);
  if (signaled || wants_signal(to, false)) request.send_flags |= IBV_SEND_SIGNALED;
  ++lane_.counted.controls;
  return post_one(to, request);
}

// A WRITE of nothing: it needs no memory and no receive on the other side, which need not look either.
void sender::probe(connection& to) noexcept {
  const bool idle = to.posted == to.probed;
  to.probed = to.posted;
  if (!idle || to.state != connection_state::open || to.left || to.over() || to.outstanding() + 1 >= lane_.set.send_depth) return;
  ibv_send_wr request{};
  request.opcode = IBV_WR_RDMA_WRITE;
  request.send_flags = IBV_SEND_SIGNALED;
  ++lane_.counted.controls;
  if (post_one(to, request)) to.probed = to.posted;
}

void sender::say_goodbye(connection& to) noexcept {
  if (to.held_count > 0) post_held(to);
  if (to.state == connection_state::open) (void)post_control(to, immediate::leaving, true);
}

void sender::completed(connection& of, std::uint32_t sequence) noexcept {
  if (static_cast<std::int32_t>(sequence - of.completed) <= 0) return;
  of.completed = sequence;
  while (!of.sent.empty() && static_cast<std::int32_t>(of.sent.front().sequence - sequence) <= 0) {
    lane_.slots.give_back(of.sent.front().slot);
    of.sent.pop_front();
  }
}

}  // namespace peal::verbs
