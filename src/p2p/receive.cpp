// Receives, probes, and what becomes of a message that arrives with its payload.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "base/copy.hpp"
#include "base/log.hpp"
#include "base/timing/copy_time.hpp"
#include "p2p/messaging.hpp"
#include "peal/error.hpp"

namespace peal {

namespace {

/// Source and tag of a message into its outcome.
[[gnu::always_inline]] inline void set_match(detail::outcome& became, std::uint64_t key) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    static_assert(offsetof(detail::outcome, tag) == 0 && offsetof(detail::outcome, source) == 4);
    std::memcpy(static_cast<void*>(&became), &key, sizeof key);  // one store instead of two
  } else {
    became.tag = tag_of(key);
    became.source = source_of(key);
  }
}

/// Whether the payload of a message that peal itself writes is as long as it has to be.
bool is_whole(envelope e) noexcept {
  switch (e.kind()) {
    case envelope_kind::eager: return true;
    case envelope_kind::announce: return e.bytes() >= sizeof(announcement);
    case envelope_kind::fetched: return e.bytes() >= sizeof(fetched_answer);
  }
  return false;
}

}  // namespace

// The end of most messages: the payload goes into a buffer that is there and long enough.
[[gnu::always_inline]] inline void messaging::deliver(operation& matched, std::uint64_t key,
                                                      const std::byte* payload,
                                                      std::size_t bytes) noexcept {
  if ((matched.flags & (operation::growing | operation::absorbing)) || bytes > matched.capacity)
      [[unlikely]]
    return deliver_in_part(matched, key, payload, bytes);
  set_match(matched.result, key);
  matched.result.bytes = bytes;
  if (bytes > short_copy) return deliver_long(matched, payload, bytes);
  copy_short(matched.buffer, payload, bytes);
  end(matched);
}

void messaging::deliver_long(operation& matched, const std::byte* payload,
                             std::size_t bytes) noexcept {
  const copy_time noted{bytes};
  std::memcpy(matched.buffer, payload, bytes);
  end(matched);
}

void messaging::deliver_in_part(operation& matched, std::uint64_t key, const std::byte* payload,
                                std::size_t bytes) noexcept {
  if (make_room(matched, key, bytes)) {
    matched.transfer.context = &matched;
    if (matched.flags & operation::absorbing)
      matched.transfer.absorb(matched.transfer, payload, 0, matched.result.bytes);
    else std::memcpy(matched.buffer, payload, matched.result.bytes);
  }
  end(matched);
}

// Everything but the usual case is out of line, so that the usual case saves no registers for it.
void messaging::arrived(peer_id from, envelope e, const std::byte* payload) noexcept {
  if (context_state* const at = contexts_.recent(e.context());
      at && e.kind() == envelope_kind::eager) [[likely]] {
    const std::uint64_t key = match_key(e);
    if (operation* receive = at->posted.match_front(key)) [[likely]]
      return deliver(*receive, key, payload, e.bytes());
  }
  arrived_slow(from, e, payload);
}

