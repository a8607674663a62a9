// Messages between ranks of a fake job: eager, rendezvous, truncation, growing receives, order
// behind a full transport, the cap on unexpected payload.
#include "p2p/messaging.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "unit/p2p/fake_network.hpp"

namespace peal::test {
namespace {

using bytes = std::vector<std::byte>;

TEST(messaging, a_small_message_arrives_whether_the_receive_or_the_message_is_first) {
  fake_job job{2};
  for (const bool receive_first : {true, false}) {
    const int sent = 42;
    int got = 0;
    operation* receive = receive_first ? &job.receive(1, 0, 7, &got, sizeof got) : nullptr;
    operation& send = job.send(0, 1, 7, &sent, sizeof sent);
    EXPECT_TRUE(over(send)) << "an eager send with room ends at once";
    job.settle();
    if (!receive_first) receive = &job.receive(1, 0, 7, &got, sizeof got);
    ASSERT_TRUE(over(*receive));
    EXPECT_EQ(got, 42);
    EXPECT_EQ(receive->result.source, 0);
    EXPECT_EQ(receive->result.tag, 7);
    EXPECT_EQ(receive->result.bytes, sizeof got);
    EXPECT_FALSE(receive->result.error);
    EXPECT_EQ(send.result.bytes, sizeof sent);
    job[0].release(send);
    job[1].release(*receive);
  }
  EXPECT_TRUE(job[0].idle());
}

struct packer_of : detail::packer {
  const bytes& data;
  mutable int calls = 0;

