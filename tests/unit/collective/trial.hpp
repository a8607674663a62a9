// One arrangement in which an algorithm is tried.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "collective/node_map.hpp"
#include "collective/problem.hpp"

namespace peal {

struct trial {
  int size = 1;
  int root = 0;
  std::size_t bytes = 0;  // of a vector, or of each block when they are equal
  std::size_t element = 1;
  bool commutative = true;
  bool in_place = false;
  bool varying = false;
  int radix = 2;
  segmentation cut{};
  const node_map* nodes = nullptr;

  std::string text() const {
    std::string made = fmt::format(
        "{} ranks, root {}, {} bytes in elements of {}, {}commutative, {}in place, {}varying, "
        "radix {}, segments of {} in {} streams",
        size, root, bytes, element, commutative ? "" : "not ", in_place ? "" : "not ",
        varying ? "" : "not ", radix, cut.bytes, cut.streams);
    if (nodes) made += ", on nodes";
    for (int rank = 0; nodes && rank != size; ++rank)
      made += fmt::format(" {}", nodes->node_of(rank));
    return made;
  }
};

}  // namespace peal