// Many messages with one call, and the list of receives is mended once. What is unusual is left to
// `arrived`: another context, a message that the first receive does not take, an end that someone
// is to be told of with no lock held.
std::uint32_t messaging::arrived_short(const short_run& run) noexcept {
  std::uint32_t place = run.place;
  const short_path::cell* each = &run.cells[place];
  // acquire, here and below: pairs with the release in short_path::write_short.
  if (each->stamp.load(std::memory_order_acquire) != run.stamp) return 0;
  context_state* const at = contexts_.recent(envelope{each->match, each->rest}.context());
  if (!at || at->posted.indexed()) [[unlikely]]
    return 0;
  std::uint32_t left = run.most;
  const std::uint64_t stamp = run.stamp;
  const std::uint32_t context = at->id;
  operation* receive = at->posted.front();
  operation* hooked = nullptr;
  envelope e;
  std::uint64_t key = 0;
  do {
    // Messages that follow each other are alike as a rule.
    if (left == run.most || each->match != e.match || each->rest != e.rest) {
      e = {each->match, each->rest};
      key = match_key(e);
      if (e.context() != context || e.kind() != envelope_kind::eager) [[unlikely]]
        break;
    }
    if (!receive || ((receive->key ^ key) & receive->mask) != 0 || receive->flags != 0 ||
        e.bytes() > receive->capacity) [[unlikely]]
      break;
    __builtin_prefetch(&run.cells[short_path::place_behind(place, lines_ahead_to_read)]);
    copy_short(receive->buffer, each->payload, e.bytes());
    set_match(receive->result, key);
    receive->result.bytes = e.bytes();
    receive->state = operation_state::done;
    operation* const over = receive;
    receive = at->posted.next(*over);
    place = short_path::place_behind(place);
    each = &run.cells[place];
    --left;
    if (over->hook.call) [[unlikely]] {
      hooked = over;
      break;
    }
    // release: pairs with the acquire in detail::finished().
    over->finished.store(true, std::memory_order_release);
  } while (left != 0 && each->stamp.load(std::memory_order_acquire) == stamp);
  at->posted.remove_before(receive);
  // The last, since it may start, cancel and release operations.
  if (hooked) end(*hooked);
  return run.most - left;
}

void messaging::arrived_slow(peer_id from, envelope e, const std::byte* payload) noexcept {
  if (e.kind() != envelope_kind::eager && !is_whole(e)) {
    // Nothing that was sent waits for it: whoever sent this is no rank that is in order.
    log_error("rank {} sent what is no message, of kind {} and {} bytes: dropped", from,
              static_cast<unsigned>(e.kind()), e.bytes());
    return;
  }
  if (e.kind() == envelope_kind::fetched) {
    answered(from, payload);
    return;
  }
  context_state& at = contexts_.at(e.context());
  const std::uint64_t key = match_key(e);
  operation* receive = at.posted.match(key);
  if (!receive) {
    keep(at, from, e, payload);
  } else if (e.kind() == envelope_kind::eager) {
    deliver(*receive, key, payload, e.bytes());
  } else {
    announcement what;
    std::memcpy(&what, payload, sizeof what);
    accept(*receive, key, from, what);
  }
}

void messaging::consume(operation& wanted, matched_message& message) noexcept {
  if (message.announced) {
    announcement what;
    std::memcpy(&what, message.payload(), sizeof what);
    accept(wanted, message.key, message.from, what);
  } else {
    deliver(wanted, message.key, message.payload(), message.bytes);
  }
  drop(message);
}

// Writes down what has been matched, and sees to a buffer. False: there is nothing to copy, or no
// memory, and then the operation's error says so.
bool messaging::make_room(operation& matched, std::uint64_t key, std::size_t bytes) noexcept {
  matched.result.tag = tag_of(key);
  matched.result.source = source_of(key);
  if (matched.flags & operation::growing) {
    matched.buffer = matched.allocate(matched.buffer, bytes);
    matched.capacity = matched.buffer ? bytes : 0;
    if (!matched.buffer) matched.result.error = errc::no_space;
  } else if (bytes > matched.capacity) {
    matched.result.error = errc::truncated;
  }
  matched.result.bytes = std::min(bytes, matched.capacity);
  return matched.result.bytes > 0;
}

operation& messaging::start_recv_absorbed(const team& in, std::uint32_t context,
                                          decltype(fetch::absorb) absorb, void* owner,
                                          void* landing, std::size_t capacity, int source, int tag,
                                          completion_hook hook,
                                          const detail::strided_blocks* blocks) noexcept {
  operation& wanted = new_receive(in, context, source, tag);
  wanted.flags = operation::absorbing;
  wanted.transfer.absorb = absorb;
  wanted.transfer.blocks = blocks;
  wanted.owner = owner;
  wanted.buffer = landing;
  wanted.capacity = capacity;
  post(wanted, hook);
  return wanted;
}

