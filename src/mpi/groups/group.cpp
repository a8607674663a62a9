#include "mpi/groups/group.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace peal::mpi {

struct group::list {
  explicit list(std::vector<int> given) : ranks{std::move(given)} {}

  int rank_of(int world_rank) const {
    // Most groups are only ever handed to a constructor of communicators, which wants the list.
    std::call_once(indexed, [this] {
      index.reserve(ranks.size());
      for (std::size_t rank = 0; rank != ranks.size(); ++rank)
        index.emplace(ranks[rank], static_cast<int>(rank));
    });
    const auto found = index.find(world_rank);
    return found == index.end() ? MPI_UNDEFINED : found->second;
  }

  const std::vector<int> ranks;
  mutable std::once_flag indexed;
  mutable std::unordered_map<int, int> index;
};

group::group(std::vector<int> world_ranks) : size_{static_cast<int>(world_ranks.size())} {
  if (size_ == 0) return;
  first_ = world_ranks[0];
  if (size_ > 1) step_ = world_ranks[1] - first_;
  for (std::size_t rank = 2; rank < world_ranks.size(); ++rank)
    if (world_ranks[rank] - world_ranks[rank - 1] != step_) {
      list_ = std::make_shared<const list>(std::move(world_ranks));
      return;
    }
}

group group::first_ranks(int size) {
  group made;
  made.size_ = size;
  return made;
}

const int* group::ranks_in_list() const noexcept { return list_->ranks.data(); }

int group::rank_of(int world_rank) const {
  if (size_ == 0) return MPI_UNDEFINED;
  if (list_) return list_->rank_of(world_rank);
  const std::int64_t distance = static_cast<std::int64_t>(world_rank) - first_;
  if (distance % step_ != 0) return MPI_UNDEFINED;
  const std::int64_t rank = distance / step_;
  return rank >= 0 && rank < size_ ? static_cast<int>(rank) : MPI_UNDEFINED;
}

std::vector<int> group::world_ranks() const {
  if (list_) return list_->ranks;
  std::vector<int> made(static_cast<std::size_t>(size_));
  for (int rank = 0; rank != size_; ++rank) made[static_cast<std::size_t>(rank)] = world_rank(rank);
  return made;
}

bool group::operator==(const group& other) const noexcept {
  if (size_ != other.size_) return false;
  if (list_ == other.list_ && (list_ || size_ == 0)) return true;
  if (list_ && other.list_) return list_->ranks == other.list_->ranks;
  // What is regular never has a list, so that one with a list differs.
  return !list_ && !other.list_ && first_ == other.first_ && (size_ == 1 || step_ == other.step_);
}

}  // namespace peal::mpi
