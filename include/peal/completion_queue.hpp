// peal/completion_queue.hpp
// Many requests, and what to do with each when it has ended.
//
// Threads  a queue belongs to one thread at a time. Handlers run in poll and wait, with no lock held.
// Errors   what a handler throws leaves poll or wait; the rest is handled by the next call.
#pragma once

#include <atomic>
#include <concepts>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <peal/request.hpp>

namespace peal {

namespace detail {
struct ignore_value {
  template <class... Value>
  void operator()(Value&&...) const noexcept {}
};
}  // namespace detail

class completion_queue {
 public:
  completion_queue() : ready_{std::make_shared<ready_list>()} {}
  completion_queue(completion_queue&&) noexcept = default;
  completion_queue& operator=(completion_queue&&) noexcept = default;

  /// Hands over a request. `handler` is called with it when it has ended (its wait() then returns, or throws, at once); or with its
  /// value, where it takes that, and then an error leaves poll or wait.
  template <class T, class Handler = detail::ignore_value>
  void add(request<T>&& under_way, Handler handler = {}) {
    auto made = std::make_unique<held_entry<T, Handler>>(std::move(under_way), std::move(handler));
    entry* added = made.get();
    entries_.emplace(added, std::move(made));
    auto* told = new notice{ready_, added};
    added->subscribe(*told);
    told->give_back();
  }

  /// How many requests it holds.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

  /// Makes some progress and handles what has ended; how many requests that were.
  std::size_t poll() {
    detail::progress();
    return handle();
  }
  /// Handles one request at least; returns 0 at once when the queue is empty.
  std::size_t wait() {
    if (entries_.empty()) return 0;
    detail::wait_until([](void* list) { return static_cast<ready_list*>(list)->some.load(std::memory_order_acquire); }, ready_.get());
    return handle();
  }

 private:
  class entry {
   public:
    virtual ~entry() = default;
    virtual void subscribe(detail::hook&) = 0;
    virtual void finish() = 0;
  };

  template <class T, class Handler>
  class held_entry final : public entry {
   public:
    held_entry(request<T>&& it, Handler&& handler) : request_{std::move(it)}, handler_{std::move(handler)} {}
    void subscribe(detail::hook& to) override { request_.subscribe(to); }
    void finish() override {
      if constexpr (std::invocable<Handler&, request<T>> && !std::same_as<Handler, detail::ignore_value>) {
        std::invoke(handler_, std::move(request_));
      } else if constexpr (std::is_void_v<T>) {
        request_.wait();
        std::invoke(handler_);
      } else {
        std::invoke(handler_, request_.wait());
      }
    }

   private:
    request<T> request_;
    Handler handler_;
  };

  struct ready_list {
    std::atomic<bool> some{false};
    std::mutex mutex;  // guards what follows
    std::vector<entry*> over;
  };

  /// May come after the queue has gone; then nobody reads the list.
  class notice final : public detail::hook {
   public:
    notice(std::shared_ptr<ready_list> list, entry* about) noexcept : list_{std::move(list)}, about_{about} {}

   private:
    void fire() override {
      const std::lock_guard guard{list_->mutex};
      list_->over.push_back(about_);
      list_->some.store(true, std::memory_order_release);  // pairs with wait()
    }
    std::shared_ptr<ready_list> list_;
    entry* about_;
  };

  std::size_t handle() {
    std::size_t handled = 0;
    while (entry* next = take()) {
      const auto over = entries_.extract(next);
      ++handled;
      over.mapped()->finish();
    }
    return handled;
  }
  entry* take() {
    const std::lock_guard guard{ready_->mutex};
    if (ready_->over.empty()) {
      ready_->some.store(false, std::memory_order_relaxed);
      return nullptr;
    }
    entry* first = ready_->over.front();
    ready_->over.erase(ready_->over.begin());
    return first;
  }

  std::shared_ptr<ready_list> ready_;
  std::unordered_map<entry*, std::unique_ptr<entry>> entries_;
};

}  // namespace peal
