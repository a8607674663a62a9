// peal/requests/request.hpp
// Something under way: a send, a receive, a collective, or what follows them.
//
// Threads  a request belongs to one thread at a time. Continuations and coroutines go on in
//          whatever user's thread makes progress (in wait, test, poll), with no lock held.
// Errors   wait and test throw peal::error; wait(error) stores the code instead. What a
//          continuation throws its own request rethrows; where that request was dropped while it
//          ran, a later test or poll does, but no call that has a result of its own to give.
#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <optional>
#include <source_location>
#include <utility>

#include <peal/detail/core.hpp>
#include <peal/detail/request_body.hpp>
#include <peal/detail/std_parts.hpp>
#include <peal/status.hpp>

namespace peal {

namespace detail {
template <class T>
class coroutine_promise;
}  // namespace detail

/// A value that has come, and what is known of its message.
template <class T>
struct completion {
  T value;              ///< what the request gives
  peal::status status;  ///< source, tag and length of its message
};
/// What is known of the message of a request without a value.
template <>
struct completion<void> {
  peal::status status;  ///< source, tag and length
};

/// Move-only. wait() and a test() that succeeds end it; then it is empty.
///
/// Destroyed before its end: a send that owns its buffer is finished by the runtime; a receive that
/// is not matched is withdrawn; everything else is waited for. While an exception unwinds that wait
/// lasts PEAL_UNWIND_TIMEOUT at most, then the job is aborted with the place of the call.
///
/// A function that returns one may be a coroutine, which awaits requests; it begins at once:
///     peal::request<int> twice(const peal::communicator& world, int from) {
///       co_return 2 * co_await world.irecv<int>(from);
///     }
/// Dropped before its end it is destroyed where it waits, with the request it waits for; where
/// another thread runs it at that moment, when it waits the next time.
template <class T = void>
class [[nodiscard]] request {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;
  /// What wait() gives.
  using value_type = T;
  /// Lets a function that returns a request be a coroutine.
  using promise_type = detail::coroutine_promise<T>;

  /// Empty: there is nothing to wait for.
  request() noexcept = default;
  /// @{
  /// Leaves `from` empty; a request that is assigned to is destroyed first.
  request(request&& from) noexcept
      : op_{std::exchange(from.op_, nullptr)}, body_{std::exchange(from.body_, nullptr)} {}
  request& operator=(request&& from) noexcept {
    if (this != &from) {
      reset();
      op_ = std::exchange(from.op_, nullptr);
      // Null since reset(), and a store has its price.
      if (from.body_) body_ = std::exchange(from.body_, nullptr);
    }
    return *this;
  }
  /// @}
  ~request() { reset(); }

  /// @{
  /// For the library: requests are made by communicators.
  explicit request(detail::operation* op) noexcept
    requires std::is_void_v<T> || std::same_as<T, status>
      : op_{op} {}
  explicit request(detail::body<T>* made) noexcept : body_{made} {}
  /// @}

  /// Whether there is anything to wait for.
  [[nodiscard]] bool valid() const noexcept { return op_ || body_; }
  /// Whether wait would return at once. Makes some progress if not.
  [[nodiscard]] bool ready(const place& where = place::current()) {
    if (is_over(where)) return true;
    if (op_) return detail::test(*op_);
    detail::progress();
    return is_over(where);
  }
  /// Waits for the end; the value, or an exception where it failed.
  T wait(const place& where = place::current()) {
    if constexpr (bare)
      if (op_ && detail::ended_well(*op_)) [[likely]]
        return take_good();
    wait_for_end(detail::never, where);
    return take(nullptr, where);
  }
  /// Stores the error rather than throw it; then the value is what there is: a sent buffer comes
  /// back, a received value is empty. What a continuation threw that is no std::system_error is
  /// thrown nevertheless, since no code says it.
  T wait(std::error_code& error, const place& where = place::current())
    requires(std::is_void_v<T> || std::default_initializable<T>)
  {
    error.clear();
    wait_for_end(detail::never, where);
    return take(&error, where);
  }
  /// Whether it ended in time, which may be longer than clocks count; the value is still there to
  /// be fetched.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> time,
                              const place& where = place::current()) {
    return wait_for_end(
        detail::time_after(static_cast<long double>(time.count()) * Period::num / Period::den),
        where);
  }
  /// The value, if it is there; makes some progress. Of a send's status only the error says
  /// something.
  [[nodiscard]] std::optional<completion<T>> test(const place& where = place::current()) {
    if (!ready(where)) return std::nullopt;
    const peal::status now = status_now();
    if constexpr (std::is_void_v<T>) {
      take(nullptr, where);
      return completion<void>{now};
    } else {
      return completion<T>{take(nullptr, where), now};
    }
  }
  /// Withdraws a receive that is not matched, or a send of which nothing has left. True: it has
  /// ended with errc::cancelled. False: it is too late. A large message is announced at once as a
  /// rule, so its send ends only when the receiver has taken it, or will never.
  bool cancel(const place& where = place::current()) {
    return body_ ? body_->cancel_all() : detail::cancel(operation(where));
  }

