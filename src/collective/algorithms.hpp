// collective/algorithms.hpp
// Every algorithm there is: pure functions that add the rounds of one rank to a schedule. Each has
// a file in algorithms/, which ends with its record. A new one is a file there, and a line in
// algorithms.cpp.
//
// Layer    collective: may include p2p/, base/.
// Threads  pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "collective/problem.hpp"
#include "collective/schedule.hpp"
#include "peal/detail/core.hpp"

namespace peal {

struct pricing;  // cost_sum.hpp

namespace algorithms {

// Other algorithms have these as parts.
void barrier_dissemination(const problem&, schedule&);
void bcast_tree(const problem&, schedule&);
void reduce_tree(const problem&, schedule&);
void allreduce_doubling(const problem&, schedule&);
void allreduce_rabenseifner(const problem&, schedule&);
void allgather_bruck(const problem&, schedule&);
// Without a record: there is no other algorithm to choose instead.
void neighbor_allgather(const problem&, schedule&);
void neighbor_alltoall(const problem&, schedule&);

}  // namespace algorithms

/// Leaders of an allreduce by nodes swap whole shares up to here, and halves of longer ones; the
/// choice draws this line for whole vectors, from estimates.
inline constexpr std::size_t most_swapped_share = 16384;

struct algorithm {
  detail::collective kind{};
  std::string_view name;  // among those of the kind, as PEAL_BCAST and its like take it
  void (*build)(const problem&, schedule&) = nullptr;
  /// Adds up what it takes. Null: it has no price, so that only rules choose it, and nothing takes
  /// its place.
  void (*price)(const pricing&) = nullptr;
  /// What it cannot serve; all of it is known alike on every rank.
  bool any_order = false;     // needs a commutative operation
  bool equal_blocks = false;  // needs blocks of one size
  bool power_of_two = false;  // needs a number of ranks that is a power of two
  bool by_node = false;       // needs nodes with several ranks, which it joins node by node
  // Works on any range of the vector, so that a long one may be cut and pipelined.
  bool segmentable = false;
  bool by_radix = false;  // has trees of the radix of the problem
  /// What its price says.
  bool priced_whole = false;  // of all segments, which overlap; else of each, one after another
  bool all_at_once = false;   // leaves out what it costs that many ranks send to one at once
  /// Whether each element of a result is joined in the order of kernels/join_order.hpp, so that it
  /// has the same bits as by any other algorithm of which this is so. `of_two`: by trees of the
  /// radix 2, among ranks that are a power of two.
  enum class bits : std::uint8_t { own, same, same_of_two };
  bits gives = bits::own;
  [[nodiscard]] bool gives_same_bits(int ranks, int radix) const noexcept {
    return gives == bits::same ||
           (gives == bits::same_of_two && radix == 2 && floor_power(ranks) == ranks);
  }

  [[nodiscard]] bool serves(const problem& p) const noexcept {
    return (!any_order || p.commutative) && (!equal_blocks || !p.varying) &&
           (!power_of_two || floor_power(p.size) == p.size) &&
           (!by_node || (p.nodes && (p.commutative || p.nodes->in_order())));
  }
};

/// What a variable may name besides: past all messages, which no record is needed for (direct/).
inline constexpr std::string_view direct_name = "direct";

/// All of them, those of a collective together.
std::span<const algorithm> all_algorithms() noexcept;
/// Of that list: with other algorithms, or in another order, it is another number. Never 0.
std::uint64_t number_of_algorithms() noexcept;
/// Null when there is none of that name.
const algorithm* find_algorithm(detail::collective, std::string_view name) noexcept;

/// How a vector is cut: segment k runs in stream k mod streams. A segment of 0 bytes means uncut.
struct segmentation {
  std::size_t bytes = 0;
  std::uint32_t streams = 1;

  friend bool operator==(const segmentation&, const segmentation&) = default;
};

/// Builds the whole schedule; `s` is cleared first. Only segmentable algorithms are cut.
void build(const algorithm&, const problem&, segmentation, schedule& s);

}  // namespace peal
