#include "unit/collective/symbolic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace symbolic {

using peal::place;
using peal::round;
using peal::schedule;
using peal::slice;
using peal::step;

void world::fail(std::size_t rank, const std::string& what) {
  if (problem_.empty()) problem_ = fmt::format("rank {}: {}", rank, what);
}

symbol* world::span(std::size_t rank, slice s, std::uint32_t stream, bool writes) {
  const auto where = static_cast<std::size_t>(s.buffer);
  bytes& memory = (*actors_)[rank].memory[where];
  if (s.offset + s.bytes > memory.size()) {
    fail(rank, fmt::format("[{}, {}) is outside buffer {} of {} bytes", s.offset,
                           s.offset + s.bytes, where, memory.size()));
    return nullptr;
  }
  if (writes && s.buffer == place::send) fail(rank, "writes into the send buffer");
  if ((*actors_)[rank].plan.streams() > 1) {
    const auto bit = static_cast<std::uint8_t>(1u << stream);
    for (std::size_t i = s.offset; i != s.offset + s.bytes; ++i) {
      touch& t = touches_[rank][where][i];
      (writes ? t.written : t.read) |= bit;
      if (t.written != 0 && std::popcount(static_cast<unsigned>(t.written | t.read)) > 1)
        fail(rank, fmt::format("streams share byte {} of buffer {}", i, where));
    }
  }
  return memory.data() + s.offset;
}

symbol world::join(std::size_t rank, symbol lower, symbol higher) {
  const auto size = actors_->size();
  if (lower.count == 0 || higher.count == 0) {
    fail(rank, "reduces a byte that nobody wrote");
    return {};
  }
  if (lower.origin != higher.origin) fail(rank, "joins different bytes of the vector");
  if (lower.count + higher.count > size) fail(rank, "joins a contribution twice");
  const auto joined = static_cast<std::uint16_t>(lower.count + higher.count);
  if (lower.first + lower.count == higher.first) return {lower.origin, lower.first, joined};
  if (commutative_ && (lower.first + lower.count) % size == higher.first)
    return {lower.origin, lower.first, joined};
  if (commutative_ && (higher.first + higher.count) % size == lower.first)
    return {lower.origin, higher.first, joined};
  fail(rank, fmt::format("joins ranks [{}, +{}) and [{}, +{})", lower.first, lower.count,
                         higher.first, higher.count));
  return {};
}

void world::local(std::size_t rank, std::uint32_t stream, const step& s) {
  const symbol* from = span(rank, s.from, stream, false);
  symbol* into = span(rank, s.into, stream, true);
  if (!from || !into) return;
  if (s.what == step::action::copy) {
    if (s.from.bytes != s.into.bytes) return fail(rank, "copies between different lengths");
    if (s.from.buffer == s.into.buffer && s.from.offset < s.into.offset + s.into.bytes &&
        s.into.offset < s.from.offset + s.from.bytes)
      return fail(rank, "copies within overlapping ranges");
    std::copy_n(from, s.from.bytes, into);
    return;
  }
  symbol* other = span(rank, s.other, stream, false);
  if (!other) return;
  if (s.into.bytes % element_ != 0 || s.into.offset % element_ != 0)
    return fail(rank, "cuts an element");
  const auto apart = [&](slice a, slice b) {
    return a.buffer != b.buffer || a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
  };
  if (s.into != s.from && !apart(s.into, s.from))
    return fail(rank, "the result overlaps the lower operand");
  if (s.into != s.other && !apart(s.into, s.other))
    return fail(rank, "the result overlaps the higher operand");
  if (s.into == s.from && s.other.buffer != place::scratch)
    return fail(rank, "the higher operand cannot be overwritten");
  for (std::size_t i = 0; i != s.into.bytes; ++i) into[i] = join(rank, from[i], other[i]);
  if (s.fused)  // what arrived need never have been in scratch
    for (const slice operand : {s.from, s.other})
      if (operand.buffer == place::scratch && operand != s.into)
        std::fill_n(span(rank, operand, stream, true), operand.bytes, symbol{});
  if (s.into == s.from) {
    other = span(rank, s.other, stream, true);
    std::fill_n(other, s.other.bytes, symbol{});
  }
}

void world::transfer(std::size_t from, slice source, std::size_t to, slice target,
                     std::uint32_t stream) {
  if (source.bytes != target.bytes)
    return fail(to, fmt::format("gets {} bytes from rank {} where it expects {}", source.bytes,
                                from, target.bytes));
  const symbol* read = span(from, source, stream, false);
  symbol* written = span(to, target, stream, true);
  if (read && written) std::copy_n(read, source.bytes, written);
}

