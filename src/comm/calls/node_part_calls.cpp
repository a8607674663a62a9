// The functions of peal/detail/core.hpp that divide a communicator by the parts of its nodes.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "comm/start/job.hpp"
#include "topology/rank_groups.hpp"

namespace peal::detail {

namespace {

/// What tells the parts of one node apart; unknown: the rank may run in several.
std::uint16_t number_of(node_part which, const rank_place& of) noexcept {
  switch (which) {
    case node_part::node: return 0;
    case node_part::socket: return of.socket;
    case node_part::numa: return of.numa;
    case node_part::cache: return of.cache;
  }
  return rank_place::unknown;
}

}  // namespace

communicator_state* split_by_part(communicator_state& from, node_part which, bool joins,
                                  std::int64_t key, const location& where) {
  const job& here = job::require(where);
  const std::uint16_t own = number_of(which, here.place_of(from.peer(from.rank())));
  // The lowest rank with the same part names it.
  int first = 0;
  while (!here.on_this_node(from.peer(first)) ||
         number_of(which, here.place_of(from.peer(first))) != own)
    ++first;
  return split(from, joins && own != rank_place::unknown, first, key, where);
}

bool has_one(node_part which, const location& where) {
  job& here = job::require(where);
  const detail::communicator_state& all = here.world();
  return number_of(which, here.place_of(all.peer(all.rank()))) != rank_place::unknown;
}

bool largest_dividing(const communicator_state& of, node_part& found, const location& where) {
  const job& here = job::require(where);
  const std::vector<peer_id>& all = of.peers();
  found = node_part::node;
  // Where there are several nodes every rank sees one that is not its own.
  if (!std::ranges::all_of(all, [&](peer_id each) { return here.on_this_node(each); })) return true;
  // All are on this node, so that every rank finds the same.
  for (const node_part each : {node_part::socket, node_part::numa, node_part::cache}) {
    std::vector<std::uint16_t> numbers;
    for (const peer_id peer : all) numbers.push_back(number_of(each, here.place_of(peer)));
    std::erase(numbers, rank_place::unknown);
    const bool divides = !numbers.empty() && (numbers.size() < all.size() ||
                                              std::ranges::adjacent_find(
                                                  numbers, std::not_equal_to{}) != numbers.end());
    if (!divides) continue;
    found = each;
    return true;
  }
  return false;
}

}  // namespace peal::detail
