// Large payloads between processes of which some take no part in their copies, where the kernel
// lets nobody copy without them. Such a process may delay its own payloads only.
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <memory>
#include <vector>

#include "transport/shm/layout.hpp"
#include "transport/shm/shm_transport.hpp"
#include "unit/transport/ends.hpp"

namespace peal::test {
namespace {

constexpr std::size_t bytes = 300'000;

/// Process 0 and its peers; all payloads are alike.
struct stalled_node {
  explicit stalled_node(int count) : peers{count - 1} {
    options.count = count;
    options.heap_bytes = std::size_t{2} << 20;
    options.settings.copy = shm_copy::pipeline;
    node.emplace(options);
  }
  tracked_fetch& fetch(int from, int to) {
    const remote_region region =
        (*node)[from].transport->expose(shm_node::peer(to), source.data(), bytes);
    targets.emplace_back(bytes);
    tracked_fetch& made =
        fetches.emplace_back(shm_node::peer(from), region, targets.back().data(), bytes);
    (*node)[to].transport->start_fetch(made);
    return made;
  }
  void turn(int index) { (*node)[index].transport->poll(); }
  bool ends(const tracked_fetch& which, int one, int other) {
    return until([&] { turn(one), turn(other); }, [&] { return which.calls == 1; });
  }
  /// With everybody's help; also because what has begun ends before what it fills does.
  void expect_the_rest_to_end() {
    EXPECT_TRUE(until(
        [&] {
          for (int each = 0; each <= peers; ++each) turn(each);
        },
        [&] {
          return std::ranges::all_of(fetches,
                                     [](const tracked_fetch& each) { return each.calls == 1; });
        }));
    for (const tracked_fetch& each : fetches) EXPECT_FALSE(each.error);
    for (const auto& each : targets) EXPECT_EQ(each, source);
  }

  int peers;
  node_options options;
  std::optional<shm_node> node;
  const std::vector<std::byte> source = pattern(bytes, 12);
  std::list<std::vector<std::byte>> targets;
  std::list<tracked_fetch> fetches;
};

TEST(shm_stall, a_sender_is_received_from_while_all_others_compute) {
  constexpr int computing = shm::transfers / 2;
  stalled_node all{computing + 2};
  for (int each = 1; each <= computing; ++each)
    for (int more = 0; more < 6; ++more) all.fetch(each, 0);
  EXPECT_TRUE(all.ends(all.fetch(computing + 1, 0), computing + 1, 0));
  all.expect_the_rest_to_end();
}

TEST(shm_stall, a_receiver_is_sent_to_while_all_others_compute) {
  constexpr int computing = 2 * shm::staging_rings + 1;
  stalled_node all{computing + 2};
  for (int each = 1; each <= computing; ++each)
    for (int more = 0; more < 2; ++more) all.fetch(0, each);
  for (int each = 0; each < 1000; ++each) all.turn(0);  // all that can be written now is
  EXPECT_TRUE(all.ends(all.fetch(0, computing + 1), computing + 1, 0));
  all.expect_the_rest_to_end();
}

}  // namespace
}  // namespace peal::test
