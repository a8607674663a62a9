// mpi/datatypes/layouts/elements.hpp
// Basic elements among the first bytes of a packed stream, and back; and every one of them.
//
// Layer    mpi/datatypes/layouts.
// Units    bytes.
// Errors   bytes_of_elements fails with MPI_ERR_VALUE_TOO_LARGE.
#pragma once

#include <cstdint>

#include "mpi/datatypes/layouts/layout.hpp"

namespace peal::mpi {

/// How many elements these bytes are, of one copy of the type after the other; -1: they end inside
/// of one. Requires: bytes >= 0.
[[nodiscard]] std::int64_t elements_of_bytes(const layout& of, std::int64_t bytes) noexcept;
/// The reverse; -1: the type has no elements, but some are asked for.
[[nodiscard]] std::int64_t bytes_of_elements(const layout& of, std::int64_t elements);

/// Calls visit(basic, address) for each element, in the order of packing.
template <class Visit>
void for_each_element(const layout& of, std::uintptr_t address, const Visit& visit) {
  if (of.body->basic != nullptr) return visit(*of.body->basic, address);
  for (const layout_part& part : of.body->parts) {
    std::uintptr_t copy = address + static_cast<std::uintptr_t>(part.displacement);
    for (std::int64_t each = 0; each != part.count; ++each) {
      for_each_element(of.body->children[part.child], copy, visit);
      copy += static_cast<std::uintptr_t>(part.stride);
    }
  }
}

}  // namespace peal::mpi
