// Prices and simulated times: two readings of the same rules (cost_rules.hpp), which must agree on
// a machine where nobody else is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "collective/choice/choice.hpp"
#include "collective/choice/cost.hpp"
#include "simulator/forecast.hpp"

namespace {

using namespace peal;
using namespace peal::simulator;
using detail::collective;

/// The built-in machine with so many ranks and cores a node, each node under a leaf switch of its
/// own, as the flight among the cost parameters has it.
machine of_nodes(int ranks_per_node, int cores) {
  machine made;
  made.ranks_per_node = ranks_per_node;
  made.cores = cores;
  made.net.leaf_nodes = 1;
  return made;
}

struct answers {
  double price = 0, simulated = 0;
};

/// Nothing where the algorithm does not serve the call.
answers ask_both(const algorithm& how, const machine& on, int ranks, std::size_t bytes) {
  question q = ask(how, ranks, bytes, 4, on.ranks_per_node);
  q.ranks_per_node = on.ranks_per_node;
  const problem p = make_problem(q, 0);
  if (!how.serves(p)) return {};
  spread where;
  if (on.ranks_per_node < ranks) where.ranks_per_node = on.ranks_per_node;
  if (on.cores > 0) where.cores = on.cores;
  const forecast played = predict(on, q, method::full);
  EXPECT_EQ(played.refusal, "") << how.name;
  problem priced = p;
  priced.radix = q.radix;
  return {price(how, priced, q.cut, where, on.costs).value_or(-1),
          static_cast<double>(played.time) / 1000};
}

/// Most by which one may be above the other.
void expect_agreement(int ranks_per_node, int cores, double factor) {
  for (const algorithm& each : all_algorithms())
    for (const int ranks : {2, 3, 4, 5, 8, 12, 16, 17, 32})
      for (const std::size_t bytes : {8u, 1024u, 6000u, 16384u, 65536u, 1u << 20}) {
        const machine on = of_nodes(std::min(ranks_per_node, ranks), cores);
        const auto [price, simulated] = ask_both(each, on, ranks, bytes);
        EXPECT_LE(price, simulated * factor) << fmt::format(
            "{} {}, {} ranks, {} bytes", name_of(each.kind), each.name, ranks, bytes);
        EXPECT_GE(price * factor, simulated) << fmt::format(
            "{} {}, {} ranks, {} bytes", name_of(each.kind), each.name, ranks, bytes);
      }
}

TEST(agreement, of_one_node) { expect_agreement(32, 0, 2.2); }
TEST(agreement, of_a_rank_a_node) { expect_agreement(1, 0, 2.2); }
TEST(agreement, of_four_ranks_a_node) { expect_agreement(4, 0, 2.2); }
// When a core comes to a rank is played by the simulator, and by the price taken to be late.
TEST(agreement, where_ranks_share_cores) { expect_agreement(32, 2, 5); }

TEST(agreement, of_single_messages_is_near) {
  const algorithm& tree = *find_algorithm(collective::bcast, "tree");
  for (const int ranks_per_node : {1, 2})
    for (const std::size_t bytes : {8u, 100u, 100'000u, 1u << 20}) {
      const auto [price, simulated] = ask_both(tree, of_nodes(ranks_per_node, 0), 2, bytes);
      EXPECT_NEAR(price, simulated, simulated * 0.1) << bytes;
    }
}

TEST(agreement, holds_for_costs_that_were_measured) {
  cost_parameters slow;
  slow.remote_flight_ns = 5000;
  slow.remote_rate = 5;
  machine on;
  take_costs(on, slow);
  const algorithm& barrier = *find_algorithm(collective::barrier, "dissemination");
  const auto [price, simulated] = ask_both(barrier, on, 16, 0);
  EXPECT_NEAR(price, simulated, simulated * 0.02);
  const algorithm& ring = *find_algorithm(collective::allgather, "ring");
  const auto [far_price, far_simulated] = ask_both(ring, on, 16, 1 << 20);
  EXPECT_NEAR(far_price, far_simulated, far_simulated * 0.1);
}

}  // namespace
