// collective/direct/entered_call.hpp
// A call of a channel under way, and how it looks for the other ranks. For channel.cpp alone.
//
// Layer    collective/direct: may include collective/, progress/, base/.
// Threads  as channel.hpp says.
// Errors   as channel.hpp says.
#pragma once

#include <atomic>
#include <exception>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/cache_line.hpp"
#include "collective/direct/channel.hpp"
#include "peal/error.hpp"
#include "progress/sources.hpp"

namespace peal::direct {

/// Looks before the first turn of the engine: a microsecond or two, several times what a line takes
/// from core to core. With a pause behind each, since a look takes the line away from the core that
/// is about to write it: two ranks, 8 B, to no pause (AMD EPYC 9004, virtual, medians of 15 pairs;
/// in brackets when its caches are slow to each other) allreduce 0.94 (0.89), barrier 0.80 (0.94),
/// bcast 0.85 (0.96), allgather 0.80. When they are quick two and three were slower than one.
inline constexpr int first_looks = 128;
/// Where ranks share cores and those that are missing run on other ones: about a third of the time
/// that a switch to another process takes. Of two cores, the one that is a little late then costs
/// the other no switch (allreduce of 8 B, to one look: 0.77 with 4 ranks on two cores, 0.88 with
/// 8).
inline constexpr int looks_at_other_cores = 32;
/// And at each turn. Together about as long as the rest of a turn, which polls all that messages
/// come by.
inline constexpr int looks_a_turn = 8;

inline void count_one(std::atomic<std::uint64_t>& calls) noexcept {
  calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

template <bool Locked>
inline void channel::wake(const receiver& each) noexcept {
  if (each.fences) [[unlikely]]
    std::atomic_thread_fence(std::memory_order_seq_cst);
  std::atomic_signal_fence(std::memory_order_seq_cst);  // as in receiver::wake_unfenced
  if (!is_asleep(each.says->asks.load(std::memory_order_relaxed))) [[likely]]
    return;
  if constexpr (Locked) each.ringer->ring(each.index);
  else ring(each);
}

class channel::entered final : public progress_source, public waiting_call {
 public:
  /// `shares`: as long_call.hpp has it. `is_review`: it is no call of the program.
  entered(channel& on, call_class& by, const detail::collective_call& what, bool shares,
          bool is_review = false) noexcept
      : on_{on},
        by_{by},
        what_{what},
        shares_{shares},
        is_review_{is_review},
        outer_{on.innermost_} {
    on.innermost_ = this;
  }
  /// Of a call that has come so far by quick_call.hpp.
  entered(channel& on, const detail::collective_call& what, quick_progress so_far) noexcept
      : entered{on, on.short_, what, false} {
    make(std::type_identity<short_call>{}).go_on(so_far == quick_progress::given);
  }
  ~entered() { on_.innermost_ = outer_; }
  entered(const entered&) = delete;
  entered& operator=(const entered&) = delete;

  /// The call is over, or under way as messages.
  [[nodiscard]] bool over() const noexcept { return over_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_alone_and_over() const noexcept { return outer_ == nullptr && over(); }
  /// Whether it waits for others of its communicator, and so for ever when one of them is dead.
  [[nodiscard]] bool waits_for_members() const noexcept {
    return begun() || (outer_ != nullptr && !outer_->over());
  }

  /// At once, as far as it comes while no other thread can see the call. Requires: it is the only
  /// one, and its class is open.
  template <class Play>
  void hurry() {
    Play& call = begin<Play>();
    for (int look = on_.in_->progress.spins() ? first_looks : 1; look != 0; --look) {
      if (steps<false>(call)) look = on_.in_->progress.spins() ? first_looks : 1;
      if (call.over()) return end();
      relax();
    }
  }
  /// Takes the steps that can be taken. With the engine's lock held.
  bool advance() noexcept {
    if (over() || (outer_ != nullptr && !outer_->over()) || !enter()) return false;
    const bool moved = std::visit([this](auto& call) { return steps<true>(call); }, direct_);
    if (std::visit([](auto& call) { return is_over(call); }, direct_)) end();
    return moved;
  }
  /// A member is dead: what it had given counts, no more comes. With the engine's lock held.
  void abandon() noexcept {
    if (over()) return;
    if (outer_ != nullptr) outer_->abandon();
    (void)advance();
    if (over() || !begun()) return;
    std::visit(
        [](auto& call) {
          if constexpr (requires { call.error(); }) call.give_up(errc::peer_failed);
        },
        direct_);
    end();
  }

  bool poll() noexcept override {
    const bool shares_core = on_.in_->progress.yields();
    int look = on_.in_->progress.spins() ? looks_a_turn : shares_core ? looks_at_other_cores : 1;
    for (; look != 0; --look) {
      if (over()) return false;
      if (advance()) return true;
      if (!shares_core) continue;
      if (!awaits_other_cores()) return false;
      relax();
    }
    return false;
  }
  // The rank that stamps rings the bell, as a sender does.
  bool arm() noexcept override { return true; }

  // What it waits for before it has begun is a message, and what an outer one waits for is that
  // one's to say.
  [[nodiscard]] int awaits() noexcept override {
    if (over() || !begun() || (outer_ != nullptr && !outer_->over())) return -1;
    return std::visit([](auto& call) { return awaited_by(call); }, direct_);
  }
  [[nodiscard]] const team& among() const noexcept override { return on_.members_; }
  [[nodiscard]] const detail::collective_call& what() const noexcept { return what_; }

  // Requires: over().
  [[nodiscard]] operation* started() const noexcept { return started_; }
  [[nodiscard]] std::exception_ptr thrown() noexcept { return std::exchange(thrown_, nullptr); }
  [[nodiscard]] std::error_code error() const noexcept {
    if (const short_call* const call = std::get_if<short_call>(&direct_)) return call->error();
    if (const group_call* const call = std::get_if<group_call>(&direct_)) return call->error();
    const long_call* const call = std::get_if<long_call>(&direct_);
    return call != nullptr ? call->error() : std::error_code{};
  }

 private:
  [[nodiscard]] bool begun() const noexcept { return direct_.index() != 0; }
  void end() noexcept {
    if (is_review_ && begun()) on_.end_review(*this);  // else it goes on as messages
    over_.store(true, std::memory_order_release);      // pairs with the acquire in over
  }

  short_call& make(std::type_identity<short_call>) {
    return direct_.emplace<short_call>(by_.all, what_);
  }
  long_call& make(std::type_identity<long_call>) {
    const node_segment& memory = on_.in_->node->segment();
    const auto sees = [&](const void* address, std::size_t bytes) {
      return memory.contains(address, bytes);
    };
    return direct_.emplace<long_call>(
        by_.all, what_, shares_,
        long_call::opens(what_, on_.members_.rank(), on_.size_, shares_, sees));
  }
  group_call& make(std::type_identity<group_call>) {
    return direct_.emplace<group_call>(*on_.groups_, what_);
  }
  /// Where ranks share cores: whether this one need not give its core away for the others to come.
  [[nodiscard]] bool awaits_other_cores() noexcept {
    short_call* const call = std::get_if<short_call>(&direct_);
    return call != nullptr && !over() && call->awaits_other_cores();
  }
  template <class Play>
  Play& begin() {
    count_one(is_review_ ? on_.in_->reviews : on_.in_->calls);
    Play& call = make(std::type_identity<Play>{});
    if (call.valid()) call.begin();
    else call.give_up(errc::invalid_argument);
    return call;
  }
  /// Whether it has begun, which it does when its class is open. As messages it is over for us.
  bool enter() noexcept {
    if (begun()) return true;
    if (by_.state == state::told) {
      // acquire: pairs with the release that ends an operation.
      if (!by_.telling->finished.load(std::memory_order_acquire)) return false;
      on_.hear(by_);
    }
    if (by_.state == state::full) {
      if (is_review_) on_.start_review(by_.apart->state);
      else if (!what_.spoilt) started_ = &on_.collectives_.start(by_.apart->state, what_);
      end();
      return false;
    }
    if (on_.groups_) begin<group_call>();
    else if (&by_ == &on_.short_) begin<short_call>();
    else begin<long_call>();
    return true;
  }

  static bool is_over(std::monostate) noexcept { return false; }
  template <class Play>
  static bool is_over(const Play& call) noexcept {
    return call.over();
  }
  static int awaited_by(std::monostate) noexcept { return -1; }
  template <class Play>
  static int awaited_by(Play& call) noexcept {
    return call.awaits();
  }
  template <bool Locked>
  bool steps(std::monostate) noexcept {
    return false;
  }
  template <bool Locked, class Play>
  bool steps(Play& call) noexcept {
    bool moved = false;
    try {
      for (; !call.over() && call.ready(); moved = true)
        if (call.step()) wake<Locked>(call);
    } catch (...) {
      thrown_ = std::current_exception();
      moved = true;
      wake<Locked>(call);  // the step that threw may have stamped, so that other ranks know
    }
    return moved;
  }
  template <bool Locked, class Play>
  void wake(const Play&) noexcept {
    for (const receiver& each : on_.others_) on_.wake<Locked>(each);
  }
  template <bool Locked>
  void wake(const group_call& call) noexcept {
    for (const receiver& each : call.woken()) on_.wake<Locked>(each);
  }

  channel& on_;
  call_class& by_;
  const detail::collective_call& what_;
  const bool shares_;
  const bool is_review_;
  entered* const outer_;
  std::variant<std::monostate, short_call, long_call, group_call> direct_;
  operation* started_ = nullptr;
  std::exception_ptr thrown_;
  std::atomic<bool> over_{false};
};

}  // namespace peal::direct
