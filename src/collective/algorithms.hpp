// collective/algorithms.hpp
// Every algorithm there is: pure functions that add the rounds of one rank to a schedule, a file each in algorithms/, and the table that
// names them. A new one is a file there, a line here, and a line in the table.
//
// Layer    collective: may include p2p/, base/.
// Threads  pure functions.
#pragma once

#include <span>
#include <string_view>

#include "collective/problem.hpp"
#include "collective/schedule.hpp"
#include "peal/detail/core.hpp"

namespace peal {

namespace algorithms {

void barrier_dissemination(const problem&, schedule&);
void barrier_flat(const problem&, schedule&);
void barrier_leaders(const problem&, schedule&);
void bcast_tree(const problem&, schedule&);
void bcast_chain(const problem&, schedule&);
void bcast_scatter_allgather(const problem&, schedule&);
void bcast_leaders(const problem&, schedule&);
void bcast_shares(const problem&, schedule&);
void reduce_tree(const problem&, schedule&);
void reduce_scatter_gather(const problem&, schedule&);
void reduce_leaders(const problem&, schedule&);
void reduce_shares(const problem&, schedule&);
void allreduce_flat(const problem&, schedule&);
void allreduce_doubling(const problem&, schedule&);
void allreduce_rabenseifner(const problem&, schedule&);
void allreduce_ring(const problem&, schedule&);
void allreduce_leaders(const problem&, schedule&);
void allreduce_shares(const problem&, schedule&);
void gather_tree(const problem&, schedule&);
void gather_linear(const problem&, schedule&);
void scatter_tree(const problem&, schedule&);
void scatter_linear(const problem&, schedule&);
void allgather_flat(const problem&, schedule&);
void allgather_bruck(const problem&, schedule&);
void allgather_doubling(const problem&, schedule&);
void allgather_ring(const problem&, schedule&);
void allgather_leaders(const problem&, schedule&);
void alltoall_linear(const problem&, schedule&);
void alltoall_bruck(const problem&, schedule&);
void alltoall_pairwise(const problem&, schedule&);
void reduce_scatter_flat(const problem&, schedule&);
void reduce_scatter_halving(const problem&, schedule&);
void reduce_scatter_pairwise(const problem&, schedule&);
void reduce_scatter_ring(const problem&, schedule&);
void scan_flat(const problem&, schedule&);
void scan_doubling(const problem&, schedule&);
void scan_chain(const problem&, schedule&);
void exscan_flat(const problem&, schedule&);
void exscan_doubling(const problem&, schedule&);
void exscan_chain(const problem&, schedule&);
// Not in the table: nobody chooses between them and others.
void neighbor_allgather(const problem&, schedule&);
void neighbor_alltoall(const problem&, schedule&);

}  // namespace algorithms

/// allreduce_shares swaps whole shares up to here, and halves of longer ones; the choice draws this line for whole vectors, from estimates.
inline constexpr std::size_t most_swapped_share = 16384;

struct algorithm {
  detail::collective kind;
  std::string_view name;
  void (*build)(const problem&, schedule&);
  /// What it cannot serve; all of it is known alike on every rank.
  bool any_order = false;     // needs a commutative operation
  bool equal_blocks = false;  // needs blocks of one size
  bool power_of_two = false;  // needs a number of ranks that is a power of two
  bool by_node = false;       // needs nodes with several ranks, which it joins node by node
  bool segmentable = false;   // works on any range of the vector, so that a long one may be cut and pipelined

  [[nodiscard]] bool serves(const problem& p) const noexcept {
    return (!any_order || p.commutative) && (!equal_blocks || !p.varying) && (!power_of_two || floor_power(p.size) == p.size) &&
           (!by_node || (p.nodes && (p.commutative || p.nodes->in_order())));
  }
};

/// All of them, those of a collective together.
std::span<const algorithm> all_algorithms() noexcept;
/// Null when there is none of that name.
const algorithm* find_algorithm(detail::collective, std::string_view name) noexcept;

/// How a vector is cut: segment k runs in lane k mod lanes. A segment of 0 bytes means uncut.
struct segmentation {
  std::size_t bytes = 0;
  std::uint32_t lanes = 1;
};

/// Builds the whole schedule; `s` is cleared first. Only segmentable algorithms are cut.
void build(const algorithm&, const problem&, segmentation, schedule& s);

}  // namespace peal
