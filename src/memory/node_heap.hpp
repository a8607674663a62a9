// memory/node_heap.hpp
// The memory of peal::allocate: this process's share of the node's segment, where the peers reach a
// buffer without a copy in between.
//
// Pages are committed when first needed, and given back when enough of them lie idle. What is free
// is known to this process alone, so a crashed peer cannot damage it; only the process that
// allocated may deallocate.
//
// Layer    memory: may include base/.
// Units    bytes; every block is 64-byte aligned, one of a page or more is page-aligned.
// Threads  any.
// Errors   allocate returns null when the share is used up or /dev/shm is full (said once in the
//          log); the caller takes ordinary memory.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "memory/node_segment.hpp"

namespace peal {

class node_heap {
 public:
  explicit node_heap(node_segment&);
  node_heap(const node_heap&) = delete;
  node_heap& operator=(const node_heap&) = delete;

  [[nodiscard]] void* allocate(std::size_t bytes) noexcept;
  /// Requires: `contains(block)`, allocated here and not yet given back.
  void deallocate(void* block) noexcept;
  /// Whether the block is one of this heap, rather than ordinary memory.
  [[nodiscard]] bool contains(const void* block) const noexcept;

 private:
  [[nodiscard]] bool commit(std::size_t offset, std::size_t bytes);
  [[nodiscard]] int commit_pages(std::size_t offset, std::size_t bytes);  // an errno, or 0
  void trim();
  void insert_free(std::size_t offset, std::size_t bytes);
  void erase_free(std::map<std::size_t, std::size_t>::iterator);

  node_segment* segment_;
  node_segment::part part_;
  std::mutex mutex_;
  std::map<std::size_t, std::size_t> free_;                // offset within the part -> bytes
  std::set<std::pair<std::size_t, std::size_t>> by_size_;  // the same, (bytes, offset)
  std::unordered_map<std::size_t, std::size_t> used_;      // offset -> bytes
  std::vector<bool> committed_;                            // by granule
  std::size_t committed_bytes_ = 0;
  std::size_t used_bytes_ = 0;
  bool said_full_ = false;
};

}  // namespace peal
