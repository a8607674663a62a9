#include "p2p/rendezvous.hpp"

#include <cstring>

#include "base/log.hpp"
#include "p2p/messaging.hpp"
#include "peal/error.hpp"

namespace peal {

// ---- the sender

messaging::handed messaging::announce(operation& out, peer_state& peer) noexcept {
  if (!(out.flags & operation::exposed)) {
    out.flags |= operation::exposed;
    // So that an answer that comes when this place of the pool is used again is known for what it
    // is.
    ++out.generation;
    if (out.capacity == 0) out.transfer.where = {};
    else if (out.flags & operation::packed)
      out.transfer.where = peer.via->expose_packed(
          out.target, *static_cast<const detail::packer*>(out.buffer), out.capacity);
    else out.transfer.where = peer.via->expose(out.target, out.buffer, out.capacity);
  }
  const announcement what{out.capacity, std::uint64_t{out.generation} << 32 | out.index,
                          out.transfer.where};
  const envelope e{
      out.key, out.mask | std::uint64_t{static_cast<std::uint8_t>(envelope_kind::announce)} << 24 |
                   sizeof what};
  return peer.via->send(out.target, e, &what) ? handed::announcement : handed::no_space;
}

void messaging::hide_from_matching(operation& out) noexcept {
  if ((out.flags & operation::exposed) && out.capacity > 0)
    peers_[out.target].via->withdraw(out.target, out.transfer.where);
  out.flags &= static_cast<std::uint8_t>(~operation::exposed);
}

void messaging::answered(peer_id from, const std::byte* payload) noexcept {
  fetched_answer what;
  std::memcpy(&what, payload, sizeof what);
  operation* sent = operations_.find(static_cast<std::uint32_t>(what.id));
  if (!sent || sent->state != operation_state::announced || sent->generation != what.id >> 32 ||
      sent->target != from)
    return;
  announced_.erase(*sent);
  --outgoing_;
  hide_from_matching(*sent);
  const error why = what.error == 0 ? error{} : make_error_code(static_cast<errc>(what.error));
  // Where no caller asks for its outcome any more, an error is logged. After the failure of a rank
  // the survivors leave as they like, and that is not worth a warning.
  if (why && (refusing_ || (sent->flags & operation::detached)) && failures_.empty())
    log_warning("a message of {} bytes to rank {} with tag {} was not received: {}", sent->capacity,
                from, sent->result.tag, why.message());
  end(*sent, why);
}

// ---- the receiver

void messaging::accept(operation& matched, std::uint64_t key, peer_id from,
                       const announcement& what) noexcept {
  if (peers_[from].failed) {
    matched.result.source = source_of(key);
    matched.result.tag = tag_of(key);
    matched.result.bytes = 0;
    contexts_.at(matched.target).failures_told = failures_.size();
    end(matched, errc::peer_failed);
    return;
  }
  if (!make_room(matched, key, what.bytes)) {
    answer(from, what.id, {});
    end(matched);
    return;
  }
  matched.state = operation_state::fetching;
  matched.remote_id = what.id;
  ++outgoing_;
  fetch& transfer = matched.transfer;
  transfer.from = from;
  transfer.where = what.where;
  transfer.into = matched.buffer;
  transfer.bytes = matched.result.bytes;
  if (!(matched.flags & operation::absorbing)) {
    transfer.absorb = nullptr;
    transfer.blocks = nullptr;
  }
  transfer.context = &matched;
  transfer.done = [](fetch& over, error why) noexcept {
    auto& receive = *static_cast<operation*>(over.context);
    receive.home->fetched(receive, why);
  };
  reach(from).via->start_fetch(transfer);
}

void messaging::fetched(operation& matched, error why) noexcept {
  --outgoing_;
  if (why) matched.result.bytes = 0;
  if (!peers_[matched.transfer.from].failed) answer(matched.transfer.from, matched.remote_id, why);
  end(matched, why);
}

// ---- answers

void messaging::answer(peer_id to, std::uint64_t id, error why) noexcept {
  peer_state& peer = reach(to);
  const error told =
      !why || why.category() == error_category() ? why : make_error_code(errc::internal);
  if (peer.direct_limit >= 0 && send_answer(peer, to, id, told.value())) return;
  operation& waiting = operations_.take(operation_kind::answer);
  waiting.remote_id = id;
  waiting.result.error = told;
  waiting.target = to;
  ++outgoing_;
  queue(waiting, peer);
}

bool messaging::send_answer(peer_state& peer, peer_id to, std::uint64_t id, int told) noexcept {
  const fetched_answer what{id, told, 0};
  return peer.via->send(to, envelope::make(0, 0, self_, envelope_kind::fetched, sizeof what),
                        &what);
}

}  // namespace peal
