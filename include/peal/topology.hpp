// peal/topology.hpp
// Communicators whose ranks have neighbours: any graph, and grids.
//
// Units    ranks, blocks in the order of the neighbours; elements.
// Threads  as the communicator.
// Errors   peal::error with the caller's place: invalid_rank; invalid_argument where neighbours or lengths do not go together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <peal/communicator.hpp>
#include <peal/detail/neighbor_forms.hpp>

namespace peal {

/// What goes from one rank to another.
struct edge {
  int from;
  int to;
};

/// Each rank receives from its sources and sends to its destinations, a block each, in their order. proc_null among them is nobody: no
/// block goes there, and the one from there is empty, or left as it is. A rank may be named more than once, and may name itself.
class graph : public detail::neighbor_forms {
 public:
  /// Collective: a communicator with the same ranks as `of`. What one rank names as a destination must name it as a source, as often.
  graph(const communicator& of, std::vector<int> sources, std::vector<int> destinations, const place& where = place::current())
      : graph{of, detail::neighborhood{std::move(sources), std::move(destinations)}, where} {}
  /// The same neighbours both ways.
  graph(const communicator& of, const std::vector<int>& neighbors, const place& where = place::current())
      : graph{of, neighbors, neighbors, where} {}
  /// Collective: each rank tells the edges that it knows of, in whatever order; an edge is told once. Sources and destinations are in the
  /// order of the ranks that told them, and of telling.
  [[nodiscard]] static graph of_edges(const communicator& of, const std::vector<edge>& known, const place& where = place::current()) {
    const std::vector<edge> all = of.allgatherv(known, where).values();
    detail::neighborhood near;
    for (const edge& each : all) {
      for (const int end : {each.from, each.to})
        if (end < 0 || end >= of.size())
          detail::fail(errc::invalid_rank, "an edge of a graph has an end that is no rank of the communicator", end, where);
      if (each.to == of.rank()) near.sources.push_back(each.from);
      if (each.from == of.rank()) near.destinations.push_back(each.to);
    }
    return graph{of, std::move(near), where};
  }

 protected:
  graph(const communicator& of, detail::neighborhood near, const place& where) : neighbor_forms{of, std::move(near), where} {}
};

/// Ranks in a grid, row by row: the last coordinate runs fastest. The neighbours of each, as sources and as destinations: in every
/// dimension the one below (a coordinate less), then the one above. What is sent to the one above comes from the one below there, also
/// where both are the same rank.
class grid : public graph {
 public:
  /// Collective. `extents`: ranks along each dimension, whose product is of.size(); where a dimension is periodic its ends are neighbours,
  /// elsewhere there is nobody beyond. The same on every rank.
  grid(const communicator& of, std::vector<int> extents, std::vector<bool> periodic, const place& where = place::current())
      : graph{of, around(of, extents, periodic, where), where}, extents_{std::move(extents)}, periodic_{std::move(periodic)} {}

  [[nodiscard]] std::size_t dimensions() const noexcept { return extents_.size(); }
  [[nodiscard]] const std::vector<int>& extents() const noexcept { return extents_; }
  /// Requires, here and below: dimension < dimensions().
  [[nodiscard]] bool periodic(std::size_t dimension) const { return periodic_[dimension]; }
  [[nodiscard]] std::vector<int> coordinates() const { return coordinates(rank()); }
  [[nodiscard]] std::vector<int> coordinates(int rank, const place& where = place::current()) const {
    if (rank < 0 || rank >= size()) detail::fail(errc::invalid_rank, "a grid has no such rank", rank, where);
    return place_of(rank, extents_);
  }
  /// The rank at these coordinates, one a dimension. Those of periodic dimensions wrap round; beyond the others there is proc_null.
  [[nodiscard]] int rank_at(const std::vector<int>& coordinates, const place& where = place::current()) const {
    if (coordinates.size() != dimensions()) detail::fail(errc::invalid_argument, "a grid has one coordinate a dimension", -1, where);
    return rank_of(coordinates, extents_, periodic_);
  }
  /// The rank that is `by` further along a dimension, or proc_null.
  [[nodiscard]] int shifted(std::size_t dimension, int by) const { return beside(rank(), dimension, by, extents_, periodic_); }

 private:
  static std::vector<int> place_of(int rank, const std::vector<int>& extents) {
    std::vector<int> made(extents.size());
    for (std::size_t dimension = extents.size(); dimension-- > 0;) {
      made[dimension] = rank % extents[dimension];
      rank /= extents[dimension];
    }
    return made;
  }
  static int rank_of(const std::vector<int>& coordinates, const std::vector<int>& extents, const std::vector<bool>& periodic) {
    int rank = 0;
    for (std::size_t dimension = 0; dimension < extents.size(); ++dimension) {
      const int extent = extents[dimension];
      int at = coordinates[dimension];
      if (at < 0 || at >= extent) {
        if (!periodic[dimension]) return proc_null;
        at = (at % extent + extent) % extent;
      }
      rank = rank * extent + at;
    }
    return rank;
  }
  static int beside(int rank, std::size_t dimension, int by, const std::vector<int>& extents, const std::vector<bool>& periodic) {
    std::vector<int> at = place_of(rank, extents);
    const int extent = extents[dimension];
    long long moved = static_cast<long long>(at[dimension]) + by;
    if (periodic[dimension]) moved = (moved % extent + extent) % extent;
    else if (moved < 0 || moved >= extent) return proc_null;
    at[dimension] = static_cast<int>(moved);
    return rank_of(at, extents, periodic);
  }
  static detail::neighborhood around(const communicator& of, const std::vector<int>& extents, const std::vector<bool>& periodic,
                                     const place& where) {
    if (extents.size() != periodic.size())
      detail::fail(errc::invalid_argument, "a grid has one extent for each dimension, and says of each whether it is periodic", -1, where);
    long long ranks = 1;
    for (const int each : extents) {
      if (each < 1 || each > of.size()) detail::fail(errc::invalid_argument, "the extents of a grid are 1 to size()", -1, where);
      ranks *= each;
      if (ranks > of.size()) break;
    }
    if (ranks != of.size()) detail::fail(errc::invalid_argument, "the extents of a grid must multiply to the number of ranks", -1, where);
    detail::neighborhood near;
    near.paired = true;
    for (std::size_t dimension = 0; dimension < extents.size(); ++dimension)
      for (const int by : {-1, 1}) near.sources.push_back(beside(of.rank(), dimension, by, extents, periodic));
    near.destinations = near.sources;
    return near;
  }

  std::vector<int> extents_;
  std::vector<bool> periodic_;
};

/// Extents for so many ranks, as even as they can be, the largest first.
/// Requires: both at least 1.
[[nodiscard]] inline std::vector<int> balanced_extents(int ranks, std::size_t dimensions) {
  std::vector<int> factors;
  for (int each = 2, rest = ranks; rest > 1;) {
    if (each > rest / each) each = rest;
    if (rest % each == 0) {
      factors.push_back(each);
      rest /= each;
    } else {
      ++each;
    }
  }
  // The largest factor goes where least is so far.
  std::vector<int> extents(dimensions, 1);
  for (std::size_t i = factors.size(); i-- > 0;) *std::min_element(extents.begin(), extents.end()) *= factors[i];
  std::sort(extents.begin(), extents.end(), std::greater<>{});
  return extents;
}

}  // namespace peal

#include <peal/detail/neighbor_collectives.hpp>  // IWYU pragma: export
