#include "transport/shm/bells.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

#include "base/log.hpp"

namespace peal::shm {

namespace {

/// How late a message may be found whose sender could not ring.
constexpr std::chrono::milliseconds nap{1};

bool membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

}  // namespace

bells::bells(node_segment& segment, wakeup* own, bool has_membarrier)
    : segment_{segment},
      own_{own != nullptr && own->able() ? own : nullptr},
      own_front_{segment.at<front>(segment.front(segment.index()).offset)},
      fronts_{segment.at<std::byte>(segment.front(0).offset)},
      stride_{segment.count() < 2 ? 0 : segment.front(1).offset - segment.front(0).offset},
      fences_{!has_membarrier || !membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED)} {
  if (own_ != nullptr) own_front_->bell = own_->address();
  own_front_->says.orders.store(fences_ ? by_fences : by_sleepers, std::memory_order_relaxed);
}

void bells::ring(int index) noexcept {
  front& sleeper = front_of(index);
  // Pairs with the release in begin_sleep: its bell is there.
  if (!is_asleep(sleeper.says.asks.load(std::memory_order_acquire))) return;
  remote_wakeup* const rope = rope_to(index);
  if (rope == nullptr ||
      !(rope->is_open() ||
        (sleeper.says.deaf.load(std::memory_order_relaxed) == 0 && rope->open(sleeper.bell)))) {
    if (sleeper.says.deaf.exchange(1, std::memory_order_relaxed) == 0)
      log_info(
          "process {} of this node cannot be woken from here; it will look for messages every "
          "millisecond",
          index);
    return;
  }
  constexpr std::uint32_t no_sleep = ~std::uint32_t{for_room_too};
  if (is_asleep(sleeper.says.asks.fetch_and(no_sleep, std::memory_order_relaxed))) rope->ring();
}

/// Null: there is no memory for it.
remote_wakeup* bells::rope_to(int index) noexcept {
  try {
    if (ropes_.empty()) ropes_.resize(static_cast<std::size_t>(segment_.count()));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return &ropes_[static_cast<std::size_t>(index)];
}

void bells::begin_sleep(bool wants_room) noexcept {
  if (!found_by_all_) found_by_all_ = all_find_this();
  // Pairs with the acquire in ring.
  own_front_->says.asks.store(always_ | (wants_room ? for_room_too : for_messages),
                              std::memory_order_release);
  if (fences_) std::atomic_thread_fence(std::memory_order_seq_cst);
  else barrier_failed_ = !membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

bool bells::keep_apart() noexcept {
  if (!fences_ && membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED)) return true;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return all_fence();
}

bool bells::ask_for_news(bool asks) noexcept {
  if (asks) {
    always_ |= for_news;
    own_front_->says.asks.fetch_or(for_news, std::memory_order_relaxed);
    if (keep_apart()) return true;
  }
  always_ &= ~std::uint32_t{for_news};
  own_front_->says.asks.fetch_and(~std::uint32_t{for_news}, std::memory_order_relaxed);
  return !asks;
}

void bells::end_sleep() noexcept {
  own_front_->says.asks.store(always_, std::memory_order_relaxed);
}

bool bells::all_fence() const noexcept {
  for (int each = 0; each < segment_.count(); ++each)
    if (says(each).orders.load(std::memory_order_relaxed) != by_fences) return false;
  return true;
}

bool bells::all_find_this() const noexcept {
  for (int each = 0; each < segment_.count(); ++each)
    if (!segment_.knows_by_id(each)) return false;
  return true;
}

std::chrono::steady_clock::time_point bells::wakes_at() const noexcept {
  const bool ordered = fences_ || barrier_failed_ ? all_fence() : true;
  if (ordered && found_by_all_.value_or(true) &&
      own_front_->says.deaf.load(std::memory_order_relaxed) == 0)
    return std::chrono::steady_clock::time_point::max();
  return std::chrono::steady_clock::now() + nap;
}

}  // namespace peal::shm
