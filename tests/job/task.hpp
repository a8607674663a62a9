// A coroutine that runs at once up to its first wait.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace job {

class task {
 public:
  struct promise_type {
    std::exception_ptr thrown;
    task get_return_object() {
      return task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { thrown = std::current_exception(); }
  };
  explicit task(std::coroutine_handle<promise_type> handle) : handle_{handle} {}
  task(task&& from) noexcept : handle_{std::exchange(from.handle_, nullptr)} {}
  task& operator=(task&&) = delete;
  ~task() {
    if (handle_) handle_.destroy();
  }
  [[nodiscard]] bool done() const { return handle_.done(); }
  [[nodiscard]] std::exception_ptr thrown() const { return handle_.promise().thrown; }

 private:
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace job
