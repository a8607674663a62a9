// What ends when a peer dies, and what does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "unit/p2p/fake_network.hpp"

namespace peal::test {
namespace {

using bytes = std::vector<std::byte>;

TEST(peer_failed, ends_what_is_pending_to_it_and_from_it) {
  fake_job job{3};
  job.network.space = 2;
  const bytes data = pattern(500, 1);
  bytes got(500);
  std::vector<operation*> pending;
  pending.push_back(&job.send(0, 2, 1, data.data(), 500));  // announced
  job[0].release(job.send(0, 2, 1, data.data(), 8));
  pending.push_back(&job.send(0, 2, 1, data.data(), 8));  // queued
  pending.push_back(&job.send(0, 2, 1, data.data(), 500));
  pending.push_back(&job.receive(0, 2, 1, got.data(), got.size()));
  operation& alive = job.receive(0, 1, 1, got.data(), got.size());
  operation& sent = job.send(0, 1, 1, data.data(), 500);
  job[0].peer_failed(2);
  for (operation* each : pending) {
    ASSERT_TRUE(over(*each));
    EXPECT_EQ(each->result.error, errc::peer_failed);
    EXPECT_EQ(each->result.bytes, 0u);
  }
  EXPECT_FALSE(over(alive));
  EXPECT_FALSE(over(sent));
  EXPECT_TRUE(job[0].has_failed(2));
  EXPECT_FALSE(job[0].has_failed(1));
  EXPECT_EQ(job.network.exposed(), 1u) << "only what rank 1 may fetch";
}

TEST(peer_failed, ends_new_operations_at_once) {
  fake_job job{2};
  job[0].peer_failed(1);
  const int sent = 1;
  int got = 0;
  EXPECT_FALSE(job[0].try_send_now(job.world(0), 0, &sent, sizeof sent, 1, 1));
  operation& send = job.send(0, 1, 1, &sent, sizeof sent);
  operation& receive = job.receive(0, 1, 1, &got, sizeof got);
  ASSERT_TRUE(over(send) && over(receive));
  EXPECT_EQ(send.result.error, errc::peer_failed);
  EXPECT_EQ(receive.result.error, errc::peer_failed);
  EXPECT_EQ(receive.result.source, 1);
  EXPECT_TRUE(job[0].idle());
}

TEST(peer_failed, leaves_messages_that_had_come_whole) {
  fake_job job{2};
  const int sent[] = {1, 2, 3};
  const bytes data = pattern(500, 1);
  int got = 0;
  job.send(1, 0, 1, &sent[0], sizeof(int));
  job.settle();
  job.send(1, 0, 2, &sent[1], sizeof(int));  // on its way
  job.send(1, 0, 3, data.data(), data.size());
  operation& waiting = job.receive(0, 1, 2, &got, sizeof got);
  job[0].peer_failed(1);
  ASSERT_TRUE(over(waiting));
  EXPECT_FALSE(waiting.result.error) << "what it sent before it died still arrives";
  EXPECT_EQ(got, 2);
  operation& earlier = job.receive(0, 1, 1, &got, sizeof got);
  ASSERT_TRUE(over(earlier));
  EXPECT_FALSE(earlier.result.error);
  EXPECT_EQ(got, 1);
  bytes into(500);
  operation& gone = job.receive(0, 1, 3, into.data(), into.size());
  ASSERT_TRUE(over(gone));
  EXPECT_EQ(gone.result.error, errc::peer_failed) << "its payload died with it";
  EXPECT_EQ(gone.result.tag, 3);
  EXPECT_EQ(gone.result.bytes, 0u);
}

TEST(peer_failed, ends_a_payload_under_way) {
  fake_job job{2};
  job.network.hold_fetches = true;
  const bytes data = pattern(500, 1);
  bytes got(500);
  operation& receive = job.receive(0, 1, 3, got.data(), got.size());
  job.send(1, 0, 3, data.data(), data.size());
  job.settle();
  EXPECT_FALSE(over(receive));
  job[0].peer_failed(1);
  ASSERT_TRUE(over(receive));
  EXPECT_EQ(receive.result.error, errc::peer_failed);
  EXPECT_TRUE(job[0].idle()) << "no answer is owed to the dead";
}

TEST(peer_failed, ends_a_message_that_a_probe_took) {
  fake_job job{2};
  const bytes data = pattern(500, 1);
  job.send(1, 0, 3, data.data(), data.size());
  job.send(1, 0, 4, data.data(), data.size());
  job.settle();
  outcome what;
  matched_message* taken = job[0].take(job.world(0), 0, 1, 3, what);
  matched_message* unwanted = job[0].take(job.world(0), 0, 1, 4, what);
  ASSERT_TRUE(taken && unwanted);
  job[0].peer_failed(1);
  bytes got(500);
  operation& receive = job[0].start_recv_matched(*taken, got.data(), got.size());
  ASSERT_TRUE(over(receive));
  EXPECT_EQ(receive.result.error, errc::peer_failed);
  job[0].discard(*unwanted);
  EXPECT_TRUE(job[0].idle());
}

TEST(peer_failed, ends_receives_from_any_source_of_teams_that_contain_it) {
  fake_job job{3};
  const team without{8, 0, {0, 1}};
  int got = 0;
  operation& with = job.receive(0, -1, 1, &got, sizeof got);
  operation& other = job[0].start_recv(without, 8, &got, sizeof got, -1, 1);
  job[0].peer_failed(2);
  ASSERT_TRUE(over(with));
  EXPECT_EQ(with.result.error, errc::peer_failed);
  EXPECT_FALSE(over(other));
  operation& next = job.receive(0, -1, 1, &got, sizeof got);
  EXPECT_FALSE(over(next)) << "once: those who live go on";
  const int sent = 7;
  job.send(1, 0, 1, &sent, sizeof sent);
  job.settle();
  ASSERT_TRUE(over(next));
  EXPECT_FALSE(next.result.error);
  EXPECT_EQ(got, 7);
}

TEST(peer_failed, is_told_to_the_next_receive_from_any_source_when_nobody_has_heard) {
  fake_job job{3};
  job[0].peer_failed(2);
  int got = 0;
  operation& first = job.receive(0, -1, 1, &got, sizeof got);
  ASSERT_TRUE(over(first));
  EXPECT_EQ(first.result.error, errc::peer_failed);
  EXPECT_FALSE(over(job.receive(0, -1, 1, &got, sizeof got)));

  fake_job told{3};
  told[0].peer_failed(2);
  EXPECT_TRUE(over(told.receive(0, 2, 1, &got, sizeof got)));
  EXPECT_FALSE(over(told.receive(0, -1, 1, &got, sizeof got)))
      << "the user knows from the receive before";
}

TEST(peer_failed, is_told_to_who_probes_as_to_who_receives) {
  fake_job job{3};
  const int sent = 5;
  job.send(1, 0, 1, &sent, sizeof sent);
  job.settle();
  outcome of;
  EXPECT_EQ(job[0].take(job.world(0), 0, 2, 1, of), nullptr);
  EXPECT_FALSE(of.error) << "rank 2 lives";
  job[0].peer_failed(2);
  EXPECT_EQ(job[0].take(job.world(0), 0, 2, 1, of), nullptr);
  EXPECT_EQ(of.error, errc::peer_failed);
  EXPECT_EQ(of.source, 2);
  of = {};
  EXPECT_EQ(job[0].take(job.world(0), 0, -1, 2, of), nullptr);
  EXPECT_FALSE(of.error) << "the user knows from the probe before";
  matched_message* const kept = job[0].take(job.world(0), 0, -1, 1, of);
  ASSERT_NE(kept, nullptr) << "messages of those who live are found";
  job[0].discard(*kept);
  job[0].peer_failed(1);
  EXPECT_EQ(job[0].take(job.world(0), 0, -1, 2, of), nullptr);
  EXPECT_EQ(of.error, errc::peer_failed) << "a probe from any source hears of another death once";
  EXPECT_EQ(of.source, -1);
  of = {};
  EXPECT_EQ(job[0].take(job.world(0), 0, -1, 2, of), nullptr);
  EXPECT_FALSE(of.error);
}

TEST(peer_failed, hooks_may_start_and_cancel_operations) {
  fake_job job{3};
  struct reaction {
    fake_job* job;
    std::vector<operation*> others;
    int calls = 0;
    int got = 0;
    static void ended(void* context, operation& over) noexcept {
      auto& self = *static_cast<reaction*>(context);
      EXPECT_EQ(over.result.error, errc::peer_failed);
      ++self.calls;
      for (operation* each : self.others) (*self.job)[0].cancel(*each);
      EXPECT_TRUE(test::over(self.job->receive(0, 2, 9, &self.got, sizeof self.got)));
      EXPECT_TRUE(test::over(self.job->send(0, 2, 9, &self.got, sizeof self.got)));
      EXPECT_FALSE(test::over((*self.job)[0].start_recv(
          self.job->world(0), 100 + static_cast<unsigned>(self.calls), &self.got, 4, 1, 9)));
    }
  };
  reaction react{&job, {}};
  const bytes data = pattern(500, 1);
  std::vector<operation*> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(&job.send(0, 2, i, data.data(), data.size(), {reaction::ended, &react}));
    all.push_back(&job.receive(0, 2, i, &react.got, sizeof react.got, {reaction::ended, &react}));
    all.push_back(&job.receive(0, -1, i, &react.got, sizeof react.got, {reaction::ended, &react}));
  }
  react.others = all;
  job[0].peer_failed(2);
  EXPECT_EQ(react.calls, 60);
  for (operation* each : all) EXPECT_EQ(each->result.error, errc::peer_failed);
  EXPECT_TRUE(job[0].idle());
}

TEST(answer, to_an_earlier_use_of_an_operation_is_ignored) {
  fake_job job{2};
  const bytes data = pattern(500, 1);
  bytes got(500);
  job.receive(1, 0, 1, got.data(), got.size());
  operation& first = job.send(0, 1, 1, data.data(), data.size());
  const fetched_answer stale{std::uint64_t{first.generation} << 32 | first.index, 0, 0};
  job.settle();
  ASSERT_TRUE(over(first));
  job[0].release(first);
  operation& second = job.send(0, 1, 2, data.data(), data.size());
  ASSERT_EQ(&second, &first) << "last in, first out";
  job[0].arrived(1, envelope::make(0, 0, 1, envelope_kind::fetched, sizeof stale),
                 reinterpret_cast<const std::byte*>(&stale));
  EXPECT_FALSE(over(second));
  EXPECT_EQ(job.network.exposed(), 1u);
}

TEST(refuse_unexpected, tells_senders_that_wait) {
  fake_job job{2};
  const bytes data = pattern(500, 1);
  operation& before = job.send(0, 1, 1, data.data(), data.size());
  job.settle();
  job[1].refuse_unexpected();
  operation& after = job.send(0, 1, 2, data.data(), data.size());
  job[0].release(job.send(0, 1, 3, data.data(), 8));  // whole at once: thrown away
  EXPECT_NE(job[0].pending_send(), nullptr);
  job.settle();
  for (operation* each : {&before, &after}) {
    ASSERT_TRUE(over(*each));
    EXPECT_EQ(each->result.error, errc::peer_failed);
    job[0].release(*each);
  }
  EXPECT_TRUE(job[0].idle());
  EXPECT_EQ(job[0].pending_send(), nullptr);
  EXPECT_EQ(job.network.exposed(), 0u);
}

TEST(refuse_unexpected, still_fills_receives_that_are_posted) {
  fake_job job{2};
  const bytes data = pattern(500, 1);
  bytes got(500);
  operation& posted = job.receive(1, 0, 1, got.data(), got.size());
  job[1].refuse_unexpected();
  operation& sent = job.send(0, 1, 1, data.data(), data.size());
  job.settle();
  ASSERT_TRUE(over(posted) && over(sent));
  EXPECT_FALSE(sent.result.error);
  EXPECT_EQ(got, data);
}

TEST(revoke, ends_receives_of_the_context_and_those_posted_later) {
  fake_job job{3};
  const bytes data = pattern(500, 1);
  bytes got(500);
  int small = 0;
  job[1].release(job.send(1, 0, 1, data.data(), 8));
  operation& from_it = job.receive(0, 2, 1, got.data(), got.size());
  operation& from_any = job.receive(0, detail::any_source_value, 2, got.data(), got.size());
  operation& elsewhere = job[0].start_recv(job.world(0), 5, &small, sizeof small, 1, 1);
  job[0].revoke(0);
  ASSERT_TRUE(over(from_it) && over(from_any));
  EXPECT_EQ(from_it.result.error, errc::peer_failed);
  EXPECT_EQ(from_any.result.error, errc::peer_failed);
  EXPECT_FALSE(over(elsewhere)) << "another context goes on";
  operation& later = job.receive(0, 1, 1, got.data(), got.size());
  ASSERT_TRUE(over(later)) << "also where its message had come";
  EXPECT_EQ(later.result.error, errc::peer_failed);
  outcome found;
  EXPECT_EQ(job[0].probe(job.world(0), 0, detail::any_source_value, 1, found), nullptr);
  EXPECT_EQ(found.error, errc::peer_failed);
  const int sent = 7;
  job[1].release(job[1].start_send(job.world(1), 5, &sent, sizeof sent, 0, 1));
  job.settle();
  ASSERT_TRUE(over(elsewhere));
  EXPECT_EQ(small, 7);
}

TEST(revoke, tells_senders_of_long_messages_before_and_after) {
  fake_job job{2};
  const bytes data = pattern(500, 1);
  operation& before = job.send(0, 1, 1, data.data(), data.size());
  job.settle();
  job[1].revoke(0);
  job[1].forget(0);  // the communicator is no more
  operation& after = job.send(0, 1, 2, data.data(), data.size());
  job.settle();
  for (operation* each : {&before, &after}) {
    ASSERT_TRUE(over(*each));
    EXPECT_EQ(each->result.error, errc::peer_failed);
    job[0].release(*each);
  }
  EXPECT_TRUE(job[0].idle());
  EXPECT_EQ(job.network.exposed(), 0u);
}

TEST(peer_left, ends_what_is_pending_to_it_and_nothing_else) {
  fake_job job{3};
  const bytes data = pattern(500, 1);
  bytes got(500), other(500);
  operation& to_it = job.send(0, 2, 1, data.data(), data.size());
  operation& from_it = job.receive(0, 2, 1, got.data(), got.size());
  operation& from_any = job.receive(0, detail::any_source_value, 1, other.data(), other.size());
  job[0].peer_left(2);
  ASSERT_TRUE(over(to_it) && over(from_it));
  EXPECT_EQ(to_it.result.error, errc::peer_failed);
  EXPECT_EQ(from_it.result.error, errc::peer_failed);
  EXPECT_FALSE(over(from_any)) << "others may still send";
  job.send(1, 0, 1, data.data(), data.size());
  job.settle();
  ASSERT_TRUE(over(from_any));
  EXPECT_FALSE(from_any.result.error);
  EXPECT_EQ(other, data);
}

TEST(peer_ended, ends_receives_from_it_and_no_sends) {
  fake_job job{3};
  const bytes data = pattern(500, 1);
  bytes got(500);
  int small = 0;
  const int last = 7;
  job[2].release(job.send(2, 0, 2, &last, sizeof last));
  job.settle();
  operation& pending = job.receive(0, 2, 1, &small, sizeof small);
  operation& alive = job.receive(0, 1, 1, &small, sizeof small);
  operation& anybody = job.receive(0, detail::any_source_value, 1, &small, sizeof small);
  operation& announced = job.send(0, 2, 1, data.data(), data.size());
  job[0].peer_ended(2);
  ASSERT_TRUE(over(pending));
  EXPECT_EQ(pending.result.error, errc::peer_failed);
  EXPECT_EQ(pending.result.source, 2);
  EXPECT_FALSE(over(alive) || over(anybody) || over(announced));
  operation& came = job.receive(0, 2, 2, &small, sizeof small);
  ASSERT_TRUE(over(came));
  EXPECT_FALSE(came.result.error);
  EXPECT_EQ(small, last);
  operation& later = job.receive(0, 2, 2, &small, sizeof small);
  ASSERT_TRUE(over(later));
  EXPECT_EQ(later.result.error, errc::peer_failed);
  EXPECT_FALSE(job[0].has_failed(2));
  job[2].refuse_unexpected();
  job.settle();
  EXPECT_EQ(announced.result.error, errc::peer_failed) << "which it refused itself";
}

TEST(list_awaited, names_who_is_waited_for) {
  fake_job job{4};
  const bytes data = pattern(500, 1);
  int into = 0;
  job.receive(0, 2, 1, &into, sizeof into);
  job[0].start_recv(job.world(0), 1, &into, sizeof into, 3, 1);  // a collective's
  job.send(0, 1, 1, data.data(), data.size());
  job.receive(0, 0, 1, &into, sizeof into);  // its own
  std::vector<awaited> found;
  job[0].list_awaited(found, true);
  std::ranges::sort(found);
  EXPECT_EQ(found, (std::vector<awaited>{{1, 0, false}, {2, 0, false}, {3, 0, true}}));
}

TEST(list_awaited, ends_receives_from_any_source_when_nobody_may_send) {
  fake_job job{3};
  int into = 0;
  operation& anybody = job.receive(0, detail::any_source_value, 1, &into, sizeof into);
  const auto awaited_by_it = [&](bool may_end) {
    std::vector<awaited> found;
    job[0].list_awaited(found, may_end);
    return found;
  };
  EXPECT_EQ(awaited_by_it(true), (std::vector<awaited>{{1, 0, false}}));
  job[0].peer_ended(1);
  EXPECT_EQ(awaited_by_it(true), (std::vector<awaited>{{2, 0, false}}));
  job[0].peer_ended(2);
  EXPECT_TRUE(awaited_by_it(false).empty());
  EXPECT_FALSE(over(anybody));
  EXPECT_TRUE(awaited_by_it(true).empty());
  ASSERT_TRUE(over(anybody));
  EXPECT_EQ(anybody.result.error, errc::peer_failed);
}

}  // namespace
}  // namespace peal::test
