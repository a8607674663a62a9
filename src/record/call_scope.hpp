// record/call_scope.hpp
// One call of the program, or a call within one, while it lasts: counts it, and takes its time
// where it is one of those that are timed.
//
// Layer    record: may include base/.
// Units    bytes; ticks of base/timing/ticks.hpp; peers are ranks of the world.
// Threads  that of the call; the innermost call is the thread's own.
// Errors   none.
#pragma once

#include <atomic>
#include <cstdint>
#include <source_location>

#include "base/timing/ticks.hpp"
#include "record/layout.hpp"
#include "record/recorder.hpp"

namespace peal::record {

class call_scope {
 public:
  /// `timed`: in any case; else now and then.
  [[gnu::always_inline]] call_scope(recorder& in, call_kind kind, const std::source_location& where,
                                    int peer, std::uint64_t bytes, bool timed) noexcept
      : in_{in}, outer_{innermost}, where_{where}, bytes_{bytes}, kind_{kind} {
    if (recorder::counting() == nullptr || timed) [[unlikely]] {
      begin(peer, timed);
      return;
    }
    // A receive is counted when it is known what it has got.
    if (kind != call_kind::recv) site_ = in.count(kind, where, peer, bytes);
    if (outer_ != nullptr) return;
    innermost = this;
    copied_before_ = in.copied_.load(std::memory_order_relaxed);  // relaxed: a sum
  }
  [[gnu::always_inline]] ~call_scope() {
    if (recorder::counting() == nullptr || (began_ | tail_) != 0 ||
        copied_before_ != in_.copied_.load(std::memory_order_relaxed)) [[unlikely]] {
      end();
      return;
    }
    if (kind_ == call_kind::recv) in_.count(kind_, where_, got_peer_, got_bytes_);
    if (outer_ == nullptr) innermost = nullptr;
  }
  call_scope(const call_scope&) = delete;
  call_scope& operator=(const call_scope&) = delete;

  /// What a blocking receive has got.
  void received(int peer, std::uint64_t bytes) noexcept {
    got_peer_ = peer;
    got_bytes_ = bytes;
  }
  /// Whether the call has an event, which has more to say.
  [[nodiscard]] bool has_event() const noexcept { return in_.events_.on(); }
  /// For the event of the call: a message's peer, tag and context.
  void is_message(int peer, int tag, std::uint32_t context) noexcept {
    peer_ = peer;
    tag_ = tag;
    context_ = context;
  }
  /// A blocking receive: it takes its place among the others.
  void is_posted() noexcept { posted_ = in_.events_.post(); }
  /// So far, of one that counts for so many; else what is known of a long wait.
  [[nodiscard]] std::uint64_t ticks_so_far() const noexcept {
    return began_ == 0 ? tail_ : (ticks() - began_ - tail_) * weight_ + tail_;
  }

 private:
  friend class wait_clock;

  [[gnu::noinline]] void begin(int peer, bool timed) noexcept;
  [[gnu::noinline]] void end() noexcept;

  // Of this thread. initial-exec: without a call of the loader's for each look.
  [[gnu::tls_model("initial-exec"),
    gnu::visibility("hidden")]] static constinit thread_local call_scope* innermost;

  recorder& in_;
  call_scope* const outer_;
  const std::source_location& where_;
  const std::uint64_t bytes_;
  const call_kind kind_;
  std::uint32_t site_ = 0;
  std::uint64_t began_ = 0, copied_before_ = 0;
  std::uint64_t tail_ = 0;  // what was waited behind the beginnings of waits
  int got_peer_ = -1;
  std::uint64_t got_bytes_ = 0;
  // Of those only that have begun by `begin`: which sets them.
  std::uint64_t waited_;
  std::uint32_t weight_;
  int peer_, tag_;  // of the event
  std::uint32_t context_, posted_;
};

}  // namespace peal::record
