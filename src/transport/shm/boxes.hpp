// transport/shm/boxes.hpp
// The boxes of this process: which are in use, and how much memory each of them has.
//
// A box is given little memory at first. Its data ring grows when a sender finds no room, or has
// come round a few times, and all of its memory goes back to the system when the pair of ranks has
// fallen silent.
//
// Layer    transport/shm.
// Units    bytes, and units of a data ring.
// Threads  one.
// Errors   none: lack of space in /dev/shm is said once in the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/node_segment.hpp"
#include "transport/shm/layout.hpp"
#include "transport/shm/parts.hpp"

namespace peal::shm {

class boxes {
 public:
  boxes(node_segment&, const parts&, std::uint32_t most);

  /// The number of a box that no pair uses, with memory for `units(number)` of data; negative: all
  /// are in use, or there is no memory.
  [[nodiscard]] int take() noexcept;
  /// Doubles the data ring. False: it is whole already, or there is no memory now.
  [[nodiscard]] bool grow(int number) noexcept;
  /// The sender has closed it; the receiver may read it until `put_back`. `idle`: no other pair
  /// waits for it, so its memory is to go back to the system then.
  void closing(int number, bool idle) noexcept;
  /// The receiver reads it no more.
  void put_back(int number) noexcept;
  /// Gives the memory of those back to the system that no pair has used since it was called last.
  void look_for_unused() noexcept;

  [[nodiscard]] box& at(int number) const noexcept {
    return *segment_->at<box>(begin_ + static_cast<std::uint64_t>(number) * sizeof(box));
  }
  [[nodiscard]] int number_of(const box& of) const noexcept {
    return static_cast<int>((segment_->offset_of(&of) - begin_) / sizeof(box));
  }
  [[nodiscard]] std::uint32_t units(int number) const noexcept { return of(number).units; }
  /// What all boxes have together, and the most that they had.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t most_bytes() const noexcept { return most_bytes_; }

 private:
  enum class use : std::uint8_t { untouched, open, closing, closing_idle, free };
  struct state {
    use now = use::untouched;
    bool looked_at = false;   // by look_for_unused, since it is free
    std::uint32_t units = 0;  // of the data ring that have memory; 0: the whole box has none
  };

  [[nodiscard]] state& of(int number) noexcept { return states_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] const state& of(int number) const noexcept {
    return states_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] bool commit(std::byte* from, std::size_t bytes) noexcept;
  /// Requires: no process uses it.
  void give_memory_back(int number) noexcept;

  node_segment* segment_;
  std::uint64_t begin_;  // offset
  std::vector<state> states_;
  std::size_t bytes_ = 0;
  std::size_t most_bytes_ = 0;
  std::uint32_t refusals_ = 0;  // of memory to grow
  bool said_full_ = false;
};

}  // namespace peal::shm
