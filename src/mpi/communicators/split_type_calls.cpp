// Communicators of processes that share something.
#include <strings.h>

#include <optional>
#include <string>
#include <utility>

#include "mpi/communicators/communicator.hpp"
#include "mpi/communicators/intercommunicator.hpp"
#include "mpi/environment/process_set.hpp"
#include "mpi/info/info.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/support/place.hpp"

using namespace peal::mpi;
namespace detail = peal::detail;

namespace {

struct named_part {
  const char* name;
  detail::node_part part;
};
// The names are hwloc's, but for the one that the standard gives.
constexpr named_part part_names[] = {
    {"mpi_shared_memory", detail::node_part::node}, {"hwloc://Machine", detail::node_part::node},
    {"hwloc://Package", detail::node_part::socket}, {"hwloc://NUMANode", detail::node_part::numa},
    {"hwloc://L3Cache", detail::node_part::cache},
};
constexpr const char* resource_key = "mpi_hw_resource_type";

std::optional<detail::node_part> part_named(const std::string& name) {
  for (const named_part& each : part_names)
    if (strcasecmp(name.c_str(), each.name) == 0) return each.part;
  return std::nullopt;
}

const std::string* value_of(MPI_Info info, const char* key) {
  const peal::mpi::info* const hints = hints_of(info);
  return hints == nullptr ? nullptr : hints->find(key);
}

/// Which ranks a call puts together.
struct division {
  bool joins = false;
  std::optional<detail::node_part> part;  // none: by `color`
  int color = 0;
};

division by_resource(MPI_Info info) {
  const std::string* const name = value_of(info, resource_key);
  if (name == nullptr) return {};
  const std::optional<detail::node_part> part = part_named(*name);
  return {part.has_value(), part, 0};
}

/// By a resource, or by a set of processes, in both of which all ranks of the set are.
division by_resource_or_set(MPI_Info info, int rank) {
  const std::string* const name = value_of(info, "mpi_pset_name");
  if (name == nullptr) return by_resource(info);
  if (value_of(info, resource_key) != nullptr)
    fail(MPI_ERR_INFO, "info names a resource and a process set, of which it may name one");
  const std::optional<process_set> set = process_set_named(name->c_str());
  if (set) return {true, std::nullopt, *set == process_set::world ? 0 : rank};
  return {};
}

/// By the largest resource that divides the communicator, which the caller learns by `info`.
division by_largest(const communicator& from, MPI_Info info) {
  detail::node_part found{};
  if (!detail::largest_dividing(*from.state, found, place)) return {};
  for (const named_part& each : part_names)
    if (each.part == found) {
      if (info != MPI_INFO_NULL) info_of(info).set(resource_key, each.name);
      break;
    }
  return {true, found, 0};
}

division division_for(const communicator& from, int split_type, MPI_Info info) {
  switch (split_type) {
    case MPI_UNDEFINED: return {};
    case MPI_COMM_TYPE_SHARED: return {true, detail::node_part::node, 0};
    case MPI_COMM_TYPE_HW_GUIDED: return by_resource(info);
    case MPI_COMM_TYPE_RESOURCE_GUIDED: return by_resource_or_set(info, from.rank());
    case MPI_COMM_TYPE_HW_UNGUIDED: return by_largest(from, info);
    default: fail(MPI_ERR_ARG, "split_type", split_type, "there is no such type of splits");
  }
}

/// The ranks of both groups are divided as those of one; a part with ranks of one group alone gets
/// no communicator.
MPI_Comm split_both_groups(const communicator& from, detail::communicator_state* part, int key) {
  const int color = part == nullptr ? 0 : detail::world_rank_of(*part, 0);
  if (part != nullptr) detail::release(*part);
  return split_intercommunicator(from, part != nullptr, color, key);
}

}  // namespace

PEAL_MPI_FUNCTION(int, Comm_split_type, MPI_Comm comm, int split_type, int key, MPI_Info info,
                  MPI_Comm* newcomm) {
  return run("MPI_Comm_split_type", comm, [&] {
    const communicator& from = communicator_of(comm);
    // Ranks that give another type, or MPI_UNDEFINED, make the same call of the core.
    const division by = check_for_all(from, [&] {
      need_place(newcomm, "newcomm");
      (void)hints_of(info);
      return division_for(from, split_type, info);
    });
    detail::communicator_state* const made =
        by.joins && !by.part
            ? detail::split(*from.state, true, by.color, key, place)
            : detail::split_by_part(*from.state, by.part.value_or(detail::node_part::node),
                                    by.joins, key, place);
    if (from.is_inter()) *newcomm = split_both_groups(from, made, key);
    else *newcomm = made == nullptr ? MPI_COMM_NULL : hand_out(*made, from);
  });
}

PEAL_MPI_FUNCTION(int, Get_hw_resource_info, MPI_Info* hw_info) {
  return run("MPI_Get_hw_resource_info", [&] {
    need_place(hw_info, "hw_info");
    peal::mpi::info made;
    // Before the start of a job little is known.
    for (const named_part& each : part_names) {
      const bool has_one = each.part == detail::node_part::node ||
                           (detail::job_running() && detail::has_one(each.part, place));
      made.set(each.name, has_one ? "true" : "false");
    }
    *hw_info = handle_of(std::move(made));
  });
}
