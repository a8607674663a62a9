#include "mpi/communicators/hints.hpp"

#include <fmt/format.h>

#include "mpi/info/info.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

constexpr const char* assertions[] = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source",
                                      "mpi_assert_exact_length", "mpi_assert_allow_overtaking",
                                      "mpi_assert_strict_persistent_collective_ordering"};

}  // namespace

void set_hints(communicator& of, MPI_Info from) {
  const info* const given = hints_of(from);
  if (given == nullptr) return;
  info made = of.hints;
  for (const char* const each : assertions) {
    const std::string* const value = given->find(each);
    if (value == nullptr) continue;
    if (*value != "true" && *value != "false")
      fail(MPI_ERR_INFO_VALUE,
           fmt::format("{} is {}, which is neither true nor false", each, *value));
    made.set(each, *value);
  }
  of.hints = std::move(made);
}

}  // namespace peal::mpi
