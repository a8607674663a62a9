// mpi/tools/categories.hpp
// What belongs together among the variables of MPI_T: settings and counters of one part of the
// library, such as "shm" and "verbs". The names say it: of a setting the word behind PEAL_, of a
// counter that before the first dot.
//
// Layer    mpi/tools.
// Threads  under the lock of MPI_T.
// Errors   std::bad_alloc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace peal::mpi {

struct category {
  std::string name;
  std::vector<int> control_variables;  // by index
  std::vector<int> performance_variables;
};

/// In small letters.
[[nodiscard]] std::string category_of(std::string_view variable);
/// In the order in which their first variables came; more may come behind those that are there.
[[nodiscard]] std::vector<category> categories();

}  // namespace peal::mpi
