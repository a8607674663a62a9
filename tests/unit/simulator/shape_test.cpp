// Shapes: which ranks have one, how messages find their receives, and what is cut out of long
// rings.
#include "simulator/shape.hpp"

#include <gtest/gtest.h>

#include "collective/algorithms.hpp"
#include "simulator/forecast.hpp"
#include "unit/simulator/questions.hpp"

namespace {

using namespace peal;
using namespace peal::simulator;
using detail::collective;
using test::about;

shape shape_of(const question& q, int rank, relation by) {
  schedule built;
  build(*q.how, make_problem(q, rank), q.cut, built);
  return {built, rank, q.ranks, by};
}

TEST(shape, peers_find_each_other) {
  for (const int size : {2, 3, 8, 9})
    for (int a = 0; a != size; ++a)
      for (int b = 0; b != size; ++b)
        for (const relation by : {relation::distance, relation::bits}) {
          const int seen = relate(by, a, b, size);
          EXPECT_EQ(mirrored(by, seen, size), relate(by, b, a, size))
              << size << ": " << a << " " << b;
          if (by == relation::distance) EXPECT_EQ((a + seen + size) % size, b);
          else EXPECT_EQ(a ^ seen, b);
        }
}

TEST(shape, ranks_of_a_ring_have_one_by_distance) {
  const question q = about(collective::allreduce, "ring", 12, 12 * 40);
  for (int rank = 1; rank != 12; ++rank)
    EXPECT_EQ(shape_of(q, rank, relation::distance), shape_of(q, 0, relation::distance));
  EXPECT_NE(shape_of(q, 1, relation::bits), shape_of(q, 0, relation::bits));
}

TEST(shape, ranks_that_double_have_one_by_bits) {
  const question q = about(collective::allreduce, "doubling", 16, 64);
  for (int rank = 1; rank != 16; ++rank)
    EXPECT_EQ(shape_of(q, rank, relation::bits), shape_of(q, 0, relation::bits));
  EXPECT_NE(shape_of(q, 1, relation::distance), shape_of(q, 0, relation::distance));
}

TEST(shape, ranks_of_a_tree_differ) {
  const question q = about(collective::bcast, "tree", 8, 64);
  EXPECT_NE(shape_of(q, 0, relation::distance), shape_of(q, 1, relation::distance));
}

TEST(shape, the_second_message_to_a_peer_meets_the_second_receive) {
  schedule built;
  built.send(1, {place::send, 0, 8});
  built.send(1, {place::send, 8, 24});
  built.send(2, {place::send, 0, 8});
  built.receive(2, {place::receive, 0, 8});
  built.end_round();
  built.send(1, {place::send, 0, 16});
  built.receive(2, {place::receive, 8, 8});
  built.receive(1, {place::receive, 16, 8});
  built.end_round();
  const shape made{built, 0, 3, relation::distance};
  ASSERT_EQ(made.sends().size(), 4u);
  EXPECT_EQ(made.sends()[0].ordinal, 0u);
  EXPECT_EQ(made.sends()[1].ordinal, 1u);
  EXPECT_EQ(made.sends()[2].ordinal, 0u);
  EXPECT_EQ(made.sends()[3].ordinal, 2u);
  EXPECT_TRUE(made.sends()[0].first);
  EXPECT_FALSE(made.sends()[1].first);
  EXPECT_TRUE(made.sends()[3].first) << "in another round";
  EXPECT_EQ(made.sends()[0].connection, made.sends()[3].connection);
  EXPECT_NE(made.sends()[0].connection, made.sends()[2].connection);
  EXPECT_EQ(made.receive_of(-1, 0, 0), 0u);
  EXPECT_EQ(made.receive_of(-1, 0, 1), 1u);
  EXPECT_EQ(made.receive_of(1, 0, 0), 2u);
  EXPECT_EQ(made.receive_of(1, 0, 1), shape::stage::none);
  EXPECT_EQ(made.receive_of(-1, 1, 0), shape::stage::none) << "another stream";
  EXPECT_EQ(made.peers(), (std::vector<std::int32_t>{-1, 1}));
}

TEST(shape, long_stretches_are_cut) {
  const shape whole =
      shape_of(about(collective::allreduce, "ring", 100, 100 * 8), 0, relation::distance);
  ASSERT_EQ(whole.stages().size(), 198u);
  const shape::shortened made = whole.cut(10);
  EXPECT_EQ(made.what.stages().size(), 20u) << "the sums go round, then the results";
  EXPECT_EQ(made.dropped, 178u);
  EXPECT_EQ(made.what.sends().size(), 20u);
  EXPECT_EQ(made.what.sends().back().ordinal, 19u);
  EXPECT_EQ(whole.cut(1000).what, whole);
  EXPECT_EQ(whole.cut(1000).dropped, 0u);
}

}  // namespace
