#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "collective/algorithms.hpp"
#include "unit/collective/arrangements.hpp"

namespace {

using namespace peal;
using detail::collective;
using detail::is_reduction;

// Counts of 64 bits: a call whose elements are 2^33 times as large has the same schedule, but for
// that.
TEST(algorithms, keep_lengths_beyond_32_bits) {
  constexpr std::size_t times = std::size_t{1} << 33;
  const auto same = [](const slice& large, const slice& small) {
    return large.buffer == small.buffer && large.offset == small.offset * times &&
           large.bytes == small.bytes * times;
  };
  for (const algorithm& each : all_algorithms())
    for (const int size : {2, 5, 8}) {
      std::vector<std::size_t> sizes, offsets, large_sizes, large_offsets;
      for (int i = 0; i != size; ++i) {
        sizes.push_back(each.equal_blocks ? 6 : 2 * static_cast<std::size_t>(i % 3));
        offsets.push_back(i == 0 ? 0 : offsets.back() + sizes[static_cast<std::size_t>(i) - 1]);
        large_sizes.push_back(sizes.back() * times);
        large_offsets.push_back(offsets.back() * times);
      }
      const node_map nodes{test::in_blocks(size, {2})};
      problem small;
      small.size = size;
      small.rank = size - 1;
      small.root = 1;
      small.element = is_reduction(each.kind) ? 2 : 1;
      small.varying = !each.equal_blocks;
      if (each.by_node) small.nodes = &nodes;
      switch (each.kind) {
        case collective::reduce_scatter: small.bytes = offsets.back() + sizes.back(); break;
        case collective::gather:
        case collective::scatter:
        case collective::allgather:
        case collective::alltoall: small.bytes = sizes.back(); break;
        // divides by all sizes, and is long enough to be cut as a longer one is
        default: small.bytes = 163840;
      }
      small.send = small.receive = {6, sizes.data(), offsets.data()};
      problem large = small;
      large.bytes *= times;
      large.element *= times;
      large.send = large.receive = {6 * times, large_sizes.data(), large_offsets.data()};
      schedule a, b;
      build(each, small, {}, a);
      build(each, large, {}, b);
      ASSERT_EQ(a.rounds().size(), b.rounds().size()) << each.name;
      EXPECT_EQ(a.scratch_bytes() * times, b.scratch_bytes()) << each.name;
      for (std::size_t i = 0; i != a.rounds().size(); ++i) {
        const auto check = [&](std::span<const step> few, std::span<const step> many) {
          ASSERT_EQ(few.size(), many.size());
          for (std::size_t k = 0; k != few.size(); ++k) {
            EXPECT_EQ(few[k].peer, many[k].peer);
            EXPECT_TRUE(same(many[k].from, few[k].from) && same(many[k].other, few[k].other) &&
                        same(many[k].into, few[k].into))
                << each.name << ", " << size << " ranks";
          }
        };
        check(a.sends(a.rounds()[i]), b.sends(b.rounds()[i]));
        check(a.receives(a.rounds()[i]), b.receives(b.rounds()[i]));
        check(a.locals(a.rounds()[i]), b.locals(b.rounds()[i]));
      }
    }
}

}  // namespace