  explicit packer_of(const bytes& all) : data{all} {
    pack = [](const packer& self, std::size_t at, void* to, std::size_t length) noexcept {
      const auto& from = static_cast<const packer_of&>(self);
      ++from.calls;
      std::memcpy(to, from.data.data() + at, length);
    };
  }
};

TEST(messaging, a_message_is_packed_while_it_is_fetched) {
  for (const bool receive_first : {true, false}) {
    fake_job job{2};
    job.network.packs = true;
    const bytes data = pattern(1000, 3);
    const packer_of from{data};
    bytes got(1000);
    operation* receive = receive_first ? &job.receive(1, 0, 1, got.data(), got.size()) : nullptr;
    ASSERT_TRUE(job[0].packs_on_the_way(job.world(0), data.size(), 1));
    operation& send =
        job[0].start_send(job.world(0), 0, &from, data.size(), 1, 1, {}, send_form::packed);
    EXPECT_FALSE(over(send));
    job.settle();
    if (!receive_first) {
      EXPECT_EQ(from.calls, 0) << "nobody has asked for it";
      receive = &job.receive(1, 0, 1, got.data(), got.size());
      job.settle();
    }
    ASSERT_TRUE(over(*receive));
    ASSERT_TRUE(over(send));
    EXPECT_FALSE(send.result.error);
    EXPECT_EQ(receive->result.bytes, data.size());
    EXPECT_EQ(got, data);
    job[0].release(send);
    job[1].release(*receive);
    EXPECT_EQ(job.network.exposed(), 0U);
    EXPECT_TRUE(job[0].idle());
  }
}

TEST(messaging, a_short_message_is_not_packed_on_its_way) {
  fake_job job{2};
  EXPECT_FALSE(job[0].packs_on_the_way(job.world(0), 1000, 1)) << "the transport cannot";
  job.network.packs = true;
  EXPECT_TRUE(job[0].packs_on_the_way(job.world(0), 65, 1));
  EXPECT_FALSE(job[0].packs_on_the_way(job.world(0), 64, 1));
}

TEST(messaging, a_long_message_is_fetched_and_the_sender_waits_for_that) {
  for (const bool receive_first : {true, false}) {
    for (const bool at_once : {true, false}) {
      fake_job job{2};
      job.network.fetch_at_once = at_once;
      const bytes data = pattern(1000, 3);
      bytes got(1000);
      operation* receive = receive_first ? &job.receive(1, 0, 1, got.data(), got.size()) : nullptr;
      operation& send = job.send(0, 1, 1, data.data(), data.size());
      EXPECT_FALSE(over(send));
      EXPECT_FALSE(job[0].idle());
      job.settle();
      if (!receive_first) {
        EXPECT_FALSE(over(send)) << "nobody has asked for it";
        receive = &job.receive(1, 0, 1, got.data(), got.size());
        job.settle();
      }
      ASSERT_TRUE(over(*receive));
      ASSERT_TRUE(over(send));
      EXPECT_FALSE(send.result.error);
      EXPECT_EQ(send.result.bytes, 1000u);
      EXPECT_EQ(receive->result.bytes, 1000u);
      EXPECT_EQ(got, data);
      EXPECT_EQ(job.network.exposed(), 0u) << "the buffer is given back";
      EXPECT_TRUE(job[0].idle());
      EXPECT_TRUE(job[1].idle());
      job[0].release(send);
      job[1].release(*receive);
    }
  }
}

TEST(messaging, an_empty_message_is_a_message) {
  fake_job job{2};
  operation& receive = job.receive(1, 0, 1, nullptr, 0);
  EXPECT_TRUE(over(job.send(0, 1, 1, nullptr, 0)));
  job.settle();
  ASSERT_TRUE(over(receive));
  EXPECT_EQ(receive.result.bytes, 0u);
  EXPECT_FALSE(receive.result.error);
}

TEST(messaging, lengths_around_the_eager_limit_arrive_whole) {
  fake_job job{2};
  for (std::size_t length : {1, 8, 63, 64, 65, 66, 128, 4096}) {
    const bytes data = pattern(length, static_cast<unsigned>(length));
    bytes got(length);
    operation& receive = job.receive(1, 0, 1, got.data(), got.size());
    operation& send = job.send(0, 1, 1, data.data(), data.size());
    EXPECT_EQ(over(send), length <= 64);
    job.settle();
    EXPECT_TRUE(over(send) && over(receive));
    EXPECT_EQ(got, data) << length;
    job[0].release(send);
    job[1].release(receive);
  }
}

TEST(messaging, peal_eager_limit_lowers_the_limit_of_the_transport) {
  messaging_options options;
  options.eager_limit = 4;
  fake_job job{2, 0, options};
  const bytes data = pattern(5, 1);
  EXPECT_TRUE(over(job.send(0, 1, 1, data.data(), 4)));
  EXPECT_FALSE(over(job.send(0, 1, 1, data.data(), 5)));
}

TEST(messaging, a_receive_too_small_is_truncated_and_the_rest_is_sound) {
  fake_job job{2};
  for (const std::size_t length : {std::size_t{32}, std::size_t{500}}) {
    for (const std::size_t capacity : {std::size_t{10}, std::size_t{0}}) {
      const bytes data = pattern(length, 5);
      bytes got(64, std::byte{0xee});
      operation& receive = job.receive(1, 0, 1, got.data(), capacity);
      operation& send = job.send(0, 1, 1, data.data(), length);
      job.settle();
      ASSERT_TRUE(over(receive));
      EXPECT_EQ(receive.result.error, errc::truncated);
      EXPECT_EQ(receive.result.bytes, capacity);
      EXPECT_TRUE(std::equal(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(capacity),
                             got.begin()));
      EXPECT_EQ(got[capacity], std::byte{0xee});
      ASSERT_TRUE(over(send));
      EXPECT_FALSE(send.result.error) << "the sender has done its part";
      job[0].release(send);
      job[1].release(receive);

      int next = 0;
      const int sent = 9;
      operation& after = job.receive(1, 0, 1, &next, sizeof next);
      job[0].release(job.send(0, 1, 1, &sent, sizeof sent));
      job.settle();
      ASSERT_TRUE(over(after));
      EXPECT_FALSE(after.result.error) << "an operation of the pool forgets its error";
      EXPECT_EQ(next, 9);
      job[1].release(after);
    }
  }
  EXPECT_EQ(job.network.exposed(), 0u);
}

struct growing {
  bytes memory;
  int calls = 0;
  bool refuse = false;
  growing_buffer buffer() {
    return {this, [](void* owner, std::size_t length) noexcept -> void* {
              auto& self = *static_cast<growing*>(owner);
              ++self.calls;
              if (self.refuse) return nullptr;
              self.memory.resize(length + 1);
              return self.memory.data();
            }};
  }
};

TEST(messaging, a_growing_receive_is_given_memory_once_when_it_is_matched) {
  fake_job job{2};
  for (const std::size_t length : {0, 10, 900}) {
    growing into;
    operation& receive = job[1].start_recv_growing(job.world(1), 0, into.buffer(), 0, 1);
    const bytes data = pattern(length, 8);
    operation& send = job.send(0, 1, 1, data.data(), length);
    EXPECT_EQ(into.calls, 0);
    job.settle();
    ASSERT_TRUE(over(receive) && over(send));
    EXPECT_EQ(into.calls, 1) << "for an empty message too";
    EXPECT_EQ(receive.result.bytes, length);
    EXPECT_FALSE(receive.result.error);
    into.memory.resize(length);
    EXPECT_EQ(into.memory, data);
    job[0].release(send);
    job[1].release(receive);
  }
}

TEST(messaging, without_memory_a_growing_receive_ends_and_the_message_is_consumed) {
  fake_job job{2};
  for (const std::size_t length : {10, 900}) {
    growing into;
    into.refuse = true;
    const bytes data = pattern(length, 8);
    operation& send = job.send(0, 1, 1, data.data(), length);
    operation& receive = job[1].start_recv_growing(job.world(1), 0, into.buffer(), 0, 1);
    job.settle();
    ASSERT_TRUE(over(receive) && over(send));
    EXPECT_EQ(receive.result.error, errc::no_space);
    EXPECT_EQ(receive.result.bytes, 0u);
    EXPECT_FALSE(send.result.error);
    outcome what;
    EXPECT_FALSE(job[1].probe(job.world(1), 0, -1, -2, what));
    job[0].release(send);
    job[1].release(receive);
  }
}

TEST(messaging, any_tag_takes_tags_of_users_of_its_own_context_only) {
  fake_job job{2};
  int got = 0;
  operation& receive =
      job.receive(1, detail::any_source_value, detail::any_tag_value, &got, sizeof got);
  const int inner = 1, other = 2, user = 3;
  job[0].start_send(job.world(0), 0, &inner, sizeof inner, 1, -5);
  job[0].start_send(job.world(0), 1, &other, sizeof other, 1, 5);
  job.settle();
  EXPECT_FALSE(over(receive));
  job.send(0, 1, 5, &user, sizeof user);
  job.settle();
  ASSERT_TRUE(over(receive));
  EXPECT_EQ(got, 3);
  EXPECT_EQ(receive.result.tag, 5);
  EXPECT_EQ(receive.result.source, 0);
  int hidden = 0;
  EXPECT_TRUE(over(job.receive(1, 0, -5, &hidden, sizeof hidden)));
  EXPECT_EQ(hidden, 1);
}

TEST(messaging, a_failed_fetch_is_told_to_both_sides) {
  fake_job job{2};
  job.network.fetch_error = std::make_error_code(std::errc::bad_address);
  const bytes data = pattern(1000, 1);
  bytes got(1000);
  operation& receive = job.receive(1, 0, 1, got.data(), got.size());
  operation& send = job.send(0, 1, 1, data.data(), data.size());
  job.settle();
  ASSERT_TRUE(over(receive) && over(send));
  EXPECT_EQ(receive.result.error, std::errc::bad_address);
  EXPECT_EQ(receive.result.bytes, 0u);
  EXPECT_EQ(send.result.error, errc::internal);
  EXPECT_EQ(job.network.exposed(), 0u);
}

TEST(messaging, a_blocking_send_takes_the_short_way_when_it_can) {
  fake_job job{2};
  const bytes data = pattern(100, 1);
  EXPECT_TRUE(job[0].try_send_now(job.world(0), 0, data.data(), 64, 1, 1));
  EXPECT_FALSE(job[0].try_send_now(job.world(0), 0, data.data(), 65, 1, 1)) << "longer than eager";
  job.network.space = 1;
  EXPECT_FALSE(job[0].try_send_now(job.world(0), 0, data.data(), 8, 1, 1)) << "no room";
  operation& queued = job.send(0, 1, 2, data.data(), 8);
  job.network.space = 100;
  EXPECT_FALSE(job[0].try_send_now(job.world(0), 0, data.data(), 8, 1, 3)) << "it would overtake";
  EXPECT_FALSE(over(queued));
  job.settle();
  EXPECT_TRUE(over(queued));
  EXPECT_TRUE(job[0].try_send_now(job.world(0), 0, data.data(), 8, 1, 4));
  job.settle();
  for (int tag : {1, 2, 4}) {
    bytes got(64);
    EXPECT_TRUE(over(job.receive(1, 0, tag, got.data(), got.size()))) << tag;
  }
}

TEST(messaging, messages_keep_their_order_behind_a_full_transport) {
  fake_job job{2};
  job.network.space = 3;
  constexpr int count = 200;
  std::vector<bytes> data;
  std::vector<operation*> sends;
  for (int i = 0; i < count; ++i)
    data.push_back(pattern(i % 3 == 0 ? 300 : 16, static_cast<unsigned>(i)));
  for (const bytes& each : data) sends.push_back(&job.send(0, 1, 1, each.data(), each.size()));
  EXPECT_LE(job.network.under_way(0, 1), 3u);
  EXPECT_FALSE(job[0].idle());
  job.settle();
  for (const bytes& each : data) {
    bytes got(300);
    operation& receive = job.receive(1, 0, 1, got.data(), got.size());
    job.settle();
    ASSERT_TRUE(over(receive));
    got.resize(receive.result.bytes);
    EXPECT_EQ(got, each);
    job[1].release(receive);
  }
  for (operation* each : sends) EXPECT_TRUE(over(*each));
  EXPECT_TRUE(job[0].idle() && job[1].idle());
}

TEST(messaging, answers_wait_for_space_too) {
  fake_job job{2};
  job.network.space = 1;
  const bytes data = pattern(500, 2);
  std::vector<bytes> got(20, bytes(500));
  std::vector<operation*> sends, receives;
  for (bytes& each : got) receives.push_back(&job.receive(1, 0, 1, each.data(), each.size()));
  for (std::size_t i = 0; i < got.size(); ++i)
    sends.push_back(&job.send(0, 1, 1, data.data(), data.size()));
  for (int i = 0; i < 100; ++i) job.poll(1), job.at(0).messages.poll();
  job.settle();
  for (operation* each : sends) EXPECT_TRUE(over(*each));
  for (operation* each : receives) EXPECT_TRUE(over(*each));
  EXPECT_EQ(got.back(), data);
  EXPECT_TRUE(job[0].idle() && job[1].idle());
}

TEST(messaging, beyond_the_cap_messages_become_announcements_and_a_later_tag_comes_first) {
  messaging_options options;
  options.unexpected_limit = 64 * 1024;
  fake_job job{2, 0, options};
  constexpr int count = 2000;
  std::vector<operation*> sends;
  const bytes data = pattern(64, 1);
  for (int i = 0; i < count; ++i) {
    sends.push_back(&job.send(0, 1, 1, data.data(), data.size()));
    job.settle();
  }
  EXPECT_LE(job.network.delivered[envelope_kind::eager], 64u * 1024 / 160 + 1)
      << "what one kept message takes, at least";
  EXPECT_GE(job.network.delivered[envelope_kind::announce], std::size_t{count} / 2);
  EXPECT_FALSE(over(*sends.back()));
  const int late = 5;
  int got = 0;
  operation& last = job.send(0, 1, 2, &late, sizeof late);
  operation& first = job.receive(1, 0, 2, &got, sizeof got);
  job.settle();
  EXPECT_TRUE(over(last) && over(first));
  EXPECT_EQ(got, 5);
  for (int i = 0; i < count; ++i) {
    bytes into(64);
    operation& receive = job.receive(1, 0, 1, into.data(), into.size());
    job.settle();
    ASSERT_TRUE(over(receive));
    EXPECT_EQ(into, data);
    job[1].release(receive);
  }
  for (operation* each : sends) EXPECT_TRUE(over(*each));
  EXPECT_TRUE(over(job.send(0, 1, 1, data.data(), data.size()))) << "eager again";
  EXPECT_EQ(job.network.exposed(), 0u);
}

TEST(messaging, a_flood_of_empty_messages_is_bounded_too) {
  messaging_options options;
  options.unexpected_limit = 64 * 1024;
  fake_job job{2, 0, options};
  std::vector<operation*> sends;
  for (int i = 0; i < 1000; ++i) {
    sends.push_back(&job.send(0, 1, 1, nullptr, 0));
    job.settle();
  }
  EXPECT_FALSE(over(*sends.back()));
  for (std::size_t i = 0; i < sends.size(); ++i) {
    operation& receive = job.receive(1, 0, 1, nullptr, 0);
    job.settle();
    EXPECT_TRUE(over(receive) && !receive.result.error);
    job[1].release(receive);
  }
  for (operation* each : sends) EXPECT_TRUE(over(*each));
}

TEST(messaging, a_blocking_send_to_oneself_always_goes) {
  messaging_options options;
  options.unexpected_limit = 64 * 1024;
  fake_job job{1, 0, options};
  job.network.space = 5;
  std::vector<bytes> data;
  for (unsigned i = 0; i < 50; ++i) data.push_back(pattern(i % 2 == 0 ? 30 : 3000, i));
  for (const bytes& each : data) {
    bytes gone = each;
    ASSERT_TRUE(job[0].try_send_now(job.world(0), 0, gone.data(), gone.size(), 0, 1));
  }
  job.settle();
  for (const bytes& each : data) {
    bytes got(3000);
    operation& receive = job.receive(0, 0, 1, got.data(), got.size());
    job.settle();
    ASSERT_TRUE(over(receive));
    got.resize(receive.result.bytes);
    EXPECT_EQ(got, each);
    job[0].release(receive);
  }
  EXPECT_TRUE(job[0].idle());
  EXPECT_EQ(job.network.exposed(), 0u);
}

TEST(messaging, what_is_pending_can_be_listed) {
  fake_job job{3};
  bytes data(1000), got(8);
  operation& posted = job.receive(1, 2, 5, got.data(), got.size());
  operation& anything =
      job.receive(1, detail::any_source_value, detail::any_tag_value, got.data(), got.size());
  operation& sending = job.send(1, 0, 4, data.data(), data.size());
  operation& short_one = job.send(1, 0, 3, data.data(), 8);
  job.settle();
  const auto pending_of = [&](int rank) {
    std::vector<pending_message> found;
    job[rank].for_each_pending(
        [](void* all, const pending_message& each) {
          static_cast<std::vector<pending_message>*>(all)->push_back(each);
        },
        &found);
    return found;
  };
  using what = pending_message::what;
  const auto at_sender = pending_of(1), at_receiver = pending_of(0);
  ASSERT_EQ(at_sender.size(), 3u);
  EXPECT_EQ(at_sender[0].kind, what::posted);
  EXPECT_FALSE(at_sender[0].from_any);
  EXPECT_EQ(at_sender[0].peer, 2u);
  EXPECT_EQ(at_sender[0].tag, 5);
  EXPECT_EQ(at_sender[0].bytes, 8u);
  EXPECT_TRUE(at_sender[1].from_any);
  EXPECT_EQ(at_sender[1].tag, detail::any_tag_value);
  EXPECT_EQ(at_sender[2].kind, what::sending);
  EXPECT_EQ(at_sender[2].peer, 0u);
  EXPECT_EQ(at_sender[2].tag, 4);
  EXPECT_EQ(at_sender[2].bytes, 1000u);
  ASSERT_EQ(at_receiver.size(), 2u) << "both messages, in the order in which they came";
  for (const pending_message& each : at_receiver) {
    EXPECT_EQ(each.kind, what::unexpected);
    EXPECT_EQ(each.peer, 1u);
  }
  EXPECT_EQ(at_receiver[0].tag, 4);
  EXPECT_EQ(at_receiver[0].bytes, 1000u);
  EXPECT_EQ(at_receiver[1].tag, 3);
  EXPECT_TRUE(pending_of(2).empty());
  // All of it comes to its end.
  operation& first = job.receive(0, 1, 4, data.data(), data.size());
  operation& second = job.receive(0, 1, 3, data.data(), data.size());
  operation& answer = job.send(2, 1, 5, got.data(), 8);
  operation& other = job.send(0, 1, 9, data.data(), 8);
  job.settle();
  EXPECT_TRUE(pending_of(0).empty() && pending_of(1).empty());
  for (operation* each : {&posted, &anything, &sending, &short_one}) job[1].release(*each);
  for (operation* each : {&first, &second, &other}) job[0].release(*each);
  job[2].release(answer);
}

}  // namespace
}  // namespace peal::test
