// Communicators: who is in them, and new ones.
#include "mpi/communicators/communicator.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "mpi/errors/errhandler.hpp"
#include "mpi/groups/group_table.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/support/place.hpp"

using namespace peal::mpi;
namespace detail = peal::detail;

namespace {

int own_world_rank(const detail::communicator_state& of) noexcept {
  return detail::world_rank_of(of, detail::rank_of(of));
}

group members_of(const detail::communicator_state& of) {
  std::vector<int> ranks(static_cast<std::size_t>(detail::size_of(of)));
  for (std::size_t each = 0; each != ranks.size(); ++each)
    ranks[each] = detail::world_rank_of(of, static_cast<int>(each));
  return group{std::move(ranks)};
}

bool has_same_members(const group& one, const group& other) {
  std::vector<int> left = one.world_ranks(), right = other.world_ranks();
  std::ranges::sort(left);
  std::ranges::sort(right);
  return left == right;
}

}  // namespace

PEAL_MPI_FUNCTION(int, Comm_size, MPI_Comm comm, int* size) {
  return run("MPI_Comm_size", comm, [&] {
    need_place(size, "size");
    *size = detail::size_of(*communicator_of(comm).state);
  });
}

PEAL_MPI_FUNCTION(int, Comm_rank, MPI_Comm comm, int* rank) {
  return run("MPI_Comm_rank", comm, [&] {
    need_place(rank, "rank");
    *rank = detail::rank_of(*communicator_of(comm).state);
  });
}

PEAL_MPI_FUNCTION(int, Comm_dup, MPI_Comm comm, MPI_Comm* newcomm) {
  return run("MPI_Comm_dup", comm, [&] {
    need_place(newcomm, "newcomm");
    const communicator& from = communicator_of(comm);
    *newcomm = hand_out(detail::duplicate(*from.state, place), from);
    communicator& made = communicator_of(*newcomm);
    made.topology = from.topology;
    try {
      from.attributes.copy_to(made.attributes, comm);
    } catch (...) {
      made.attributes.erase_all(*newcomm);
      detail::release(*made.state);
      communicators().remove(*newcomm);
      *newcomm = MPI_COMM_NULL;
      throw;
    }
  });
}

PEAL_MPI_FUNCTION(int, Comm_split, MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return run("MPI_Comm_split", comm, [&] {
    need_place(newcomm, "newcomm");
    need(color >= 0 || color == MPI_UNDEFINED, MPI_ERR_ARG, "color", color,
         "it must not be negative, unless it is MPI_UNDEFINED");
    const communicator& from = communicator_of(comm);
    detail::communicator_state* const made =
        detail::split(*from.state, color != MPI_UNDEFINED, color, key, place);
    *newcomm = made == nullptr ? MPI_COMM_NULL : hand_out(*made, from);
  });
}

PEAL_MPI_FUNCTION(int, Comm_split_type, MPI_Comm comm, int split_type, int key, MPI_Info info,
                  MPI_Comm* newcomm) {
  (void)info;  // hints
  return run("MPI_Comm_split_type", comm, [&] {
    need_place(newcomm, "newcomm");
    const communicator& from = communicator_of(comm);
    need(split_type == MPI_COMM_TYPE_SHARED || split_type == MPI_UNDEFINED, MPI_ERR_ARG,
         "split_type", split_type, "peal splits by MPI_COMM_TYPE_SHARED only");
    // Ranks that take no part are not of the node, and keys order those that do.
    detail::communicator_state& node = detail::split_node(*from.state, place);
    detail::communicator_state* const made =
        detail::split(node, split_type != MPI_UNDEFINED, 0, key, place);
    detail::release(node);
    *newcomm = made == nullptr ? MPI_COMM_NULL : hand_out(*made, from);
  });
}

PEAL_MPI_FUNCTION(int, Comm_create, MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  return run("MPI_Comm_create", comm, [&] {
    need_place(newcomm, "newcomm");
    const communicator& from = communicator_of(comm);
    const peal::mpi::group& members = group_of(group);
    const int rank = members.rank_of(own_world_rank(*from.state));
    const bool joins = rank != MPI_UNDEFINED;
    // Groups that have no member in common may be given at the same time.
    detail::communicator_state* const made =
        detail::split(*from.state, joins, joins ? members.world_ranks().front() : 0, rank, place);
    *newcomm = made == nullptr ? MPI_COMM_NULL : hand_out(*made, from);
  });
}

PEAL_MPI_FUNCTION(int, Comm_group, MPI_Comm comm, MPI_Group* group) {
  return run("MPI_Comm_group", comm, [&] {
    need_place(group, "group");
    *group = handle_of(members_of(*communicator_of(comm).state));
  });
}

PEAL_MPI_FUNCTION(int, Comm_compare, MPI_Comm comm1, MPI_Comm comm2, int* result) {
  return run("MPI_Comm_compare", comm1, [&] {
    need_place(result, "result");
    const communicator &one = communicator_of(comm1), &other = communicator_of(comm2);
    if (&one == &other) {
      *result = MPI_IDENT;
      return;
    }
    const peal::mpi::group left = members_of(*one.state), right = members_of(*other.state);
    *result = left == right                   ? MPI_CONGRUENT
              : has_same_members(left, right) ? MPI_SIMILAR
                                              : MPI_UNEQUAL;
  });
}

PEAL_MPI_FUNCTION(int, Comm_test_inter, MPI_Comm comm, int* flag) {
  return run("MPI_Comm_test_inter", comm, [&] {
    need_place(flag, "flag");
    (void)communicator_of(comm);
    *flag = 0;  // none are made yet
  });
}

PEAL_MPI_FUNCTION(int, Comm_free, MPI_Comm* comm) {
  return run("MPI_Comm_free", comm == nullptr ? MPI_COMM_NULL : *comm, [&] {
    need_place(comm, "comm");
    communicator& gone = communicator_of(*comm);
    if (communicator_table::is_predefined(*comm))
      fail(MPI_ERR_COMM, "comm is " + gone.name + ", which is never freed");
    gone.attributes.erase_all(*comm);
    release_errhandler(gone.errhandler);
    detail::release(*gone.state);
    communicators().remove(*comm);
    *comm = MPI_COMM_NULL;
  });
}

PEAL_MPI_FUNCTION(int, Comm_set_name, MPI_Comm comm, const char* comm_name) {
  return run("MPI_Comm_set_name", comm, [&] {
    need_place(comm_name, "comm_name");
    communicator_of(comm).name.assign(comm_name, ::strnlen(comm_name, MPI_MAX_OBJECT_NAME - 1));
  });
}

PEAL_MPI_FUNCTION(int, Comm_get_name, MPI_Comm comm, char* comm_name, int* resultlen) {
  return run("MPI_Comm_get_name", comm, [&] {
    need_place(comm_name, "comm_name");
    need_place(resultlen, "resultlen");
    // The null handle has a name, too.
    const std::string name = comm == MPI_COMM_NULL ? "MPI_COMM_NULL" : communicator_of(comm).name;
    std::memcpy(comm_name, name.c_str(), name.size() + 1);
    *resultlen = static_cast<int>(name.size());
  });
}