// What a round receives may overlap nothing else that it sends or receives: the order of arrival is
// open.
void world::check_overlaps(std::size_t rank, const round& r) {
  actor& me = (*actors_)[rank];
  ++stamp_;
  for (const step& s : me.plan.receives(r)) {
    auto& marks = marks_[static_cast<std::size_t>(s.into.buffer)];
    if (marks.size() < s.into.offset + s.into.bytes) marks.resize(s.into.offset + s.into.bytes);
    for (std::size_t i = s.into.offset; i != s.into.offset + s.into.bytes; ++i) {
      if (marks[i] == stamp_) fail(rank, "receives twice into one byte in one round");
      marks[i] = stamp_;
    }
    // A fused reduction writes its result while the messages of the round are under way.
    if (s.fused)
      for (std::size_t i = s.other.offset; i != s.other.offset + s.other.bytes; ++i) {
        auto& results = marks_[static_cast<std::size_t>(s.other.buffer)];
        if (results.size() < s.other.offset + s.other.bytes)
          results.resize(s.other.offset + s.other.bytes);
        if (results[i] == stamp_) fail(rank, "joins into a byte that the same round receives");
        results[i] = stamp_;
      }
  }
  for (const step& s : me.plan.sends(r)) {
    const auto& marks = marks_[static_cast<std::size_t>(s.from.buffer)];
    for (std::size_t i = s.from.offset; i < std::min(s.from.offset + s.from.bytes, marks.size());
         ++i)
      if (marks[i] == stamp_) fail(rank, "sends a byte that the same round receives");
  }
}

void world::post_one(std::size_t rank, std::uint32_t stream, const step& s, bool sends) {
  const auto size = actors_->size();
  if (s.peer < 0 || static_cast<std::size_t>(s.peer) >= size ||
      static_cast<std::size_t>(s.peer) == rank)
    return fail(rank, fmt::format("has rank {} as the other side of a message", s.peer));
  const auto peer = static_cast<std::size_t>(s.peer);
  const auto pair = sends ? rank * size + peer : peer * size + rank;
  channel& c = channels_[pair * schedule::max_streams + stream];
  const slice own = sends ? s.from : s.into;
  if (c.head == c.waiting.size() || c.sends == sends) {
    c.sends = sends;
    c.waiting.push_back({own});
    return;
  }
  const slice other = c.waiting[c.head].where;
  if (++c.head == c.waiting.size()) {
    c.waiting.clear();
    c.head = 0;
  }
  if (sends) transfer(rank, own, peer, other, stream);
  else transfer(peer, other, rank, own, stream);
  for (const std::size_t end : {rank, peer})
    if (--places_[end * schedule::max_streams + stream].pending == 0)
      ready_.emplace_back(end, stream);
}

void world::begin_round(std::size_t rank, std::uint32_t stream, std::uint32_t index) {
  const schedule& plan = (*actors_)[rank].plan;
  auto& here = places_[rank * schedule::max_streams + stream];
  here.round = index;
  if (index == round::none) return;
  const round& r = plan.rounds()[index];
  check_overlaps(rank, r);
  // One more than there are messages, so that the round cannot end while it is being posted.
  here.pending = r.sends + r.receives + 1;
  for (const step& s : plan.sends(r)) post_one(rank, stream, s, true);
  for (const step& s : plan.receives(r)) post_one(rank, stream, s, false);
  if (--here.pending == 0) ready_.emplace_back(rank, stream);
}

void world::finish_round(std::size_t rank, std::uint32_t stream) {
  const schedule& plan = (*actors_)[rank].plan;
  const round& r = plan.rounds()[places_[rank * schedule::max_streams + stream].round];
  for (const step& s : plan.locals(r)) local(rank, stream, s);
  begin_round(rank, stream, r.next);
}

std::string world::play(std::vector<actor>& actors, std::size_t element, bool commutative) {
  actors_ = &actors;
  element_ = element;
  commutative_ = commutative;
  problem_.clear();
  const auto size = actors.size();
  places_.assign(size * schedule::max_streams, {});
  if (channels_.size() < size * size * schedule::max_streams)
    channels_.resize(size * size * schedule::max_streams);
  touches_.resize(std::max(touches_.size(), size));
  for (std::size_t rank = 0; rank != size; ++rank) {
    actor& a = actors[rank];
    a.at(place::scratch).assign(a.plan.scratch_bytes(), symbol{});
    if (a.plan.streams() > 1)
      for (std::size_t i = 0; i != 3; ++i) touches_[rank][i].assign(a.memory[i].size(), {});
  }
  for (std::size_t rank = 0; rank != size; ++rank)
    for (std::uint32_t stream = 0; stream != actors[rank].plan.streams(); ++stream)
      begin_round(rank, stream, actors[rank].plan.first_round(stream));
  while (!ready_.empty() && problem_.empty()) {
    const auto [rank, stream] = ready_.back();
    ready_.pop_back();
    finish_round(rank, stream);
  }
  for (std::size_t rank = 0; rank != size; ++rank)
    for (std::uint32_t stream = 0; stream != actors[rank].plan.streams(); ++stream) {
      const auto& here = places_[rank * schedule::max_streams + stream];
      if (here.round != round::none)
        fail(rank, fmt::format("is stuck in round {} of stream {}", here.round, stream));
    }
  if (!problem_.empty()) {
    channels_.clear();
    ready_.clear();
  }
  return problem_;
}

}  // namespace symbolic
