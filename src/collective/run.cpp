#include "collective/run.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/timing/copy_time.hpp"
#include "peal/error.hpp"
#include "record/recorder.hpp"

namespace peal {

namespace {

constexpr std::size_t line = 64;

// Messages up to this length are tried without an operation of their own first; longer ones are
// announced, which needs one.
constexpr std::size_t small = 4096;

// Results from this length on are written past the caches. Measured with bare loops, two ranks,
// floats: 16 MiB 1.4 ms against 2.3; 1 MiB 65 µs against 62.
constexpr std::size_t least_past_caches = std::size_t{4} << 20;

}  // namespace

void scratch_memory::aligned_delete::operator()(std::byte* memory) const noexcept {
  ::operator delete(memory, std::align_val_t{line});
}

void scratch_memory::grow(std::size_t bytes) {
  memory_.reset();
  size_ = 0;
  if (bytes == 0) return;
  memory_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{line})));
  size_ = bytes;
}

void run::start(void (*ended)(void*, run&) noexcept, void* context) noexcept {
  ended_ = ended;
  ended_context_ = context;
  given_up_ = false;
  skips_ = !absent_.empty();
  error_.clear();
  absent_rank_ = -1;
  past_caches_ = task_.bytes >= least_past_caches;
  const schedule& plan = *task_.plan;
  spoilt_ = task_.spoilt || !find_scratch(plan.scratch_bytes());
  if (spoilt_) [[unlikely]]
    error_ = errc::no_space;
  fuses_ = task_.reduces && task_.join.divisible() && !spoilt_;
  const std::uint32_t streams = plan.streams();
  const std::size_t width = plan.most_messages();
  make_slots(streams * width);
  open_streams_ = streams + 1;
  for (std::uint32_t stream = 0; stream != streams; ++stream) {
    streams_[stream].slots = slots_.data() + stream * width;
    streams_[stream].round = plan.first_round(stream);
    streams_[stream].pending = 0;
  }
  for (std::uint32_t stream = 0; stream != streams; ++stream) execute(stream);
  stream_ended();
}