  /// A request for what `next` makes of the value; where that is a request itself, for what that
  /// one gives. `next` runs when this has ended well; otherwise the new request ends with the same
  /// error. Throws errc::invalid_argument where this is empty.
  template <class F>
  auto then(F next, const place& where = place::current()) &&;

  /// A request whose value comes with source, tag and length of its message, in wait, wait_all,
  /// then, co_await and queues alike:
  ///     auto [value, status] = world.irecv<int>().with_status().wait();
  request<completion<T>> with_status(const place& where = place::current()) &&;

  /// In a coroutine: its value, or what wait would throw.
  auto operator co_await() &&;

  /// @{
  /// For the library: wait_all and the like.
  [[nodiscard]] bool is_over(const place& where = place::current()) {
    return body_ ? detail::is_over(*body_) : detail::finished(operation(where));
  }
  [[nodiscard]] detail::operation* pending() noexcept {
    if (body_) return body_->pending();
    return op_ && !detail::finished(*op_) ? op_ : nullptr;
  }
  bool wait_for_end(detail::time_point until = detail::never,
                    const place& where = place::current()) {
    return body_ ? detail::wait_for_body(*body_, until) : detail::wait(operation(where), until);
  }
  void subscribe(detail::hook& to) {
    if (body_) return body_->subscribe(to);
    to.take();
    detail::on_finish(operation(place::current()), &detail::hook::call, &to);
  }
  [[nodiscard]] peal::status status_now() noexcept {
    if (body_) return body_->status_now();
    return op_ ? detail::status_of(detail::result_of(*op_)) : peal::status{};
  }
  /// @}

 private:
  /// May consist of an operation alone.
  static constexpr bool bare = std::is_void_v<T> || std::same_as<T, status>;

  detail::operation& operation(const place& where) const {
    if (!op_) [[unlikely]]
      detail::fail(errc::invalid_argument,
                   "this request is empty: it was waited for, or moved from", -1, where);
    return *op_;
  }
  void reset() noexcept {
    if (op_) detail::drop(std::exchange(op_, nullptr));
    if (body_) std::exchange(body_, nullptr)->abandon();
  }
  /// Requires: an operation alone, which has ended without an error.
  T take_good() noexcept
    requires bare
  {
    detail::operation& over = *std::exchange(op_, nullptr);
    if constexpr (std::is_void_v<T>) {
      if (!detail::head_of(over).common) detail::drop_good(over);
    } else {
      // A receive, and so never `common`.
      const status known = detail::status_of(detail::result_of(over));
      detail::drop_good(over);
      return known;
    }
  }
  T take(std::error_code* error, const place& where) {
    if constexpr (bare)
      if (op_ && !detail::result_of(*op_).error) [[likely]]
        return take_good();
    // Gives everything back at the end, also after an exception.
    const request over{std::move(*this)};
    if (over.body_) return over.body_->take(error);
    if constexpr (std::same_as<T, status>) {
      (void)detail::failed(*over.op_, error);
      return detail::status_of(detail::result_of(*over.op_));
    } else if constexpr (std::is_void_v<T>) {
      (void)detail::failed(*over.op_, error);
    } else {
      detail::fail(errc::invalid_argument, "this request is empty", -1, where);
    }
  }

  detail::operation* op_ = nullptr;  // alone: of requests without memory of their own
  detail::body<T>* body_ = nullptr;
};

}  // namespace peal

#include <peal/detail/continuation.hpp>  // IWYU pragma: export
#include <peal/detail/coroutine.hpp>     // IWYU pragma: export
#include <peal/detail/with_status.hpp>   // IWYU pragma: export
