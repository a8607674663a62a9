// peal/detail/continuation.hpp
// What follows a request: then() and co_await.
#pragma once

#include <atomic>
#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <peal/detail/mutex.hpp>
#include <peal/detail/std_parts.hpp>
#include <peal/requests/request.hpp>

namespace peal::detail {

/// What the request of a continuation gives: what that returns or, where it returns a request, what
/// that one gives.
template <class Made>
struct flattened {
  using type = Made;
  static constexpr bool is_request = false;
};
template <class U>
struct flattened<request<U>> {
  using type = U;
  static constexpr bool is_request = true;
};

/// Where a continuation's outcome lies, and what waits for it; held by the request that then()
/// returned and by the hook that runs it. Made: what `next` returns.
///
/// Where that is a request (`made_`), this is its hook too, and settles when it has ended.
template <class T, class F, class Made>
class continuation final : public hook {
  static constexpr bool flattens = flattened<Made>::is_request;
  struct nothing {
    static bool valid() noexcept { return false; }
    static bool cancel() noexcept { return false; }
  };

 public:
  using R = typename flattened<Made>::type;
  using held = std::conditional_t<std::is_void_v<R>, std::monostate, R>;

  continuation(request<T>&& source, F&& next)
      : source_{std::move(source)}, next_{std::move(next)} {}

  [[nodiscard]] bool settled() const noexcept { return settled_.load(std::memory_order_acquire); }
  request<T>& source() noexcept { return source_; }
  /// The request that then() returned was dropped. Unless the continuation runs at this moment, it
  /// never will, and the request that it waits for is dropped as any request.
  void disown() noexcept {
    hook* follower = nullptr;
    bool idle = false;
    {
      const mutex_guard guard{mutex_};
      wanted_ = false;
      follower = std::exchange(follower_, nullptr);
      idle = !running_;
    }
    if (follower) follower->give_back();
    if (!idle) return;
    source_ = {};
    made_ = {};
  }
  /// False when it runs, in this or another thread, or has run: what it waits for is its alone
  /// then.
  bool cancel() {
    const mutex_guard guard{mutex_};
    if (running_) return false;
    return made_.valid() ? made_.cancel() : source_.valid() && source_.cancel();
  }
  /// As detail::on_finish: a hook that this one replaces is called.
  void subscribe(hook& to) {
    to.take();
    hook* called = &to;
    {
      const mutex_guard guard{mutex_};
      if (!settled()) called = std::exchange(follower_, &to);
    }
    if (called) hook::call(called);
  }
  R take(std::error_code* error) {
    if (!settled())
      fail(errc::not_started, "the peal::environment ended before what was to follow a request", -1,
           location::current());
    if (failure_) {
      if (!error) std::rethrow_exception(failure_);
      try {
        std::rethrow_exception(failure_);
      } catch (const std::system_error& e) {
        *error = e.code();
      }  // what the continuation threw is no error code: it goes on as it is
      return nothing_of<R>();
    }
    if constexpr (!std::is_void_v<R>) return std::move(*value_);
  }
  /// Runs at once, since the source is over; what comes of it is told by take alone.
  void run_quietly() noexcept {
    try {
      run();
    } catch (...) {
    }
  }

 private:
  void fire() override {
    bool made_is_over = false;
    {
      const mutex_guard guard{mutex_};
      if (!wanted_) return;
      running_ = true;
      made_is_over = followed_;
      if (made_is_over) followed_ = false;
    }
    if (!made_is_over) return run();
    if constexpr (flattens) finish_made();
  }

