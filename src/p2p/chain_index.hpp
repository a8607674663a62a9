// p2p/chain_index.hpp
// A hash table of chains. A chain holds the items with one key, in the order in which they were
// added.
//
// Removing an item touches its neighbours only. A chain that has become empty stays in the table
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
class chain_index {
 public:
  /// Behind the items with this key.
  void add(std::uint64_t key, Item& item) noexcept {
    chain* at = find(key);
    if (!at) at = &make(key);
    at->items.push_back(item);
  }
  static void remove(Item& item) noexcept { chain_items::erase(item); }
  /// The first item with this key; null when there is none.
  [[nodiscard]] Item* first(std::uint64_t key) const noexcept {
    chain* at = find(key);
    return at ? at->items.front() : nullptr;
  }

 private:
  using chain_items = linked_list<Item, chain_node<N>>;
  struct chain {
    std::uint64_t key = 0;
    chain_items items;
    chain* next = nullptr;  // of its bucket, or of the free list
  };

  [[nodiscard]] std::size_t bucket(std::uint64_t key) const noexcept {
    // Fibonacci hashing (Knuth, volume 3, 6.4): the upper bits of a product with 2^64 / golden
    // ratio spread runs of tags and of sources.
    return (key ^ key >> 32) * 0x9e3779b97f4a7c15 >> shift_;
  }

  [[nodiscard]] chain* find(std::uint64_t key) const noexcept {
    for (chain* at = buckets_[bucket(key)]; at; at = at->next)
      if (at->key == key) return at;
    return nullptr;
  }

  chain& make(std::uint64_t key) noexcept {
    if (used_ == buckets_.size()) tidy();
    chain* made = free_;
    if (made) free_ = made->next;
    else made = &chains_.emplace_back();
    made->key = key;
    link(*made);
    ++used_;
    return *made;
  }

  void link(chain& added) noexcept {
    chain*& head = buckets_[bucket(added.key)];
    added.next = head;
    head = &added;
  }

  // Empty chains go to the free list; when half are still in use, the table doubles.
  void tidy() noexcept {
    std::vector<chain*> old(buckets_.size(), nullptr);
    old.swap(buckets_);
    used_ = 0;
    for (chain* head : old)
      for (chain* at = head; at; at = at->next) used_ += !at->items.empty();
    if (used_ * 2 > buckets_.size()) {
      buckets_.resize(buckets_.size() * 2, nullptr);
      --shift_;
    }
    for (chain* head : old) {
      for (chain* at = head; at;) {
        chain* next = at->next;
        if (at->items.empty()) {
          at->next = free_;
          free_ = at;
        } else {
          link(*at);
        }
        at = next;
      }
    }
  }

  static constexpr unsigned first_bits = 6;

  std::vector<chain*> buckets_ = std::vector<chain*>(std::size_t{1} << first_bits, nullptr);
  unsigned shift_ = 64 - first_bits;
  std::size_t used_ = 0;  // chains in buckets
  chain* free_ = nullptr;
  std::deque<chain> chains_;  // never moved
};

}  // namespace peal
