// transport/verbs/connect/least_used.hpp
// Connections by their traffic: which one may end for another peer.
//
// A heap, made from one look at all connections once in a term of the process's traffic
// (cold_traffic.hpp), so that no connection is looked at for each message, or each poll. Of equal
// ones the youngest goes first: where more peers are used in turn than may be connected, most keep
// their connections, and the rest take turns for few, while with the oldest one first each would
// lose its connection right before its next use.
//
// Layer    transport/verbs. Control path.
// Units    packets.
// Threads  one at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "transport/contract.hpp"

namespace peal::verbs {

class least_used {
 public:
  struct entry {
    peer_id peer = 0;
    std::uint32_t packets = 0;  // of late
    std::uint32_t age = 0;      // counted down with each connection: the youngest has the least
  };

  void clear() noexcept { heap_.clear(); }
  void add(const entry& more) {
    heap_.push_back(more);
    std::ranges::push_heap(heap_, is_behind);
  }
  [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
  /// Requires: not empty.
  [[nodiscard]] const entry& first() const noexcept { return heap_.front(); }
  entry take() noexcept {
    std::ranges::pop_heap(heap_, is_behind);
    const entry taken = heap_.back();
    heap_.pop_back();
    return taken;
  }

 private:
  static bool is_behind(const entry& one, const entry& other) noexcept {
    return std::tuple{one.packets, one.age} > std::tuple{other.packets, other.age};
  }
  std::vector<entry> heap_;
};

/// A peer without a connection takes the place of another one only where it has clearly more
/// traffic: twice as much, and as many packets more as messages that get a connection where there
/// is room. Otherwise peers with about the same traffic would change places for ever.
[[nodiscard]] constexpr bool deserves_place(std::uint32_t without, std::uint32_t with,
                                            std::uint32_t promote) noexcept {
  return without > 2 * std::uint64_t{with} + promote;
}

/// What counts of a connection's traffic after a look: what was before weighs half after each term.
[[nodiscard]] constexpr std::uint32_t of_late(std::uint32_t before, std::uint32_t since,
                                              std::uint32_t terms) noexcept {
  return (terms < 32 ? before >> terms : 0) +
         static_cast<std::uint32_t>(2 * std::uint64_t{since} / (terms + std::uint64_t{1}));
}

}  // namespace peal::verbs