  void run() {
    std::exception_ptr thrown;
    try {
      if constexpr (std::is_void_v<T>) {
        source_.wait();
        call(thrown);
      } else {
        T value = source_.wait();
        call(thrown, std::move(value));
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    if (thrown) failure_ = thrown;
    if constexpr (flattens)
      if (!failure_) return follow_made();
    // The thread that holds the request gets the exception from it. When the request was dropped,
    // the progress call throws it.
    if (!settle() && thrown) std::rethrow_exception(thrown);
  }

  // What the user's function throws is kept apart from the errors of the source: those are for take
  // alone.
  template <class... Value>
  void call(std::exception_ptr& thrown, Value&&... value) {
    try {
      if constexpr (flattens) {
        made_ = detail::invoke(next_, std::forward<Value>(value)...);
        if (!made_.valid())
          fail(errc::invalid_argument, "a continuation has returned an empty request", -1,
               location::current());
      } else if constexpr (std::is_void_v<R>) {
        detail::invoke(next_, std::forward<Value>(value)...);
        value_.emplace();
      } else {
        value_.emplace(detail::invoke(next_, std::forward<Value>(value)...));
      }
    } catch (...) {
      thrown = std::current_exception();
    }
  }

  /// Settles when the request has ended that was made. This may be called back before subscribe
  /// returns, in any thread; until it was, or the outcome is not wanted any more, `made_` is looked
  /// after here.
  void follow_made() {
    {
      const mutex_guard guard{mutex_};
      followed_ = true;
    }
    made_.subscribe(*this);
    bool unwanted = false;
    {
      const mutex_guard guard{mutex_};
      if (!followed_) return;
      running_ = false;
      unwanted = !wanted_;
    }
    if (unwanted) made_ = {};
  }
  void finish_made() {
    try {
      if constexpr (std::is_void_v<R>) {
        made_.wait();
        value_.emplace();
      } else {
        value_.emplace(made_.wait());
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    settle();
  }

  /// Whether the outcome is still wanted.
  bool settle() {
    hook* follower = nullptr;
    bool wanted = false;
    {
      const mutex_guard guard{mutex_};
      // Pairs with settled(): value_ and failure_ are there.
      settled_.store(true, std::memory_order_release);
      follower = std::exchange(follower_, nullptr);
      wanted = wanted_;
    }
    if (follower) hook::call(follower);
    return wanted;
  }

  request<T> source_;
  F next_;
  [[no_unique_address]] std::conditional_t<flattens, Made, nothing> made_;
  std::optional<held> value_;
  std::exception_ptr failure_;
  std::atomic<bool> settled_{false};
  mutex mutex_;  // guards what follows
  hook* follower_ = nullptr;
  bool wanted_ = true;
  bool running_ = false;   // or has run
  bool followed_ = false;  // this is the hook of `made_`, which has not called it
};

template <class T, class F, class Made, class R = typename flattened<Made>::type>
class continuation_body final : public body<R> {
 public:
  explicit continuation_body(continuation<T, F, Made>* state) noexcept : state_{state} {}

  // Not the source's: whichever thread runs the continuation gives that back, and its memory is
  // then another operation's.
  operation* pending() noexcept override { return nullptr; }
  bool settled() noexcept override { return state_->settled(); }
  bool cancel_all() override { return state_->cancel(); }
  void subscribe(hook& to) override { state_->subscribe(to); }
  status status_now() noexcept override { return {}; }
  R take(std::error_code* error) override { return state_->take(error); }
  void abandon() noexcept override {
    state_->disown();
    state_->give_back();
    delete this;
  }

 private:
  continuation<T, F, Made>* state_;
};

/// Resumes a coroutine, unless that has been destroyed meanwhile.
class resumption final : public hook {
 public:
  explicit resumption(std::coroutine_handle<> waiting) noexcept : waiting_{waiting} {}
  void forget() noexcept { wanted_.store(false, std::memory_order_release); }

 private:
  void fire() override {
    if (wanted_.load(std::memory_order_acquire)) waiting_.resume();
  }
  std::coroutine_handle<> waiting_;
  std::atomic<bool> wanted_{true};
};

template <class T>
class awaiter {
 public:
  explicit awaiter(request<T>&& source) noexcept : source_{std::move(source)} {}
  awaiter(const awaiter&) = delete;
  awaiter& operator=(const awaiter&) = delete;
  ~awaiter() {
    if (!resumption_) return;
    resumption_->forget();
    resumption_->give_back();
  }

  bool await_ready() { return source_.is_over(); }
  void await_suspend(std::coroutine_handle<> waiting) {
    resumption_ = new resumption{waiting};
    source_.subscribe(*resumption_);  // may resume at once: nothing of this is touched afterwards
  }
  T await_resume() { return source_.wait(); }

 private:
  request<T> source_;
  resumption* resumption_ = nullptr;
};

template <class F, class T>
struct continuation_result : std::invoke_result<F&, T> {};
template <class F>
struct continuation_result<F, void> : std::invoke_result<F&> {};

}  // namespace peal::detail

namespace peal {

template <class T>
template <class F>
auto request<T>::then(F next, const place& where) && {
  if (!valid())
    detail::fail(errc::invalid_argument, "this request is empty: it was waited for, or moved from",
                 -1, where);
  using made = typename detail::continuation_result<F, T>::type;
  using state_type = detail::continuation<T, F, made>;
  auto* state = new state_type{std::move(*this), std::move(next)};
  request<typename state_type::R> following{new detail::continuation_body<T, F, made>{state}};
  if (state->source().is_over()) state->run_quietly();
  else state->source().subscribe(*state);
  return following;
}

template <class T>
auto request<T>::operator co_await() && {
  return detail::awaiter<T>{std::move(*this)};
}

}  // namespace peal
