// peal/completion_queue.hpp
// Many requests, and what to do with each when it has ended.
//
// Threads  a queue belongs to one thread at a time. Handlers run in poll and wait, with no lock held.
// Errors   what a handler throws leaves poll or wait; the rest is handled by the next call. add throws errc::invalid_argument for an empty
//          request. arm and event_fd throw errc::not_started where there is no environment, also in a forked child, and errc::no_space when
//          there are no file descriptors left.
#pragma once

#include <atomic>
#include <concepts>
#include <functional>
#include <memory>
#include <mutex>
#include <source_location>
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

/// A queue that was moved from is empty and may be used again.
///
/// In a loop of the program's own, around poll(2) or epoll, beside other descriptors:
///
///     for (;;) {
///       queue.poll();                              // handles what has ended
///       const bool sleep = queue.arm();            // the last call of peal before the sleep
///       epoll_wait(set, events, n, sleep ? -1 : 0);  // queue.event_fd() is in the set, for reading
///       ...                                        // the other descriptors
///     }
class completion_queue {
 public:
  completion_queue() : ready_{std::make_shared<ready_list>()} {}
  completion_queue(completion_queue&&) noexcept = default;
  completion_queue& operator=(completion_queue&&) noexcept = default;

  /// Hands over a request. `handler` is called with it when it has ended (its wait() then returns, or throws, at once); or with its
  /// value, where it takes that, and then an error leaves poll or wait.
  template <class T, class Handler = detail::ignore_value>
  void add(request<T>&& under_way, Handler handler = {}, const std::source_location& where = std::source_location::current()) {
    if (!under_way.valid())
      detail::fail(errc::invalid_argument, "an empty request, waited for or moved from, cannot be added to a queue", -1, where);
    auto made = std::make_unique<held_entry<T, Handler>>(std::move(under_way), std::move(handler));
    entry* added = made.get();
    if (!ready_) ready_ = std::make_shared<ready_list>();
    entries_.emplace(added, std::move(made));
    struct giver_back {
      notice* it;
      ~giver_back() { it->give_back(); }
    } told{new notice{ready_, added}};
    added->subscribe(*told.it);
  }

  /// How many requests it holds.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

  /// Makes some progress and handles what has ended; how many requests that were.
  std::size_t poll() {
    if (sleeper_) detail::progress_after(*sleeper_);
    else detail::progress();
    return handle();
  }
  /// Handles one request at least; returns 0 at once when the queue is empty. What has not ended when the environment does is handled as
  /// well, one by one: its wait() throws errc::not_started.
  std::size_t wait() {
    if (entries_.empty()) return 0;
    while (
        detail::wait_until([](void* list) { return static_cast<ready_list*>(list)->some.load(std::memory_order_acquire); }, ready_.get()))
      if (const std::size_t handled = handle(); handled != 0) return handled;
    const auto left = entries_.extract(entries_.begin());
    left.mapped()->finish();
    return 1;
  }

  /// A descriptor that becomes readable after arm(), when there may be something to do for poll(). It is the queue's: it moves with it, and
  /// is closed by its destructor. It may only be waited for: not read, written or closed.
  [[nodiscard]] int event_fd(const std::source_location& where = std::source_location::current()) {
    return detail::descriptor_of(sleeper(where), where);
  }
  /// Before a sleep on event_fd(). True: sleep; from now on whatever comes makes the descriptor readable, and it stays so until the next
  /// poll() or arm(). False: there is something to do already, call poll() first.
  ///
  /// A call of peal in this thread may use up what was armed, so arm() is called again before each sleep; twice in a row is no error. The
  /// descriptor may be readable although poll() then finds nothing, and is so once a second at least. While a transport cannot wake a
  /// sleeper, a timer of 20 µs to 1 ms makes it readable.
  [[nodiscard]] bool arm(const std::source_location& where = std::source_location::current()) {
    const bool sleep = detail::arm(sleeper(where), where);
    return sleep && !(ready_ && ready_->some.load(std::memory_order_acquire));  // what ends after this look makes it readable
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

  struct discarding {
    void operator()(detail::sleeper* gone) const noexcept { detail::discard(gone); }
  };
  detail::sleeper& sleeper(const std::source_location& where) {
    if (!sleeper_) sleeper_.reset(detail::make_sleeper(where));
    return *sleeper_;
  }

  std::size_t handle() {
    std::size_t handled = 0;
    while (entry* next = take()) {
      const auto over = entries_.extract(next);
      if (over.empty()) continue;  // handled after the end of the environment
      ++handled;
      over.mapped()->finish();
    }
    return handled;
  }
  entry* take() {
    if (!ready_) return nullptr;
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
  std::unique_ptr<detail::sleeper, discarding> sleeper_;  // once it was asked for
};

}  // namespace peal