operation& messaging::start_recv_growing(const team& in, std::uint32_t context,
                                         const growing_buffer& into, int source, int tag,
                                         completion_hook hook) noexcept {
  operation& wanted = new_receive(in, context, source, tag);
  wanted.buffer = into.owner;
  wanted.capacity = 0;
  wanted.flags = operation::growing;
  wanted.allocate = into.allocate;
  post(wanted, hook);
  return wanted;
}

// There may be a message for it already, or no peer left to send one.
void messaging::post_slow(context_state& at, operation& wanted, completion_hook hook) noexcept {
  if (matched_message* message = at.unexpected.find({wanted.key, wanted.mask})) {
    at.unexpected.remove(*message);
    consume(wanted, *message);
  } else if (!somebody_gone_ || !ends_for_failure(at, wanted)) {
    wanted.state = operation_state::posted;
    at.posted.add(wanted);
  }
  if (!wanted.finished.load(std::memory_order_relaxed)) wanted.hook = hook;
}

// ---- messages that no receive has asked for yet

void messaging::keep(context_state& at, peer_id from, envelope e,
                     const std::byte* payload) noexcept {
  if (refusing_ || at.revoked) [[unlikely]] {
    if (e.kind() == envelope_kind::announce) refuse(from, payload);
    return;
  }
  matched_message& kept = messages_.take(e.bytes());
  kept.key = match_key(e);
  kept.from = from;
  kept.context = e.context();
  kept.bytes = e.bytes();
  if (e.bytes() > 0) std::memcpy(kept.payload(), payload, e.bytes());
  if (e.kind() == envelope_kind::announce) {
    kept.announced = true;
    announcement what;
    std::memcpy(&what, payload, sizeof what);
    kept.bytes = what.bytes;
  } else {
    // Whole blocks are counted, so that a flood of empty messages is bounded too. Announcements are
    // bounded by their senders.
    unexpected_bytes_ += kept.block;
    if (unexpected_bytes_ > options_.unexpected_limit && wants_eager_) tell_senders(false);
  }
  at.unexpected.add(kept);
}

void messaging::drop(matched_message& over) noexcept {
  if (!over.announced) {
    unexpected_bytes_ -= over.block;
    // Half, so that senders do not change their ways at every message.
    if (!wants_eager_ && unexpected_bytes_ < options_.unexpected_limit / 2) tell_senders(true);
  }
  messages_.give_back(over);
}

void messaging::tell_senders(bool wants_eager) noexcept {
  wants_eager_ = wants_eager;
  for (transport* each : transports_) each->set_wants_eager(wants_eager);
}

// ---- probes

matched_message* messaging::probe(const team& in, std::uint32_t context, int source, int tag,
                                  outcome& what) noexcept {
  context_state& at = contexts_.at(context);
  matched_message* const found = at.unexpected.find(match_pattern::of(source, tag));
  if (!found) {
    if (somebody_gone_ && fails_for_failure(at, in, source))
      what = {.tag = tag, .source = source, .bytes = 0, .error = errc::peer_failed};
    return nullptr;
  }
  what = {.tag = tag_of(found->key),
          .source = source_of(found->key),
          .bytes = found->bytes,
          .error = {}};
  return found;
}

matched_message* messaging::take(const team& in, std::uint32_t context, int source, int tag,
                                 outcome& what) noexcept {
  matched_message* const found = probe(in, context, source, tag, what);
  if (found) contexts_.at(context).unexpected.remove(*found);
  return found;
}

operation& messaging::start_recv_matched(matched_message& message, void* data, std::size_t capacity,
                                         completion_hook hook) noexcept {
  operation& wanted = operations_.take(operation_kind::receive);
  wanted.buffer = data;
  wanted.capacity = capacity;
  wanted.target = message.context;
  consume(wanted, message);
  if (!wanted.finished.load(std::memory_order_relaxed)) wanted.hook = hook;
  return wanted;
}

void messaging::discard(matched_message& message) noexcept {
  if (message.announced && !peers_[message.from].failed) {
    announcement what;
    std::memcpy(&what, message.payload(), sizeof what);
    answer(message.from, what.id, {});
  }
  drop(message);
}

}  // namespace peal
