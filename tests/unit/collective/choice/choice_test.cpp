#include "collective/choice/choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

#include "base/variables.hpp"
#include "collective/schedule_cache.hpp"
#include "peal/error.hpp"
#include "unit/collective/arrangements.hpp"
#include "unit/collective/kinds.hpp"

namespace {

using namespace peal;
using detail::collective;
using test::kinds;

class with_variable {
 public:
  with_variable(const char* name, const std::string& value) : name_{name} {
    setenv(name, value.c_str(), 1);
  }
  ~with_variable() { unsetenv(name_); }

 private:
  const char* name_;
};

problem call_of(int size, std::size_t bytes, bool commutative = true, bool varying = false) {
  problem p;
  p.size = size;
  p.bytes = bytes;
  p.commutative = commutative;
  p.varying = varying;
  return p;
}

const std::array<std::uint32_t, 4> two_pairs_of_ranks{0, 0, 1, 1};
const node_map two_pairs{two_pairs_of_ranks};

TEST(choice, finds_something_that_serves_every_call) {
  const choice rules;
  for (const collective kind : kinds)
    for (const int size : {1, 2, 3, 8, 16, 17, 64, 1000, 1000000})
      for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{5000},
                                      std::size_t{100000}, std::size_t{1} << 40})
        for (const bool commutative : {false, true})
          for (const bool varying : {false, true}) {
            const problem p = call_of(size, bytes, commutative, varying);
            const chosen by = rules.of(kind, p);
            ASSERT_NE(by.how, nullptr);
            EXPECT_EQ(by.how->kind, kind);
            EXPECT_TRUE(by.how->serves(p));
            EXPECT_GE(by.radix, 2);
            EXPECT_LE(by.cut.streams, schedule::max_streams);
          }
}

// On two cores of an EPYC 9004 a reduction of 1 MiB takes 39 us whole, and more than 63 in pieces;
// on those of a Xeon pieces are faster.
TEST(choice, two_ranks_of_a_node_are_offered_a_reduction_whole_and_in_pieces_that_are_written) {
  const choice rules;
  const auto cuts_of_tree = [&](int size, std::size_t bytes, int ranks_per_node) {
    std::set<std::size_t> found;
    for (const candidate& each : rules.candidates(collective::reduce, call_of(size, bytes),
                                                  {.ranks_per_node = ranks_per_node, .cores = 2}))
      if (each.as.how->name == std::string{"tree"}) found.insert(each.as.cut.bytes);
    return found;
  };
  using cuts = std::set<std::size_t>;
  EXPECT_EQ(cuts_of_tree(2, 256 << 10, 2), (cuts{0, 32 << 10}));
  EXPECT_EQ(cuts_of_tree(2, 1 << 20, 2), (cuts{0, 32 << 10})) << "where another one is usual";
  EXPECT_EQ(cuts_of_tree(2, 256 << 10, 1), cuts{0}) << "on two nodes";
  EXPECT_EQ(cuts_of_tree(2, 128 << 10, 2), cuts{0});
  EXPECT_EQ(cuts_of_tree(4, 256 << 10, 4), cuts{0});
}

TEST(choice, one_candidate_is_the_one_that_is_taken) {
  const choice rules;
  for (const collective kind : kinds)
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{256} << 10, std::size_t{1} << 20}) {
      const auto all = rules.candidates(kind, call_of(2, bytes), {.ranks_per_node = 2, .cores = 2});
      EXPECT_EQ(std::ranges::count_if(all, &candidate::taken), 1) << name_of(kind) << bytes;
    }
}

TEST(choice, does_not_look_at_what_ranks_may_not_agree_on) {
  const choice rules;
  for (const collective kind : kinds)
    for (const int size : {2, 9, 40}) {
      // Blocks that vary: each rank knows the length of its own only, but in reduce_scatter.
      const algorithm* first = rules.of(kind, call_of(size, 0, true, true)).how;
      for (const std::size_t bytes : {std::size_t{1}, std::size_t{300}, std::size_t{1} << 20}) {
        const algorithm* here = rules.of(kind, call_of(size, bytes, true, true)).how;
        EXPECT_EQ(here, kind == collective::reduce_scatter
                            ? rules.of(kind, call_of(size, bytes)).how
                            : first);
      }
      // In place is a matter of the root alone, and so is being the root.
      problem p = call_of(size, 100);
      const algorithm* elsewhere = rules.of(kind, p).how;
      p.in_place = true;
      p.rank = p.root = size - 1;
      EXPECT_EQ(rules.of(kind, p).how, elsewhere);
    }
}

