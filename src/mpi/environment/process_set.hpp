// mpi/environment/process_set.hpp
// Sets of processes that every session has. Their names are URIs, of which case does not matter.
//
// Layer    mpi/environment.
// Threads  any.
// Errors   process_set_of throws a failure, MPI_ERR_ARG.
#pragma once

#include <array>
#include <optional>

namespace peal::mpi {

enum class process_set { world, self };
inline constexpr std::array process_set_names{"mpi://WORLD", "mpi://SELF"};

/// Empty: there is no such set.
[[nodiscard]] std::optional<process_set> process_set_named(const char* name) noexcept;
/// Fails where there is no such set.
[[nodiscard]] process_set process_set_of(const char* name);

}  // namespace peal::mpi
