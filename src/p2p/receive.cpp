// Receives, probes, and what becomes of a message that arrives with its payload.
#include <algorithm>
#include <cstring>

#include "p2p/messaging.hpp"
#include "peal/error.hpp"

namespace peal {

operation& messaging::start_recv(const team& in, std::uint32_t context, void* data, std::size_t capacity, int source, int tag,
                                 completion_hook hook) noexcept {
  return receive(in, context, data, capacity, source, tag, nullptr, hook);
}

operation& messaging::start_recv_growing(const team& in, std::uint32_t context, const growing_buffer& into, int source, int tag,
                                         completion_hook hook) noexcept {
  return receive(in, context, into.owner, 0, source, tag, into.allocate, hook);
}

operation& messaging::receive(const team& in, std::uint32_t context, void* data, std::size_t capacity, int source, int tag,
                              decltype(growing_buffer::allocate) allocate, const completion_hook& hook) noexcept {
  operation& wanted = operations_.take(operation_kind::receive);
  const match_pattern pattern = match_pattern::of(source, tag);
  wanted.key = pattern.key;
  wanted.mask = pattern.mask;
  wanted.buffer = data;
  wanted.members = &in;
  wanted.capacity = capacity;
  wanted.target = context;
  if (allocate) {
    wanted.flags = operation::growing;
    wanted.allocate = allocate;
  }
  context_state& at = contexts_.at(context);
  if (matched_message* message = at.unexpected.find(pattern)) {
    at.unexpected.remove(*message);
    consume(wanted, *message);
  } else if (failures_.empty() || !ends_for_failure(at, wanted)) {
    wanted.state = operation_state::posted;
    at.posted.add(wanted);
  }
  if (!wanted.finished.load(std::memory_order_relaxed)) {
    // Word by word: the caller has just written it so, and one load of both words would wait for every store before it to leave the core,
    // the one into a peer's box among them.
    wanted.hook.call = hook.call;
    wanted.hook.context = hook.context;
  }
  return wanted;
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

// Writes down what has been matched, and sees to a buffer. False: there is no memory, and the operation's error says so.
bool messaging::make_room(operation& matched, std::uint64_t key, std::size_t bytes) noexcept {
  matched.result.source = source_of(key);
  matched.result.tag = tag_of(key);
  if (matched.flags & operation::growing) [[unlikely]] {
    matched.buffer = matched.allocate(matched.buffer, bytes);
    matched.capacity = matched.buffer ? bytes : 0;
    if (!matched.buffer) matched.result.error = errc::no_space;
  } else if (bytes > matched.capacity) [[unlikely]] {
    matched.result.error = errc::truncated;
  }
  matched.result.bytes = std::min(bytes, matched.capacity);
  return matched.result.bytes > 0;
}

void messaging::deliver(operation& matched, std::uint64_t key, const std::byte* payload, std::size_t bytes) noexcept {
  if (make_room(matched, key, bytes)) std::memcpy(matched.buffer, payload, matched.result.bytes);
  end(matched);
}

// ---- messages that nobody has asked for yet

void messaging::keep(context_state& at, peer_id from, envelope e, const std::byte* payload) noexcept {
  if (refusing_) [[unlikely]] {
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
    // Whole blocks are counted, so that a flood of empty messages is bounded too. Announcements are bounded by their senders.
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

bool messaging::probe(const team&, std::uint32_t context, int source, int tag, outcome& what) noexcept {
  const matched_message* found = contexts_.at(context).unexpected.find(match_pattern::of(source, tag));
  if (!found) return false;
  what = {source_of(found->key), tag_of(found->key), found->bytes, {}};
  return true;
}

matched_message* messaging::take(const team&, std::uint32_t context, int source, int tag, outcome& what) noexcept {
  context_state& at = contexts_.at(context);
  matched_message* found = at.unexpected.find(match_pattern::of(source, tag));
  if (!found) return nullptr;
  at.unexpected.remove(*found);
  what = {source_of(found->key), tag_of(found->key), found->bytes, {}};
  return found;
}

operation& messaging::start_recv_matched(matched_message& message, void* data, std::size_t capacity, completion_hook hook) noexcept {
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
