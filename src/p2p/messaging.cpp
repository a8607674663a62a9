#include "p2p/messaging.hpp"

#include <algorithm>

#include "peal/error.hpp"

namespace peal {

messaging::messaging(engine& progress, router& routes, const messaging_options& options)
    : engine_{progress},
      router_{routes},
      self_{options.self},
      options_{options},
      peers_(options.peers) {
  engine_.add(*this);
}

messaging::~messaging() {
  engine_.remove(*this);
  contexts_.for_each([&](context_state& at) {
    while (matched_message* message = at.unexpected.front()) {
      at.unexpected.remove(*message);
      messages_.give_back(*message);
    }
  });
}

void messaging::add(transport& added) {
  transports_.push_back(&added);
  for (const int each : added.descriptors()) engine_.watch(each, this);
}

bool messaging::poll() noexcept {
  bool moved = false;
  for (transport* each : transports_) moved |= each->poll();
  if (!stalled_.empty()) [[unlikely]] {
    moved |= flush();
    // A thread that waited for these messages may make no turn after this one.
    for (transport* each : transports_) each->flush();
  }
  if (!held_.empty()) [[unlikely]]
    moved |= finish_held();
  return moved;
}

bool messaging::finish_held() noexcept {
  if (std::ranges::any_of(transports_, [](transport* each) { return each->holds_messages(); }))
    return false;
  finishing_.swap(held_);  // a continuation may add more
  for (operation* each : finishing_) end(*each);
  finishing_.clear();
  return true;
}

// The last first: it may refuse, while shared memory's arming costs a barrier on every core.
bool messaging::arm() noexcept {
  return held_.empty() && std::all_of(transports_.rbegin(), transports_.rend(),
                                      [](transport* each) { return each->arm(); });
}

void messaging::disarm() noexcept {
  for (transport* each : transports_) each->disarm();
}

void messaging::rang(int descriptor) noexcept {
  for (transport* each : transports_) each->rang(descriptor);
}

progress_source::deadline messaging::wakes_at() const noexcept {
  deadline first = deadline::max();
  for (const transport* each : transports_) first = std::min(first, each->wakes_at());
  return first;
}

void messaging::end(operation& over, error why) noexcept {
  if (why) over.result.error = why;
  end(over);
}

// The end of an operation that a thread sleeps for, or whose user is to be told, later and with no
// lock held, or that no caller will release.
void messaging::end_noted(operation& over) noexcept {
  // The thread looks once the lock is free.
  if (over.flags & operation::slept_for) engine_.ended(&over);
  if (over.flags & operation::hooked) {
    --hooked_;
    engine_.defer(over.user_hook, over.user_context);
  }
  if (over.flags & operation::detached) {
    if (over.owner_free) engine_.defer(over.owner_free, over.owner);
    over.state = operation_state::done;
    release(over);
    return;
  }
  // They have been told.
  over.flags &= static_cast<std::uint8_t>(~(operation::hooked | operation::slept_for));
  end(over);
}

void messaging::detach(operation& given_up, void (*owner_free)(void*) noexcept,
                       void* owner) noexcept {
  if (given_up.finished.load(std::memory_order_relaxed)) {  // relaxed: the lock is held
    if (owner_free) engine_.defer(owner_free, owner);
    release(given_up);
    return;
  }
  given_up.owner_free = owner_free;
  given_up.owner = owner;
  given_up.flags |= operation::detached;
}

bool messaging::on_finish(operation& awaited, void (*hook)(void*), void* context) noexcept {
  if (awaited.finished.load(std::memory_order_relaxed)) return false;  // relaxed: the lock is held
  if (awaited.flags & operation::hooked) engine_.defer(awaited.user_hook, awaited.user_context);
  else ++hooked_;
  awaited.user_hook = hook;
  awaited.user_context = context;
  awaited.flags |= operation::hooked;
  return true;
}

operation& messaging::make_operation(completion_hook hook) noexcept {
  operation& made = operations_.take(operation_kind::other);
  made.hook = hook;
  made.result = {};
  return made;
}

void messaging::finish(operation& over, const outcome& became) noexcept {
  over.result = became;
  end(over);
}

bool messaging::cancel(operation& unwanted) noexcept {
  if (unwanted.state == operation_state::posted) {
    contexts_.at(unwanted.target).posted.remove(unwanted);
    unwanted.result.source = (unwanted.mask & match_pattern::source_bits)
                                 ? source_of(unwanted.key)
                                 : detail::any_source_value;
    unwanted.result.tag = tag_of(unwanted.key);
  } else if (unwanted.state == operation_state::queued && unwanted.kind == operation_kind::send) {
    peer_state& peer = peers_[unwanted.target];
    peer.queue->erase(unwanted);
    --outgoing_;
    hide_from_matching(unwanted);
  } else {
    return false;
  }
  unwanted.result.bytes = 0;
  end(unwanted, errc::cancelled);
  return true;
}

void messaging::forget(std::uint32_t context) noexcept {
  context_state* const at = contexts_.known(context);
  if (at == nullptr) return;
  while (matched_message* message = at->unexpected.front()) {
    at->unexpected.remove(*message);
    discard(*message);
  }
  // A sender that has not heard that it was revoked is still to be told.
  if (!at->revoked) contexts_.erase(context);
}

void messaging::for_each_pending(void (*see)(void* context, const pending_message&),
                                 void* context) noexcept {
  using what = pending_message::what;
  contexts_.for_each([&](context_state& at) {
    for (const operation* each = at.posted.front(); each; each = at.posted.next(*each)) {
      const bool any = (each->mask & match_pattern::source_bits) == 0;
      const int source = any ? detail::any_source_value : source_of(each->key);
      see(context, {.kind = what::posted,
                    .from_any = any,
                    .peer = any ? peer_id{0} : each->members->peer(source),
                    .tag = (each->mask & match_pattern::tag_bits) == match_pattern::tag_bits
                               ? tag_of(each->key)
                               : detail::any_tag_value,
                    .context = at.id,
                    .bytes = each->capacity});
    }
    for (const matched_message* each = at.unexpected.front(); each;
         each = at.unexpected.next(*each))
      see(context, {.kind = what::unexpected,
                    .peer = each->from,
                    .tag = tag_of(each->key),
                    .context = at.id,
                    .bytes = each->bytes});
  });
  const auto see_send = [&](const operation& each) {
    if (each.kind == operation_kind::send)
      see(context, {.kind = what::sending,
                    .peer = each.target,
                    .tag = tag_of(each.key),
                    .context = static_cast<std::uint32_t>(each.key >> 32),
                    .bytes = each.capacity});
  };
  for (const operation* each = announced_.front(); each; each = announced_.next(*each))
    see_send(*each);
  for (const peer_id to : stalled_)
    for (const operation* each = peers_[to].queue->front(); each;
         each = peers_[to].queue->next(*each))
      see_send(*each);
}

}  // namespace peal
