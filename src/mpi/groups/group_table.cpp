#include "mpi/groups/group_table.hpp"

#include "mpi/support/failure.hpp"

namespace peal::mpi {

group_table& groups() {
  // Never destroyed: a program may use groups in destructors of its static objects.
  static group_table& all = *[] {
    auto* const made = new group_table;
    made->set(MPI_GROUP_EMPTY, *new group);
    return made;
  }();
  return all;
}

const group& group_of(MPI_Group handle, const char* argument) {
  const group* const found = groups().find(handle);
  if (found == nullptr) [[unlikely]]
    fail_handle(MPI_ERR_GROUP, argument, handle, MPI_GROUP_NULL, "MPI_GROUP_NULL", "group");
  return *found;
}

MPI_Group handle_of(group made) {
  if (made.size() == 0) return MPI_GROUP_EMPTY;
  return groups().add(std::make_unique<group>(std::move(made)));
}

}  // namespace peal::mpi
