// The symbolic check itself: it must refuse schedules that are wrong, each in its own way.
#include "unit/collective/symbolic.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace {

using namespace peal;
using symbolic::actor;
using symbolic::symbol;

// Each rank has its contribution in four bytes of `send`, and four bytes to receive into.
std::vector<actor> ranks(int count) {
  std::vector<actor> made(static_cast<std::size_t>(count));
  for (std::size_t rank = 0; rank != made.size(); ++rank)
    for (std::uint32_t i = 0; i != 4; ++i) {
      made[rank].at(place::send).push_back({i, static_cast<std::uint16_t>(rank), 1});
      made[rank].at(place::receive).push_back({});
    }
  return made;
}

constexpr slice own{place::send, 0, 4};
constexpr slice result{place::receive, 0, 4};
constexpr slice incoming{place::scratch, 0, 4};

// Both ranks do the same, each with the other.
std::string of_two(const std::function<void(schedule&, int rank, int other)>& plan,
                   bool commutative = false) {
  auto both = ranks(2);
  for (int rank = 0; rank != 2; ++rank) {
    schedule& s = both[static_cast<std::size_t>(rank)].plan;
    s.need_scratch(4);
    plan(s, rank, 1 - rank);
    s.end_round();
  }
  return symbolic::world{}.play(both, 1, commutative);
}

bool says(const std::string& problem, const char* part) {
  return problem.find(part) != std::string::npos;
}

TEST(symbolic, accepts_a_swap_and_the_joined_result) {
  EXPECT_EQ(of_two([](schedule& s, int rank, int other) {
              s.send(other, own);
              s.receive(other, incoming);
              rank == 0 ? s.reduce(own, incoming, result) : s.reduce(incoming, own, result);
            }),
            "");
}

TEST(symbolic, finds_a_send_that_needs_buffering) {
  const auto problem = of_two([](schedule& s, int, int other) {
    s.send(other, own);
    s.end_round();
    s.receive(other, result);
  });
  EXPECT_TRUE(says(problem, "stuck in round 0")) << problem;
}

TEST(symbolic, finds_a_receive_without_a_send) {
  const auto problem = of_two([](schedule& s, int, int other) { s.await(other); });
  EXPECT_TRUE(says(problem, "stuck")) << problem;
}

TEST(symbolic, finds_operands_in_the_wrong_order) {
  const auto plan = [](schedule& s, int, int other) {
    s.send(other, own);
    s.receive(other, incoming);
    s.reduce(own, incoming, result);  // wrong on rank 1
  };
  EXPECT_TRUE(says(of_two(plan), "joins ranks [1, +1) and [0, +1)"));
  EXPECT_EQ(of_two(plan, true), "");
}

TEST(symbolic, finds_a_contribution_counted_twice) {
  const auto problem = of_two(
      [](schedule& s, int, int) {
        s.copy(own, incoming);
        s.end_round();
        s.reduce(own, incoming, result);
        s.reduce(result, incoming, result);
      },
      true);
  EXPECT_TRUE(says(problem, "joins")) << problem;
}

TEST(symbolic, finds_lengths_that_differ) {
  const auto problem = of_two([](schedule& s, int rank, int other) {
    rank == 0 ? s.send(other, {place::send, 0, 3}) : s.receive(other, result);
  });
  EXPECT_TRUE(says(problem, "gets 3 bytes from rank 0 where it expects 4")) << problem;
}

TEST(symbolic, finds_races_within_a_round) {
  EXPECT_TRUE(says(of_two([](schedule& s, int, int other) {
                     s.send(other, own);
                     s.send(other, own);
                     s.receive(other, result);
                     s.receive(other, {place::receive, 2, 2});
                   }),
                   "receives twice into one byte"));
  EXPECT_TRUE(says(of_two([](schedule& s, int, int other) {
                     s.send(other, result);
                     s.receive(other, result);
                   }),
                   "sends a byte that the same round receives"));
}

TEST(symbolic, finds_bytes_outside_a_buffer_and_writes_into_the_senders) {
  EXPECT_TRUE(says(of_two([](schedule& s, int, int) { s.copy(own, {place::scratch, 1, 4}); }),
                   "outside buffer 2"));
  EXPECT_TRUE(
      says(of_two([](schedule& s, int, int) { s.copy({place::send, 0, 2}, {place::send, 2, 2}); }),
           "writes into the send buffer"));
}

TEST(symbolic, finds_a_value_read_before_it_was_written) {
  EXPECT_TRUE(says(of_two([](schedule& s, int, int) { s.reduce(incoming, own, result); }),
                   "reduces a byte that nobody wrote"));
}

TEST(symbolic, finds_an_operand_that_a_users_function_would_spoil) {
  // The higher operand is overwritten when the result goes into the lower one, so it cannot be sent
  // afterwards.
  auto both = ranks(2);
  for (int rank = 0; rank != 2; ++rank) {
    schedule& s = both[static_cast<std::size_t>(rank)].plan;
    s.need_scratch(8);
    s.send(1 - rank, own);
    s.receive(1 - rank, {place::scratch, 4, 4});
    rank == 0 ? s.copy(own, incoming) : s.copy({place::scratch, 4, 4}, incoming);
    if (rank == 1) s.copy(own, {place::scratch, 4, 4});
    s.reduce(incoming, {place::scratch, 4, 4}, incoming);
    s.end_round();
    s.copy({place::scratch, 4, 4}, result);
    s.end_round();
    s.reduce(incoming, result, result);
    s.end_round();
  }
  EXPECT_TRUE(says(symbolic::world{}.play(both, 1, false), "reduces a byte that nobody wrote"));
}

TEST(symbolic, finds_lanes_that_share_bytes) {
  auto both = ranks(2);
  for (int rank = 0; rank != 2; ++rank) {
    schedule& s = both[static_cast<std::size_t>(rank)].plan;
    s.copy(own, result);
    s.end_round(0);
    s.send(1 - rank, {place::receive, 2, 2});
    s.receive(1 - rank, {place::receive, 0, 2});
    s.end_round(1);
  }
  EXPECT_TRUE(says(symbolic::world{}.play(both, 1, false), "streams share byte"));
}

}  // namespace
