// The shared-memory transport with its ends in threads of one process: what ThreadSanitizer could
// not see between processes.
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>

#include "peal/error.hpp"
#include "unit/transport/ends.hpp"
#include "unit/transport/talker.hpp"

namespace {

using namespace peal;
using namespace peal::test;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::uint32_t volume = 4'000;
constexpr std::size_t largest = std::size_t{8} << 20;
#else
constexpr std::uint32_t volume = 40'000;
constexpr std::size_t largest = std::size_t{64} << 20;
#endif

class shm_boxes : public testing::TestWithParam<std::uint32_t> {};

TEST_P(shm_boxes, both_directions_at_once_keep_order) {
  node_options options;
  options.settings.box_after = GetParam();
  shm_node node{options};
  std::vector<std::unique_ptr<talker>> talkers;
  talkers.push_back(std::make_unique<talker>(node[0], std::vector{1}, std::vector{1}, volume));
  talkers.push_back(std::make_unique<talker>(node[1], std::vector{0}, std::vector{0}, volume));
  run_all(talkers, 400);
  EXPECT_EQ(node[0].transport->counters().boxes_opened, 1u);
  EXPECT_EQ(node[0].transport->counters().parcels, GetParam() - 1);
}

INSTANTIATE_TEST_SUITE_P(after, shm_boxes, testing::Values(1u, 8u),
                         [](const auto& each) { return std::to_string(each.param); });

TEST(shm_transport, order_holds_while_pairs_change_between_box_and_parcels) {
  node_options options;
  options.count = 4;
  options.settings = {.box_after = 4, .most_boxes = 1};  // one box for three partners
  shm_node node{options};
  std::vector<std::unique_ptr<talker>> talkers;
  for (int each = 0; each < 4; ++each) {
    std::vector<int> others;
    for (int other = 0; other < 4; ++other)
      if (other != each) others.push_back(other);
    talkers.push_back(std::make_unique<talker>(node[each], others, others, volume / 8));
  }
  run_all(talkers, 20);
  std::uint64_t closed = 0;
  for (int each = 0; each < 4; ++each) closed += node[each].transport->counters().boxes_closed;
  EXPECT_GT(closed, 4u) << "no pair ever changed: the test shows nothing";
}

// What p2p keeps of a transport for its shortest messages: it must close when the box does, and
// stay where it is.
TEST(shm_transport, the_box_to_a_peer_stays_in_place_while_boxes_come_and_go) {
  shm_node node{{.count = 3, .settings = {.box_after = 1, .most_boxes = 1}}};
  const auto run = [&](int to) {
    return until(
        [&] {
          (void)node[0].transport->send(shm_node::peer(to), message(0, 0), nullptr);
          for (int each = 0; each < 3; ++each) node[each].transport->poll();
        },
        [&] { return node[0].transport->short_path_to(shm_node::peer(to))->open(); });
  };
  shm::box_writer* const first = node[0].transport->short_path_to(shm_node::peer(1));
  shm::box_writer* const second = node[0].transport->short_path_to(shm_node::peer(2));
  EXPECT_FALSE(first->takes(8));
  ASSERT_TRUE(run(1));
  EXPECT_TRUE(first->takes(8));
  node[1].transport->set_wants_eager(false);
  EXPECT_FALSE(first->takes(8));
  node[1].transport->set_wants_eager(true);
  ASSERT_TRUE(run(2));
  EXPECT_FALSE(first->takes(8));
  EXPECT_TRUE(second->takes(8));
  node[0].transport->peer_failed(shm_node::peer(2));
  EXPECT_FALSE(second->takes(8));
  EXPECT_EQ(node[0].transport->short_path_to(shm_node::peer(1)), first);
  EXPECT_EQ(node[0].transport->short_path_to(shm_node::peer(2)), second);
}

TEST(shm_transport, messages_of_the_short_path_are_counted_in_a_later_poll) {
  shm_node node{{.count = 3, .settings = {.box_after = 1, .most_boxes = 1}}};
  std::atomic<std::uint64_t> counted{7};
  node[0].transport->count_short_in(counted);
  const auto send = [&](int to) {
    return node[0].transport->send(shm_node::peer(to), message(8, 0), "12345678");
  };
  const auto poll = [&](int times) {
    for (int turn = 0; turn < times; ++turn)
      for (int each = 0; each < 3; ++each) node[each].transport->poll();
  };
  ASSERT_TRUE(until(
      [&] { poll(1); },
      [&] { return send(1) && node[0].transport->short_path_to(shm_node::peer(1))->open(); }));
  for (int each = 0; each < 5; ++each)
    node[0].transport->short_path_to(shm_node::peer(1))->write_short(message(8, 0), "12345678", 8);
  ASSERT_TRUE(send(1));
  poll(300);
  EXPECT_EQ(counted, 12u) << "those that are sent by a call are counted by others";
  // What was written last before the box is closed, for another peer, is not forgotten.
  node[0].transport->short_path_to(shm_node::peer(1))->write_short(message(8, 0), "12345678", 8);
  ASSERT_TRUE(until(
      [&] { poll(1); },
      [&] { return send(2) && node[0].transport->short_path_to(shm_node::peer(2))->open(); }));
  EXPECT_EQ(counted, 13u);
}

TEST(shm_transport, many_senders_to_one_without_boxes) {
  node_options options;
  options.count = 5;
  options.settings.most_boxes = 0;
  shm_node node{options};
  std::vector<std::unique_ptr<talker>> talkers;
  talkers.push_back(
      std::make_unique<talker>(node[0], std::vector<int>{}, std::vector{1, 2, 3, 4}, volume / 8));
  for (int each = 1; each < 5; ++each)
    talkers.push_back(
        std::make_unique<talker>(node[each], std::vector{0}, std::vector<int>{}, volume / 8));
  run_all(talkers, 20);
}

TEST(shm_transport, a_box_that_lies_idle_is_given_to_a_busy_pair) {
  node_options options;
  options.count = 3;
  options.settings = {.box_after = 2, .most_boxes = 1};
  shm_node node{options};
  const auto turn = [&] {
    for (int each = 0; each < 3; ++each) node[each].transport->poll();
  };
  const auto send_to = [&](int target, std::uint32_t count) {
    for (std::uint32_t each = 0; each < count; ++each)
      ASSERT_TRUE(until(turn, [&] {
        return node[0].transport->send(shm_node::peer(target), message(8, each), "12345678");
      }));
  };
  send_to(1, 10);
  EXPECT_EQ(node[0].transport->counters().boxes_opened, 1u);
  for (int more = 0; more < 10; ++more) turn();
  send_to(2, 100);
  EXPECT_EQ(node[0].transport->counters().boxes_closed, 1u);
  EXPECT_EQ(node[0].transport->counters().boxes_opened, 2u);
  send_to(1, 10);
  ASSERT_TRUE(until(turn, [&] {
    return node[1].arrivals.got.size() == 20 && node[2].arrivals.got.size() == 100;
  }));
}

// ---- fetch

struct fetch_case {
  shm_copy copy;
  bool source_shared, target_shared;
};

class shm_fetch : public testing::TestWithParam<fetch_case> {};

/// Fetches of many sizes from a thread of its own, while the other thread polls as the sender.
TEST_P(shm_fetch, every_size_arrives_whole) {
  const auto [copy, source_shared, target_shared] = GetParam();
  node_options options;
  options.settings.copy = copy;
  shm_node node{options};
  std::vector<std::byte> own_source(largest), own_target(largest + 1);
  std::byte* const source =
      source_shared ? static_cast<std::byte*>(node[1].heap->allocate(largest)) : own_source.data();
  std::byte* const target = target_shared
                                ? static_cast<std::byte*>(node[0].heap->allocate(largest + 1))
                                : own_target.data();
  ASSERT_TRUE(source != nullptr && target != nullptr);
  const auto filling = pattern(largest, 3);
  std::memcpy(source, filling.data(), largest);
  std::vector<remote_region> regions;
  const std::size_t sizes[] = {1,      4095,    4096,      4097,      65'535,
                               65'536, 131'073, 1'000'001, 3'000'000, largest};
  for (const std::size_t bytes : sizes)
    regions.push_back(node[1].transport->expose(shm_node::peer(0), source, bytes));

  std::atomic<bool> over{false};
  std::thread sender{[&] {
    while (!over.load()) node[1].transport->poll(), std::this_thread::yield();
  }};
  for (std::size_t each = 0; each < std::size(sizes); ++each) {
    const std::size_t bytes = sizes[each];
    target[bytes] = std::byte{0x77};
    std::memset(target, 0, bytes);
    tracked_fetch fetching{shm_node::peer(1), regions[each], target, bytes};
    node[0].transport->start_fetch(fetching);
    EXPECT_TRUE(until([&] { node[0].transport->poll(); }, [&] { return fetching.calls == 1; }))
        << bytes;
    EXPECT_FALSE(fetching.error) << fetching.error.message();
    EXPECT_EQ(std::memcmp(target, filling.data(), bytes), 0) << bytes;
    EXPECT_EQ(target[bytes], std::byte{0x77}) << "written past the end";
  }
  over = true;
  sender.join();
  if (source_shared) node[1].heap->deallocate(source);
  if (target_shared) node[0].heap->deallocate(target);
}

/// Where the receiver may be computing, the sender brings a payload there alone; else the receiver
/// has to take it out of the ring.
TEST(shm_transport, a_receiver_that_makes_no_turn_is_served_where_ranks_are_apart) {
  std::byte probe{1}, copied{};
  const iovec from{&probe, 1}, to{&copied, 1};
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != 1)
    GTEST_SKIP() << "needs process_vm_readv: no seccomp filter that refuses it";
  for (const bool apart : {true, false}) {
    node_options options;
    options.settings.apart = apart;
    shm_node node{options};
    constexpr std::size_t bytes = 1'000'001;
    const auto source = pattern(bytes, 5);
    std::vector<std::byte> target(bytes);
    const remote_region region = node[1].transport->expose(shm_node::peer(0), source.data(), bytes);
    tracked_fetch fetching{shm_node::peer(1), region, target.data(), bytes};
    node[0].transport->start_fetch(fetching);
    for (int turn = 0; turn < 1000; ++turn) node[1].transport->poll();
    EXPECT_EQ(std::memcmp(target.data(), source.data(), bytes) == 0, apart);
    EXPECT_TRUE(until([&] { node[0].transport->poll(), node[1].transport->poll(); },
                      [&] { return fetching.calls == 1; }));
    EXPECT_EQ(std::memcmp(target.data(), source.data(), bytes), 0);
  }
}

