#include "mpi/datatypes/layouts/elements.hpp"

#include <algorithm>

#include "mpi/datatypes/layouts/checked.hpp"

namespace peal::mpi {

namespace {

/// Goes down to where the amount that is given ends, and adds up the other one on its way.
/// Both are members of a layout.
template <std::int64_t layout::* Given, std::int64_t layout::* Other>
std::int64_t other_amount(const layout* of, std::int64_t left) noexcept {
  std::int64_t found = 0;
  while (left != 0) {
    if (left == of->*Given) return found + of->*Other;
    if (of->body->basic != nullptr) return -1;  // ends inside of an element
    const layout* next = nullptr;
    for (const layout_part& part : of->body->parts) {
      const layout& child = of->body->children[part.child];
      if (child.*Given == 0) continue;
      const std::int64_t whole = std::min(part.count, left / (child.*Given));
      found += whole * (child.*Other);
      left -= whole * (child.*Given);
      if (whole != part.count) {
        next = &child;
        break;
      }
    }
    if (next == nullptr) break;  // only when nothing is left
    of = next;
  }
  return found;
}

}  // namespace

std::int64_t elements_of_bytes(const layout& of, std::int64_t bytes) noexcept {
  if (of.size == 0) return bytes == 0 ? 0 : -1;
  const std::int64_t rest = other_amount<&layout::size, &layout::elements>(&of, bytes % of.size);
  return rest < 0 ? -1 : bytes / of.size * of.elements + rest;
}

std::int64_t bytes_of_elements(const layout& of, std::int64_t elements) {
  if (of.elements == 0) return elements == 0 ? 0 : -1;
  const std::int64_t rest =
      other_amount<&layout::elements, &layout::size>(&of, elements % of.elements);
  return sum_of(product_of(elements / of.elements, of.size), rest);
}

}  // namespace peal::mpi