TEST(choice, goes_by_the_nodes_where_they_have_several_ranks) {
  const choice rules;
  const std::array<std::uint32_t, 4> in_turn{0, 1, 0, 1};
  const node_map out_of_order{in_turn};
  for (const collective kind : {collective::barrier, collective::bcast, collective::reduce,
                                collective::allreduce, collective::allgather})
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{1} << 20}) {
      problem p = call_of(4, bytes);
      EXPECT_FALSE(rules.of(kind, p).how->by_node);
      p.nodes = &two_pairs;
      if (kind != collective::allgather || bytes == 8) {
        EXPECT_TRUE(rules.of(kind, p).how->by_node) << bytes;
      }
      // Joined node by node is joined out of order here.
      p.nodes = &out_of_order;
      p.commutative = false;
      EXPECT_FALSE(rules.of(kind, p).how->by_node);
    }
}

// Each rank of a node could send its share; with two of them that takes longer than one that sends
// all.
TEST(choice, a_long_bcast_goes_over_leaders_where_nodes_have_few_ranks) {
  const std::array<std::uint32_t, 8> fours{0, 0, 0, 0, 1, 1, 1, 1};
  const node_map two_fours{fours};
  const auto found = [](std::size_t bytes, const node_map& nodes, int size) {
    problem p = call_of(size, bytes);
    p.nodes = &nodes;
    return std::string{choice{}.of(collective::bcast, p).how->name};
  };
  EXPECT_EQ(found(16 << 10, two_pairs, 4), "shares");
  EXPECT_EQ(found(64 << 10, two_pairs, 4), "leaders");
  EXPECT_EQ(found(4 << 20, two_pairs, 4), "leaders");
  EXPECT_EQ(found(64 << 10, two_fours, 8), "shares");
}

// Halving goes inside nodes first there: as many bytes in fewer messages.
TEST(choice, long_reductions_are_halved_where_nodes_and_their_ranks_are_powers_of_two) {
  const auto found = [](collective kind, std::size_t bytes, const node_map& nodes, int size) {
    problem p = call_of(size, bytes);
    p.nodes = &nodes;
    return std::string{choice{}.of(kind, p).how->name};
  };
  const node_map powers{test::in_blocks(128, {16})};
  EXPECT_EQ(found(collective::allreduce, 1 << 20, powers, 128), "rabenseifner");
  EXPECT_EQ(found(collective::reduce, 1 << 20, powers, 128), "scatter_gather");
  const node_map in_turn{test::in_turn(128, 8)}, six_nodes{test::in_blocks(96, {16})},
      twelve_ranks{test::in_blocks(96, {12})}, pairs{test::in_blocks(64, {2})};
  for (const collective kind : {collective::allreduce, collective::reduce}) {
    EXPECT_EQ(found(kind, 128 << 10, powers, 128), "shares") << "which go unasked";
    EXPECT_EQ(found(kind, 1 << 20, in_turn, 128), "shares");
    EXPECT_EQ(found(kind, 1 << 20, six_nodes, 96), "shares");
    EXPECT_EQ(found(kind, 1 << 20, twelve_ranks, 96), "shares");
    EXPECT_EQ(found(kind, 1 << 20, pairs, 64), "shares") << "of two ranks it is the same";
  }
}

// What no rule takes runs only where a variable names it or a tuning file has prices: nobody needs
// it. Looked at are calls of all lengths, by few and by many ranks, on one node and on several.
TEST(choice, has_a_rule_for_each_algorithm) {
  const choice rules;
  std::set<const algorithm*> found;
  for (const int a_node : {1, 2, 3, 8})
    for (const int size : {2, 3, 4, 8, 9, 16, 17, 32, 33, 64, 100, 256, 257, 1000}) {
      const node_map nodes{test::in_blocks(size, {a_node})};
      for (std::size_t bytes = 1; bytes <= std::size_t{1} << 32; bytes *= 2)
        for (const bool commutative : {false, true})
          for (const bool varying : {false, true})
            for (const collective kind : kinds) {
              problem p = call_of(size, bytes, commutative, varying);
              if (nodes.has_levels()) p.nodes = &nodes;
              found.insert(rules.of(kind, p).how);
            }
    }
  for (const algorithm& each : all_algorithms())
    EXPECT_TRUE(found.contains(&each)) << name_of(each.kind) << " " << each.name;
}