TEST_P(shm_fetch, several_from_several_at_once) {
  const auto [copy, source_shared, target_shared] = GetParam();
  constexpr int senders = 3, rounds = 12;
  constexpr std::size_t bytes = 300'000;
  node_options options;
  options.count = senders + 1;
  options.settings.copy = copy;
  shm_node node{options};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  std::vector<std::vector<std::byte>> sources;
  std::vector<remote_region> regions;
  for (int each = 1; each <= senders; ++each) {
    sources.push_back(pattern(bytes, static_cast<std::uint64_t>(each)));
    std::byte* data = sources.back().data();
    if (source_shared) {
      data = static_cast<std::byte*>(node[each].heap->allocate(bytes));
      std::memcpy(data, sources.back().data(), bytes);
    }
    regions.push_back(node[each].transport->expose(shm_node::peer(0), data, bytes));
    threads.emplace_back([&, each] {
      while (!over.load()) node[each].transport->poll(), std::this_thread::yield();
    });
  }
  std::vector<std::unique_ptr<tracked_fetch>> fetches;
  std::vector<std::vector<std::byte>> own;
  std::vector<std::byte*> targets;
  for (int each = 0; each < senders * rounds; ++each) {
    if (!target_shared) own.emplace_back(bytes);
    targets.push_back(target_shared ? static_cast<std::byte*>(node[0].heap->allocate(bytes))
                                    : own.back().data());
    const int from = each % senders;
    fetches.push_back(std::make_unique<tracked_fetch>(
        shm_node::peer(from + 1), regions[static_cast<std::size_t>(from)], targets.back(), bytes));
    node[0].transport->start_fetch(*fetches.back());
  }
  EXPECT_TRUE(until([&] { node[0].transport->poll(); },
                    [&] {
                      return std::all_of(fetches.begin(), fetches.end(),
                                         [](const auto& each) { return each->calls == 1; });
                    }));
  over = true;
  for (std::thread& each : threads) each.join();
  for (std::size_t each = 0; each < fetches.size(); ++each)
    EXPECT_EQ(std::memcmp(targets[each], sources[each % senders].data(), bytes), 0) << each;
}

