// Groups of groups.
#include <cstddef>
#include <utility>

#include "mpi/groups/group_sets.hpp"
#include "mpi/groups/group_table.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

namespace {

using set_operation = group(const group&, const group&);

int set_call(const char* function, set_operation operation, MPI_Group group1, MPI_Group group2,
             MPI_Group* newgroup) {
  return run_in_job(function, [&] {
    const group& one = group_of(group1, "group1");
    const group& other = group_of(group2, "group2");
    need_place(newgroup, "newgroup");
    group made = operation(one, other);
    made.session_buffer = one.session_buffer ? one.session_buffer : other.session_buffer;
    *newgroup = handle_of(std::move(made));
  });
}

using list_operation = group(const group&, std::span<const int>);

MPI_Group made_of(const group& whole, list_operation operation, std::span<const int> ranks) {
  group made = operation(whole, ranks);
  made.session_buffer = whole.session_buffer;
  return handle_of(std::move(made));
}

int list_call(const char* function, list_operation operation, MPI_Group of, int n,
              const int ranks[], MPI_Group* newgroup) {
  return run_in_job(function, [&] {
    const group& whole = group_of(of);
    need(n >= 0, MPI_ERR_ARG, "n", n, "it must not be negative");
    if (n > 0) need_place(ranks, "ranks");
    need_place(newgroup, "newgroup");
    *newgroup = made_of(whole, operation, {ranks, static_cast<std::size_t>(n)});
  });
}

int range_call(const char* function, list_operation operation, MPI_Group of, int n, int ranges[][3],
               MPI_Group* newgroup) {
  return run_in_job(function, [&] {
    const group& whole = group_of(of);
    need(n >= 0, MPI_ERR_ARG, "n", n, "it must not be negative");
    if (n > 0) need_place(ranges, "ranges");
    need_place(newgroup, "newgroup");
    *newgroup = made_of(whole, operation, ranks_in(whole, {ranges, static_cast<std::size_t>(n)}));
  });
}

}  // namespace

PEAL_MPI_FUNCTION(int, Group_union, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return set_call("MPI_Group_union", union_of, group1, group2, newgroup);
}
PEAL_MPI_FUNCTION(int, Group_intersection, MPI_Group group1, MPI_Group group2,
                  MPI_Group* newgroup) {
  return set_call("MPI_Group_intersection", intersection_of, group1, group2, newgroup);
}
PEAL_MPI_FUNCTION(int, Group_difference, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return set_call("MPI_Group_difference", difference_of, group1, group2, newgroup);
}
PEAL_MPI_FUNCTION(int, Group_incl, MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return list_call("MPI_Group_incl", chosen, group, n, ranks, newgroup);
}
PEAL_MPI_FUNCTION(int, Group_excl, MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return list_call("MPI_Group_excl", without, group, n, ranks, newgroup);
}
PEAL_MPI_FUNCTION(int, Group_range_incl, MPI_Group group, int n, int ranges[][3],
                  MPI_Group* newgroup) {
  return range_call("MPI_Group_range_incl", chosen, group, n, ranges, newgroup);
}
PEAL_MPI_FUNCTION(int, Group_range_excl, MPI_Group group, int n, int ranges[][3],
                  MPI_Group* newgroup) {
  return range_call("MPI_Group_range_excl", without, group, n, ranges, newgroup);
}
