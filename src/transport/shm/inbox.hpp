// transport/shm/inbox.hpp
// A list onto which any process of the node pushes without a lock, and which its owner takes as a
// whole.
//
// Layer    transport/shm.
// Threads  push: any process. take: the owner.
#pragma once

#include <atomic>
#include <cstdint>

#include "memory/node_segment.hpp"
#include "transport/shm/layout.hpp"

namespace peal::shm {

inline void push(node_segment& segment, std::atomic<std::uint64_t>& inbox,
                 inbox_entry& item) noexcept {
  const std::uint64_t offset = segment.offset_of(&item);
  std::uint64_t first = inbox.load(std::memory_order_relaxed);
  do {
    item.next = first;
  } while (!inbox.compare_exchange_weak(first, offset, std::memory_order_release,
                                        std::memory_order_relaxed));  // pairs with take
}

/// All items in the order in which they were pushed, linked by `next`. The list is only ever
/// emptied as a whole, so no item can be taken and pushed again between the look and the exchange
/// of another process.
inline std::uint64_t take(node_segment& segment, std::atomic<std::uint64_t>& inbox) noexcept {
  // Pairs with the release in push, of every item: read-modify-writes chain.
  std::uint64_t last = inbox.exchange(0, std::memory_order_acquire);
  std::uint64_t ordered = 0;
  while (last != 0) {
    inbox_entry& item = *segment.at<inbox_entry>(last);
    const std::uint64_t before = item.next;
    item.next = ordered;
    ordered = last;
    last = before;
  }
  return ordered;
}

}  // namespace peal::shm
