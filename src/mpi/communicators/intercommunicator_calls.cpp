// Intercommunicators: how they are made, and merged.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>
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

/// Of the leaders: each tells the other who is in its group.
group exchange_groups(const group& local, MPI_Comm peer_comm, int remote_leader, int tag) {
  const communicator& over = communicator_of(peer_comm, "peer_comm");
  const int with = over.peer_in_state(remote_leader);
  need(with >= 0 && with < detail::size_of(*over.state), MPI_ERR_RANK, "remote_leader",
       remote_leader, "peer_comm has no such rank");
  const int own_tag = tag_of_leaders(tag), size = local.size();
  int remote_size = 0;
  detail::exchange_apart(*over.state, with, own_tag, &size, sizeof size, &remote_size,
                         sizeof remote_size, place);
  const std::vector<int> own = local.world_ranks();
  std::vector<int> remote(static_cast<std::size_t>(remote_size));
  detail::exchange_apart(*over.state, with, own_tag, own.data(), own.size() * sizeof(int),
                         remote.data(), remote.size() * sizeof(int), place);
  return group{std::move(remote)};
}

/// Gives a communicator back that was needed for a call alone.
struct released {
  detail::communicator_state& of;
  ~released() { detail::release(of); }
};

}  // namespace

PEAL_MPI_FUNCTION(int, Intercomm_create, MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                  int remote_leader, int tag, MPI_Comm* newintercomm) {
  return run("MPI_Intercomm_create", local_comm, [&] {
    const communicator& local = intracommunicator_of(local_comm, "local_comm");
    check_for_all(local, [&] {
      need_place(newintercomm, "newintercomm");
      need(local_leader >= 0 && local_leader < local.size(), MPI_ERR_RANK, "local_leader",
           local_leader, "local_comm has no such rank");
      need(tag >= 0, MPI_ERR_TAG, "tag", tag, "it must not be negative");
    });
    const group own = group_of_communicator(local);
    std::optional<group> found;
    if (local.rank() == local_leader) {
      try {
        found = exchange_groups(own, peer_comm, remote_leader, tag);
      } catch (...) {
        // The others learn of it. What they are told is not what this process ends with.
        try {
          (void)pass_on_group(local, local_leader, nullptr);
        } catch (const failure&) {
        }
        throw;
      }
    }
    const group remote = pass_on_group(local, local_leader, found ? &*found : nullptr);
    *newintercomm =
        form_intercommunicator(own, remote, fmt::format("between {}", tag), local.errhandler);
  });
}

PEAL_MPI_FUNCTION(int, Intercomm_create_from_groups, MPI_Group local_group, int local_leader,
                  MPI_Group remote_group, int remote_leader, const char* stringtag, MPI_Info info,
                  MPI_Errhandler errhandler, MPI_Comm* newintercomm) {
  return run_with("MPI_Intercomm_create_from_groups", MPI_COMM_NULL, errhandler, [&] {
    need_place(stringtag, "stringtag");
    need_place(newintercomm, "newintercomm");
    const auto hints = hints_in(info);
    (void)errhandler_of(errhandler);
    const group& own = group_of(local_group, "local_group");
    need(local_leader >= 0 && local_leader < own.size(), MPI_ERR_RANK, "local_leader", local_leader,
         "local_group has no such rank");
    const int rank = own.rank_of(world_rank());
    if (rank == MPI_UNDEFINED) fail(MPI_ERR_GROUP, "this process is not in local_group");
    const bool leads = rank == local_leader;
    const group* const found = leads ? groups().find(remote_group) : nullptr;
    communicator among;
    among.state = &detail::form(all_ranks(), own.world_ranks(), tag_of_text(stringtag, own), place);
    const released guard{*among.state};
    const bool right = found != nullptr && remote_leader >= 0 && remote_leader < found->size();
    if (leads && !right) {
      try {
        (void)pass_on_group(among, local_leader, nullptr);
      } catch (const failure&) {
      }
      (void)group_of(remote_group, "remote_group");
      fail(MPI_ERR_RANK, "remote_leader", remote_leader, "remote_group has no such rank");
    }
    const group remote = pass_on_group(among, local_leader, found);
    const MPI_Comm made = form_intercommunicator(own, remote, stringtag, MPI_ERRORS_ARE_FATAL);
    replace_errhandler<MPI_Comm_errhandler_function>(communicator_of(made).errhandler, errhandler);
    set_hints(communicator_of(made), hints);
    *newintercomm = made;
  });
}

PEAL_MPI_FUNCTION(int, Intercomm_merge, MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  return run("MPI_Intercomm_merge", intercomm, [&] {
    const communicator& from = intercommunicator_of(intercomm, "intercomm");
    check_for_all(from, [&] { need_place(newintracomm, "newintracomm"); });
    const std::int64_t size = detail::size_of(*from.state), rank = detail::rank_of(*from.state);
    // Where both groups say the same, the order of `state` stays.
    detail::communicator_state* const made =
        detail::split(*from.state, true, 0, (high != 0 ? size : 0) + rank, place);
    *newintracomm = hand_out(*made, from);
  });
}
