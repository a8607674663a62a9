// peal/requests/completion_queue.hpp
// Many requests, and what to do with each when it has ended.
//
// Threads  a queue belongs to one thread at a time. Handlers run in poll and wait, with no lock
//          held.
// Errors   what a handler throws leaves poll or wait; the rest is handled by the next call. add
//          throws errc::invalid_argument for an empty request. arm and event_fd throw
//          errc::not_started where there is no environment, also in a forked child, and
//          errc::no_space when there are no file descriptors left.
#pragma once

#include <concepts>
#include <cstddef>
#include <source_location>
#include <type_traits>
#include <utility>

#include <peal/detail/owner.hpp>
#include <peal/detail/queue_entries.hpp>
#include <peal/detail/std_parts.hpp>
#include <peal/requests/request.hpp>

namespace peal {

namespace detail {
struct ignore_value {
  template <class... Value>
  void operator()(Value&&...) const noexcept {}
};

/// A handler that takes anything gets the value.
template <class Handler, class T>
consteval bool takes_value() {
  if constexpr (std::is_void_v<T>) return std::invocable<Handler&>;
  else return std::invocable<Handler&, T>;
}
template <class Handler, class T>
consteval bool is_handler() {
  // One that takes anything is not asked whether it takes the request: its body may not compile.
  if constexpr (!takes_value<Handler, T>()) {
    constexpr bool it = std::invocable<Handler&, request<T>>;
    static_assert(it,
                  "peal: the handler of a queue takes the value of its request (nothing, where it "
                  "has none), or the request itself: peal::request<T>");
    return it;
  }
  return true;
}
}  // namespace detail

/// A queue that was moved from is empty and may be used again.
///
/// In a loop of the program's own, around poll(2) or epoll, beside other descriptors:
///
///     for (;;) {
///       queue.poll();                              // handles what has ended
///       const bool sleep = queue.arm();            // the last call of peal before the sleep
///       epoll_wait(set, events, n, sleep ? -1 : 0);  // queue.event_fd() is in the set, for
///       reading
///       ...                                        // the other descriptors
///     }
class completion_queue {
 public:
  completion_queue() = default;

  /// Hands over a request. `handler` is called when it has ended: with its value (with nothing,
  /// where it has none), and then an error leaves poll or wait; or, where it does not take that,
  /// with the request, whose wait() returns or throws at once.
  template <class T, class Handler = detail::ignore_value>
  void add(request<T>&& under_way, Handler handler = {},
           const std::source_location& where = std::source_location::current()) {
    if constexpr (detail::is_handler<Handler, T>()) {
      if (!under_way.valid())
        detail::fail(errc::invalid_argument,
                     "an empty request, waited for or moved from, cannot be added to a queue", -1,
                     where);
      entries_.add(new held_entry<T, Handler>{std::move(under_way), std::move(handler)});
    }
  }

  /// How many requests it holds.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  /// Whether it holds none.
  [[nodiscard]] bool empty() const noexcept { return entries_.size() == 0; }

  /// Makes some progress and handles what has ended; how many requests that were.
  std::size_t poll(const std::source_location& where = std::source_location::current()) {
    return entries_.poll(where);
  }
  /// Handles one request at least; returns 0 at once when the queue is empty. What has not ended
  /// when the environment does is handled as well, one by one: its wait() throws errc::not_started.
  std::size_t wait(const std::source_location& where = std::source_location::current()) {
    return entries_.wait(detail::never, where);
  }
  /// The same, or 0 when the time is over.
  template <class Rep, class Period>
  std::size_t wait_for(std::chrono::duration<Rep, Period> time,
                       const std::source_location& where = std::source_location::current()) {
    return entries_.wait(
        detail::time_after(static_cast<long double>(time.count()) * Period::num / Period::den),
        where);
  }

  /// A descriptor that becomes readable after arm(), when there may be something to do for poll().
  /// It is the queue's: it moves with it, and is closed by its destructor. It may only be waited
  /// for: not read, written or closed.
  [[nodiscard]] int event_fd(const std::source_location& where = std::source_location::current()) {
    return entries_.event_fd(where);
  }
  /// Before a sleep on event_fd(). True: sleep; from now on whatever comes makes the descriptor
  /// readable, and it stays so until the next poll() or arm(). False: there is something to do
  /// already, call poll() first.
  ///
  /// A call of peal in this thread may use up what was armed, so arm() is called again before each
  /// sleep; twice in a row is no error. The descriptor may be readable although poll() then finds
  /// nothing, and is so once a second at least. While a transport cannot wake a sleeper, a timer of
  /// 20 µs to 1 ms makes it readable.
  [[nodiscard]] bool arm(const std::source_location& where = std::source_location::current()) {
    return entries_.arm(where);
  }

 private:
  template <class T, class Handler>
  class held_entry final : public detail::queue_entry {
   public:
    held_entry(request<T>&& it, Handler&& handler)
        : request_{std::move(it)}, handler_{std::move(handler)} {}
    void subscribe(detail::hook& to) override { request_.subscribe(to); }
    void finish(const std::source_location& where) override {
      if constexpr (detail::takes_value<Handler, T>()) {
        if constexpr (std::is_void_v<T>) {
          request_.wait(where);
          detail::invoke(handler_);
        } else {
          detail::invoke(handler_, request_.wait(where));
        }
      } else {
        detail::invoke(handler_, std::move(request_));
      }
    }

   private:
    request<T> request_;
    Handler handler_;
  };

  detail::queue_entries entries_;
};

}  // namespace peal
