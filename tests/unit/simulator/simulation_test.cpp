// Whole collectives: every algorithm ends and sends what its schedule says, and small ones take
// what can be added up by hand.
#include "simulator/simulation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "simulator/forecast.hpp"
#include "unit/simulator/questions.hpp"

namespace {

using namespace peal;
using namespace peal::simulator;
using detail::collective;
using test::about;

// Round numbers, as in fabric_test.cpp.
machine round_machine() {
  machine made;
  made.nic = {.name = "simple",
              .link_rate = 1,
              .units = 4,
              .pairs_per_unit = 1,
              .unit_ns = 10,
              .pcie_ns = 200,
              .context_bytes = 100,
              .cache_bytes = 100000,
              .inline_bytes = 50,
              .packet_bytes = 100,
              .header_bytes = 0};
  made.net = {.leaf_nodes = 1000, .oversubscription = 1, .switch_ns = 20, .cable_ns = 5};
  made.costs.local_send_ns = 2;
  made.costs.local_receive_ns = 3;
  made.costs.local_flight_ns = 50;
  made.costs.local_copy_rate = 4;
  made.costs.local_large_ns = 2;  // the answer
  made.costs.local_large_rate = 2;
  made.costs.remote_send_ns = 7;
  made.costs.remote_doorbell_ns = 30;
  made.costs.remote_receive_ns = 11;
  made.costs.reduce_rate = 1;
  made.costs.step_ns = 1;
  return made;
}

double ns(picoseconds time) { return static_cast<double>(time) / 1000; }

TEST(simulation, a_barrier_of_two) {
  const forecast made =
      predict(round_machine(), about(collective::barrier, "dissemination", 2, 0), method::full);
  // Request and doorbell 37, half the bus 100, a packet 10, cable, switch, cable 30, a packet 10,
  // half the bus 100, poll 11.
  EXPECT_EQ(ns(made.time), 37 + 100 + 10 + 30 + 10 + 100 + 11);
  EXPECT_EQ(made.messages, 2);
  EXPECT_EQ(made.doorbells, 2);
  EXPECT_EQ(made.rounds, 1);
}

TEST(simulation, a_barrier_of_two_on_a_node) {
  machine on = round_machine();
  on.ranks_per_node = 2;
  const forecast made =
      predict(on, about(collective::barrier, "dissemination", 2, 0), method::full);
  EXPECT_EQ(ns(made.time), 2 + 50 + 3);
  EXPECT_EQ(made.doorbells, 0);
}

TEST(simulation, a_short_reduction_is_copied_in_and_out_and_joined) {
  const forecast made =
      predict(round_machine(), about(collective::allreduce, "doubling", 2, 80), method::full);
  // As the barrier; 80 bytes are too many to go inline, so: into the slot 20, over the bus and back
  // 200, on the link 80 - the packet's 10 at the receiver, which overlap; out of the slot 20; the
  // join 80 + 1.
  EXPECT_EQ(ns(made.time), 37 + 20 + 100 + 200 + 10 + 30 + 80 + 100 + 11 + 20 + 81);
  EXPECT_EQ(made.bytes, 160);
}

TEST(simulation, a_long_message_is_announced_fetched_and_answered) {
  const forecast made =
      predict(round_machine(), about(collective::bcast, "tree", 2, 10000), method::full);
  const double announced = 37 + 100 + 10 + 30 + 64 + 100 + 11;
  const double asked = 37 + 100 + 2 * 10 + 30;
  const double moved = 200 + 10 + 30 + 10000 + 100 + 11;
  const double answered = 37 + 100 + 10 + 30 + 64 + 100 + 11;
  EXPECT_EQ(ns(made.time), announced + asked + moved + answered)
      << "the sender ends when it hears that all is there";
  EXPECT_EQ(made.messages, 1);
  EXPECT_EQ(made.doorbells, 3);
}

TEST(simulation, both_sides_copy_a_long_message_inside_a_node) {
  machine on = round_machine();
  on.ranks_per_node = 2;
  // Announced, copied, answered.
  EXPECT_EQ(ns(predict(on, about(collective::bcast, "tree", 2, 50000), method::full).time),
            2 + 50 + 3 + 25000 + 2 + 50 + 3);
  const double swapped =
      ns(predict(on, about(collective::alltoall, "pairwise", 2, 50000), method::full).time);
  EXPECT_GE(swapped, 2 * 25000) << "each core copies two";
  on.costs.local_large_ns = 102;
  EXPECT_EQ(ns(predict(on, about(collective::bcast, "tree", 2, 50000), method::full).time),
            2 + 50 + 3 + 100 + 25000 + 2 + 50 + 3);
}

TEST(simulation, a_core_goes_on_while_the_other_side_of_a_copy_is_busy) {
  machine on = round_machine();
  on.ranks_per_node = 8;
  // Seven messages come and seven go, and each keeps both cores busy for 25000.
  const double all =
      ns(predict(on, about(collective::alltoall, "linear", 8, 50000), method::full).time);
  EXPECT_GE(all, 14 * 25000);
  EXPECT_LE(all, 14 * 25000 * 1.05);
}

TEST(simulation, ranks_that_share_a_core_take_turns) {
  machine on = round_machine();
  on.ranks_per_node = 2;
  on.cores = 1;
  on.costs.switch_ns = 10;
  // The first sends until 2, the core changes until 12, the second sends until 14. At 52 the
  // message for the second is there, and the core may be at either: it changes until 62, and the
  // message is taken at 65. Meanwhile the first's has come: 75, 78.
  EXPECT_EQ(ns(predict(on, about(collective::barrier, "dissemination", 2, 0), method::full).time),
            78);
  on.cores = 2;
  EXPECT_EQ(ns(predict(on, about(collective::barrier, "dissemination", 2, 0), method::full).time),
            2 + 50 + 3);
}

TEST(simulation, a_receiver_copies_alone_where_ranks_share_cores) {
  machine on = round_machine();
  on.ranks_per_node = 4;
  on.cores = 2;
  on.costs.local_direct_rate = 0.1;
  const question q = about(collective::bcast, "tree", 4, 100000);
  const double slow = ns(predict(on, q, method::full).time);
  on.costs.local_direct_rate = 10;
  EXPECT_GE(slow - ns(predict(on, q, method::full).time), 1000000 - 10000);
}

TEST(simulation, every_algorithm_ends_where_ranks_share_cores) {
  machine on;
  on.ranks_per_node = 6;
  on.cores = 2;
  for (const algorithm& each : all_algorithms())
    for (const int ranks : {3, 6, 8, 13})
      for (const std::size_t bytes : {4u, 100'000u}) {
        const question q = ask(each, ranks, bytes, 4, on.ranks_per_node);
        if (!each.serves(make_problem(q, 0))) continue;
        machine alone = on;
        alone.cores = 0;
        const forecast shared = predict(on, q, method::full), own = predict(alone, q, method::full);
        EXPECT_EQ(shared.refusal, "") << each.name;
        EXPECT_EQ(shared.messages, own.messages) << each.name;
        EXPECT_GE(shared.time, own.time)
            << each.name << ", " << ranks << " ranks, " << bytes << " bytes";
      }
}

TEST(simulation, every_algorithm_ends_and_sends_what_it_says) {
  for (const algorithm& each : all_algorithms())
    for (const int ranks : {1, 2, 3, 5, 8, 13, 16, 31, 40})
      for (const std::size_t bytes : {4u, 1000u, 100'000u})
        for (const int per_node : {1, 3}) {
          question q = ask(each, ranks, bytes, 4);
          if (bytes > 50'000) q.cut = {16384, 3};
          q.ranks_per_node = per_node;
          if (!each.serves(make_problem(q, 0))) continue;
          double messages = 0, sent = 0;
          schedule built;
          for (int rank = 0; rank != ranks; ++rank) {
            build(each, make_problem(q, rank), q.cut, built);
            for (const peal::round& r : built.rounds()) {
              messages += r.sends;
              for (const step& s : built.sends(r)) sent += static_cast<double>(s.from.bytes);
            }
          }
          machine on;
          on.ranks_per_node = per_node;
          on.net.leaf_nodes = 4;
          const forecast made = predict(on, q, method::full);
          const std::string which =
              fmt::format("{} {} of {} bytes, {} ranks, {} a node", static_cast<int>(each.kind),
                          each.name, bytes, ranks, per_node);
          EXPECT_EQ(made.refusal, "") << which;
          EXPECT_EQ(made.messages, messages) << which;
          EXPECT_EQ(made.bytes, sent) << which;
          if (messages > 0) {
            EXPECT_GT(made.time, 0) << which;
          }
        }
}

TEST(simulation, rounds_on_the_deciding_way) {
  const machine on;
  for (const int ranks : {2, 3, 8, 9, 64}) {
    const auto logarithm = static_cast<double>(std::bit_width(static_cast<unsigned>(ranks - 1)));
    EXPECT_EQ(
        predict(on, about(collective::barrier, "dissemination", ranks, 0), method::full).rounds,
        logarithm)
        << ranks;
    EXPECT_EQ(predict(on, about(collective::allgather, "ring", ranks, 64), method::full).rounds,
              ranks - 1)
        << ranks;
  }
}

TEST(simulation, a_wrong_schedule_is_told) {
  population ranks{.ranks = 2, .shape_of = {0, 1}, .shapes = {}};
  schedule waits;
  waits.await(1);
  waits.end_round();
  ranks.shapes.emplace_back(waits, 0, 2, relation::distance);
  ranks.shapes.emplace_back(schedule{}, 1, 2, relation::distance);
  EXPECT_FALSE(simulate(machine{}, ranks).ended);
}

TEST(simulation, the_same_again) {
  const question q = ask(*find_algorithm(collective::alltoall, "linear"), 50, 3000, 4);
  const forecast a = predict(machine{}, q, method::full), b = predict(machine{}, q, method::full);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.rounds, b.rounds);
}

}  // namespace
