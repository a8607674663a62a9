// All algorithms, compiled as one, since each is short, and what they include takes most of the
// compiler's time; the table of their records; and the cutting of long vectors into segments.
#include "collective/algorithms.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/value_types.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {
constexpr int first_record = __COUNTER__ + 1;
}

// The list, those of a collective together. A line adds the algorithm of that file.
// clang-format off
#include "collective/algorithms/barrier_dissemination.cpp"
#include "collective/algorithms/barrier_flat.cpp"
#include "collective/algorithms/barrier_by_node.cpp"
#include "collective/algorithms/moves/bcast_tree.cpp"
#include "collective/algorithms/moves/bcast_chain.cpp"
#include "collective/algorithms/moves/bcast_scatter_allgather.cpp"
#include "collective/algorithms/moves/bcast_by_node.cpp"
#include "collective/algorithms/reductions/reduce_tree.cpp"
#include "collective/algorithms/reductions/reduce_scatter_gather.cpp"
#include "collective/algorithms/reductions/reduce_by_node.cpp"
#include "collective/algorithms/reductions/allreduce_flat.cpp"
#include "collective/algorithms/reductions/allreduce_doubling.cpp"
#include "collective/algorithms/reductions/allreduce_rabenseifner.cpp"
#include "collective/algorithms/reductions/allreduce_ring.cpp"
#include "collective/algorithms/reductions/allreduce_by_node.cpp"
#include "collective/algorithms/moves/gather_tree.cpp"
#include "collective/algorithms/moves/gather_linear.cpp"
#include "collective/algorithms/moves/scatter_tree.cpp"
#include "collective/algorithms/moves/scatter_linear.cpp"
#include "collective/algorithms/moves/allgather_flat.cpp"
#include "collective/algorithms/moves/allgather_bruck.cpp"
#include "collective/algorithms/moves/allgather_doubling.cpp"
#include "collective/algorithms/moves/allgather_ring.cpp"
#include "collective/algorithms/moves/allgather_by_node.cpp"
#include "collective/algorithms/moves/alltoall_linear.cpp"
#include "collective/algorithms/moves/alltoall_bruck.cpp"
#include "collective/algorithms/moves/alltoall_pairwise.cpp"
#include "collective/algorithms/reductions/reduce_scatter_flat.cpp"
#include "collective/algorithms/reductions/reduce_scatter_halving.cpp"
#include "collective/algorithms/reductions/reduce_scatter_pairwise.cpp"
#include "collective/algorithms/reductions/reduce_scatter_ring.cpp"
#include "collective/algorithms/reductions/scan_flat.cpp"
#include "collective/algorithms/reductions/scan_doubling.cpp"
#include "collective/algorithms/reductions/scan_chain.cpp"
#include "collective/algorithms/reductions/exscan_flat.cpp"
#include "collective/algorithms/reductions/exscan_doubling.cpp"
#include "collective/algorithms/reductions/exscan_chain.cpp"
// clang-format on
#include "collective/algorithms/moves/neighbor_linear.cpp"

namespace peal {

namespace {

using detail::collective;

template <int... numbers>
constexpr auto records_of(std::integer_sequence<int, numbers...>) {
  using algorithms::record;
  std::array<algorithm, (0 + ... + (record<algorithms::first_record + numbers>.build != nullptr))>
      found;
  std::size_t count = 0;
  const auto take = [&](const algorithm& each) {
    if (each.build != nullptr) found[count++] = each;
  };
  (take(record<algorithms::first_record + numbers>), ...);
  return found;
}

constexpr auto table =
    records_of(std::make_integer_sequence<int, __COUNTER__ - algorithms::first_record>{});

}  // namespace

std::span<const algorithm> all_algorithms() noexcept { return table; }

/// FNV-1a of the names, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv).
std::uint64_t number_of_algorithms() noexcept {
  static constexpr std::uint64_t number = [] {
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto take = [&](unsigned byte) { hash = (hash ^ byte) * 0x100000001b3U; };
    for (const algorithm& each : table) {
      take(static_cast<unsigned>(each.kind));
      for (const char letter : each.name) take(static_cast<unsigned char>(letter));
    }
    return hash | 1;
  }();
  return number;
}

std::vector<std::string_view> names_of_algorithms(collective kind) {
  std::vector<std::string_view> found{direct_name};
  for (const algorithm& each : table)
    if (each.kind == kind) found.push_back(each.name);
  return found;
}

const algorithm* find_algorithm(collective kind, std::string_view name) noexcept {
  const auto found = std::ranges::find_if(
      table, [&](const algorithm& a) { return a.kind == kind && a.name == name; });
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
  const std::uint32_t streams = std::clamp(cut.streams, std::uint32_t{1}, schedule::max_streams);
  // A stream's scratch begins at a page, so that no two streams share one and vectors stay aligned.
  const std::size_t stride = (whole.scratch_bytes() + 4095) / 4096 * 4096;
  std::uint32_t k = 0;
  for (std::size_t offset = 0; offset < p.bytes; offset += segment, ++k)
    s.append(p.bytes - offset >= segment ? whole : rest, k % streams, offset, k % streams * stride);
}

}  // namespace peal
