#include "placement/mapping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "placement/topologies.hpp"

namespace {

using namespace peal::launcher;
using namespace peal::launcher::test;

node_state idle(const node_cores& node) {
  node_state state;
  state.quota = static_cast<int>(node.usable().size());
  state.held.resize(node.cores.size());
  state.host = "here";
  return state;
}

mapping run(const node_cores& node, const placement_request& asked,
            const std::vector<program_wish>& programs) {
  return map_ranks(node, asked, programs, idle(node));
}

placement_request by(locality over, int cores_per_rank = 0) {
  placement_request made;
  made.map_by = over;
  made.cores_per_rank = cores_per_rank;
  return made;
}

std::vector<int> first_cores(const mapping& of) {
  std::vector<int> made;
  for (const place& each : of.places) made.push_back(each.cores.empty() ? -1 : each.cores.front());
  return made;
}

std::string refusal(const node_cores& node, const placement_request& asked,
                    const std::vector<program_wish>& programs, const node_state& state) {
  try {
    map_ranks(cores_for(node, asked), asked, programs, state);
  } catch (const stop& end) {
    EXPECT_EQ(end.code, 2);
    return end.text;
  }
  return {};
}

TEST(mapping, gives_neighbours_to_neighbours) {
  const auto made = run(cores_of(large), {}, {{4, 1, false}});
  EXPECT_EQ(first_cores(made), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(made.places[3].all_threads(), (std::vector{6, 7}));
  EXPECT_EQ(made.cores, 4);
  EXPECT_TRUE(made.warning.empty() && made.unbound.empty());
}

TEST(mapping, by_caches_numa_nodes_and_sockets_goes_from_one_to_the_next) {
  const node_cores node = cores_of(large);
  EXPECT_EQ(first_cores(run(node, by(locality::l3), {{9, 1, false}})),
            (std::vector{0, 4, 8, 12, 16, 20, 24, 28, 1}));
  EXPECT_EQ(first_cores(run(node, by(locality::numa), {{5, 1, false}})),
            (std::vector{0, 8, 16, 24, 1}));
  EXPECT_EQ(first_cores(run(node, by(locality::socket), {{3, 1, false}})), (std::vector{0, 16, 1}));
  EXPECT_EQ(first_cores(run(node, by(locality::node), {{3, 1, false}})), (std::vector{0, 1, 2}));
}

TEST(mapping, leaves_out_domains_that_are_full) {
  const synthetic machine{"pack:2 core:4 pu:1"};
  const node_cores node = node_cores::of(machine.get(), {0, 4, 5, 6});
  EXPECT_EQ(first_cores(run(node, by(locality::socket), {{4, 1, false}})),
            (std::vector{0, 4, 5, 6}));
}

TEST(mapping, keeps_the_cores_of_a_rank_together) {
  const node_cores node = cores_of(large);
  const auto threes = run(node, by(locality::slot, 3), {{8, 3, true}});
  for (const place& each : threes.places) {
    ASSERT_EQ(each.cores.size(), 3U);
    EXPECT_EQ(node.cores[static_cast<std::size_t>(each.cores.front())].l3,
              node.cores[static_cast<std::size_t>(each.cores.back())].l3);
  }
  // What is left of the caches is enough for two more, although of several caches.
  EXPECT_EQ(run(node, by(locality::slot, 3), {{10, 3, true}}).places[9].cores.size(), 3U);
  // Wider than a cache: within a NUMA node.
  const auto sixes = run(node, by(locality::slot, 6), {{4, 6, true}});
  for (const place& each : sixes.places)
    EXPECT_EQ(node.cores[static_cast<std::size_t>(each.cores.front())].numa,
              node.cores[static_cast<std::size_t>(each.cores.back())].numa);
}

TEST(mapping, binds_to_whole_domains_when_asked) {
  const node_cores node = cores_of(large);
  placement_request asked = by(locality::socket);
  asked.bind_to = binding::numa;
  const auto made = run(node, asked, {{3, 1, false}});
  EXPECT_EQ(made.places[0].cores, (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(made.places[1].cores, (std::vector{16, 17, 18, 19, 20, 21, 22, 23}));
  EXPECT_EQ(made.places[2].cores, made.places[0].cores);
  EXPECT_TRUE(made.places[0].shared);
  EXPECT_TRUE(made.places[0].openmp_places().empty()) << "two ranks would begin with one core";
  EXPECT_FALSE(made.places[1].shared);
  EXPECT_EQ(made.cores, 16);
  asked.bind_to = binding::socket;
  EXPECT_EQ(run(node, asked, {{2, 1, false}}).places[1].cores.size(), 16U);
  asked.bind_to = binding::l3;
  EXPECT_EQ(run(node, asked, {{2, 1, false}}).places[1].cores, (std::vector{16, 17, 18, 19}));
}

TEST(mapping, lists_the_cores_of_a_rank_for_openmp) {
  const auto made = run(cores_of("core:4 pu:2"), {}, {{2, 2, true}});
  EXPECT_EQ(made.places[1].openmp_places(), "{4,5},{6,7}");
  EXPECT_TRUE(run(cores_of("core:4 pu:2"), {}, {{2, 1, true}}).places[1].openmp_places().empty());
}

TEST(mapping, numbers_ranks_as_asked) {
  const node_cores node = cores_of("pack:2 core:4 pu:1");
  placement_request asked = by(locality::socket);
  asked.rank_by = locality::core;
  EXPECT_EQ(first_cores(run(node, asked, {{4, 1, false}})), (std::vector{0, 1, 4, 5}));
  asked.map_by = locality::slot;
  asked.rank_by = locality::socket;
  EXPECT_EQ(first_cores(run(node, asked, {{6, 1, false}})), (std::vector{0, 4, 1, 5, 2, 3}));
  asked.rank_by = locality::slot;
  EXPECT_EQ(first_cores(run(node, asked, {{3, 1, false}})), (std::vector{0, 1, 2}));
  // Programs keep their own ranks.
  asked.rank_by = locality::socket;
  const auto two = run(node, asked, {{6, 1, false}, {1, 2, true}});
  EXPECT_EQ(two.places[6].cores, (std::vector{6, 7}));
}

TEST(mapping, does_not_bind_a_single_rank_unless_something_is_said) {
  const node_cores node = cores_of(large);
  const auto alone = run(node, {}, {{1, 1, false}});
  EXPECT_FALSE(alone.places[0].bound);
  EXPECT_TRUE(alone.places[0].all_threads().empty());
  EXPECT_EQ(alone.cores, 32);
  EXPECT_TRUE(alone.warning.empty());
  EXPECT_TRUE(run(node, {}, {{1, 4, true}}).places[0].bound);
  EXPECT_TRUE(run(node, by(locality::numa), {{1, 1, false}}).places[0].bound);
  placement_request asked;
  asked.bind_to = binding::core;
  EXPECT_TRUE(run(node, asked, {{1, 1, false}}).places[0].bound);
}

TEST(mapping, does_not_bind_where_that_could_harm_unless_asked) {
  const node_cores node = cores_of(large);
  node_state state = idle(node);
  state.objection = "jobs in other containers cannot be seen";
  auto made = map_ranks(node, {}, {{4, 1, false}}, state);
  EXPECT_FALSE(made.places[0].bound);
  EXPECT_EQ(made.unbound, state.objection);
  EXPECT_TRUE(made.warning.empty());
  made = map_ranks(node, by(locality::numa), {{4, 1, false}}, state);
  EXPECT_EQ(made.warning,
            "ranks are not bound (jobs in other containers cannot be seen), so --map-by has no "
            "effect; --bind-to core binds them");
  placement_request asked;
  asked.bind_to = binding::core;
  EXPECT_TRUE(map_ranks(node, asked, {{4, 1, false}}, state).places[0].bound);
  state.blind = true;
  EXPECT_FALSE(map_ranks(node, asked, {{4, 1, false}}, state).places[0].bound);
}

TEST(mapping, leaves_cores_of_other_jobs_alone) {
  const node_cores node = cores_of("pack:2 core:4 pu:2");
  node_state state = idle(node);
  state.held[0] = state.held[5] = true;
  const auto made = map_ranks(node, {}, {{6, 1, false}}, state);
  EXPECT_EQ(first_cores(made), (std::vector{1, 2, 3, 4, 6, 7}));
  const auto many = map_ranks(node, {}, {{7, 1, false}}, state);
  EXPECT_FALSE(many.places[0].bound);
  EXPECT_EQ(many.cores, 6);
  EXPECT_EQ(many.warning,
            "7 ranks on 8 cores, of which other jobs of pealrun hold 2: ranks share cores and are "
            "not bound");
  placement_request asked;
  asked.bind_to = binding::socket;
  EXPECT_EQ(map_ranks(node, asked, {{2, 1, false}}, state).places[0].cores, (std::vector{1, 2, 3}));
}

TEST(mapping, respects_the_quota) {
  const node_cores node = cores_of(large);
  node_state state = idle(node);
  state.quota = 2;
  EXPECT_EQ(map_ranks(node, {}, {{3, 1, false}}, state).warning,
            "3 ranks on 2 cores: ranks share cores and are not bound");
  EXPECT_EQ(map_ranks(node, {}, {{1, 1, false}}, state).cores, 2);
}

TEST(mapping, keeps_to_the_cpu_set) {
  const node_cores node = cores_of(large);
  placement_request asked;
  asked.cpu_set = {6, 7, 9};
  const node_cores left = cores_for(node, asked);
  const auto made = run(left, asked, {{2, 1, false}});
  EXPECT_EQ(made.places[0].all_threads(), (std::vector{6, 7}));
  EXPECT_EQ(made.places[1].all_threads(), std::vector{9});
  const auto many = run(left, asked, {{3, 1, false}});
  EXPECT_FALSE(many.places[0].bound);
  EXPECT_EQ(many.places[2].all_threads(), (std::vector{6, 7, 9})) << "not bound, but kept in";
  asked.cpu_set = {63, 64};
  EXPECT_EQ(refusal(node, asked, {{1, 1, false}}, idle(node)),
            "pealrun: --cpu-set 63-64: 64 is not among the hardware threads that pealrun may use "
            "here: 0-63 are allowed\n");
}

TEST(mapping, refuses_what_cannot_be) {
  const node_cores node = cores_of(large);
  placement_request asked;
  asked.oversubscribe = false;
  EXPECT_EQ(refusal(node, asked, {{33, 1, false}}, idle(node)),
            "pealrun: 33 ranks on 32 cores: too many (--no-oversubscribe); start fewer, or leave "
            "that option out\n");
  EXPECT_EQ(refusal(node, asked, {{4, 9, true}}, idle(node)),
            "pealrun: 4 ranks that want 36 cores (OMP_NUM_THREADS) on 32 cores: too many "
            "(--no-oversubscribe); start fewer, or leave that option out\n");
  EXPECT_EQ(refusal(node, {}, {{1, 1, false}}, idle(node)), "");
  EXPECT_EQ(refusal(node, by(locality::l3, 5), {{1, 5, true}}, idle(node)),
            "pealrun: --map-by l3: a rank wants 5 cores (PE=5), but no L3 cache has more than 4 "
            "that may be used here\n");
  placement_request few;
  few.ranks_per_node = 2;
  EXPECT_NE(refusal(node, few, {{3, 1, false}}, idle(node)).find("3 ranks with at most 2 a node"),
            std::string::npos);
  EXPECT_EQ(refusal(node, few, {{2, 1, false}}, idle(node)), "");
}

TEST(mapping, of_too_many_ranks_may_share_domains_evenly) {
  const node_cores node = cores_of("pack:2 core:2 pu:1");
  placement_request asked = by(locality::socket);
  asked.bind_to = binding::socket;
  const auto made = run(node, asked, {{10, 1, false}});
  EXPECT_EQ(made.warning, "10 ranks on 4 cores: ranks share the cores of sockets");
  const auto on_first =
      std::count_if(made.places.begin(), made.places.end(),
                    [](const place& each) { return each.cores == std::vector{0, 1}; });
  EXPECT_EQ(on_first, 5);
}

// Whatever is asked on whatever machine.
TEST(mapping, never_gives_a_hardware_thread_twice_nor_one_that_is_not_allowed) {
  const synthetic machines[] = {synthetic{large},
                                synthetic{"pack:2 core:6 pu:2(indexes=pack:core)"},
                                synthetic{"numa:3 core:5 pu:1"},
                                synthetic{"pack:1 l3:4 core:3 pu:4"},
                                synthetic{"pack:2 [numa][numa] l3:2 core:2 pu:1"},
                                synthetic{"core:1 pu:1"},
                                synthetic{"pu:7"}};
  unsigned seed = 17;
  const auto chance = [&seed](int below) {
    seed = seed * 1664525U + 1013904223U;
    return static_cast<int>((seed >> 8) % static_cast<unsigned>(below));
  };
  int bound = 0;
  for (int round = 0; round < 2000; ++round) {
    const synthetic& machine = machines[static_cast<std::size_t>(round) % std::size(machines)];
    std::vector<int> allowed;
    for (const int each : machine.threads())
      if (chance(4) > 0) allowed.push_back(each);
    if (allowed.empty()) continue;
    const node_cores node = node_cores::of(machine.get(), allowed);
    node_state state = idle(node);
    for (std::size_t core = 0; core < node.cores.size(); ++core) state.held[core] = chance(6) == 0;
    placement_request asked;
    if (chance(3) > 0) asked.map_by = static_cast<locality>(chance(6));
    if (chance(3) == 0) asked.rank_by = static_cast<locality>(chance(6));
    asked.bind_to = chance(2) == 0 ? binding::automatic : binding::core;
    const int cores = 1 + chance(3);
    const std::vector<program_wish> programs{{1 + chance(6), cores, true},
                                             {1, 1 + chance(2), true}};
    mapping made;
    try {
      made = map_ranks(node, asked, programs, state);
    } catch (const stop& end) {
      EXPECT_NE(end.text.find("but no "), std::string::npos) << end.text;
      continue;
    }
    const int ranks = programs[0].ranks + 1;
    ASSERT_EQ(made.places.size(), static_cast<std::size_t>(ranks));
    if (!made.unbound.empty()) {
      EXPECT_FALSE(made.warning.empty()) << "cores were too few, and nothing else is against it";
      continue;
    }
    ++bound;
    std::set<int> given;
    std::size_t count = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const place& each = made.places[static_cast<std::size_t>(rank)];
      EXPECT_FALSE(each.shared);
      EXPECT_EQ(each.cores.size(),
                static_cast<std::size_t>(programs[rank < programs[0].ranks ? 0 : 1].cores));
      for (const int core : each.cores) EXPECT_FALSE(state.held[static_cast<std::size_t>(core)]);
      for (const int thread : each.all_threads()) {
        ++count;
        given.insert(thread);
        EXPECT_TRUE(std::binary_search(allowed.begin(), allowed.end(), thread));
      }
    }
    EXPECT_EQ(given.size(), count) << "a hardware thread twice";
  }
  EXPECT_GT(bound, 200) << "the test tries what it is for";
}

}  // namespace
