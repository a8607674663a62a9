// collective/choice/tuned_algorithm.hpp
// An algorithm with what it is run with: the radix of its trees, and how long vectors are cut.
//
// Layer    collective: may include base/.
// Units    bytes.
// Threads  any.
#pragma once

#include <cstddef>
#include <vector>

#include "collective/algorithms.hpp"

namespace peal {

struct tuned_algorithm {
  const algorithm* how = nullptr;
  int radix = 2;
  segmentation cut;

  friend bool operator==(const tuned_algorithm&, const tuned_algorithm&) = default;
};

/// The one of that value that there is for good: of such, equal ones are at one address. There are
/// few values.
const tuned_algorithm& kept(const tuned_algorithm&);

/// Of a reduction that goes one way: the longest pieces that are written for the receiver inside a
/// node instead of being announced, so that it joins one while the next is written. Steps by four
/// would end at longer ones, which gain nothing. Uncut where that is no such algorithm, or where
/// the pieces were few, or too many.
segmentation written_pieces(const algorithm& of, std::size_t bytes);

/// What differs from it by one step of one parameter, where the algorithm looks at that: the radix
/// doubled or halved, pieces four times as long or as short, and written_pieces. For so many bytes
/// among so many ranks. `same_bits`: only those that give the same bits as `of`, whatever is
/// joined.
std::vector<tuned_algorithm> neighbors_of(const tuned_algorithm& of, int ranks, std::size_t bytes,
                                          bool same_bits = false);

}  // namespace peal
