#include "record/call_scope.hpp"

#include <algorithm>

namespace peal::record {

constinit thread_local call_scope* call_scope::innermost = nullptr;

namespace {

bool blocks(call_kind kind) noexcept {
  return kind == call_kind::probe || kind == call_kind::wait ||
         (kind >= call_kind::barrier && kind < call_kind::start_collective);
}

/// What is rare and long, as the first message to a peer, or a core that was away for a moment,
/// does not stand for others.
std::uint64_t weighed(std::uint64_t time, std::uint32_t weight) noexcept {
  constexpr std::uint64_t long_ticks = 20000;
  return time * (time > long_ticks ? 1 : weight);
}

}  // namespace

void call_scope::begin(int peer, bool timed) noexcept {
  waited_ = 0;
  weight_ = 0;
  peer_ = -1;
  tag_ = 0;
  context_ = posted_ = 0;
  const auto held = in_.guard();
  // Before it is counted: that may ask for the next call to be timed.
  if (in_.events_.on()) weight_ = 1;
  else if (outer_ == nullptr) weight_ = timed ? 1 : in_.is_due() ? in_.begin_timed() : 0;
  if (kind_ != call_kind::recv) site_ = in_.count(kind_, where_, peer, bytes_);
  if (outer_ == nullptr) {
    innermost = this;
    copied_before_ = in_.copied_.load(std::memory_order_relaxed);
  }
  if (weight_ == 0) return;
  ++in_.file_.head.timed;
  began_ = ticks();
}

void call_scope::end() noexcept {
  const std::uint64_t now = began_ != 0 ? ticks() : 0;
  const auto held = in_.guard();
  if (kind_ == call_kind::recv) site_ = in_.count(kind_, where_, got_peer_, got_bytes_);
  // Programs that test again and again would fill a trace with nothing else.
  constexpr std::uint64_t short_ticks = 5000;
  if (began_ != 0 && in_.events_.on() && (kind_ != call_kind::test || now - began_ >= short_ticks))
      [[unlikely]] {
    const bool got = kind_ == call_kind::recv;
    in_.events_.add({.begin_ticks = began_,
                     .end_ticks = now,
                     .bytes = got ? got_bytes_ : bytes_,
                     .site = site_,
                     .peer = got ? got_peer_ : peer_,
                     .tag = tag_,
                     .context = context_,
                     .posted = posted_,
                     .thread = number_of_thread(),
                     .kind = kind_});
  }
  if (outer_ != nullptr) return;
  innermost = nullptr;
  call_site& site = in_.file_.sites[site_];
  const std::uint64_t copied = in_.copied_.load(std::memory_order_relaxed) - copied_before_;
  site.copy_ticks += copied;
  if (began_ == 0) {
    site.wait_ticks += tail_;
    site.longest_ticks = std::max(site.longest_ticks, tail_);
    return;
  }
  in_.seen(now);
  const std::uint64_t took = now - began_, other = took > copied ? took - copied : 0;
  site.longest_ticks = std::max(site.longest_ticks, took);
  const std::uint64_t waited = blocks(kind_) ? other : std::min(waited_, other);
  const std::uint64_t tail = std::min(tail_, waited);
  site.wait_ticks += tail + weighed(waited - tail, weight_);
  site.handling_ticks += weighed(other - waited, weight_);
}

}  // namespace peal::record
