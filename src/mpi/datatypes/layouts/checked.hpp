// mpi/datatypes/layouts/checked.hpp
// Sums and products of counts and displacements that fail rather than overflow.
//
// Layer    mpi/datatypes/layouts: may include mpi/support.
// Errors   MPI_ERR_VALUE_TOO_LARGE.
#pragma once

#include <cstdint>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

[[noreturn, gnu::cold]] inline void fail_too_large() {
  fail(MPI_ERR_VALUE_TOO_LARGE, "the datatype covers more than 64 bits can count");
}
[[nodiscard]] inline std::int64_t sum_of(std::int64_t one, std::int64_t other) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(one, other, &result)) [[unlikely]]
    fail_too_large();
  return result;
}
[[nodiscard]] inline std::int64_t difference_of(std::int64_t one, std::int64_t other) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(one, other, &result)) [[unlikely]]
    fail_too_large();
  return result;
}
[[nodiscard]] inline std::int64_t product_of(std::int64_t one, std::int64_t other) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(one, other, &result)) [[unlikely]]
    fail_too_large();
  return result;
}

}  // namespace peal::mpi
