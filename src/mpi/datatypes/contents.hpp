// mpi/datatypes/contents.hpp
// The arguments that a datatype was made with, as MPI_Type_get_contents tells them.
//
// Layer    mpi/datatypes.
// Errors   adding throws std::bad_alloc.
// Source   MPI 5.0, 5.1.13.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace peal::mpi {

class definition;

/// Which form of a constructor was called. The one with large counts has its counts and
/// displacements told as large counts.
enum class form : bool { small, large };

struct contents {
  int combiner = MPI_COMBINER_NAMED;
  form made_by = form::small;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> large_counts;
  std::vector<std::shared_ptr<const definition>> types;

  contents() = default;
  explicit contents(int made_with, form by = form::small,
                    std::vector<std::shared_ptr<const definition>> of = {})
      : combiner{made_with}, made_by{by}, types{std::move(of)} {}

  void add_integer(int value) { integers.push_back(value); }
  void add_count(std::int64_t value) {
    if (made_by == form::large) large_counts.push_back(value);
    else integers.push_back(static_cast<int>(value));
  }
  void add_address(std::int64_t value) {
    if (made_by == form::large) large_counts.push_back(value);
    else addresses.push_back(value);
  }
  void add_integers(std::span<const int> values) {
    integers.insert(integers.end(), values.begin(), values.end());
  }
  void add_counts(std::span<const std::int64_t> values) {
    for (const std::int64_t each : values) add_count(each);
  }
  void add_addresses(std::span<const std::int64_t> values) {
    for (const std::int64_t each : values) add_address(each);
  }
};

}  // namespace peal::mpi