/// Two processes stream to (or from) a third, one of them without a pause: the other one's single
/// payload comes soon nevertheless.
TEST_P(shm_fetch, a_stream_of_one_peer_does_not_hold_up_another) {
  // Not bound to a name each: Clang 16 captures no such name in a lambda, with OpenMP.
  const auto copy = GetParam().copy;
  const bool source_shared = GetParam().source_shared, target_shared = GetParam().target_shared;
  constexpr std::size_t bytes = 1'000'000, at_once = 2, many = 60;
  for (const bool one_receives : {true, false}) {
    node_options options;
    options.count = 3;
    options.settings.copy = copy;
    shm_node node{options};
    const auto data = pattern(bytes, 11);
    const auto memory = [&](int of, bool shared, std::vector<std::byte>& own) {
      own.resize(bytes);
      return shared ? static_cast<std::byte*>(node[of].heap->allocate(bytes)) : own.data();
    };
    std::vector<std::vector<std::byte>> own(2 + 2 * (many + 1));
    std::size_t used = 0;
    const auto fetch_of = [&](int other) {
      const int from = one_receives ? other : 0, to = one_receives ? 0 : other;
      std::byte* const source = memory(from, source_shared, own[used++]);
      std::memcpy(source, data.data(), bytes);
      auto made = std::make_unique<tracked_fetch>(
          shm_node::peer(from), node[from].transport->expose(shm_node::peer(to), source, bytes),
          memory(to, target_shared, own[used++]), bytes);
      node[to].transport->start_fetch(*made);
      return made;
    };
    std::vector<std::unique_ptr<tracked_fetch>> stream;
    const auto ended = [&] {
      return std::count_if(stream.begin(), stream.end(),
                           [](const auto& each) { return each->calls == 1; });
    };
    stream.push_back(fetch_of(1));
    const std::unique_ptr<tracked_fetch> single = fetch_of(2);
    const auto turn = [&] {
      while (stream.size() < many && stream.size() < static_cast<std::size_t>(ended()) + at_once)
        stream.push_back(fetch_of(1));
      for (int each = 0; each < 3; ++each) node[each].transport->poll();
    };
    EXPECT_TRUE(until(turn, [&] { return single->calls == 1; }));
    EXPECT_LT(ended(), static_cast<std::ptrdiff_t>(many) / 3)
        << (one_receives ? "fetched from two" : "given to two");
    EXPECT_TRUE(until(turn, [&] { return ended() == static_cast<std::ptrdiff_t>(many); }));
  }
}

