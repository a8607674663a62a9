// transport/verbs/bulk/pieces/spare_buffers.hpp
// Buffers for payloads that do not lie in one block: their senders pack into them, and their
// receivers unpack from them. Some stay when they are over, so that their pages are there, and
// registered, for the next payload.
//
// Layer    transport/verbs.
// Units    bytes.
// Threads  one at a time.
// Errors   null: there is no memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <memory>
#include <vector>

#include "base/page.hpp"
#include "transport/verbs/bulk/pieces/pieces.hpp"

namespace peal::verbs {

class spare_buffers {
 public:
  /// That stay.
  static constexpr std::size_t most = 32 << 20;

  /// So long at least. It begins at a page, and where a piece of what is packed does (pieces.hpp)
  /// when it is longer than one.
  [[nodiscard]] std::byte* take(std::size_t bytes) {
    // Not one that is far longer, which the next long payload would miss.
    auto best = spare_.end();
    for (auto each = spare_.begin(); each != spare_.end(); ++each)
      if (each->bytes >= bytes && each->bytes / 2 <= bytes &&
          (best == spare_.end() || each->bytes <= best->bytes))
        best = each;
    buffer made;
    if (best != spare_.end()) {
      made = std::move(*best);
      spare_.erase(best);
      idle_ -= made.bytes;
    } else {
      const std::size_t unit = bytes > pieces::packed ? pieces::packed : page;
      made.bytes = round_up(bytes, unit);
      made.memory.reset(static_cast<std::byte*>(std::aligned_alloc(unit, made.bytes)));
    }
    if (!made.memory) return nullptr;
    taken_.push_back(std::move(made));
    return taken_.back().memory.get();
  }
  /// Requires: it was taken.
  void give_back(const std::byte* over) {
    const auto found = std::ranges::find_if(
        taken_, [over](const buffer& each) { return each.memory.get() == over; });
    buffer free = std::move(*found);
    taken_.erase(found);
    if (free.bytes > most) return;
    idle_ += free.bytes;
    spare_.push_back(std::move(free));
    for (; idle_ > most; spare_.pop_front()) idle_ -= spare_.front().bytes;
  }
  [[nodiscard]] std::size_t idle_bytes() const noexcept { return idle_; }

 private:
  struct freed {
    void operator()(std::byte* gone) const noexcept { std::free(gone); }
  };
  struct buffer {
    std::unique_ptr<std::byte, freed> memory;
    std::size_t bytes = 0;
  };
  std::vector<buffer> taken_;
  std::deque<buffer> spare_;  // those that were given back last stand last
  std::size_t idle_ = 0;
};

}  // namespace peal::verbs
