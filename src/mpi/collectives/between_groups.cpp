#include "mpi/collectives/between_groups.hpp"

#include <cstddef>
#include <vector>

#include "mpi/support/failure.hpp"

namespace peal::mpi::between_groups {

namespace {

/// Blocks for all members of both groups, empty but for some of the remote group.
class blocks {
 public:
  explicit blocks(const work& w)
      : first_{static_cast<std::size_t>(w.remote_first())},
        counts_(static_cast<std::size_t>(w.size())),
        places_(counts_.size()) {}
  /// Equal ones for each of the remote group, or one that comes from a rank of it.
  blocks(const work& w, const block& equal) : blocks{w} {
    need_no_place(equal.buffer);
    buffer_ = equal.buffer;
    type_ = equal.type;
    for (int each = 0; each != w.remote_size(); ++each) set(each, equal.count, each * equal.count);
  }
  blocks(const work& w, const block& one, int rank) : blocks{w} {
    need_no_place(one.buffer);
    buffer_ = one.buffer;
    type_ = one.type;
    set(rank, one.count, 0);
  }
  /// As the program has them, one for each of the remote group.
  blocks(const work& w, const block_array& of) : blocks{w} {
    need_no_place(of.buffer);
    check_arrays(of, w.remote_size());
    buffer_ = of.buffer;
    type_ = of.type;
    if (of.types.is_given) types_.assign(counts_.size(), MPI_BYTE);
    for (int each = 0; each != w.remote_size(); ++each) {
      const auto at = static_cast<std::size_t>(each);
      set(each, of.counts[at], of.displacements[at]);
      if (of.types.is_given) types_[first_ + at] = of.types.first[at];
    }
  }
  /// Lives no longer than this.
  [[nodiscard]] block_array array() const noexcept {
    return {buffer_, counts_.data(), places_.data(), type_,
            types_.empty() ? type_array{} : type_array{types_.data()}};
  }

 private:
  static void need_no_place(const void* buffer) {
    if (buffer == MPI_IN_PLACE)
      fail(MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning for an intercommunicator");
  }
  void set(int rank, std::int64_t count, std::int64_t place) {
    need(count >= 0, MPI_ERR_COUNT, "count", count, "it must not be negative");
    counts_[first_ + static_cast<std::size_t>(rank)] = count;
    places_[first_ + static_cast<std::size_t>(rank)] = place;
  }

  std::size_t first_;
  const void* buffer_ = nullptr;
  MPI_Datatype type_ = MPI_BYTE;
  std::vector<std::int64_t> counts_, places_;
  std::vector<MPI_Datatype> types_;
};

enum class role { none, root, other };  // `other`: of the group that has no root

role role_for(const work& w, int root) {
  if (root == MPI_PROC_NULL) return role::none;
  if (root == MPI_ROOT) return role::root;
  need(root >= 0 && root < w.remote_size(), MPI_ERR_ROOT, "root", root,
       "it is no rank of the remote group");
  return role::other;
}

void exchange(work& w, const blocks& from, const blocks& into) {
  w.set_kind(detail::collective::alltoall);
  w.send(from.array());
  w.receive(into.array());
}
/// The same block for all of the remote group, or for one rank.
void send_one(work& w, const block& data, int first, int count, const blocks& into) {
  if (data.buffer == MPI_IN_PLACE)
    fail(MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning for an intercommunicator");
  w.set_kind(detail::collective::alltoall);
  w.send_same(data, w.remote_first() + first, count);
  w.receive(into.array());
}

}  // namespace

void fill_bcast(work& w, const block& data, int root) {
  const blocks nothing{w};
  switch (role_for(w, root)) {
    case role::none: return exchange(w, nothing, nothing);
    case role::root: return send_one(w, data, 0, w.remote_size(), nothing);
    case role::other: return exchange(w, nothing, {w, data, root});
  }
}

void fill_gather(work& w, const block& from, const block& into, int root) {
  const blocks nothing{w};
  switch (role_for(w, root)) {
    case role::none: return exchange(w, nothing, nothing);
    case role::root: return exchange(w, nothing, {w, into});
    case role::other: return send_one(w, from, root, 1, nothing);
  }
}

void fill_gatherv(work& w, const block& from, const block_array& into, int root) {
  const blocks nothing{w};
  switch (role_for(w, root)) {
    case role::none: return exchange(w, nothing, nothing);
    case role::root: return exchange(w, nothing, {w, into});
    case role::other: return send_one(w, from, root, 1, nothing);
  }
}

void fill_scatter(work& w, const block& from, const block& into, int root) {
  const blocks nothing{w};
  switch (role_for(w, root)) {
    case role::none: return exchange(w, nothing, nothing);
    case role::root: return exchange(w, {w, from}, nothing);
    case role::other: return exchange(w, nothing, {w, into, root});
  }
}

void fill_scatterv(work& w, const block_array& from, const block& into, int root) {
  const blocks nothing{w};
  switch (role_for(w, root)) {
    case role::none: return exchange(w, nothing, nothing);
    case role::root: return exchange(w, {w, from}, nothing);
    case role::other: return exchange(w, nothing, {w, into, root});
  }
}

void fill_allgather(work& w, const block& from, const block& into) {
  send_one(w, from, 0, w.remote_size(), {w, into});
}

void fill_allgatherv(work& w, const block& from, const block_array& into) {
  send_one(w, from, 0, w.remote_size(), {w, into});
}

void fill_alltoall(work& w, const block& from, const block& into) {
  exchange(w, {w, from}, {w, into});
}

void fill_alltoallv(work& w, const block_array& from, const block_array& into) {
  exchange(w, {w, from}, {w, into});
}

void fill_reduce(work& w, const void* from, void* into, std::int64_t count, MPI_Datatype type,
                 MPI_Op op, int root) {
  const blocks nothing{w};
  switch (role_for(w, root)) {
    case role::none: return exchange(w, nothing, nothing);
    case role::root: return w.join_gathered(into, count, type, op);
    case role::other: return send_one(w, {from, count, type}, root, 1, nothing);
  }
}

void fill_join(work& w, const void* from, void* into, std::int64_t count, MPI_Datatype type,
               MPI_Op op) {
  if (w.kind() != detail::collective::allreduce)
    fail(MPI_ERR_COMM, "comm is an intercommunicator, for which this has no meaning");
  w.join_groups(from, into, count, 0, count, type, op);
}

void fill_join_blocks(work& w, const void* from, void* into, number_array counts,
                      std::int64_t equal, MPI_Datatype type, MPI_Op op) {
  const int first = w.remote_first() == 0 ? w.remote_size() : 0;
  const int rank = w.rank() - first, locals = w.size() - w.remote_size();
  if (counts.is_given() && !counts.exists()) fail(MPI_ERR_ARG, "recvcounts is a null pointer");
  std::int64_t all = 0, before = 0, own = equal;
  for (int each = 0; each != locals; ++each) {
    const std::int64_t count = counts.exists() ? counts[static_cast<std::size_t>(each)] : equal;
    need(count >= 0, MPI_ERR_COUNT, "recvcounts", count, "it must not be negative");
    if (each < rank) before += count;
    if (each == rank) own = count;
    all += count;
  }
  w.join_groups(from, into, all, before, own, type, op);
}

}  // namespace peal::mpi::between_groups
