// transport/verbs/bulk/pieces/registered_range.hpp
// Part of a payload whose memory is registered piece by piece (pieces.hpp), from its beginning on.
//
// Layer    transport/verbs.
// Units    bytes; positions in the payload.
// Threads  one at a time.
// Errors   false: the next piece cannot be registered, and those before it still are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/verbs/bulk/pieces/pieces.hpp"
#include "transport/verbs/device/interface.hpp"

namespace peal::verbs {

class registered_range {
 public:
  /// [begin, end) of the payload at `data`; nothing is registered yet.
  registered_range(const std::byte* data, std::uint64_t begin, std::uint64_t end,
                   range_use use) noexcept
      : pieces_{reinterpret_cast<std::uint64_t>(data)},
        data_{data},
        first_{pieces_.of(begin)},
        reach_{begin},
        end_{end},
        use_{use} {}

  /// Up to here it is registered.
  [[nodiscard]] std::uint64_t reach() const noexcept { return reach_; }
  [[nodiscard]] bool complete() const noexcept { return reach_ == end_; }
  [[nodiscard]] const std::vector<registration*>& held() const noexcept { return held_; }
  /// Requires: it is registered there.
  [[nodiscard]] const registration& at(std::uint64_t position) const noexcept {
    return *held_[pieces_.of(position) - first_];
  }
  [[nodiscard]] std::uint64_t end_at(std::uint64_t position) const noexcept {
    return pieces_.end_at(position);
  }

  /// Registers the next piece. Requires: not complete.
  [[nodiscard]] bool grow(registration_cache& cache) {
    return add(cache.acquire(from(), length(), use_));
  }
  /// Goes on as far as pieces are registered already.
  void grow_by_known(registration_cache& cache) {
    while (!complete() && add(cache.find(from(), length(), use_))) {
    }
  }
  void release(registration_cache& cache) noexcept {
    for (registration* each : held_) cache.release(*each);
    held_.clear();
  }

 private:
  [[nodiscard]] std::uint64_t next() const noexcept {
    return std::min(pieces_.end_at(reach_), end_);
  }
  [[nodiscard]] const std::byte* from() const noexcept {
    const std::uint64_t piece = first_ + held_.size();
    return piece == 0 ? data_ : reinterpret_cast<const std::byte*>(pieces_.registered_from(piece));
  }
  [[nodiscard]] std::size_t length() const noexcept {
    return static_cast<std::size_t>(data_ + next() - from());
  }
  bool add(registration* made) {
    if (!made) return false;
    reach_ = next();
    held_.push_back(made);
    return true;
  }

  pieces pieces_;
  const std::byte* data_;
  std::uint64_t first_;  // number of the piece that is registered first
  std::uint64_t reach_, end_;
  range_use use_;
  std::vector<registration*> held_;  // one for each piece, from `first_` on
};

}  // namespace peal::verbs
