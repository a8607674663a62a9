// Sends: at once when the transport has room, in order behind what waits for room otherwise.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "p2p/messaging.hpp"
#include "peal/error.hpp"

namespace peal {

std::int64_t messaging::direct_limit_of(const peer_state& peer) const noexcept {
  return static_cast<std::int64_t>(
      std::min({options_.eager_limit, peer.via->longest_eager(), envelope::max_payload}));
}

messaging::peer_state& messaging::reach(peer_id to) noexcept {
  peer_state& peer = peers_[to];
  if (!peer.via) {
    peer.via = &router_.route(to);
    peer.short_path = peer.via->short_path_to(to);
    peer.eager_limit = static_cast<std::uint32_t>(
        std::min({options_.eager_limit, peer.via->eager_limit(), envelope::max_payload}));
    if (!peer.failed) peer.direct_limit = direct_limit_of(peer);
  }
  return peer;
}

// When the inlined path of try_send_now did not do: the peer is new, dead, stalled or full, or the
// message is long.
bool messaging::send_now_slowly(const team& in, std::uint32_t context, const void* data,
                                std::size_t bytes, int dest, int tag) noexcept {
  const peer_id to = in.peer(dest);
  if (!peers_[to].via) {
    reach(to);
    if (try_send(in, context, data, bytes, dest, tag)) return true;
  }
  return to == self_ && buffer_send(in, context, data, bytes, dest, tag);
}

bool messaging::buffer_send(const team& in, std::uint32_t context, const void* data,
                            std::size_t bytes, int dest, int tag) noexcept {
  void* copy = std::malloc(std::max<std::size_t>(bytes, 1));
  if (!copy) return false;
  if (bytes > 0) std::memcpy(copy, data, bytes);
  operation& sent = start_send(in, context, copy, bytes, dest, tag);
  detach(sent, [](void* owner) noexcept { std::free(owner); }, copy);
  return true;
}

operation& messaging::start_send(const team& in, std::uint32_t context, const void* data,
                                 std::size_t bytes, int dest, int tag, completion_hook hook,
                                 send_form form) noexcept {
  const peer_id to = in.peer(dest);
  operation& sent = operations_.take(operation_kind::send);
  sent.result.source = in.rank();
  sent.result.tag = tag;
  sent.result.bytes = bytes;
  peer_state& peer = reach(to);
  const bool packed = form == send_form::packed || form == send_form::packed_synchronous;
  if (packed) sent.flags |= operation::packed;
  else if (form == send_form::synchronous) sent.flags |= operation::synchronous;
  if ((form == send_form::ordinary && try_send(in, context, data, bytes, dest, tag)) ||
      (form == send_form::packed &&
       try_send_packed(in, context, *static_cast<const detail::packer*>(data), bytes, dest, tag))) {
    sent.state = operation_state::done;
    sent.finished.store(true, std::memory_order_relaxed);  // relaxed: no other thread knows it yet
    return sent;
  }
  if (peer.failed) {
    sent.result.bytes = 0;
    contexts_.at(context).failures_told = failures_.size();
    end(sent, errc::peer_failed);
    return sent;
  }
  sent.key = std::uint64_t{context} << 32 | static_cast<std::uint32_t>(tag);
  sent.mask = std::uint64_t{static_cast<std::uint32_t>(in.rank())} << 32;
  sent.buffer = const_cast<void*>(data);
  sent.capacity = bytes;
  sent.target = to;
  sent.members = &in;
  ++outgoing_;
  count_sent(bytes);
  const handed how = peer.direct_limit < 0 ? handed::no_space : hand_over(sent, peer);
  if (how == handed::no_space) queue(sent, peer);
  else handed_over(sent, how);
  if (!sent.finished.load(std::memory_order_relaxed)) sent.hook = hook;
  return sent;
}

bool messaging::try_send_packed(const team& in, std::uint32_t context, const detail::packer& from,
                                std::size_t bytes, int dest, int tag) noexcept {
  const peer_id to = in.peer(dest);
  const peer_state& peer = peers_[to];
  const bool sent =
      static_cast<std::int64_t>(bytes) <= peer.direct_limit &&
      peer.via->send_packed(to,
                            envelope::make(context, tag, static_cast<std::uint32_t>(in.rank()),
                                           envelope_kind::eager, bytes),
                            from);
  if (sent) count_sent(bytes);
  return sent;
}

bool messaging::packs_on_the_way(const team& in, std::size_t bytes, int dest) noexcept {
  const peer_state& peer = reach(in.peer(dest));
  return bytes > peer.eager_limit && peer.via->packs_on_the_way(in.peer(dest));
}

bool messaging::takes_eager(const peer_state& peer, const operation& out) const noexcept {
  return out.capacity <= peer.eager_limit ||
         (static_cast<std::int64_t>(out.capacity) <= direct_limit_of(peer) &&
          peer.via->takes_long(out.target, out.buffer, out.capacity));
}

// Gives a send or an answer to the transport. Changes nothing but that; handed_over() does the rest
// once it stands in no queue.
messaging::handed messaging::hand_over(operation& out, peer_state& peer) noexcept {
  if (out.kind == operation_kind::answer)
    return send_answer(peer, out.target, out.remote_id, out.result.error.value())
               ? handed::whole
               : handed::no_space;
  if (!takes_eager(peer, out) ||
      (out.flags & (operation::exposed | operation::synchronous | operation::packed)) ||
      !peer.via->wants_eager(out.target))
    return announce(out, peer);
  const envelope e{out.key,
                   out.mask | std::uint64_t{static_cast<std::uint8_t>(envelope_kind::eager)} << 24 |
                       out.capacity};
  return peer.via->send(out.target, e, out.buffer) ? handed::whole : handed::no_space;
}

void messaging::handed_over(operation& out, handed how) noexcept {
  if (how == handed::announcement) {
    out.state = operation_state::announced;
    announced_.push_back(out);
    return;
  }
  --outgoing_;
  if (out.kind == operation_kind::answer) release(out);
  else end(out);
}

void messaging::queue(operation& out, peer_state& peer) noexcept {
  if (!peer.queue) peer.queue = std::make_unique<linked_list<operation>>();
  out.state = operation_state::queued;
  peer.queue->push_back(out);
  peer.direct_limit = -1;
  if (peer.stalled) return;
  peer.stalled = true;
  stalled_.push_back(out.target);
}

// Hooks may stall further peers meanwhile, so places are counted instead of iterated.
bool messaging::flush() noexcept {
  bool moved = false;
  for (std::size_t i = 0; i < stalled_.size();) {
    peer_state& peer = peers_[stalled_[i]];
    moved |= flush(peer);
    if (!peer.queue->empty()) {
      ++i;
      continue;
    }
    peer.stalled = false;
    if (!peer.failed) peer.direct_limit = direct_limit_of(peer);
    stalled_[i] = stalled_.back();
    stalled_.pop_back();
  }
  return moved;
}

bool messaging::flush(peer_state& peer) noexcept {
  bool moved = false;
  while (operation* first = peer.queue->front()) {
    const handed how = hand_over(*first, peer);
    if (how == handed::no_space) break;
    peer.queue->erase(*first);
    handed_over(*first, how);
    moved = true;
  }
  return moved;
}

}  // namespace peal
