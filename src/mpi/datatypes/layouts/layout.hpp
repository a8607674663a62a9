// mpi/datatypes/layouts/layout.hpp
// Where the elements of a datatype lie: what MPI calls a typemap, kept as a tree. Its nodes are
// shared and do not change, so that a type outlives those that it was made of.
//
// Layer    mpi/datatypes/layouts: may include mpi/support.
// Units    bytes, from the address that a program gives as buffer.
// Threads  any.
// Errors   MPI_ERR_VALUE_TOO_LARGE where a bound or a size needs more than 64 bits; MPI_ERR_OTHER
//          for a nesting deeper than most_nested.
// Source   MPI 5.0, 5.1.6 and 5.1.7 (bounds and their markers).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/datatypes/layouts/basic_type.hpp"

namespace peal::mpi {

/// Walks go down by recursion; a frame takes up to 200 bytes, a stack has a few megabytes.
inline constexpr int most_nested = 4096;

struct layout_body;

struct layout {
  std::shared_ptr<const layout_body> body;
  std::int64_t size = 0;           // of what is sent, without gaps
  std::int64_t elements = 0;       // basic ones
  std::int64_t external_size = 0;  // in external32
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::int64_t true_lower = 0;  // without markers
  std::int64_t true_upper = 0;
  std::int64_t alignment = 1;
  bool marked = false;  // its bounds were given (resized, arrays) and count before those of others

  [[nodiscard]] std::int64_t extent() const noexcept { return upper - lower; }
  [[nodiscard]] std::int64_t true_extent() const noexcept { return true_upper - true_lower; }
};

/// `count` copies of a child, `stride` apart, the first one at `displacement`.
struct layout_part {
  std::int64_t displacement = 0;
  std::int64_t count = 0;
  std::int64_t stride = 0;
  std::uint32_t child = 0;
};

/// Either a basic type, or parts in the order in which they are packed.
struct layout_body {
  const basic_type* basic = nullptr;
  std::vector<layout> children;
  std::vector<layout_part> parts;
  int depth = 0;
};

/// `basic` must outlive it.
[[nodiscard]] layout layout_of(const basic_type& basic);
[[nodiscard]] layout assemble(std::vector<layout> children, std::vector<layout_part> parts);
[[nodiscard]] layout repeated(const layout& of, std::int64_t count, std::int64_t stride);
/// With copies packed as an array of the program has them.
[[nodiscard]] layout contiguous_layout(const layout& of, std::int64_t count);
[[nodiscard]] layout with_bounds(layout of, std::int64_t lower, std::int64_t extent);

}  // namespace peal::mpi
