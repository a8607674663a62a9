// What can be done with an operation besides waiting for it: probes, cancelling, hooks, giving it
// up; and sends that are held.
#include <gtest/gtest.h>

#include <vector>

#include "unit/p2p/fake_network.hpp"

namespace peal::test {
namespace {

using bytes = std::vector<std::byte>;

TEST(probe, sees_a_message_and_leaves_it) {
  fake_job job{2};
  const bytes data = pattern(500, 1);
  outcome what;
  EXPECT_FALSE(job[1].probe(job.world(1), 0, -1, -2, what));
  job[0].release(job.send(0, 1, 3, data.data(), 20));
  job.send(0, 1, 4, data.data(), 500);
  job.settle();
  ASSERT_TRUE(job[1].probe(job.world(1), 0, 0, -2, what));
  EXPECT_EQ(what.bytes, 20u);
  EXPECT_EQ(what.tag, 3);
  EXPECT_EQ(what.source, 0);
  ASSERT_TRUE(job[1].probe(job.world(1), 0, -1, 4, what));
  EXPECT_EQ(what.bytes, 500u) << "the length of the message, not of its announcement";
  bytes got(20);
  EXPECT_TRUE(over(job.receive(1, 0, 3, got.data(), got.size())));
}

TEST(probe, a_message_taken_is_received_by_nobody_else) {
  fake_job job{2};
  for (const std::size_t length : {0, 20, 500}) {
    const bytes data = pattern(length, 1);
    operation& send = job.send(0, 1, 3, data.data(), length);
    job.settle();
    outcome what;
    matched_message* taken = job[1].take(job.world(1), 0, -1, 3, what);
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(what.bytes, length);
    EXPECT_EQ(job[1].take(job.world(1), 0, -1, 3, what), nullptr);
    bytes other(500), got(length);
    operation& receive = job.receive(1, 0, 3, other.data(), other.size());
    operation& matched = job[1].start_recv_matched(*taken, got.data(), got.size());
    job.settle();
    EXPECT_FALSE(over(receive));
    ASSERT_TRUE(over(matched));
    EXPECT_TRUE(over(send));
    EXPECT_EQ(got, data);
    EXPECT_EQ(matched.result.tag, 3);
    EXPECT_TRUE(job[1].cancel(receive));
    job[0].release(send);
    job[1].release(receive);
    job[1].release(matched);
  }
}

TEST(probe, a_message_given_up_lets_its_sender_go) {
  fake_job job{2};
  for (const std::size_t length : {20, 500}) {
    const bytes data = pattern(length, 1);
    operation& send = job.send(0, 1, 3, data.data(), length);
    job.settle();
    outcome what;
    matched_message* taken = job[1].take(job.world(1), 0, 0, 3, what);
    ASSERT_NE(taken, nullptr);
    job[1].discard(*taken);
    job.settle();
    EXPECT_TRUE(over(send));
    EXPECT_FALSE(send.result.error);
    EXPECT_FALSE(job[1].probe(job.world(1), 0, -1, -2, what));
  }
  EXPECT_EQ(job.network.fetched_bytes, 0u);
  EXPECT_EQ(job.network.exposed(), 0u);
}

TEST(probe, a_context_that_is_forgotten_lets_senders_go) {
  fake_job job{2};
  const bytes data = pattern(500, 1);
  operation& send = job[0].start_send(job.world(0), 8, data.data(), data.size(), 1, 3);
  job[0].release(job[0].start_send(job.world(0), 8, data.data(), 10, 1, 3));
  job.settle();
  job[1].forget(8);
  job.settle();
  EXPECT_TRUE(over(send));
  outcome what;
  EXPECT_FALSE(job[1].probe(job.world(1), 8, -1, -2, what));
}

TEST(cancel, withdraws_a_receive_that_is_not_matched) {
  fake_job job{2};
  int first = 0, second = 0;
  operation& cancelled = job.receive(1, 0, 3, &first, sizeof first);
  operation& kept = job.receive(1, 0, 3, &second, sizeof second);
  EXPECT_TRUE(job[1].cancel(cancelled));
  ASSERT_TRUE(over(cancelled));
  EXPECT_EQ(cancelled.result.error, errc::cancelled);
  EXPECT_FALSE(job[1].cancel(cancelled)) << "once";
  const int sent = 5;
  job.send(0, 1, 3, &sent, sizeof sent);
  job.settle();
  ASSERT_TRUE(over(kept));
  EXPECT_EQ(second, 5);
  EXPECT_EQ(first, 0);
  EXPECT_FALSE(job[1].cancel(kept)) << "finished";
}

TEST(cancel, is_too_late_once_a_receive_is_matched) {
  fake_job job{2};
  job.network.hold_fetches = true;
  const bytes data = pattern(500, 1);
  bytes got(500);
  operation& receive = job.receive(1, 0, 3, got.data(), got.size());
  operation& send = job.send(0, 1, 3, data.data(), data.size());
  EXPECT_FALSE(job[0].cancel(send)) << "the announcement has left";
  job.settle();
  EXPECT_FALSE(over(receive));
  EXPECT_FALSE(job[1].cancel(receive));
  job.network.hold_fetches = false;
  job.settle();
  EXPECT_TRUE(over(receive) && over(send));
  EXPECT_EQ(got, data);
}

TEST(cancel, withdraws_a_send_of_which_nothing_has_left) {
  fake_job job{2};
  job.network.space = 0;
  const bytes data = pattern(500, 1);
  operation& small = job.send(0, 1, 1, data.data(), 10);
  operation& large = job.send(0, 1, 2, data.data(), 500);
  operation& last = job.send(0, 1, 3, data.data(), 10);
  job.settle();  // the first tries announce nothing, since there is no space
  EXPECT_TRUE(job[0].cancel(small));
  job.settle();
  EXPECT_TRUE(job[0].cancel(large));
  EXPECT_EQ(small.result.error, errc::cancelled);
  EXPECT_EQ(large.result.error, errc::cancelled);
  EXPECT_EQ(job.network.exposed(), 0u);
  job.network.space = 10;
  job.settle();
  EXPECT_TRUE(over(last));
  EXPECT_TRUE(job[0].idle());
  outcome what;
  ASSERT_TRUE(job[1].probe(job.world(1), 0, -1, -2, what));
  EXPECT_EQ(what.tag, 3) << "of the others nothing came";
  job[0].release(small);
  EXPECT_TRUE(over(job.send(0, 1, 1, data.data(), 10))) << "the direct way is open again";
}

struct counter {
  int calls = 0;
  messaging* messages = nullptr;
  completion_hook hook() {
    return {[](void* context, operation& ended) noexcept {
              auto& self = *static_cast<counter*>(context);
              EXPECT_TRUE(over(ended)) << "finished reads true in the hook";
              ++self.calls;
              if (self.messages) self.messages->release(ended);
            },
            this};
  }
};

TEST(completion_hook, is_called_once_unless_the_operation_ended_within_its_start) {
  fake_job job{2};
  const bytes data = pattern(500, 1);
  bytes got(500);
  counter eager, large, receive, at_once;
  job.send(0, 1, 1, data.data(), 10, eager.hook());
  job.send(0, 1, 2, data.data(), 500, large.hook());
  receive.messages = &job[1];
  job.receive(1, 0, 2, got.data(), got.size(), receive.hook());
  job.settle();
  job.receive(1, 0, 1, got.data(), got.size(), at_once.hook());
  job.settle();
  EXPECT_EQ(eager.calls, 0);
  EXPECT_EQ(at_once.calls, 0);
  EXPECT_EQ(large.calls, 1);
  EXPECT_EQ(receive.calls, 1);
}

TEST(completion_hook, may_start_further_operations_and_release_its_own) {
  // A ring: who receives passes the message on, from within the hook.
  constexpr int size = 5, rounds = 20;
  struct station {
    fake_job* job;
    int rank;
    int hops = 0;
    bytes buffer;
    void post() {
      job->receive(rank, (rank + size - 1) % size, 1, buffer.data(), buffer.size(),
                   {&arrived, this});
    }
    static void arrived(void* context, operation& ended) noexcept {
      auto& self = *static_cast<station*>(context);
      messaging& messages = (*self.job)[self.rank];
      const std::size_t length = ended.result.bytes;
      messages.release(ended);
      if (++self.hops < rounds) self.post();
      operation& onward =
          self.job->send(self.rank, (self.rank + 1) % size, 1, self.buffer.data(), length);
      if (over(onward)) messages.release(onward);
      else messages.detach(onward);
    }
  };
  fake_job job{size};
  job.network.space = 1;
  std::vector<station> stations;
  for (int i = 0; i < size; ++i) stations.push_back({&job, i, 0, bytes(300)});
  for (station& each : stations) each.post();
  const bytes token = pattern(32, 1);
  job.send(0, 1, 1, token.data(), token.size());
  job.settle();
  for (int i = 0; i < size; ++i) EXPECT_EQ(stations[static_cast<std::size_t>(i)].hops, rounds) << i;
  EXPECT_TRUE(std::equal(token.begin(), token.end(), stations[3].buffer.begin()));
}

TEST(users_hook, is_called_by_a_progress_call_and_not_for_what_is_finished) {
  fake_job job{2};
  int calls = 0, got = 0;
  const int sent = 1;
  operation& receive = job.receive(1, 0, 1, &got, sizeof got);
  const auto count = [](void* context) { ++*static_cast<int*>(context); };
  EXPECT_TRUE(job[1].on_finish(receive, count, &calls));
  job[0].release(job.send(0, 1, 1, &sent, sizeof sent));
  job[1].poll();
  EXPECT_TRUE(over(receive));
  EXPECT_EQ(calls, 0) << "not from within the engine";
  job[1].release(receive);
  job.poll(1);
  EXPECT_EQ(calls, 1);
  operation& again = job.receive(1, 0, 1, &got, sizeof got);
  EXPECT_TRUE(job[1].cancel(again));
  EXPECT_FALSE(job[1].on_finish(again, count, &calls));
  job.poll(1);
  EXPECT_EQ(calls, 1);
}

TEST(users_hook, that_another_one_replaces_is_called_before_the_end) {
  fake_job job{2};
  int first = 0, second = 0, got = 0;
  const int sent = 1;
  operation& receive = job.receive(1, 0, 1, &got, sizeof got);
  const auto count = [](void* context) { ++*static_cast<int*>(context); };
  EXPECT_TRUE(job[1].on_finish(receive, count, &first));
  EXPECT_TRUE(job[1].on_finish(receive, count, &second));
  job.poll(1);
  EXPECT_EQ(first, 1) << "so that whoever waits for it looks again";
  EXPECT_EQ(second, 0);
  job[0].release(job.send(0, 1, 1, &sent, sizeof sent));
  job.settle();
  job.poll(1);
  EXPECT_TRUE(over(receive));
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
  job[1].release(receive);
}

TEST(detach, frees_the_owner_when_the_message_has_gone) {
  fake_job job{2};
  int freed = 0;
  const auto free_owner = [](void* owner) noexcept { ++*static_cast<int*>(owner); };
  const bytes data = pattern(500, 1);
  job[0].detach(job.send(0, 1, 1, data.data(), 10), free_owner, &freed);
  job.poll(0);
  EXPECT_EQ(freed, 1) << "it had gone already";
  job[0].detach(job.send(0, 1, 2, data.data(), 500), free_owner, &freed);
  job.settle();
  EXPECT_EQ(freed, 1);
  bytes got(500);
  job[1].release(job.receive(1, 0, 1, got.data(), got.size()));
  operation& receive = job.receive(1, 0, 2, got.data(), got.size());
  job.settle();
  EXPECT_EQ(freed, 2);
  EXPECT_TRUE(over(receive));
  EXPECT_TRUE(job[0].idle());
}

TEST(operation, of_somebody_else_ends_when_told) {
  fake_job job{1};
  counter ended;
  operation& other = job[0].make_operation(ended.hook());
  EXPECT_FALSE(over(other));
  EXPECT_FALSE(job[0].cancel(other));
  job[0].finish(other, {.tag = 3, .source = 2, .bytes = 4, .error = errc::truncated});
  EXPECT_TRUE(over(other));
  EXPECT_EQ(ended.calls, 1);
  EXPECT_EQ(other.result.source, 2);
  EXPECT_EQ(other.result.bytes, 4u);
  EXPECT_EQ(other.result.error, errc::truncated);
  job[0].release(other);
}

TEST(held_sends, finish_when_no_transport_holds_messages) {
  fake_job job{2};
  job.network.holds = true;
  operation& first = job[0].add_held();
  // What a continuation adds while others finish is not lost.
  struct continuation {
    messaging& at;
    operation* made = nullptr;
  } next{job[0]};
  first.hook.context = &next;
  first.hook.call = [](void* context, operation&) noexcept {
    auto& mine = *static_cast<continuation*>(context);
    mine.made = &mine.at.add_held();
  };
  job.settle();
  EXPECT_FALSE(over(first));
  EXPECT_FALSE(job[0].arm()) << "nothing would wake a thread that sleeps until then";
  job.network.holds = false;
  job[0].poll();
  EXPECT_TRUE(over(first));
  ASSERT_NE(next.made, nullptr);
  job.settle();
  EXPECT_TRUE(over(*next.made));
  job[0].release(first);
  job[0].release(*next.made);
}

}  // namespace
}  // namespace peal::test
