// Sums of floats through one kind of direct call, whose bits must be those of the usual order.
#pragma once

#include <gtest/gtest.h>

#include "collective/direct/slot.hpp"
#include "unit/collective/direct/ranks_in_threads.hpp"
#include "unit/collective/kernels/ordered_sums.hpp"

namespace peal::test {

/// `make(flags, call)` makes a call, and returns its error. `block`: floats of each, of
/// reduce_scatter among `size` ranks all together.
template <class Make>
void check_float_sums(int size, std::size_t block, std::size_t area, const Make& make) {
  using detail::collective;
  const auto ranks = static_cast<std::size_t>(size);
  as_ranks(
      size,
      [&](int rank, direct::flags& own) {
        for (const collective kind : {collective::allreduce, collective::reduce, collective::scan,
                                      collective::exscan, collective::reduce_scatter})
          for (const bool in_place : {false, true}) {
            if (in_place && kind == collective::reduce) continue;
            const bool has_blocks = kind == collective::reduce_scatter;
            const std::size_t each = has_blocks ? block / ranks : block;
            const auto in = uneven(ranks, has_blocks ? each * ranks : each);
            const float_vector& mine = in[static_cast<std::size_t>(rank)];
            float_vector out = mine;
            detail::collective_call call =
                float_sum(kind, in_place ? nullptr : mine.data(), out.data(), each);
            call.root = size - 1;
            call.in_place = in_place;
            ASSERT_FALSE(make(own, call));
            const float_vector wanted =
                wanted_sum(kind, call.root, static_cast<std::size_t>(rank), in);
            EXPECT_TRUE(same_bits(out.data(), wanted))
                << size << " ranks, rank " << rank << ", " << static_cast<int>(kind)
                << (in_place ? ", in place" : "");
            if (size > 2 && each > 100) {
              EXPECT_TRUE(depend_on_order(in)) << "nothing was tested";
            }
          }
      },
      area);
}

}  // namespace peal::test
