// Communicators: who is in them, how they are called, and how they go.
#include "mpi/communicators/communicator.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "mpi/environment/world.hpp"
#include "mpi/groups/group_table.hpp"
#include "mpi/requests/request.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

namespace {

bool has_same_members(const group& one, const group& other) {
  std::vector<int> left = one.world_ranks(), right = other.world_ranks();
  std::ranges::sort(left);
  std::ranges::sort(right);
  return left == right;
}

int comparison_of_members(const group& one, const group& other) {
  return one == other ? MPI_CONGRUENT : has_same_members(one, other) ? MPI_SIMILAR : MPI_UNEQUAL;
}

/// How alike two are that are not the same.
int comparison_of(const communicator& one, const communicator& other) {
  if (one.is_inter() != other.is_inter()) return MPI_UNEQUAL;
  const int local = comparison_of_members(group_of_communicator(one), group_of_communicator(other));
  if (!one.is_inter()) return local;
  // The values are in the order of likeness.
  static_assert(MPI_CONGRUENT < MPI_SIMILAR && MPI_SIMILAR < MPI_UNEQUAL);
  return std::max(local, comparison_of_members(remote_group_of(one), remote_group_of(other)));
}

}  // namespace

PEAL_MPI_FUNCTION(int, Comm_size, MPI_Comm comm, int* size) {
  return run("MPI_Comm_size", comm, [&] {
    need_place(size, "size");
    *size = communicator_of(comm).size();
  });
}

PEAL_MPI_FUNCTION(int, Comm_rank, MPI_Comm comm, int* rank) {
  return run("MPI_Comm_rank", comm, [&] {
    need_place(rank, "rank");
    *rank = communicator_of(comm).rank();
  });
}

PEAL_MPI_FUNCTION(int, Comm_remote_size, MPI_Comm comm, int* size) {
  return run("MPI_Comm_remote_size", comm, [&] {
    need_place(size, "size");
    *size = intercommunicator_of(comm).remote_size;
  });
}

PEAL_MPI_FUNCTION(int, Comm_group, MPI_Comm comm, MPI_Group* group) {
  return run("MPI_Comm_group", comm, [&] {
    need_place(group, "group");
    *group = handle_of(group_of_communicator(communicator_of(comm)));
  });
}

PEAL_MPI_FUNCTION(int, Comm_remote_group, MPI_Comm comm, MPI_Group* group) {
  return run("MPI_Comm_remote_group", comm, [&] {
    need_place(group, "group");
    *group = handle_of(remote_group_of(intercommunicator_of(comm)));
  });
}

PEAL_MPI_FUNCTION(int, Comm_test_inter, MPI_Comm comm, int* flag) {
  return run("MPI_Comm_test_inter", comm, [&] {
    need_place(flag, "flag");
    *flag = communicator_of(comm).is_inter() ? 1 : 0;
  });
}

PEAL_MPI_FUNCTION(int, Comm_compare, MPI_Comm comm1, MPI_Comm comm2, int* result) {
  return run("MPI_Comm_compare", comm1, [&] {
    need_place(result, "result");
    const communicator& one = communicator_of(comm1, "comm1");
    const communicator& other = communicator_of(comm2, "comm2");
    *result = &one == &other ? MPI_IDENT : comparison_of(one, other);
  });
}

PEAL_MPI_FUNCTION(int, Comm_free, MPI_Comm* comm) {
  return run("MPI_Comm_free", comm == nullptr ? MPI_COMM_NULL : *comm, [&] {
    need_place(comm, "comm");
    free_communicator(*comm);
  });
}

PEAL_MPI_FUNCTION(int, Comm_disconnect, MPI_Comm* comm) {
  return run("MPI_Comm_disconnect", comm == nullptr ? MPI_COMM_NULL : *comm, [&] {
    need_place(comm, "comm");
    (void)communicator_of(*comm);
    const MPI_Comm of = *comm;
    requests().for_each([of](request& each) {
      if (each.comm() == of && each.is_active()) each.await();
    });
    free_communicator(*comm);
  });
}

PEAL_MPI_FUNCTION(int, Comm_get_parent, MPI_Comm* parent) {
  return run("MPI_Comm_get_parent", [&] {
    need_place(parent, "parent");
    (void)all_ranks();
    *parent = MPI_COMM_NULL;  // no process is started by another one
  });
}

PEAL_MPI_FUNCTION(int, Comm_set_name, MPI_Comm comm, const char* comm_name) {
  return run("MPI_Comm_set_name", comm, [&] {
    need_place(comm_name, "comm_name");
    communicator& named = communicator_of(comm);
    named.name.assign(comm_name, ::strnlen(comm_name, MPI_MAX_OBJECT_NAME - 1));
    peal::detail::name_communicator(*named.state, named.name.c_str());
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
