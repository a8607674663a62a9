#include "mpi/environment/process_set.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <strings.h>

#include <cstddef>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

std::optional<process_set> process_set_named(const char* name) noexcept {
  for (std::size_t each = 0; each != process_set_names.size(); ++each)
    if (strcasecmp(name, process_set_names[each]) == 0) return static_cast<process_set>(each);
  return std::nullopt;
}

process_set process_set_of(const char* name) {
  need_place(name, "pset_name");
  if (const auto found = process_set_named(name)) return *found;
  fail(MPI_ERR_ARG, fmt::format("pset_name is {}: there is no such process set", name));
}

}  // namespace peal::mpi
