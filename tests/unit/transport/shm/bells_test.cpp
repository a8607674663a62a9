// Processes of a node that sleep: who sends to one of them wakes it. Each end sleeps on its own
// bell, as the engine does.
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "unit/transport/ends.hpp"

namespace peal::test {
namespace {

struct sleepers {
  explicit sleepers(shm_options settings = {}) {
    for (int each = 0; each < 2; ++each) {
      settings.bell = &bells[each];
      options.settings_of.push_back(settings);
    }
    node.emplace(options);
  }
  shm_transport& at(int index) { return *(*node)[index].transport; }
  bool rung(int index, int patience = 0) {
    pollfd one{bells[index].descriptor(), POLLIN, 0};
    const bool was = poll(&one, 1, patience) == 1;
    bells[index].clear();
    return was;
  }
  bool send(int from, int bytes) {
    const auto payload = pattern(static_cast<std::size_t>(bytes), 1);
    const auto head = envelope::make(0, 1, 0, envelope_kind::eager, payload.size());
    return at(from).send(shm_node::peer(1 - from), head, payload.data());
  }

  wakeup bells[2];
  node_options options;
  std::optional<shm_node> node;
};

class asleep : public testing::TestWithParam<bool> {};

TEST_P(asleep, a_message_wakes_once_and_who_is_awake_hears_nothing) {
  sleepers pair{{.membarrier = GetParam()}};
  for (int each = 0; each < 40; ++each) {  // parcels first, then a box
    const int bytes = each % 2 == 0 ? 8 : 2000;
    ASSERT_TRUE(pair.send(0, bytes));
    EXPECT_FALSE(pair.rung(1));
    pair.at(1).poll();
    ASSERT_TRUE(pair.at(1).arm());
    ASSERT_TRUE(pair.send(0, bytes));
    EXPECT_TRUE(pair.rung(1)) << each;
    ASSERT_TRUE(pair.send(0, bytes));
    EXPECT_FALSE(pair.rung(1)) << "it is on its way already";
    pair.at(1).disarm();
    pair.at(1).poll();
    pair.at(0).poll();
  }
  EXPECT_EQ((*pair.node)[1].arrivals.got.size(), 120u);
}

TEST_P(asleep, room_wakes_only_who_waits_for_it) {
  sleepers pair{{.membarrier = GetParam()}};
  const auto take_all = [&] {
    for (int each = 0; each < 20; ++each) pair.at(1).poll();
  };
  for (int each = 0; each < 20; ++each) {
    ASSERT_TRUE(pair.send(0, 8));
    take_all();
    pair.at(0).poll();
  }
  ASSERT_TRUE(pair.send(0, 8));
  ASSERT_TRUE(pair.at(0).arm());
  take_all();
  EXPECT_FALSE(pair.rung(0));
  pair.at(0).disarm();
  while (pair.send(0, 8)) {
  }
  ASSERT_TRUE(pair.at(0).arm());
  take_all();
  EXPECT_TRUE(pair.rung(0));
  pair.at(0).disarm();
  EXPECT_TRUE(pair.send(0, 8));
}

TEST_P(asleep, a_refusal_while_another_thread_sleeps_wakes_that) {
  sleepers pair{{.membarrier = GetParam()}};
  ASSERT_TRUE(pair.at(0).arm());
  while (pair.send(0, 8)) {
  }
  EXPECT_TRUE(pair.rung(0));
}

void expect_no_wake_up_is_lost(sleepers& pair, std::size_t messages) {
  int lost = 0;
  std::thread other{[&] {
    for (std::size_t each = 0; each < messages; ++each)
      until([&] { pair.at(0).poll(); },
            [&] { return (*pair.node)[0].arrivals.got.size() == each && pair.send(0, 8); });
  }};
  for (std::size_t each = 0; each < messages; ++each) {
    auto& got = (*pair.node)[1].arrivals.got;
    while (got.size() <= each) {
      ASSERT_TRUE(pair.at(1).arm());
      pair.at(1).poll();
      if (got.size() <= each && !pair.rung(1, 10'000)) ++lost;
      pair.at(1).disarm();
      pair.at(1).poll();
    }
    until([&] { pair.at(1).poll(); }, [&] { return pair.send(1, 8); });
  }
  other.join();
  EXPECT_EQ(lost, 0);
}

TEST_P(asleep, none_of_many_wake_ups_is_lost) {
  sleepers pair{{.membarrier = GetParam()}};
  expect_no_wake_up_is_lost(pair, 20'000);
}

TEST_P(asleep, none_is_lost_where_boxes_are_not_polled) {
  sleepers pair{{.most_polled = 0, .membarrier = GetParam()}};
  expect_no_wake_up_is_lost(pair, 5'000);
}

TEST_P(asleep, the_end_of_a_peer_wakes) {
  sleepers pair{{.membarrier = GetParam()}};
  ASSERT_TRUE(pair.at(1).arm());
  pair.at(0).leave();
  EXPECT_TRUE(pair.rung(1));
}

/// A sleep may last long, and be looked at.
TEST(falls_asleep, messages_of_the_short_path_are_counted_before) {
  sleepers pair{{.box_after = 1}};
  std::atomic<std::uint64_t> counted{0};
  pair.at(0).count_short_in(counted);
  shm::box_writer* const path = pair.at(0).short_path_to(shm_node::peer(1));
  if (path == nullptr) GTEST_SKIP() << "there is no short path where senders need fences";
  ASSERT_TRUE(pair.send(0, 8));
  ASSERT_TRUE(path->takes(8));
  path->write_short(envelope::make(0, 1, 0, envelope_kind::eager, 8), "12345678", 8);
  ASSERT_TRUE(pair.at(0).arm());
  EXPECT_EQ(counted, 1u);
}

INSTANTIATE_TEST_SUITE_P(all, asleep, testing::Values(true, false),
                         [](const auto& which) { return which.param ? "membarrier" : "fences"; });

/// The first ring that cannot be delivered finds it asleep already, so it must know before.
TEST(asleep, who_cannot_be_found_by_a_peer_sleeps_for_a_short_time_only) {
  for (const bool apart : {false, true}) {
    segment_plan plan{.directory = segment_directory(),
                      .job_name = unique_name(),
                      .count = 2,
                      .front_bytes = shm_transport::front_bytes(),
                      .transport_bytes = shm_transport::transport_bytes(2)};
    node_segment segment{plan};
    plan.index = 1;
    const node_segment theirs{plan};
    segment.unlink();
    // a process in another namespace of process ids
    if (apart) ++const_cast<process_card&>(segment.card(1)).id_space;
    recorder arrivals;
    wakeup bell;
    shm_transport here{
        segment, arrivals, std::vector<peer_id>{0, 1}, {.bell = &bell, .membarrier = false}};
    // What a peer's transport would say, so that nothing else shortens the sleep.
    segment.at<shm::front>(segment.front(1).offset)->says.orders.store(shm::by_fences);
    ASSERT_TRUE(here.arm());
    EXPECT_EQ(here.wakes_at() != progress_source::deadline::max(), apart);
    here.disarm();
  }
}

TEST(asleep, who_has_no_bell_stays_awake) {
  shm_node node{{}};
  EXPECT_FALSE(node[0].transport->arm());
}

}  // namespace
}  // namespace peal::test