bool run::find_scratch(std::size_t bytes) noexcept {
  try {
    base_ = {task_.send, task_.receive, bytes != 0 ? scratch_.at_least(bytes) : nullptr};
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void run::reserve() {
  reserved_ = true;
  const schedule& plan = *task_.plan;
  if (plan.scratch_bytes() != 0) scratch_.at_least(plan.scratch_bytes());
  make_slots(plan.streams() * plan.most_messages());
}

void run::forget_reserve() noexcept {
  reserved_ = false;
  scratch_.forget_large();
}

// Executes the stream from the beginning of its current round for as long as nothing has to be
// waited for.
void run::execute(std::uint32_t stream) noexcept {
  stream_state& at = streams_[stream];
  while (at.round != round::none && !given_up_) {
    const round& r = task_.plan->rounds()[at.round];
    at.pending = 1;
    post(stream, r);
    if (--at.pending != 0) return;
    work(r);
    at.round = r.next;
  }
  stream_ended();
}

void run::message_ended(void* context, operation& message) noexcept {
  pending_message& over = *static_cast<pending_message*>(context);
  run& self = *over.owner;
  over.message = nullptr;
  if (over.receives) self.received(message, over.expected);
  else if (message.result.error) self.note(message.result.error);
  self.messages_.release(message);
  const std::uint32_t stream = over.stream;
  stream_state& at = self.streams_[stream];
  if (--at.pending != 0) return;
  const round& r = self.task_.plan->rounds()[at.round];
  self.work(r);
  at.round = r.next;
  self.execute(stream);
}

void run::post(std::uint32_t stream, const round& r) noexcept {
  pending_message* slot = streams_[stream].slots;
  if (r.sends > 1)
    messages_.hold_together(r.repeats ? batching::of_one_peer : batching::of_several_peers);
  for (const step& s : task_.plan->sends(r)) post_send(stream, s, *slot++);
  if (r.sends > 1) messages_.hold_together(batching::none);
  for (const step& s : task_.plan->receives(r)) post_receive(stream, s, *slot++);
}

void run::post_send(std::uint32_t stream, const step& s, pending_message& slot) noexcept {
  slot.message = nullptr;
  const std::size_t bytes = error_ ? 0 : s.from.bytes;
  const std::byte* data = error_ ? nullptr : address(s.from);
  if (record::recorder* const to = record::recorder::active()) [[unlikely]]
    to->collective_sent(static_cast<int>(task_.members->peer(s.peer)), bytes);
  if ((skips_ && skips(s.peer)) ||
      (bytes <= small &&
       messages_.try_send_now(*task_.members, context(), data, bytes, s.peer, tag(stream))))
    return;
  slot.owner = this;
  slot.stream = stream;
  slot.receives = false;
  operation& sent = messages_.start_send(*task_.members, context(), data, bytes, s.peer,
                                         tag(stream), {message_ended, &slot});
  // relaxed, here and below: the engine's lock is held.
  if (!sent.finished.load(std::memory_order_relaxed)) {
    slot.message = &sent;
    ++streams_[stream].pending;
    return;
  }
  const std::error_code error = sent.result.error;
  messages_.release(sent);
  if (error) note(error);
}

void run::post_receive(std::uint32_t stream, const step& s, pending_message& slot) noexcept {
  slot.message = nullptr;
  if (skips_ && skips(s.peer)) [[unlikely]] {
    if (!given_up_) absent_rank_ = s.peer;
    return note(errc::operation_failed);
  }
  slot.owner = this;
  slot.stream = stream;
  slot.receives = true;
  slot.expected = s.into.bytes;
  slot.what = &s;
  std::byte* const into = spoilt_ ? nullptr : address(s.into);
  const std::size_t room = spoilt_ ? 0 : s.into.bytes;
  operation& got =
      s.fused && fuses_
          ? messages_.start_recv_absorbed(*task_.members, context(), absorb, &slot, into, room,
                                          s.peer, tag(stream), {message_ended, &slot})
          : messages_.start_recv(*task_.members, context(), into, room, s.peer, tag(stream),
                                 {message_ended, &slot});
  if (!got.finished.load(std::memory_order_relaxed)) {
    slot.message = &got;
    ++streams_[stream].pending;
    return;
  }
  received(got, s.into.bytes);
  messages_.release(got);
}

void run::absorb(fetch& f, const std::byte* data, std::size_t at, std::size_t bytes) noexcept {
  const pending_message& arriving =
      *static_cast<pending_message*>(static_cast<operation*>(f.context)->owner);
  const run& self = *arriving.owner;
  if (self.error_) return;
  const step& s = *arriving.what;
  const std::byte* const own = self.address(s.from) + at;
  std::byte* const result = self.address(s.other) + at;
  const std::byte* const lower = s.from_is_lower ? own : data;
  const std::byte* const higher = s.from_is_lower ? data : own;
  if (s.final && self.past_caches_) self.task_.join.apply_past_caches(lower, higher, result, bytes);
  else self.task_.join.apply_piece(lower, higher, result, bytes);
}

void run::received(const operation& message, std::size_t expected) noexcept {
  if (message.result.error) note(message.result.error);
  else if (message.result.bytes != expected) [[unlikely]] note_wrong_length(message.result.bytes);
}

// Nothing has come from a rank that has nothing itself.
void run::note_wrong_length(std::size_t bytes) noexcept {
  if (bytes == 0 && absent_rank_ < 0 && !absent_.empty()) absent_rank_ = absent_.front();
  note(bytes == 0 ? errc::operation_failed : errc::invalid_argument);
}

// A dead peer counts more than what went wrong because of it; otherwise the first error is the
// cause.
void run::note(std::error_code error) noexcept {
  if (error == errc::peer_failed) give_up();
  else if (!error_) error_ = error;
}

void run::work(const round& r) noexcept {
  if (error_) return;
  for (const step& s : task_.plan->locals(r)) {
    if (s.fused && fuses_) continue;
    if (s.what == step::action::copy) {
      const copy_time noted{s.into.bytes};
      std::memcpy(address(s.into), address(s.from), s.into.bytes);
      continue;
    }
    try {
      task_.join.apply(address(s.from), address(s.other), address(s.into), s.into.bytes);
    } catch (...) {
      thrown_ = std::current_exception();
      error_ = errc::operation_failed;
      return;
    }
  }
}

bool run::skips(int rank) const noexcept {
  return given_up_ || std::ranges::find(absent_, rank) != absent_.end();
}

void run::leave_out(int rank) noexcept {
  absent_.push_back(rank);
  if (open_streams_ == 0) return;
  skips_ = true;
  ++open_streams_;  // as in give_up
  // What was sent to that rank it throws away; so those messages end by themselves.
  for (pending_message& slot : slots_) {
    if (!slot.message || !slot.receives || slot.what->peer != rank) continue;
    absent_rank_ = rank;
    note(errc::operation_failed);
    messages_.cancel(*slot.message);
  }
  stream_ended();
}

void run::give_up() noexcept {
  error_ = errc::peer_failed;
  if (given_up_) return;
  given_up_ = skips_ = true;
  ++open_streams_;  // what ends below must not end the run while its slots are looked at
  for (pending_message& slot : slots_)
    if (slot.message) messages_.cancel(*slot.message);
  stream_ended();
}

void run::stream_ended() noexcept {
  if (--open_streams_ != 0) return;
  absent_.clear();
  if (!reserved_) scratch_.forget_large();
  ended_(ended_context_, *this);
}

}  // namespace peal
