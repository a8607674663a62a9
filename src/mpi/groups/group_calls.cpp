// What a program asks of one group, and how it gives one back.
#include <utility>
#include <vector>

#include "mpi/environment/process_set.hpp"
#include "mpi/environment/session.hpp"
#include "mpi/environment/world.hpp"
#include "mpi/groups/group_sets.hpp"
#include "mpi/groups/group_table.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Group_size, MPI_Group group, int* size) {
  return run_in_job("MPI_Group_size", [&] {
    const peal::mpi::group& of = group_of(group);
    need_place(size, "size");
    *size = of.size();
  });
}

PEAL_MPI_FUNCTION(int, Group_rank, MPI_Group group, int* rank) {
  return run_in_job("MPI_Group_rank", [&] {
    const peal::mpi::group& of = group_of(group);
    need_place(rank, "rank");
    *rank = of.size() == 0 ? MPI_UNDEFINED : of.rank_of(world_rank());
  });
}

PEAL_MPI_FUNCTION(int, Group_compare, MPI_Group group1, MPI_Group group2, int* result) {
  return run_in_job("MPI_Group_compare", [&] {
    const int compared = comparison_of(group_of(group1, "group1"), group_of(group2, "group2"));
    need_place(result, "result");
    *result = compared;
  });
}

PEAL_MPI_FUNCTION(int, Group_translate_ranks, MPI_Group group1, int n, const int ranks1[],
                  MPI_Group group2, int ranks2[]) {
  return run_in_job("MPI_Group_translate_ranks", [&] {
    const peal::mpi::group& from = group_of(group1, "group1");
    const peal::mpi::group& to = group_of(group2, "group2");
    need(n >= 0, MPI_ERR_ARG, "n", n, "it must not be negative");
    if (n == 0) return;
    need_place(ranks1, "ranks1");
    need_place(ranks2, "ranks2");
    for (int each = 0; each != n; ++each) {
      const int rank = ranks1[each];
      if (rank != MPI_PROC_NULL && (rank < 0 || rank >= from.size())) [[unlikely]]
        fail(MPI_ERR_RANK, "an element of ranks1", rank, "group1 has no such rank");
      ranks2[each] = rank == MPI_PROC_NULL ? rank : to.rank_of(from.world_rank(rank));
    }
  });
}

PEAL_MPI_FUNCTION(int, Group_free, MPI_Group* group) {
  return run_in_job("MPI_Group_free", [&] {
    need_place(group, "group");
    (void)group_of(*group);
    // MPI_GROUP_EMPTY is what functions give for a group without members, which programs then free.
    if (!group_table::is_predefined(*group)) groups().remove(*group);
    *group = MPI_GROUP_NULL;
  });
}

PEAL_MPI_FUNCTION(int, Group_from_session_pset, MPI_Session session, const char* pset_name,
                  MPI_Group* newgroup) {
  return run("MPI_Group_from_session_pset", session, [&] {
    const peal::mpi::session& from = session_of(session);
    const process_set of = process_set_of(pset_name);
    need_place(newgroup, "newgroup");
    group made = of == process_set::world ? group::first_ranks(world_size())
                                          : group{std::vector<int>{world_rank()}};
    made.session_buffer = from.buffer;
    *newgroup = handle_of(std::move(made));
  });
}
