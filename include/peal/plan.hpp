// peal/plan.hpp
// A collective, or a message, made ready once and started as often as wanted: its schedule and all
// memory that it works on are there from the first start to the last.
//
// Threads  a plan, and the request of its start, belong to one thread at a time.
// Errors   start throws errc::invalid_argument while the last start has not been waited for, where
//          a block is not as long as when the plan was made, and where a container that it was
//          given has other memory now: then nothing was started, and the others wait until it is.
//          What becomes of a start stands in its request; the plan can be started again after an
//          error too.
#pragma once

#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include <peal/detail/core.hpp>
#include <peal/detail/plan_body.hpp>
#include <peal/detail/std_parts.hpp>
#include <peal/requests/request.hpp>

namespace peal {

/// Move-only. Made by communicators (allreduce_plan and the like), which it may outlive. All ranks
/// make the collective plans of a communicator in the same order, by which they go together. A rank
/// that is refused its arguments has none, and takes no part in the starts of the others: those
/// that depend on it end with errc::operation_failed. Its next plan goes with the next one of the
/// others. Plans of messages (send_plan, recv_plan) are each rank's own.
///
/// T is what a start gives: void where the result lies in memory of the caller's; else a value, or
/// a view of the plan's own memory, which the next start overwrites and which goes with the plan.
///
/// Destroyed while it is under way, it lives on until the request of its start has ended.
template <class T = void>
class [[nodiscard]] plan {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;
  /// What a start gives.
  using value_type = T;

  /// Empty: there is nothing to start.
  plan() noexcept = default;
  /// @{
  /// Leaves `from` empty.
  plan(plan&& from) noexcept : body_{std::exchange(from.body_, nullptr)} {}
  plan& operator=(plan&& from) noexcept {
    if (this != &from) {
      reset();
      body_ = std::exchange(from.body_, nullptr);
    }
    return *this;
  }
  /// @}
  ~plan() { reset(); }

  /// For the library.
  explicit plan(detail::plan_body<T>* made) noexcept : body_{made} {}

  /// Whether there is anything to start: false once it was moved from.
  [[nodiscard]] bool valid() const noexcept { return body_ != nullptr; }
  /// Whether it was started and the request of that has not ended (by wait, by a test that
  /// succeeds, or by its destructor).
  [[nodiscard]] bool active() const noexcept { return body_ != nullptr && body_->active(); }

  /// Begins once more, with what the memory given to the plan holds now. Every rank starts a
  /// collective one as often as the others, in whatever order among plans and other collectives.
  /// What was given must not be changed, nor a result be read, until the request has ended.
  request<T> start(const place& where = place::current()) {
    if (!body_) [[unlikely]]
      detail::fail(errc::invalid_argument, "this plan is empty: it was moved from", -1, where);
    return body_->start(where);
  }

 private:
  void reset() noexcept {
    if (body_) std::exchange(body_, nullptr)->give_back();
  }

  detail::plan_body<T>* body_ = nullptr;
};

namespace detail {
template <class T>
struct is_plan : std::false_type {};
template <class T>
struct is_plan<plan<T>> : std::true_type {};
}  // namespace detail

/// A vector, array or other range of plans.
template <class Range>
concept plan_range =
    std::ranges::forward_range<Range> && detail::is_plan<std::ranges::range_value_t<Range>>::value;

/// Starts all of them, one after the other, and gives their requests in the same order, for
/// wait_all. Where one is empty or under way none is started. Where the memory of one has moved
/// those behind it are not started, and the requests of those before it are destroyed.
template <plan_range Range>
auto start_all(Range&& plans, const std::source_location& where = std::source_location::current()) {
  std::vector<request<typename std::ranges::range_value_t<Range>::value_type>> started;
  for (auto& each : plans)
    if (!each.valid() || each.active()) (void)each.start(where);  // throws
  if constexpr (std::ranges::sized_range<Range>) started.reserve(std::ranges::size(plans));
  for (auto& each : plans) started.push_back(each.start(where));
  return started;
}

}  // namespace peal
