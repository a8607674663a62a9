// transport/verbs/bounded_queue.hpp
// A queue, first in, first out, with a longest length that is given at the start: so the data path
// allocates nothing.
//
// Layer    transport/verbs.
// Threads  one at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace peal::verbs {

template <class Item>
class bounded_queue {
 public:
  void reserve(std::size_t most) { items_.resize(std::bit_ceil(most)); }
  [[nodiscard]] bool empty() const noexcept { return first_ == end_; }
  [[nodiscard]] std::size_t size() const noexcept { return end_ - first_; }
  [[nodiscard]] const Item& front() const noexcept { return items_[first_ & (items_.size() - 1)]; }
  void push_back(const Item& item) noexcept { items_[end_++ & (items_.size() - 1)] = item; }
  void pop_front() noexcept { ++first_; }

 private:
  std::vector<Item> items_;
  std::uint32_t first_ = 0, end_ = 0;  // counted on; their difference holds modulo 2^32
};

}  // namespace peal::verbs