TEST(choice, goes_around_a_ring_with_long_vectors_of_operations_that_commute) {
  const choice rules;
  const std::size_t vector = 48 << 20;
  EXPECT_EQ(rules.of(collective::allreduce, call_of(48, vector)).how->name, "ring");
  EXPECT_EQ(rules.of(collective::allreduce, call_of(48, vector / 8)).how->name, "rabenseifner");
  EXPECT_EQ(rules.of(collective::allreduce, call_of(48, vector, false)).how->name, "rabenseifner");
  const node_map in_order{test::in_blocks(48, {4})}, out_of_order{test::in_turn(48, 12)};
  problem p = call_of(48, vector);
  p.nodes = &in_order;
  EXPECT_EQ(rules.of(collective::allreduce, p).how->name, "ring");
  p.nodes = &out_of_order;
  EXPECT_EQ(rules.of(collective::allreduce, p).how->name, "shares");
  EXPECT_EQ(rules.of(collective::reduce_scatter, call_of(48, vector)).how->name, "ring");
  EXPECT_EQ(rules.of(collective::reduce_scatter, call_of(48, vector / 16)).how->name, "halving");
  EXPECT_EQ(rules.of(collective::reduce_scatter, call_of(48, vector, false)).how->name, "pairwise");
  EXPECT_EQ(rules.of(collective::reduce_scatter, p).how->name, "pairwise") << "out of order";
}

TEST(choice, obeys_the_variables) {
  const with_variable forced{"PEAL_ALLREDUCE", "ring"};
  const choice rules{job_settings::from_environment().algorithms};
  EXPECT_EQ(rules.of(collective::allreduce, call_of(4, 8)).how->name, "ring");
  EXPECT_NE(rules.of(collective::reduce, call_of(4, 8)).how, nullptr);
}

TEST(choice, cuts_what_is_forced_as_the_rules_cut_it) {
  const with_variable forced{"PEAL_SCAN", "chain"};
  const choice rules{job_settings::from_environment().algorithms};
  const chosen by = rules.of(collective::scan, call_of(100, 64));
  EXPECT_EQ(by.how->name, "chain");
  EXPECT_NE(by.cut.bytes, 0u);
}

TEST(choice, gives_way_where_the_forced_algorithm_cannot_serve) {
  const with_variable ring{"PEAL_ALLREDUCE", "ring"};
  const with_variable doubling{"PEAL_ALLGATHER", "doubling"};
  const with_variable tree{"PEAL_GATHER", "tree"};
  const choice rules{job_settings::from_environment().algorithms};
  EXPECT_NE(rules.of(collective::allreduce, call_of(4, 8, false)).how->name, "ring");
  EXPECT_NE(rules.of(collective::allgather, call_of(6, 8)).how->name, "doubling");
  EXPECT_EQ(rules.of(collective::gather, call_of(4, 8, true, true)).how->name, "linear");
}

TEST(choice, variables_offer_just_the_algorithms_there_are) {
  for (std::size_t i = 0; i != kinds.size(); ++i) {
    const std::string name = variable_of(kinds[i]);
    std::string offered = "auto|direct";
    for (const algorithm& each : all_algorithms())
      if (each.kind == kinds[i]) offered += "|" + std::string{each.name};
    const variable* const row = find_variable(name);
    ASSERT_NE(row, nullptr) << name;
    EXPECT_EQ(row->allowed, offered) << name;
    for (const algorithm& each : all_algorithms())
      if (each.kind == kinds[i]) {
        const with_variable forced{name.c_str(), std::string{each.name}};
        problem p = call_of(4, 8);
        p.nodes = &two_pairs;
        EXPECT_EQ(choice{job_settings::from_environment().algorithms}.of(kinds[i], p).how->name,
                  each.name);
      }
    {
      const with_variable past_messages{name.c_str(), "direct"};
      EXPECT_FALSE(choice{job_settings::from_environment().algorithms}.forces(kinds[i]))
          << "so a call that does not fit has an algorithm";
    }
    const with_variable wrong{name.c_str(), "fastest"};
    EXPECT_THROW(job_settings::from_environment(), error);
  }
}

TEST(schedule_cache, finds_what_was_built_and_spares_what_is_in_use) {
  schedule_cache cache;
  const auto key = [](std::size_t bytes) {
    return schedule_key{.kind = collective::bcast, .bytes = bytes};
  };
  const auto add = [&](std::size_t bytes) {
    cached_schedule& made = cache.replace();
    made.key = key(bytes);
    made.keyed = true;
    return &made;
  };
  cached_schedule* held = add(0);
  ++held->users;
  for (std::size_t bytes = 1; bytes != 100; ++bytes) {
    cached_schedule* made = add(bytes);
    EXPECT_NE(made, held);
    EXPECT_EQ(cache.find(key(bytes)), made);
    EXPECT_EQ(cache.find(key(0)), held);
  }
  EXPECT_EQ(cache.find(key(1)), nullptr);
  EXPECT_NE(cache.find(key(99)), nullptr);
}

}  // namespace
