// p2p/queue_index.hpp
// A hash table of queues. A queue holds the items with one key, in the order in which they were
// added.
//
// Removing an item touches its neighbours only. A queue that has become empty stays in the table
// until the table would grow.
//
// Layer    p2p: may include base/.
// Threads  one at a time.
// Errors   ends the process when there is no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "p2p/linked_list.hpp"

namespace peal {

template <class Item, int N>
class queue_index {
 public:
  /// Behind the items with this key.
  void add(std::uint64_t key, Item& item) noexcept {
    queue* at = find(key);
    if (!at) at = &make(key);
    at->items.push_back(item);
  }
  static void remove(Item& item) noexcept { lane_items::erase(item); }
  /// The first item with this key; null when there is none.
  [[nodiscard]] Item* first(std::uint64_t key) const noexcept {
    queue* at = find(key);
    return at ? at->items.front() : nullptr;
  }

 private:
  using lane_items = linked_list<Item, queue_node<N>>;
  struct queue {
    std::uint64_t key = 0;
    lane_items items;
    queue* chain = nullptr;  // of its bucket, or of the free list
  };

  [[nodiscard]] std::size_t bucket(std::uint64_t key) const noexcept {
    // Fibonacci hashing (Knuth, volume 3, 6.4): the upper bits of a product with 2^64 / golden
    // ratio spread runs of tags and of sources.
    return (key ^ key >> 32) * 0x9e3779b97f4a7c15 >> shift_;
  }

  [[nodiscard]] queue* find(std::uint64_t key) const noexcept {
    for (queue* at = buckets_[bucket(key)]; at; at = at->chain)
      if (at->key == key) return at;
    return nullptr;
  }

  queue& make(std::uint64_t key) noexcept {
    if (used_ == buckets_.size()) tidy();
    queue* made = free_;
    if (made) free_ = made->chain;
    else made = &lanes_.emplace_back();
    made->key = key;
    link(*made);
    ++used_;
    return *made;
  }

  void link(queue& added) noexcept {
    queue*& head = buckets_[bucket(added.key)];
    added.chain = head;
    head = &added;
  }

  // Empty queues go to the free list; when half are still in use, the table doubles.
  void tidy() noexcept {
    std::vector<queue*> old(buckets_.size(), nullptr);
    old.swap(buckets_);
    used_ = 0;
    for (queue* head : old)
      for (queue* at = head; at; at = at->chain) used_ += !at->items.empty();
    if (used_ * 2 > buckets_.size()) {
      buckets_.resize(buckets_.size() * 2, nullptr);
      --shift_;
    }
    for (queue* head : old) {
      for (queue* at = head; at;) {
        queue* next = at->chain;
        if (at->items.empty()) {
          at->chain = free_;
          free_ = at;
        } else {
          link(*at);
        }
        at = next;
      }
    }
  }

  static constexpr unsigned first_bits = 6;

  std::vector<queue*> buckets_ = std::vector<queue*>(std::size_t{1} << first_bits, nullptr);
  unsigned shift_ = 64 - first_bits;
  std::size_t used_ = 0;  // queues in buckets
  queue* free_ = nullptr;
  std::deque<queue> lanes_;  // never moved
};

}  // namespace peal
