// comm/end/failure_list.hpp
// Which peers have died, or cannot be reached any more, in the order heard of: the list from which
// every lane learns it.
//
// Layer    comm.
// Threads  any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "bootstrap/client.hpp"

namespace peal {

class failure_list {
 public:
  /// False: its rank stands there already.
  bool add(const rank_failure& gone) {
    const std::lock_guard hold{lock_};
    if (stands(gone.rank)) return false;
    all_.push_back(gone);
    count_.store(all_.size(), std::memory_order_release);  // pairs with `count`
    return true;
  }
  /// Cheap: a line that is hardly ever written to.
  [[nodiscard]] std::size_t count() const noexcept {
    return count_.load(std::memory_order_acquire);
  }
  [[nodiscard]] rank_failure at(std::size_t which) const {
    const std::lock_guard hold{lock_};
    return all_[which];
  }
  [[nodiscard]] bool has(int rank) const {
    const std::lock_guard hold{lock_};
    return stands(rank);
  }

 private:
  [[nodiscard]] bool stands(int rank) const {
    return std::ranges::find(all_, rank, &rank_failure::rank) != all_.end();
  }

  mutable std::mutex lock_;
  std::vector<rank_failure> all_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace peal
