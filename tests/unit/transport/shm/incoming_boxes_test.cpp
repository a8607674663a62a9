#include "transport/shm/incoming_boxes.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "transport/shm/bells.hpp"
#include "transport/shm/parts.hpp"
#include "unit/transport/ends.hpp"
#include "unit/transport/talker.hpp"

namespace peal::test {
namespace {

using shm::box_watch;
using shm::incoming_boxes;

/// Boxes that senders have opened to a process that polls one.
struct reader {
  explicit reader(int count, std::uint32_t most = 1) : own{bells, most} {
    for (int each = 0; each < count; ++each) boxes.push_back(std::make_unique<shm::box>());
  }
  std::size_t open(int number) {
    auto& each = *boxes[static_cast<std::size_t>(number)];
    each.watch.open(bells.asks_for_news());
    return own.add(each, shm_node::peer(number), static_cast<std::uint32_t>(number));
  }
  shm::box& at(int number) { return *boxes[static_cast<std::size_t>(number)]; }
  /// As after a message of the sender.
  bool pushes_news(int number) { return bells.asks_for_news() && at(number).watch.must_tell(); }

  shm_node node{{.count = 1, .settings = {}}};
  shm::bells bells{*node[0].segment, nullptr, true};
  std::vector<std::unique_ptr<shm::box>> boxes;
  incoming_boxes own;
};

TEST(incoming_boxes, few_are_polled_and_nothing_is_told) {
  reader here{2, 2};
  EXPECT_EQ(here.open(0), 0u);
  EXPECT_EQ(here.open(1), 1u);
  EXPECT_EQ(here.own.polled_count(), 2u);
  EXPECT_FALSE(here.bells.asks_for_news());
  EXPECT_FALSE(here.own.polls_too_many());
}

TEST(incoming_boxes, of_many_the_silent_ones_are_polled_no_more) {
  reader here{4};
  for (int each = 0; each < 2; ++each) here.open(each);
  EXPECT_TRUE(here.bells.asks_for_news());
  EXPECT_TRUE(here.own.polls_too_many());
  EXPECT_FALSE(here.pushes_news(0)) << "it is polled still";
  here.own[1].box.pop();
  const auto [first, end] = here.own.change();
  EXPECT_EQ(first, 1u);
  EXPECT_EQ(end, 2u);
  EXPECT_EQ(&here.own[0].box.memory(), &here.at(1)) << "the one that had a message";
  EXPECT_TRUE(here.pushes_news(0));
  EXPECT_FALSE(here.pushes_news(0)) << "news stand for all messages";
  EXPECT_FALSE(here.pushes_news(1));
  EXPECT_EQ(here.own.take_news(here.at(0)), 1u);
  EXPECT_TRUE(here.pushes_news(0)) << "after it was taken there is another one";
  // One that is opened now is not polled from the start, and its opening is news.
  const std::size_t third = here.open(2);
  EXPECT_EQ(third, 2u);
  EXPECT_EQ(here.own.polled_count(), 1u);
  EXPECT_TRUE(here.pushes_news(2));
}

TEST(incoming_boxes, one_with_much_to_read_is_polled_until_it_is_silent) {
  reader here{3};
  for (int each = 0; each < 2; ++each) here.open(each);
  (void)here.own.change();  // both were silent
  EXPECT_EQ(here.own.polled_count(), 0u);
  const std::size_t position = here.own.take_news(here.at(1));
  EXPECT_LT(position, here.own.polled_count()) << "there is room";
  EXPECT_FALSE(here.pushes_news(1));
  here.own.poll_on(here.own.take_news(here.at(0)));
  EXPECT_EQ(here.own.polled_count(), 2u);
  EXPECT_TRUE(here.pushes_news(0)) << "its watch is as it was";
  EXPECT_LT(here.own.take_news(here.at(0)), here.own.polled_count());
  EXPECT_FALSE(here.pushes_news(0));
}

TEST(incoming_boxes, one_at_its_end_is_given_back_when_no_news_are_under_way) {
  for (const bool under_way : {false, true}) {
    reader here{2};
    for (int each = 0; each < 2; ++each) here.open(each);
    (void)here.own.change();
    ASSERT_TRUE(here.pushes_news(0));
    here.own.poll_on(1);
    const std::size_t polled = here.own.polled_count() - 1;
    ASSERT_EQ(&here.own[polled].box.memory(), &here.at(0)) << "found by a poll before its news";
    if (!under_way) (void)here.own.take_news(here.at(0));
    EXPECT_EQ(here.own.end(polled), !under_way);
    if (under_way) {
      EXPECT_TRUE(here.own[here.own.take_news(here.at(0))].closed);
    }
    EXPECT_FALSE(here.pushes_news(0));
    here.own.remove(polled);
    EXPECT_EQ(here.own.count(), 1u);
    EXPECT_EQ(&here.own[here.at(1).place].box.memory(), &here.at(1));
  }
}

TEST(incoming_boxes, nothing_is_asked_when_few_are_left) {
  reader here{3};
  for (int each = 0; each < 3; ++each) here.open(each);
  (void)here.own.change();
  here.own.remove(2);
  EXPECT_TRUE(here.bells.asks_for_news());
  here.own.remove(1);
  here.own.remove(0);
  EXPECT_FALSE(here.bells.asks_for_news());
}

// ---- senders and receivers in threads

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::uint32_t volume = 1'000;
#else
constexpr std::uint32_t volume = 10'000;
#endif

class told : public testing::TestWithParam<bool> {};

/// Boxes are polled and not, opened, closed for others, and given back.
TEST_P(told, order_holds_while_boxes_come_and_go) {
  node_options options;
  options.count = 6;
  options.settings = {.box_after = 2,
                      .most_boxes = 3,
                      .most_polled = 1,
                      .idle_after = std::chrono::milliseconds{1},
                      .membarrier = GetParam()};
  shm_node node{options};
  std::vector<std::unique_ptr<talker>> talkers;
  for (int each = 0; each < options.count; ++each) {
    std::vector<int> others;
    for (int other = 0; other < options.count; ++other)
      if (other != each) others.push_back(other);
    talkers.push_back(std::make_unique<talker>(node[each], others, others, volume));
  }
  run_all(talkers, 20);
  std::uint64_t news = 0;
  for (int each = 0; each < options.count; ++each) news += node[each].transport->counters().news;
  EXPECT_GT(news, 100u) << "nothing was ever told: the test shows nothing";
}

/// Each message is sent when the one before has come: one that is missed stops everything.
TEST_P(told, no_message_is_missed) {
  constexpr int senders = 3;
  node_options options;
  options.count = 1 + senders;
  options.settings = {.box_after = 1, .most_polled = 1, .membarrier = GetParam()};
  shm_node node{options};
  std::atomic<std::uint32_t> received[1 + senders]{};
  std::atomic<int> lost{0}, over{0};
  std::atomic<std::uint32_t> turns{0};
  std::atomic<std::uint64_t> news{0};
  node[0].arrivals.also = [&](const arrival& each) {
    received[(each.from - shm_node::peer(0)) / 3].fetch_add(1);
  };
  std::vector<std::thread> threads;
  for (int each = 1; each <= senders; ++each)
    threads.emplace_back([&, each] {
      std::mt19937 random{static_cast<unsigned>(each)};
      std::uint32_t sent = 0;
      std::uint64_t counted = 0;
      // As long as senders take turns on a core, each finds its box polled, and there are few news.
      while ((sent < volume / 4 || news < 1'000) && lost == 0) {
        for (std::uint32_t more = random() % 50 == 0 ? 70 : 1; more > 0; --more, ++sent)
          if (!until([&] { node[each].transport->poll(); },
                     [&] {
                       return node[each].transport->send(shm_node::peer(0), message(8, sent),
                                                         "12345678");
                     }))
            ++lost;
        // No poll here: the receiver alone has to come to it.
        if (!until([] {}, [&] { return received[each] == sent; })) ++lost;
        // Silent for so long that the box is polled no more, just now, or still.
        if (random() % 8 == 0) {
          const std::uint32_t now = turns, rest = random() % 1024;
          if (!until([] {}, [&] { return turns - now > rest; })) ++lost;
        }
        news += node[each].transport->counters().news - counted;
        counted = node[each].transport->counters().news;
      }
      ++over;
    });
  // Without a limit of its own: on a busy machine each message may wait for its turn on a core, and
  // senders end by themselves when one is missed.
  while (over != senders) {
    node[0].transport->poll();
    node[0].arrivals.got.clear();
    ++turns;
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(lost, 0);
}

/// As where the receiver's barrier has not reached the sender: that has stored a message, and has
/// found its box polled, as it was before.
TEST_P(told, what_a_barrier_has_not_made_visible_is_read_after_a_while) {
  node_options options;
  options.count = 4;
  options.settings = {.box_after = 1, .most_polled = 1, .membarrier = GetParam()};
  shm_node node{options};
  int received = 0;
  node[0].arrivals.also = [&](const arrival& each) { received += each.from == shm_node::peer(1); };
  std::uint32_t sent = 0;
  const auto send = [&](int from) {
    return until([&] { node[0].transport->poll(); },
                 [&] {
                   return node[from].transport->send(shm_node::peer(0), message(8, sent++),
                                                     "12345678");
                 });
  };
  for (int each = 1; each < options.count; ++each) ASSERT_TRUE(send(each));
  const node_segment& its = *node[1].segment;
  box_watch& watch = its.at<shm::box>(shm::parts::of(its, its.index()).boxes)->watch;
  ASSERT_TRUE(until([&] { node[0].transport->poll(); }, [&] { return watch.is_by_news(); }));
  ASSERT_EQ(received, 1);
  watch.set(box_watch::polled);
  ASSERT_TRUE(send(1));
  watch.set(box_watch::by_news);
  // The other boxes change places.
  EXPECT_TRUE(until(
      [&] {
        for (const int from : {2, 3}) (void)send(from);
        node[0].transport->poll();
      },
      [&] { return received == 2; }));
}

INSTANTIATE_TEST_SUITE_P(all, told, testing::Values(true, false),
                         [](const auto& which) { return which.param ? "membarrier" : "fences"; });

}  // namespace
}  // namespace peal::test
