// collective/algorithms/reductions/joined_scratch.hpp
// Joins the vectors of all ranks by pairs, where one rank has them all.
//
// Layer    collective.
#pragma once

#include "collective/kernels/join_order.hpp"
#include "collective/schedule.hpp"

namespace peal::algorithms {

/// `vector_of(rank)`: in scratch, but for this rank's own, which may be read-only, or be where the
/// result goes.
template <class VectorOf>
void join_scratch_by_pairs(schedule& s, int ranks, const VectorOf& vector_of, slice result) {
  int left = ranks - 1;
  const slice sum =
      join_by_pairs(ranks, vector_of, [&](const slice& lower, const slice& higher, int) {
        // The sum moves into the higher operand, where a user's function leaves it anyway.
        const slice into = --left == 0 || higher.buffer != place::scratch ? result : higher;
        s.reduce(lower, higher, into);
        return into;
      });
  s.copy(sum, result);  // a single rank
}

}  // namespace peal::algorithms