/// A fetch that is started when another has ended must not come before those that have waited
/// longer: the sender would fill the ring with a payload that nobody reads yet.
TEST_P(shm_fetch, new_ones_wait_behind_those_that_wait) {
  // Not bound to a name each: Clang 16 captures no such name in a lambda, with OpenMP.
  const auto copy = GetParam().copy;
  const bool source_shared = GetParam().source_shared, target_shared = GetParam().target_shared;
  constexpr std::size_t bytes = 3'000'000, at_once = 10, count = 40;
  node_options options;
  options.settings.copy = copy;
  shm_node node{options};
  const auto data = pattern(bytes, 9);
  std::byte* const source = source_shared ? static_cast<std::byte*>(node[1].heap->allocate(bytes))
                                          : const_cast<std::byte*>(data.data());
  if (source_shared) std::memcpy(source, data.data(), bytes);
  const remote_region region = node[1].transport->expose(shm_node::peer(0), source, bytes);
  std::vector<std::vector<std::byte>> own(count);
  std::vector<std::byte*> targets(count);
  std::vector<std::unique_ptr<tracked_fetch>> fetches;
  const auto length = [](std::size_t each) { return each % 3 == 0 ? bytes : 40'000 + each; };
  const auto ended = [&] {
    return std::count_if(fetches.begin(), fetches.end(),
                         [](const auto& each) { return each->calls == 1; });
  };
  const auto turn = [&] {
    while (fetches.size() < count && fetches.size() < static_cast<std::size_t>(ended()) + at_once) {
      const std::size_t each = fetches.size();
      if (!target_shared) own[each].resize(length(each));
      targets[each] = target_shared ? static_cast<std::byte*>(node[0].heap->allocate(length(each)))
                                    : own[each].data();
      fetches.push_back(
          std::make_unique<tracked_fetch>(shm_node::peer(1), region, targets[each], length(each)));
      node[0].transport->start_fetch(*fetches.back());
    }
    node[0].transport->poll();
    node[1].transport->poll();
  };
  ASSERT_TRUE(until(turn, [&] { return fetches.size() == count && ended() == count; }));
  for (std::size_t each = 0; each < count; ++each)
    EXPECT_EQ(std::memcmp(targets[each], data.data(), length(each)), 0) << each;
}

TEST_P(shm_fetch, needs_a_sender_that_polls_only_where_the_payload_cannot_be_reached) {
  const auto [copy, source_shared, target_shared] = GetParam();
  std::byte probe{1}, copied{};
  const iovec from{&probe, 1}, to{&copied, 1};
  // emulators do not
  const bool reaches =
      copy != shm_copy::pipeline && process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
  const bool out_of_reach = !reaches && !source_shared;  // its owner must copy it into the segment
  node_options options;
  options.settings.copy = copy;
  shm_node node{options};
  constexpr std::size_t bytes = 1'500'000;
  std::vector<std::byte> own_source = pattern(bytes, 8), own_target(bytes);
  std::byte* source = own_source.data();
  if (source_shared) {
    source = static_cast<std::byte*>(node[1].heap->allocate(bytes));
    std::memcpy(source, own_source.data(), bytes);
  }
  std::byte* const target =
      target_shared ? static_cast<std::byte*>(node[0].heap->allocate(bytes)) : own_target.data();
  const remote_region region = node[1].transport->expose(shm_node::peer(0), source, bytes);
  for (int each = 0; each < 50; ++each) {  // more than there are records
    tracked_fetch fetching{shm_node::peer(1), region, target, bytes};
    node[0].transport->start_fetch(fetching);
    for (int turn = 0; out_of_reach && turn < 1000; ++turn) node[0].transport->poll();
    if (out_of_reach) {
      ASSERT_EQ(fetching.calls, 0) << "nobody can have copied it";
    }
    const auto turn = [&] {
      node[0].transport->poll();
      if (out_of_reach) node[1].transport->poll();
    };
    ASSERT_TRUE(until(turn, [&] { return fetching.calls == 1; }));
    ASSERT_EQ(std::memcmp(target, own_source.data(), bytes), 0);
  }
}

const fetch_case fetch_cases[] = {
    {shm_copy::automatic, false, false}, {shm_copy::automatic, true, false},
    {shm_copy::automatic, false, true},  {shm_copy::automatic, true, true},
    {shm_copy::pipeline, false, false},  {shm_copy::pipeline, true, false},
    {shm_copy::pipeline, false, true},   {shm_copy::pipeline, true, true},
};

INSTANTIATE_TEST_SUITE_P(modes, shm_fetch, testing::ValuesIn(fetch_cases), [](const auto& each) {
  return std::string{each.param.copy == shm_copy::pipeline ? "pipeline" : "direct"} +
         (each.param.source_shared ? "_from_shared" : "_from_own") +
         (each.param.target_shared ? "_to_shared" : "_to_own");
});

}  // namespace
