#include "mpi/groups/group_sets.hpp"

#include <fmt/format.h>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

/// Those of `of` that are members of `other`, or those that are none.
void add_members(std::vector<int>& to, const group& of, const group& other, bool common) {
  for (int rank = 0; rank != of.size(); ++rank) {
    const int world_rank = of.world_rank(rank);
    if (other.contains(world_rank) == common) to.push_back(world_rank);
  }
}
/// Which ranks are named; none may be twice.
std::vector<bool> marked(const group& of, std::span<const int> ranks) {
  std::vector<bool> named(static_cast<std::size_t>(of.size()));
  for (const int rank : ranks) {
    if (rank < 0 || rank >= of.size())
      fail(MPI_ERR_RANK,
           fmt::format("ranks has {}: the group has ranks 0 to {}", rank, of.size() - 1));
    if (named[static_cast<std::size_t>(rank)])
      fail(MPI_ERR_RANK, fmt::format("ranks has {} twice", rank));
    named[static_cast<std::size_t>(rank)] = true;
  }
  return named;
}

}  // namespace

group union_of(const group& one, const group& other) {
  std::vector<int> members = one.world_ranks();
  add_members(members, other, one, false);
  return group{std::move(members)};
}

group intersection_of(const group& one, const group& other) {
  std::vector<int> members;
  add_members(members, one, other, true);
  return group{std::move(members)};
}

group difference_of(const group& one, const group& other) {
  std::vector<int> members;
  add_members(members, one, other, false);
  return group{std::move(members)};
}

group chosen(const group& of, std::span<const int> ranks) {
  (void)marked(of, ranks);
  std::vector<int> members;
  members.reserve(ranks.size());
  for (const int rank : ranks) members.push_back(of.world_rank(rank));
  return group{std::move(members)};
}

group without(const group& of, std::span<const int> ranks) {
  const std::vector<bool> named = marked(of, ranks);
  std::vector<int> members;
  members.reserve(named.size() - ranks.size());
  for (int rank = 0; rank != of.size(); ++rank)
    if (!named[static_cast<std::size_t>(rank)]) members.push_back(of.world_rank(rank));
  return group{std::move(members)};
}

std::vector<int> ranks_in(const group& of, std::span<const rank_range> ranges) {
  std::vector<int> ranks;
  for (const rank_range& range : ranges) {
    const long long first = range[0], last = range[1], stride = range[2];
    if (stride == 0) fail(MPI_ERR_ARG, "ranges has a stride of 0");
    for (long long rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      // Checked here: a range that goes far beyond the group would be a list without end.
      if (rank < 0 || rank >= of.size())
        fail(MPI_ERR_RANK,
             fmt::format("ranges has {} to {} by {}, which names rank {}, but the group has {}",
                         first, last, stride, rank, of.size()));
      ranks.push_back(static_cast<int>(rank));
    }
  }
  return ranks;
}

int comparison_of(const group& one, const group& other) {
  if (one == other) return MPI_IDENT;
  if (one.size() != other.size()) return MPI_UNEQUAL;
  for (int rank = 0; rank != one.size(); ++rank)
    if (!other.contains(one.world_rank(rank))) return MPI_UNEQUAL;
  return MPI_SIMILAR;
}

}  // namespace peal::mpi
