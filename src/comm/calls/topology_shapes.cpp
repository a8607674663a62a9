// What peal/topology.hpp says of graphs and grids that is no template.
#include "peal/topology.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace peal {

namespace {

std::vector<int> place_of(int rank, const std::vector<int>& extents) {
  std::vector<int> made(extents.size());
  for (std::size_t dimension = extents.size(); dimension-- > 0;) {
    made[dimension] = rank % extents[dimension];
    rank /= extents[dimension];
  }
  return made;
}
int rank_at(const std::vector<int>& coordinates, const std::vector<int>& extents,
            const std::vector<bool>& periodic) {
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
int beside(int rank, std::size_t dimension, int by, const std::vector<int>& extents,
           const std::vector<bool>& periodic) {
  std::vector<int> at = place_of(rank, extents);
  const int extent = extents[dimension];
  long long moved = static_cast<long long>(at[dimension]) + by;
  if (periodic[dimension]) moved = (moved % extent + extent) % extent;
  else if (moved < 0 || moved >= extent) return proc_null;
  at[dimension] = static_cast<int>(moved);
  return rank_at(at, extents, periodic);
}
detail::neighborhood around(const communicator& of, const std::vector<int>& extents,
                            const std::vector<bool>& periodic, const detail::location& where) {
  if (extents.size() != periodic.size())
    detail::fail(
        errc::invalid_argument,
        "a grid has one extent for each dimension, and says of each whether it is periodic", -1,
        where);
  long long ranks = 1;
  for (const int each : extents) {
    if (each < 1 || each > of.size())
      detail::fail(errc::invalid_argument, "the extents of a grid are 1 to size()", -1, where);
    ranks *= each;
    if (ranks > of.size()) break;
  }
  if (ranks != of.size())
    detail::fail(errc::invalid_argument,
                 "the extents of a grid must multiply to the number of ranks", -1, where);
  detail::neighborhood near;
  near.paired = true;
  for (std::size_t dimension = 0; dimension < extents.size(); ++dimension)
    for (const int by : {-1, 1})
      near.sources.push_back(beside(of.rank(), dimension, by, extents, periodic));
  near.destinations = near.sources;
  return near;
}

/// How so many ranks can be shared out among dimensions.
class extents_search {
 public:
  explicit extents_search(int ranks) {
    for (long long each = 1; each * each <= ranks; ++each) {
      if (ranks % each != 0) continue;
      divisors_.push_back(static_cast<int>(each));
      if (each * each != ranks) divisors_.push_back(static_cast<int>(ranks / each));
    }
    std::ranges::sort(divisors_);
    int rest = ranks;
    for (const int each : divisors_)
      for (; each != 1 && rest % each == 0; rest /= each) largest_prime_ = each;
  }
  /// Extents whose product is `rest`, none above `most`, the largest first and as small as it can
  /// be, then the next one likewise. False: there are none.
  [[nodiscard]] bool share(int rest, int most, std::span<int> extents) const {
    if (extents.empty()) return rest == 1;
    for (const int each : divisors_) {
      if (each > most) return false;
      if (rest % each != 0 || !may_be_largest(each, rest, extents.size())) continue;
      extents.front() = each;
      if (share(rest / each, each, extents.subspan(1))) return true;
    }
    return false;
  }

 private:
  /// Whether the others can be no larger. Nothing smaller than a prime factor has it in it.
  [[nodiscard]] bool may_be_largest(int each, int rest, std::size_t dimensions) const {
    if (each < largest_prime_ && rest % largest_prime_ == 0) return false;
    long long reached = 1;
    for (std::size_t i = 0; i < dimensions && reached < rest && each != 1; ++i) reached *= each;
    return reached >= rest;
  }

  std::vector<int> divisors_;  // ascending
  int largest_prime_ = 1;
};

}  // namespace

graph graph::of_edges(const communicator& of, const std::vector<edge>& known, const place& where) {
  const std::vector<edge> all = of.allgatherv(known, where).values();
  detail::neighborhood near;
  for (const edge& each : all) {
    for (const int end : {each.from, each.to})
      if (end < 0 || end >= of.size())
        detail::fail(errc::invalid_rank,
                     "an edge of a graph has an end that is no rank of the communicator", end,
                     where);
    if (each.to == of.rank()) near.sources.push_back(each.from);
    if (each.from == of.rank()) near.destinations.push_back(each.to);
  }
  return graph{of, std::move(near), where};
}

grid::grid(const communicator& of, std::vector<int> extents, std::vector<bool> periodic,
           const place& where)
    : graph{of, around(of, extents, periodic, where), where},
      extents_{std::move(extents)},
      periodic_{std::move(periodic)} {}

std::vector<int> grid::coordinates(int rank, const place& where) const {
  if (rank < 0 || rank >= size())
    detail::fail(errc::invalid_rank, "a grid has no such rank", rank, where);
  return place_of(rank, extents_);
}

int grid::rank_at(const std::vector<int>& coordinates, const place& where) const {
  if (coordinates.size() != dimensions())
    detail::fail(errc::invalid_argument, "a grid has one coordinate a dimension", -1, where);
  return peal::rank_at(coordinates, extents_, periodic_);
}

int grid::shifted(std::size_t dimension, int by) const {
  return beside(rank(), dimension, by, extents_, periodic_);
}

grid grid::sub(const std::vector<bool>& kept, const place& where) const {
  if (kept.size() != dimensions())
    detail::fail(errc::invalid_argument,
                 "a sub-grid says of each dimension whether it is kept, and of no others", -1,
                 where);
  std::vector<int> extents, at = coordinates(rank(where), where);
  std::vector<bool> periodic;
  for (std::size_t dimension = 0; dimension < dimensions(); ++dimension) {
    if (!kept[dimension]) continue;
    extents.push_back(extents_[dimension]);
    periodic.push_back(periodic_[dimension]);
    at[dimension] = 0;  // those that differ in kept dimensions alone have one colour
  }
  return {*split(peal::rank_at(at, extents_, periodic_), 0, where), std::move(extents),
          std::move(periodic), where};
}

std::vector<int> balanced_extents(int ranks, std::size_t dimensions) {
  const extents_search of{ranks};
  std::vector<int> extents(dimensions);
  (void)of.share(ranks, ranks, extents);  // all in one dimension will do, if nothing else does
  return extents;
}

}  // namespace peal
