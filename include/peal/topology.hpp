// peal/topology.hpp
// Communicators whose ranks have neighbours: any graph, and grids.
//
// Units    ranks, blocks in the order of the neighbours; elements.
// Threads  as the communicator.
// Errors   peal::error with the caller's place: invalid_rank; invalid_argument where neighbours or
//          lengths do not go together.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <peal/collectives/neighbor_allgather.hpp>
#include <peal/collectives/neighbor_alltoall.hpp>
#include <peal/communicator.hpp>
#include <peal/detail/export.hpp>

namespace peal {

/// What goes from one rank to another.
struct edge {
  int from;  ///< the rank that sends
  int to;    ///< the rank that receives
};

/// Each rank receives from its sources and sends to its destinations, a block each, in their order.
/// proc_null among them stands for no rank: no block goes there, and the one from there is empty,
/// or left as it is. A rank may be named more than once, and may name itself.
class graph : public communicator,
              public neighbor_allgather_calls<graph>,
              public neighbor_alltoall_calls<graph> {
 public:
  /// Where a call stands in the program, which its error names.
  using place = communicator::place;

  /// Collective: a communicator with the same ranks as `of`. What one rank names as a destination
  /// must name it as a source, as often.
  graph(const communicator& of, std::vector<int> sources, std::vector<int> destinations,
        const place& where = place::current())
      : graph{of, detail::neighborhood{std::move(sources), std::move(destinations)}, where} {}
  /// The same neighbours both ways.
  graph(const communicator& of, const std::vector<int>& neighbors,
        const place& where = place::current())
      : graph{of, neighbors, neighbors, where} {}
  /// Collective: each rank tells the edges that it knows of, in whatever order; an edge is told
  /// once. Sources and destinations are in the order of the ranks that told them, and of telling.
  [[nodiscard]] static PEAL_EXPORT graph of_edges(const communicator& of,
                                                  const std::vector<edge>& known,
                                                  const place& where = place::current());

  /// @{
  /// The ranks that this rank receives from and sends to, in the order of the blocks; proc_null
  /// stands for no rank.
  [[nodiscard]] const std::vector<int>& sources(const place& where = place::current()) const {
    return detail::neighbors_of(state(where)).sources;
  }
  [[nodiscard]] const std::vector<int>& destinations(const place& where = place::current()) const {
    return detail::neighbors_of(state(where)).destinations;
  }
  /// @}

 protected:
  /// For grids.
  graph(const communicator& of, detail::neighborhood near, const place& where)
      : communicator{detail::with_neighbors(of.call_at(where).in, std::move(near), where)} {}
};

/// Ranks in a grid, row by row: the last coordinate runs fastest. The neighbours of each, as
/// sources and as destinations: in every dimension the one below (a coordinate less), then the one
/// above. What is sent to the one above comes from the one below there, also where both are the
/// same rank.
class grid : public graph {
 public:
  /// Collective. `extents`: ranks along each dimension, whose product is of.size(); where a
  /// dimension is periodic its ends are neighbours, elsewhere there is no rank beyond. The same on
  /// every rank.
  PEAL_EXPORT grid(const communicator& of, std::vector<int> extents, std::vector<bool> periodic,
                   const place& where = place::current());

  /// How many dimensions it has.
  [[nodiscard]] std::size_t dimensions() const noexcept { return extents_.size(); }
  /// Ranks along each dimension.
  [[nodiscard]] const std::vector<int>& extents() const noexcept { return extents_; }
  /// Requires, here and below: dimension < dimensions().
  [[nodiscard]] bool periodic(std::size_t dimension) const { return periodic_[dimension]; }
  /// @{
  /// Of this rank, or of another one, a coordinate for each dimension.
  [[nodiscard]] std::vector<int> coordinates() const { return coordinates(rank()); }
  [[nodiscard]] PEAL_EXPORT std::vector<int> coordinates(
      int rank, const place& where = place::current()) const;
  /// @}
  /// The rank at these coordinates, one a dimension. Those of periodic dimensions wrap round;
  /// beyond the others there is proc_null.
  [[nodiscard]] PEAL_EXPORT int rank_at(const std::vector<int>& coordinates,
                                        const place& where = place::current()) const;
  /// The rank that is `by` further along a dimension, or proc_null.
  [[nodiscard]] PEAL_EXPORT int shifted(std::size_t dimension, int by) const;

  /// Collective: the grid, of the dimensions kept, of those ranks that differ from this one in them
  /// alone. A grid of rows and columns so becomes its rows: sub({false, true}). The same on every
  /// rank, a word for each dimension.
  [[nodiscard]] PEAL_EXPORT grid sub(const std::vector<bool>& kept,
                                     const place& where = place::current()) const;

 private:
  std::vector<int> extents_;
  std::vector<bool> periodic_;
};

/// Extents for so many ranks, as even as they can be: the largest, which stands first, is as small
/// as it can be, then the next one. Requires: both at least 1.
[[nodiscard]] PEAL_EXPORT std::vector<int> balanced_extents(int ranks, std::size_t dimensions);

}  // namespace peal
