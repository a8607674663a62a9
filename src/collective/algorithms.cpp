// The table of algorithms, and the cutting of long vectors into segments.
#include "collective/algorithms.hpp"

#include <algorithm>
#include <array>

namespace peal {

namespace {

using detail::collective;
using namespace algorithms;

constexpr std::array table{
    algorithm{.kind = collective::barrier, .name = "dissemination", .build = barrier_dissemination},
    algorithm{.kind = collective::barrier, .name = "flat", .build = barrier_flat},
    algorithm{.kind = collective::barrier, .name = "leaders", .build = barrier_leaders, .by_node = true},
    algorithm{.kind = collective::bcast, .name = "tree", .build = bcast_tree, .segmentable = true},
    algorithm{.kind = collective::bcast, .name = "chain", .build = bcast_chain, .segmentable = true},
    algorithm{.kind = collective::bcast, .name = "scatter_allgather", .build = bcast_scatter_allgather, .segmentable = true},
    algorithm{.kind = collective::bcast, .name = "leaders", .build = bcast_leaders, .by_node = true, .segmentable = true},
    algorithm{.kind = collective::bcast, .name = "shares", .build = bcast_shares, .by_node = true, .segmentable = true},
    algorithm{.kind = collective::reduce, .name = "tree", .build = reduce_tree, .segmentable = true},
    algorithm{.kind = collective::reduce, .name = "scatter_gather", .build = reduce_scatter_gather, .segmentable = true},
    algorithm{.kind = collective::reduce, .name = "leaders", .build = reduce_leaders, .by_node = true, .segmentable = true},
    algorithm{.kind = collective::reduce, .name = "shares", .build = reduce_shares, .by_node = true, .segmentable = true},
    algorithm{.kind = collective::allreduce, .name = "flat", .build = allreduce_flat, .segmentable = true},
    algorithm{.kind = collective::allreduce, .name = "doubling", .build = allreduce_doubling, .segmentable = true},
    algorithm{.kind = collective::allreduce, .name = "rabenseifner", .build = allreduce_rabenseifner, .segmentable = true},
    algorithm{.kind = collective::allreduce, .name = "ring", .build = allreduce_ring, .any_order = true, .segmentable = true},
    algorithm{.kind = collective::allreduce, .name = "leaders", .build = allreduce_leaders, .by_node = true, .segmentable = true},
    algorithm{.kind = collective::allreduce, .name = "shares", .build = allreduce_shares, .by_node = true, .segmentable = true},
    algorithm{.kind = collective::gather, .name = "tree", .build = gather_tree, .equal_blocks = true},
    algorithm{.kind = collective::gather, .name = "linear", .build = gather_linear},
    algorithm{.kind = collective::scatter, .name = "tree", .build = scatter_tree, .equal_blocks = true},
    algorithm{.kind = collective::scatter, .name = "linear", .build = scatter_linear},
    algorithm{.kind = collective::allgather, .name = "flat", .build = allgather_flat},
    algorithm{.kind = collective::allgather, .name = "bruck", .build = allgather_bruck},
    algorithm{.kind = collective::allgather, .name = "doubling", .build = allgather_doubling, .equal_blocks = true, .power_of_two = true},
    algorithm{.kind = collective::allgather, .name = "ring", .build = allgather_ring},
    algorithm{.kind = collective::allgather, .name = "leaders", .build = allgather_leaders, .by_node = true},
    algorithm{.kind = collective::alltoall, .name = "linear", .build = alltoall_linear},
    algorithm{.kind = collective::alltoall, .name = "bruck", .build = alltoall_bruck, .equal_blocks = true},
    algorithm{.kind = collective::alltoall, .name = "pairwise", .build = alltoall_pairwise},
    algorithm{.kind = collective::reduce_scatter, .name = "flat", .build = reduce_scatter_flat},
    algorithm{.kind = collective::reduce_scatter, .name = "halving", .build = reduce_scatter_halving},
    algorithm{.kind = collective::reduce_scatter, .name = "pairwise", .build = reduce_scatter_pairwise},
    algorithm{.kind = collective::reduce_scatter, .name = "ring", .build = reduce_scatter_ring, .any_order = true},
    algorithm{.kind = collective::scan, .name = "flat", .build = scan_flat, .segmentable = true},
    algorithm{.kind = collective::scan, .name = "doubling", .build = scan_doubling, .segmentable = true},
    algorithm{.kind = collective::scan, .name = "chain", .build = scan_chain, .segmentable = true},
    algorithm{.kind = collective::exscan, .name = "flat", .build = exscan_flat, .segmentable = true},
    algorithm{.kind = collective::exscan, .name = "doubling", .build = exscan_doubling, .segmentable = true},
    algorithm{.kind = collective::exscan, .name = "chain", .build = exscan_chain, .segmentable = true},
};

}  // namespace

std::span<const algorithm> all_algorithms() noexcept { return table; }

const algorithm* find_algorithm(collective kind, std::string_view name) noexcept {
  const auto found = std::ranges::find_if(table, [&](const algorithm& a) { return a.kind == kind && a.name == name; });
  return found == table.end() ? nullptr : &*found;
}

void build(const algorithm& chosen, const problem& p, segmentation cut, schedule& s) {
  s.clear();
  const std::size_t segment = std::max(cut.bytes / p.element, std::size_t{1}) * p.element;
  if (!chosen.segmentable || cut.bytes == 0 || p.bytes <= segment) {
    chosen.build(p, s);
    return;
  }
  // All segments but the last are alike, so each of the two kinds is built once.
  const auto part = [&](std::size_t bytes) {
    problem smaller = p;
    smaller.bytes = bytes;
    schedule built;
    chosen.build(smaller, built);
    return built;
  };
  const schedule whole = part(segment);
  const schedule rest = part(p.bytes % segment);
  const std::uint32_t lanes = std::clamp(cut.lanes, std::uint32_t{1}, schedule::max_lanes);
  // A lane's scratch begins at a page, so that no two lanes share one and vectors stay aligned.
  const std::size_t stride = (whole.scratch_bytes() + 4095) / 4096 * 4096;
  std::uint32_t k = 0;
  for (std::size_t offset = 0; offset < p.bytes; offset += segment, ++k)
    s.append(p.bytes - offset >= segment ? whole : rest, k % lanes, offset, k % lanes * stride);
}

}  // namespace peal
