// p2p/operation_pool.hpp
// Operations: the one given back last is handed out first, since it is still in the cache.
//
// Layer    p2p.
// Threads  one at a time.
// Errors   ends the process when there is no memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "p2p/operation.hpp"

namespace peal {

class operation_pool {
 public:
  explicit operation_pool(messaging& of) noexcept : owner_{of} {}
  operation_pool(const operation_pool&) = delete;
  operation_pool& operator=(const operation_pool&) = delete;

  /// Whether `take` finds one without growing.
  [[nodiscard]] bool any() const noexcept { return *last_ != nullptr; }

  detail::operation& take(operation_kind kind,
                          operation_state state = operation_state::working) noexcept {
    if (!any()) [[unlikely]]
      grow();
    return take_free(kind, state);
  }
  /// The same without a call. Requires: any().
  detail::operation& take_free(operation_kind kind, operation_state state) noexcept {
    detail::operation& taken = **last_--;
    // relaxed: a thread that gets to know this operation does so after the start that follows.
    taken.finished.store(false, std::memory_order_relaxed);
    taken.kind = kind;
    taken.state = state;
    taken.flags = 0;
    taken.unused = 0;
    return taken;
  }

  void give_back(detail::operation& over) noexcept {
    // Only what is not fine is made so again: a second write to the line of the outcome would cost
    // every message.
    if (over.result.error) over.result.error.clear();
    give_back_good(over);
  }
  /// Requires: it has ended without an error.
  void give_back_good(detail::operation& over) noexcept {
    over.state = operation_state::free;
    *++last_ = &over;
  }

  /// The operation at this place of the pool; null when there is none.
  [[nodiscard]] detail::operation* find(std::uint32_t index) noexcept {
    return index / per_slab < slabs_.size() ? &slabs_[index / per_slab][index % per_slab] : nullptr;
  }

 private:
  static constexpr std::uint32_t per_slab = 64;

  void grow() noexcept;

  messaging& owner_;
  // Those that are free, behind a null. An array: in a list the next one would be known only when
  // the last one has been read, which takes longer than everything else that a receive does.
  std::vector<detail::operation*> free_{nullptr};
  detail::operation** last_ = free_.data();  // the one given back last
  std::vector<std::unique_ptr<detail::operation[]>> slabs_;
};

}  // namespace peal
