// peal/detail/coroutine.hpp
// Coroutines that return a request: what stands behind that, and how they wait.
//
// Threads  a coroutine runs in one thread at a time: that of the call, then whichever makes the
//          progress that it waits for. Its request may be dropped in another thread meanwhile.
//          Which thread destroys the coroutine is settled under a lock: the thread that drops the
//          request where the coroutine is suspended, else the one that runs it, at its next
//          suspension.
#pragma once

#include <atomic>
#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <peal/detail/mutex.hpp>
#include <peal/requests/request.hpp>

namespace peal::detail {

/// Held by the request, by the coroutine, and by what that waits for, whose hook it is.
template <class T>
class coroutine_state final : public body<T>, public hook {
 public:
  using held = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

  // ---- for the coroutine, while it runs
  template <class... Value>
  void succeed(Value&&... value) {
    value_.emplace(std::forward<Value>(value)...);
  }
  void fail_with(std::exception_ptr thrown) noexcept { failure_ = std::move(thrown); }
  /// True: it is suspended, and whatever ends `awaited` resumes it, or it is destroyed; nothing of
  /// it may be touched. False: it goes on.
  template <class U>
  bool suspend(std::coroutine_handle<> waiting, request<U>& awaited) {
    const holder alive{*this};
    awaited.subscribe(*this);
    {
      const mutex_guard guard{mutex_};
      if (!dropped_) {
        if (std::exchange(called_, false)) return false;
        suspended_ = waiting;
        awaited_ = &awaited;
        cancel_ = [](void* it) { return static_cast<request<U>*>(it)->cancel(); };
        return true;
      }
    }
    waiting.destroy();
    return true;
  }
  /// The last that it does.
  void end(std::coroutine_handle<> over) noexcept {
    const holder alive{*this};
    over.destroy();  // what it held has gone before any thread hears of its end
    std::exception_ptr thrown;
    hook* follower = nullptr;
    {
      const mutex_guard guard{mutex_};
      // Pairs with settled(): value_ and failure_ are there.
      settled_.store(true, std::memory_order_release);
      follower = std::exchange(follower_, nullptr);
      if (dropped_) thrown = failure_;  // the dropped request cannot give it out
    }
    try {
      if (follower) hook::call(follower);
    } catch (...) {
      thrown = std::current_exception();
    }
    if (thrown && told_) *told_ = thrown;
  }

  // ---- for the request
  operation* pending() noexcept override { return nullptr; }
  bool settled() noexcept override { return settled_.load(std::memory_order_acquire); }
  /// What it waits for; it is told so, and may go on all the same.
  bool cancel_all() override {
    const mutex_guard guard{mutex_};
    return suspended_ && cancel_(awaited_);
  }
  /// As detail::on_finish: a hook that this one replaces is called.
  void subscribe(hook& to) override {
    to.take();
    hook* called = &to;
    {
      const mutex_guard guard{mutex_};
      if (!settled()) called = std::exchange(follower_, &to);
    }
    if (called) hook::call(called);
  }
  status status_now() noexcept override { return {}; }
  T take(std::error_code* error) override {
    if (!settled())
      fail(errc::not_started, "the peal::environment ended before a coroutine did", -1,
           location::current());
    if (failure_) {
      if (!error) std::rethrow_exception(failure_);
      try {
        std::rethrow_exception(failure_);
      } catch (const std::system_error& e) {
        *error = e.code();
      }  // anything else is no error code: it goes on as it is
      return nothing_of<T>();
    }
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }
  void abandon() noexcept override {
    std::coroutine_handle<> unwanted;
    hook* follower = nullptr;
    {
      const mutex_guard guard{mutex_};
      dropped_ = true;
      unwanted = std::exchange(suspended_, nullptr);
      follower = std::exchange(follower_, nullptr);
    }
    if (unwanted) unwanted.destroy();
    if (follower) follower->give_back();
    give_back();
  }

 private:
  class holder {
   public:
    explicit holder(coroutine_state& it) noexcept : it_{it} { it_.hook::take(); }
    ~holder() { it_.give_back(); }
    holder(const holder&) = delete;
    holder& operator=(const holder&) = delete;

   private:
    coroutine_state& it_;
  };

  void fire() override {
    std::exception_ptr thrown;
    std::coroutine_handle<> waiting;
    {
      const mutex_guard guard{mutex_};
      if (dropped_) return;
      waiting = std::exchange(suspended_, nullptr);
      if (!waiting) {  // it has not suspended yet
        called_ = true;
        return;
      }
    }
    told_ = &thrown;
    waiting.resume();
    if (thrown) std::rethrow_exception(thrown);
  }

  std::optional<held> value_;
  std::exception_ptr failure_;
  // Of the thread that has resumed it last: where an exception goes at its end that nothing else is
  // told of.
  std::exception_ptr* told_ = nullptr;
  std::atomic<bool> settled_{false};
  mutex mutex_;  // guards what follows
  std::coroutine_handle<> suspended_;
  void* awaited_ = nullptr;  // a request, while suspended
  bool (*cancel_)(void* awaited) = nullptr;
  hook* follower_ = nullptr;
  bool dropped_ = false;
  bool called_ = false;  // what it waits for has ended before it was suspended
};

template <class T, class U>
class coroutine_awaiter {
 public:
  coroutine_awaiter(request<U>&& source, coroutine_state<T>& state) noexcept
      : source_{std::move(source)}, state_{state} {}
  coroutine_awaiter(const coroutine_awaiter&) = delete;
  coroutine_awaiter& operator=(const coroutine_awaiter&) = delete;

  bool await_ready() { return source_.is_over(); }
  bool await_suspend(std::coroutine_handle<> waiting) { return state_.suspend(waiting, source_); }
  U await_resume() { return source_.wait(); }

 private:
  request<U> source_;
  coroutine_state<T>& state_;
};

template <class T>
class coroutine_promise_base {
 public:
  coroutine_promise_base() { state_->hook::take(); }  // the request has the other
  coroutine_promise_base(const coroutine_promise_base&) = delete;
  coroutine_promise_base& operator=(const coroutine_promise_base&) = delete;
  ~coroutine_promise_base() { state_->give_back(); }

  request<T> get_return_object() { return request<T>{state_}; }
  std::suspend_never initial_suspend() const noexcept { return {}; }
  auto final_suspend() const noexcept {
    struct last {
      coroutine_state<T>* state;
      static bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<> over) const noexcept { state->end(over); }
      static void await_resume() noexcept {}
    };
    return last{state_};
  }
  void unhandled_exception() noexcept { state_->fail_with(std::current_exception()); }

  template <class U>
  coroutine_awaiter<T, U> await_transform(request<U>&& awaited) const noexcept {
    return {std::move(awaited), *state_};
  }
  template <class Other>
  void await_transform(Other&&) const {
    static_assert(std::is_void_v<Other>,
                  "peal: a coroutine that returns a request awaits requests, which it takes over: "
                  "co_await std::move(request)");
  }

 protected:
  coroutine_state<T>* const state_ = new coroutine_state<T>;
};

/// Of a function that returns request<T> and is a coroutine.
template <class T>
class coroutine_promise : public coroutine_promise_base<T> {
 public:
  template <std::convertible_to<T> Value>
  void return_value(Value&& value) {
    this->state_->succeed(std::forward<Value>(value));
  }
};
template <>
class coroutine_promise<void> : public coroutine_promise_base<void> {
 public:
  void return_void() { state_->succeed(); }
};

}  // namespace peal::detail
