// What ends when a peer dies. Everything that ends is put aside first and ended then, since hooks
// may start and cancel operations.
#include <algorithm>
#include <cstring>
#include <utility>

#include "p2p/messaging.hpp"
#include "peal/error.hpp"

namespace peal {

namespace {

bool contains(const team& members, peer_id peer) noexcept {
  return std::ranges::find(members.peers(), peer) != members.peers().end();
}

bool from_any_source(const operation& receive) noexcept {
  return (receive.mask & match_pattern::source_bits) == 0;
}

}  // namespace

void messaging::peer_failed(peer_id dead) noexcept { lose(dead, true); }

void messaging::peer_left(peer_id gone) noexcept { lose(gone, false); }

void messaging::lose(peer_id dead, bool died) noexcept {
  peer_state& peer = peers_[dead];
  if (peer.failed) return;
  drain();
  peer.failed = true;
  somebody_gone_ = true;
  peer.direct_limit = -1;
  if (died) failures_.push_back(dead);
  linked_list<operation> ending;
  put_aside_sends(dead, ending);
  put_aside_receives(dead, died, ending);
  reach(dead).via->peer_failed(dead);  // fetches from it end in here
  while (operation* over = ending.pop_front()) {
    if (over->kind == operation_kind::send) hide_from_matching(*over);
    over->result.bytes = 0;
    end(*over, errc::peer_failed);
  }
}

// What the peer sent before it died may not have been polled yet; a receive that it completes must
// not fail. What it sent is finite, but other peers go on sending, hence the bound: as many turns
// as empty the longest queue of a transport several times over.
void messaging::drain() noexcept {
  constexpr int most = 1000;
  for (int turn = 0; turn < most && poll(); ++turn) {
  }
}

// A send that stands aside is `working`, so that no thread can cancel it.
void messaging::put_aside_sends(peer_id dead, linked_list<operation>& aside) noexcept {
  const auto put_aside = [&](operation& out) {
    --outgoing_;
    if (out.kind == operation_kind::answer) {
      release(out);
      return;
    }
    contexts_.at(static_cast<std::uint32_t>(out.key >> 32)).failures_told = failures_.size();
    out.state = operation_state::working;
    aside.push_back(out);
  };
  peer_state& peer = peers_[dead];
  while (operation* waiting = peer.queue ? peer.queue->pop_front() : nullptr) put_aside(*waiting);
  for (operation* each = announced_.front(); each;) {
    operation* next = announced_.next(*each);
    if (each->target == dead) {
      announced_.erase(*each);
      put_aside(*each);
    }
    each = next;
  }
}

void messaging::put_aside_receives(peer_id dead, bool died,
                                   linked_list<operation>& aside) noexcept {
  contexts_.for_each([&](context_state& at) {
    for (operation* each = at.posted.front(); each;) {
      operation* next = at.posted.next(*each);
      const bool any = from_any_source(*each);
      if (any ? died && contains(*each->members, dead)
              : each->members->peer(source_of(each->key)) == dead)
        put_aside(at, *each, aside);
      each = next;
    }
  });
}

void messaging::put_aside(context_state& at, operation& receive,
                          linked_list<operation>& aside) noexcept {
  at.posted.remove(receive);
  at.failures_told = failures_.size();
  receive.state = operation_state::working;
  receive.result.source =
      from_any_source(receive) ? detail::any_source_value : source_of(receive.key);
  receive.result.tag = tag_of(receive.key);
  receive.result.bytes = 0;
  aside.push_back(receive);
}

// Nothing is drained: that the peer has ended came behind everything else that it sent.
void messaging::peer_ended(peer_id over) noexcept {
  if (peers_[over].failed || peers_[over].ended) return;
  peers_[over].ended = true;
  somebody_gone_ = true;
  linked_list<operation> ending;
  put_aside_receives(over, false, ending);
  while (operation* each = ending.pop_front()) end(*each, errc::peer_failed);
}

/// A rank of the team that may still send to this one, or -1.
int messaging::who_may_send(const team& among) const noexcept {
  for (int rank = 0; rank < among.size(); ++rank)
    if (const peer_id each = among.peer(rank);
        each != self_ && !peers_[each].failed && !peers_[each].ended)
      return rank;
  return -1;
}

bool messaging::note_probe(const team& among, int source) noexcept {
  const int from = source != detail::any_source_value ? source : who_may_send(among);
  if (from < 0 || peers_[among.peer(from)].failed || peers_[among.peer(from)].ended) return false;
  probed_ = {among.peer(from), among.context(), false};
  has_probed_ = among.peer(from) != self_;
  return true;
}

void messaging::list_awaited(std::vector<awaited>& into, bool may_end) {
  if (std::exchange(has_probed_, false)) into.push_back(probed_);
  const auto add = [&](const operation& each, peer_id peer, std::uint32_t context) {
    if (peer != self_)
      into.push_back({peer, each.members->context(), context != each.members->context()});
  };
  linked_list<operation> ending;
  contexts_.for_each([&](context_state& at) {
    for (operation* each = at.posted.front(); each;) {
      operation* next = at.posted.next(*each);
      const team& among = *each->members;
      if (!from_any_source(*each)) add(*each, among.peer(source_of(each->key)), at.id);
      else if (at.id != among.context() ||
               among.size() == 1) {  // a receive that takes whatever comes waits for no peer
      } else if (const int rank = who_may_send(among); rank >= 0)
        add(*each, among.peer(rank), at.id);
      else if (may_end) put_aside(at, *each, ending);
      each = next;
    }
  });
  const auto add_send = [&](const operation& each) {
    if (each.kind == operation_kind::send)
      add(each, each.target, static_cast<std::uint32_t>(each.key >> 32));
  };
  for (const operation* each = announced_.front(); each; each = announced_.next(*each))
    add_send(*each);
  for (const peer_id to : stalled_)
    for (const operation* each = peers_[to].queue->front(); each;
         each = peers_[to].queue->next(*each))
      add_send(*each);
  while (operation* each = ending.pop_front()) end(*each, errc::peer_failed);
}

void messaging::refuse_unexpected() noexcept {
  if (refusing_) return;
  refusing_ = true;
  contexts_.for_each([&](context_state& at) { refuse_unexpected(at); });
}

void messaging::refuse_unexpected(context_state& at) noexcept {
  while (matched_message* unwanted = at.unexpected.front()) {
    at.unexpected.remove(*unwanted);
    if (unwanted->announced) refuse(unwanted->from, unwanted->payload());
    drop(*unwanted);
  }
}

void messaging::revoke(std::uint32_t context) noexcept {
  context_state& at = contexts_.at(context);
  if (at.revoked) return;
  at.revoked = true;
  somebody_gone_ = true;
  refuse_unexpected(at);
  linked_list<operation> ending;
  while (operation* each = at.posted.front()) put_aside(at, *each, ending);
  while (operation* each = ending.pop_front()) end(*each, errc::peer_failed);
}

void messaging::refuse(peer_id from, const std::byte* announced) noexcept {
  if (peers_[from].failed) return;
  announcement what;
  std::memcpy(&what, announced, sizeof what);
  answer(from, what.id, errc::peer_failed);
}

const operation* messaging::pending_send() const noexcept {
  if (const operation* first = announced_.front()) return first;
  for (const peer_id to : stalled_)
    for (const operation* each = peers_[to].queue->front(); each;
         each = peers_[to].queue->next(*each))
      if (each->kind == operation_kind::send) return each;
  return nullptr;
}

// Of what is asked for at this moment. From a dead peer: it fails. From any source: it fails once,
// when a member of the team has died and nothing in this context has said so yet; afterwards the
// user knows, and may receive from the ranks that live.
bool messaging::fails_for_failure(context_state& at, const team& among, int source) noexcept {
  if (at.revoked) return true;
  bool fails = false;
  if (source == detail::any_source_value) {
    for (std::size_t i = at.failures_told; i < failures_.size() && !fails; ++i)
      fails = contains(among, failures_[i]);
    at.failures_told = failures_.size();
    return fails;
  }
  const peer_state& from = peers_[among.peer(source)];
  fails = from.failed || from.ended;
  if (fails) at.failures_told = failures_.size();
  return fails;
}

bool messaging::ends_for_failure(context_state& at, operation& wanted) noexcept {
  const int source = from_any_source(wanted) ? detail::any_source_value : source_of(wanted.key);
  wanted.result.source = source;
  if (!fails_for_failure(at, *wanted.members, source)) return false;
  wanted.result.tag = tag_of(wanted.key);
  wanted.result.bytes = 0;
  end(wanted, errc::peer_failed);
  return true;
}

}  // namespace peal
