// tests/unit/collective/arrangements.hpp
// Ways in which ranks may lie on nodes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace peal::test {

/// By rank: its node.
using arrangement = std::vector<std::uint32_t>;

/// Groups of these sizes, again and again.
inline arrangement in_blocks(int size, const std::vector<int>& lengths) {
  arrangement made;
  for (std::uint32_t node = 0; static_cast<int>(made.size()) < size; ++node)
    for (int i = 0; i != lengths[node % lengths.size()] && static_cast<int>(made.size()) < size;
         ++i)
      made.push_back(node);
  return made;
}

/// One after the other.
inline arrangement in_turn(int size, int nodes) {
  arrangement made;
  for (int rank = 0; rank != size; ++rank) made.push_back(static_cast<std::uint32_t>(rank % nodes));
  return made;
}

constexpr std::size_t arrangement_count = 11;

/// In blocks, even and uneven, which are in rank order; in turn and without any order, which are
/// not; all on one node, each on its own.
inline arrangement arranged(std::size_t which, int size) {
  switch (which % arrangement_count) {
    case 0: return in_blocks(size, {2});
    case 1: return in_turn(size, 2);
    case 2: return in_blocks(size, {4});
    case 3: return in_blocks(size, {1, 3, 2});
    case 4: return in_turn(size, 5);
    case 5: return in_blocks(size, {size / 2 + 1});
    case 6: return in_blocks(size, {16, 5});
    case 7: return in_blocks(size, {1});
    case 8: return in_blocks(size, {size});
    case 9: return in_blocks(size, {3});
    default: {
      arrangement made;
      for (int rank = 0; rank != size; ++rank)
        made.push_back(static_cast<std::uint32_t>(rank * 7 + rank * rank / 3) % 4u * 9u);
      return made;
    }
  }
}

}  // namespace peal::test
