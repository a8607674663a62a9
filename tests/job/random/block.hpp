// Elements in memory of some kind: ordinary or the node's, at any place in a line, with bytes
// around them that nobody may touch.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "../support.hpp"

namespace random_collectives {

template <class T>
class block {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 16);
  static constexpr std::size_t fence = 64;
  static constexpr std::byte untouched{0xa5};

 public:
  using value_type = T;

  /// The elements are 1, or bytes of 1. Which memory, and where in it, is drawn.
  block(std::size_t count, job::random& own)
      : count_{count}, offset_{fence + own.below(5) * sizeof(T)} {
    const std::size_t bytes = offset_ + count * sizeof(T) + fence;
    if (own.one_in(3)) {
      of_node_ = peal::allocate<std::byte>(bytes);
      start_ = of_node_.data();
    } else {
      ordinary_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      start_ = ordinary_.get();
    }
    std::memset(start_, static_cast<int>(untouched), bytes);
    std::memset(static_cast<void*>(data()), 1, count * sizeof(T));
  }
  block(block&& from) noexcept
      : count_{std::exchange(from.count_, 0)},
        offset_{from.offset_},
        start_{std::exchange(from.start_, nullptr)},
        ordinary_{std::move(from.ordinary_)},
        of_node_{std::move(from.of_node_)} {}
  block& operator=(block&&) = delete;
  ~block() {
    if (!start_) return;
    const auto intact = [](const std::byte* from, std::size_t bytes) {
      for (std::size_t i = 0; i < bytes; ++i)
        if (from[i] != untouched) return false;
      return true;
    };
    job::check(intact(start_, offset_), "something was written before a buffer");
    job::check(intact(start_ + offset_ + count_ * sizeof(T), fence),
               "something was written behind a buffer");
  }

  [[nodiscard]] T* data() noexcept { return reinterpret_cast<T*>(start_ + offset_); }
  [[nodiscard]] const T* data() const noexcept {
    return reinterpret_cast<const T*>(start_ + offset_);
  }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] T& operator[](std::size_t at) noexcept { return data()[at]; }
  [[nodiscard]] const T& operator[](std::size_t at) const noexcept { return data()[at]; }
  [[nodiscard]] T* begin() noexcept { return data(); }
  [[nodiscard]] T* end() noexcept { return data() + count_; }
  [[nodiscard]] const T* begin() const noexcept { return data(); }
  [[nodiscard]] const T* end() const noexcept { return data() + count_; }

 private:
  std::size_t count_, offset_;
  std::byte* start_ = nullptr;
  std::unique_ptr<std::byte[]> ordinary_;
  peal::buffer<std::byte> of_node_;
};

}  // namespace random_collectives
