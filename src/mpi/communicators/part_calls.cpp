// Communicators of some processes of another one, or of a group.
#include <vector>

#include "mpi/communicators/communicator.hpp"
#include "mpi/communicators/hints.hpp"
#include "mpi/communicators/intercommunicator.hpp"
#include "mpi/communicators/member_tags.hpp"
#include "mpi/environment/world.hpp"
#include "mpi/errors/errhandler.hpp"
#include "mpi/errors/handling.hpp"
#include "mpi/groups/group_table.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/support/place.hpp"

using namespace peal::mpi;
namespace detail = peal::detail;

namespace {

/// The ranks that the members of a group have in a communicator.
std::vector<int> ranks_within(const communicator& of, const group& members) {
  const group all = group_of_communicator(of);
  std::vector<int> ranks;
  for (const int each : members.world_ranks()) {
    ranks.push_back(all.rank_of(each));
    if (ranks.back() == MPI_UNDEFINED)
      fail(MPI_ERR_GROUP, "a member of the group", each,
           "as a rank of MPI_COMM_WORLD, is not in the communicator");
  }
  return ranks;
}

MPI_Comm split(const communicator& from, bool joins, int color, int key) {
  if (from.is_inter()) return split_intercommunicator(from, joins, color, key);
  detail::communicator_state* const made = detail::split(*from.state, joins, color, key, place);
  return made == nullptr ? MPI_COMM_NULL : hand_out(*made, from);
}

}  // namespace

PEAL_MPI_FUNCTION(int, Comm_split, MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return run("MPI_Comm_split", comm, [&] {
    const communicator& from = communicator_of(comm);
    check_for_all(from, [&] {
      need_place(newcomm, "newcomm");
      need(color >= 0 || color == MPI_UNDEFINED, MPI_ERR_ARG, "color", color,
           "it must not be negative, unless it is MPI_UNDEFINED");
    });
    *newcomm = split(from, color != MPI_UNDEFINED, color, key);
  });
}

PEAL_MPI_FUNCTION(int, Comm_create, MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  return run("MPI_Comm_create", comm, [&] {
    const communicator& from = communicator_of(comm);
    const peal::mpi::group& members = check_for_all(from, [&]() -> const peal::mpi::group& {
      need_place(newcomm, "newcomm");
      const peal::mpi::group& given = group_of(group);
      (void)ranks_within(from, given);
      return given;
    });
    const int rank = members.rank_of(world_rank());
    const bool joins = rank != MPI_UNDEFINED;
    // Groups that differ have no process in common, so that their first ones tell them apart. On
    // both sides of an intercommunicator there is one group.
    const int color = joins && !from.is_inter() ? members.world_rank(0) : 0;
    *newcomm = split(from, joins, color, rank);
  });
}

PEAL_MPI_FUNCTION(int, Comm_create_group, MPI_Comm comm, MPI_Group group, int tag,
                  MPI_Comm* newcomm) {
  return run("MPI_Comm_create_group", comm, [&] {
    need_place(newcomm, "newcomm");
    const communicator& from = intracommunicator_of(comm);
    const peal::mpi::group& members = group_of(group);
    need(tag >= 0, MPI_ERR_TAG, "tag", tag, "it must not be negative");
    const std::vector<int> ranks = ranks_within(from, members);
    *newcomm = !members.contains(world_rank())
                   ? MPI_COMM_NULL
                   : hand_out(detail::form(*from.state, ranks, tag_of_members(tag), place), from);
  });
}

PEAL_MPI_FUNCTION(int, Comm_create_from_group, MPI_Group group, const char* stringtag,
                  MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newcomm) {
  return run_with("MPI_Comm_create_from_group", MPI_COMM_NULL, errhandler, [&] {
    need_place(stringtag, "stringtag");
    need_place(newcomm, "newcomm");
    const peal::mpi::group& members = group_of(group);
    const auto hints = hints_in(info);
    (void)errhandler_of(errhandler);
    detail::communicator_state& all = all_ranks();
    if (members.size() == 0) {
      *newcomm = MPI_COMM_NULL;
      return;
    }
    if (!members.contains(world_rank())) fail(MPI_ERR_GROUP, "this process is not in the group");
    const MPI_Comm made =
        hand_out(detail::form(all, members.world_ranks(), tag_of_text(stringtag, members), place),
                 MPI_ERRORS_ARE_FATAL, members.session_buffer);
    replace_errhandler<MPI_Comm_errhandler_function>(communicator_of(made).errhandler, errhandler);
    set_hints(communicator_of(made), hints);
    *newcomm = made;
  });
}
