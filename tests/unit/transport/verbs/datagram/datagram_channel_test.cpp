// The reliable stream over packets, on a network of its own that loses, doubles, delays and
// reorders them, with a clock of its own.
#include "transport/verbs/datagram/datagram_channel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "unit/transport/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;
using namespace peal::verbs;
using std::chrono::microseconds;
using std::chrono::milliseconds;

using time_point = datagram_channel::clock::time_point;

struct trouble {
  double loss = 0, doubled = 0, reordered = 0;  // chances
};

/// A packet on its way, with its data, aligned as a port aligns them.
struct flying {
  time_point arrives;
  std::uint64_t number;
  datagram what;
  std::vector<std::byte> data;
};

/// Two channels that talk to each other: peers 0 and 1.
struct network {
  struct wire final : datagram_output {
    network* of = nullptr;
    bool put(peer_id to, const datagram& what) noexcept override { return of->carry(to, what); }
  };

  network(std::size_t packet_bytes, trouble with, std::size_t most_packets = 4096,
          unsigned seed = 1, std::uint32_t first = datagram_channel::first_window)
      : store{packet_bytes, most_packets}, with{with}, random{seed} {
    for (wire& each : out) each.of = this;
    for (peer_id each : {0u, 1u})
      ends[each].emplace(arrivals[each], out[each], store, counted[each], 1 - each, first);
  }

  bool chance(double of) { return std::uniform_real_distribution<>{}(random) < of; }
  bool carry(peer_id to, const datagram& what) {
    if (room == 0) return false;
    --room;
    ++carried;
    if (cut || chance(with.loss)) return true;
    for (int copies = chance(with.doubled) ? 2 : 1; copies > 0; --copies) {
      const auto late = chance(with.reordered) ? milliseconds{5} : milliseconds{1};
      air[to].push_back({now + late, ++number, what, {what.data, what.data + what.bytes}});
    }
    return true;
  }
  /// A millisecond passes.
  void step() {
    now += milliseconds{1};
    for (peer_id to : {0u, 1u}) {
      if (absent[to]) continue;
      std::vector<flying> landing;
      const auto first = std::stable_partition(
          air[to].begin(), air[to].end(), [&](const flying& each) { return each.arrives > now; });
      landing.assign(std::make_move_iterator(first), std::make_move_iterator(air[to].end()));
      air[to].erase(first, air[to].end());
      std::sort(landing.begin(), landing.end(), [](const flying& a, const flying& b) {
        return std::tie(a.arrives, a.number) < std::tie(b.arrives, b.number);
      });
      for (flying& each : landing) {
        each.what.data = each.data.data();
        refused += !ends[to]->receive(each.what, now, takes[to]);
      }
      if (ends[to]->due() <= now) ends[to]->expire(now);
      ends[to]->transmit(now);
    }
  }
  template <class Done>
  bool until(Done done, int most = 1'000'000) {
    for (int turn = 0; turn < most; ++turn) {
      if (done()) return true;
      step();
    }
    return false;
  }

  packet_store store;
  trouble with;
  std::mt19937 random;
  time_point now = time_point{} + std::chrono::hours{1};
  std::uint64_t number = 0, carried = 0, refused = 0;
  std::size_t room = ~std::size_t{0};
  bool cut = false;
  bool absent[2] = {false, false};
  bool takes[2] = {true, true};
  wire out[2];
  recorder arrivals[2];
  datagram_counters counted[2];
  std::vector<flying> air[2];
  std::optional<datagram_channel> ends[2];
};

std::size_t random_size(std::mt19937& random) {
  switch (random() % 8) {
    case 0: return 0;
    case 1: return random() % (eager_limit + 1);
    case 2: return 900 + random() % 200;
    default: return random() % 64;
  }
}

void expect_all(const recorder& got, std::uint32_t count) {
  ASSERT_EQ(got.got.size(), count);
  for (std::uint32_t each = 0; each < count; ++each) {
    ASSERT_EQ(got.got[each].head.context(), each);
    ASSERT_EQ(got.got[each].payload, pattern(got.got[each].head.bytes(), each)) << each;
  }
  EXPECT_TRUE(got.aligned);
}

struct weather {
  const char* name;
  trouble with;
  std::size_t packet_bytes;
};

class datagram_channels : public testing::TestWithParam<weather> {};

TEST(datagram_channel, never_has_more_under_way_than_the_receiver_says) {
  network net{992, {}};
  net.absent[1] = true;
  const std::vector<std::byte> payload = pattern(900, 0);
  const auto send_many = [&] {
    for (int each = 0; each < 100; ++each)
      if (!net.ends[0]->send(message(900, 0), payload.data())) break;
    net.step();
  };
  const auto told = [&](std::uint32_t acknowledged, std::uint16_t allowed) {
    EXPECT_TRUE(net.ends[0]->receive({0, acknowledged, 0, 0, nullptr, allowed}, net.now, true));
  };
  send_many();
  EXPECT_EQ(net.carried, datagram_channel::first_window);
  told(datagram_channel::first_window, 3);
  net.carried = 0;
  send_many();
  EXPECT_EQ(net.carried, 3u);
  net.step();
  EXPECT_EQ(net.carried, 3u) << "the rest waits for acknowledgements";
  EXPECT_FALSE(net.ends[0]->has_something_to_send()) << "and keeps nobody awake";
  told(datagram_channel::first_window + 1, 3);
  EXPECT_TRUE(net.ends[0]->send(message(900, 0), payload.data()));
  EXPECT_TRUE(net.ends[0]->has_something_to_send());
  net.step();
  EXPECT_EQ(net.carried, 4u);
}

TEST(datagram_channel, a_first_window_of_one_packet_brings_long_messages_too) {
  network net{992, {}, 4096, 1, 1};
  const std::vector<std::byte> payload = pattern(eager_limit, 0);
  ASSERT_TRUE(net.ends[0]->send(message(eager_limit, 0), payload.data()));
  net.step();
  EXPECT_EQ(net.carried, 1u);
  ASSERT_TRUE(net.until([&] { return !net.arrivals[1].got.empty(); }));
  EXPECT_EQ(net.arrivals[1].got.front().payload, payload);
  EXPECT_EQ(net.counted[0].repeated, 0u);
}

TEST_P(datagram_channels, bring_every_message_once_and_in_order) {
  network net{GetParam().packet_bytes, GetParam().with};
  constexpr std::uint32_t many = 4000;
  std::mt19937 random{7};
  std::uint32_t sent[2] = {0, 0};
  ASSERT_TRUE(net.until([&] {
    for (peer_id from : {0u, 1u})
      for (unsigned burst = random() % 30; burst > 0 && sent[from] < many; --burst) {
        const std::size_t bytes = random_size(random);
        if (!net.ends[from]->send(message(bytes, sent[from]), pattern(bytes, sent[from]).data()))
          break;
        ++sent[from];
      }
    return sent[0] == many && sent[1] == many && net.ends[0]->drained() && net.ends[1]->drained();
  }));
  for (const recorder& each : net.arrivals) expect_all(each, many);
  EXPECT_EQ(net.refused, 0u);
  EXPECT_EQ(net.store.left(), 4096u) << "what is acknowledged is given back";
  EXPECT_EQ(net.ends[0]->due(), datagram_channel::never);
  EXPECT_EQ(net.counted[0].messages, many);
  if (GetParam().with.loss > 0) {
    EXPECT_GT(net.counted[0].repeated, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(all, datagram_channels,
                         testing::Values(weather{"fair", {}, 960},
                                         weather{"lossy", {0.05, 0, 0}, 960},
                                         weather{"doubled", {0, 0.2, 0}, 960},
                                         weather{"reordered", {0, 0, 0.1}, 960},
                                         weather{"foul", {0.05, 0.01, 0.1}, 960},
                                         weather{"foul_short", {0.05, 0.05, 0.2}, 192},
                                         weather{"foul_long", {0.05, 0.05, 0.2}, 4032},
                                         weather{"awful", {0.4, 0.2, 0.3}, 960}),
                         [](const auto& each) { return std::string{each.param.name}; });

TEST(datagram_channel, small_messages_share_a_packet) {
  network net{960, {}};
  for (std::uint32_t each = 0; each < 20; ++each)
    ASSERT_TRUE(net.ends[0]->send(message(8, each), pattern(8, each).data()));
  ASSERT_TRUE(net.until([&] { return net.ends[0]->drained(); }));
  expect_all(net.arrivals[1], 20);
  EXPECT_EQ(net.counted[0].packets, 1u);  // 20 times 32 bytes
  EXPECT_EQ(net.counted[1].acknowledgements, 1u);
}

TEST(datagram_channel, an_answer_carries_the_acknowledgement) {
  network net{960, {}};
  net.arrivals[1].also = [&](const arrival&) {
    EXPECT_TRUE(net.ends[1]->send(message(8, 0), pattern(8, 0).data()));
  };
  ASSERT_TRUE(net.ends[0]->send(message(8, 0), pattern(8, 0).data()));
  ASSERT_TRUE(net.until([&] { return net.ends[0]->drained() && net.ends[1]->drained(); }));
  EXPECT_EQ(net.counted[1].acknowledgements, 0u);
}

TEST(datagram_channel, the_window_is_bounded_and_moves_on) {
  network net{960, {}};
  net.absent[1] = true;
  std::uint32_t sent = 0;
  while (net.ends[0]->send(message(900, sent), pattern(900, sent).data())) ASSERT_LT(++sent, 1000u);
  EXPECT_GT(sent, 1u);
  EXPECT_FALSE(net.ends[0]->send(message(900, sent), pattern(900, sent).data()));
  net.absent[1] = false;
  ASSERT_TRUE(
      net.until([&] { return net.ends[0]->send(message(900, sent), pattern(900, sent).data()); }));
  ++sent;
  ASSERT_TRUE(net.until([&] { return net.ends[0]->drained(); }));
  expect_all(net.arrivals[1], sent);
}

TEST(datagram_channel, a_peer_that_computes_is_asked_ever_more_seldom) {
  network net{960, {}};
  net.absent[1] = true;
  for (std::uint32_t each = 0; each < 10; ++each)
    ASSERT_TRUE(net.ends[0]->send(message(900, each), pattern(900, each).data()));
  for (int turn = 0; turn < 60'000; ++turn) net.step();
  EXPECT_LT(net.carried, 10u + 70u) << "one packet at a time, not the window";
  EXPECT_GE(net.carried, 10u + 50u) << "but one a second";
  net.absent[1] = false;
  ASSERT_TRUE(net.until([&] { return net.ends[0]->drained(); }));
  expect_all(net.arrivals[1], 10);
}

TEST(datagram_channel, a_single_loss_is_seen_without_the_timer) {
  network net{960, {}};
  ASSERT_TRUE(net.ends[0]->send(message(900, 0), pattern(900, 0).data()));
  net.cut = true;
  net.ends[0]->transmit(net.now);
  net.cut = false;
  const time_point began = net.now;
  std::uint32_t sent = 1;
  ASSERT_TRUE(net.until([&] {
    if (sent < 8 && net.ends[0]->send(message(900, sent), pattern(900, sent).data())) ++sent;
    return sent == 8 && net.ends[0]->drained();
  }));
  EXPECT_LT(net.now - began, milliseconds{25}) << "the first pause is 30 ms";
  EXPECT_EQ(net.counted[0].repeated, 1u);
  expect_all(net.arrivals[1], 8);
}

TEST(datagram_channel, what_may_not_be_taken_comes_later) {
  network net{960, {}};
  net.takes[1] = false;
  for (std::uint32_t each = 0; each < 5; ++each)
    ASSERT_TRUE(net.ends[0]->send(message(900, each), pattern(900, each).data()));
  for (int turn = 0; turn < 100; ++turn) net.step();
  EXPECT_TRUE(net.arrivals[1].got.empty());
  EXPECT_FALSE(net.ends[0]->drained());
  net.takes[1] = true;
  ASSERT_TRUE(net.until([&] { return net.ends[0]->drained(); }));
  expect_all(net.arrivals[1], 5);
}

TEST(datagram_channel, a_port_without_room_loses_nothing) {
  network net{960, {}};
  net.room = 0;
  for (std::uint32_t each = 0; each < 10; ++each)
    ASSERT_TRUE(net.ends[0]->send(message(900, each), pattern(900, each).data()));
  net.step();
  EXPECT_TRUE(net.ends[0]->has_something_to_send());
  ASSERT_TRUE(net.until([&] { return net.room = 1, net.ends[0]->drained(); }));
  expect_all(net.arrivals[1], 10);
}

TEST(datagram_channel, refusals_and_goodbyes_come_in_order) {
  network net{960, {0.2, 0.1, 0.2}};
  EXPECT_FALSE(net.ends[1]->refuses_eager());
  ASSERT_TRUE(net.ends[0]->tell(true));
  ASSERT_TRUE(net.until([&] { return net.ends[1]->refuses_eager(); }));
  ASSERT_TRUE(net.until([&] { return net.ends[0]->tell(false); }));
  ASSERT_TRUE(net.until([&] { return !net.ends[1]->refuses_eager(); }));
  for (std::uint32_t each = 0; each < 5; ++each)
    ASSERT_TRUE(net.ends[0]->send(message(900, each), pattern(900, each).data()));
  ASSERT_TRUE(net.ends[0]->send_last());
  ASSERT_TRUE(net.until([&] { return net.ends[1]->left(); }));
  expect_all(net.arrivals[1], 5);
}

TEST(datagram_channel, nothing_waits_for_a_peer_that_failed) {
  network net{960, {}};
  net.absent[1] = true;
  for (std::uint32_t each = 0; each < 5; ++each)
    ASSERT_TRUE(net.ends[0]->send(message(900, each), pattern(900, each).data()));
  net.step();
  net.ends[0]->abandon();
  EXPECT_TRUE(net.ends[0]->drained());
  EXPECT_EQ(net.store.left(), 4096u);
  EXPECT_EQ(net.ends[0]->due(), datagram_channel::never);
  net.absent[1] = false;  // not dead after all
  ASSERT_TRUE(net.ends[1]->send(message(8, 0), pattern(8, 0).data()));
  ASSERT_TRUE(net.until([&] { return net.ends[1]->drained(); })) << "acknowledged";
  EXPECT_TRUE(net.arrivals[0].got.empty()) << "and not delivered";
  EXPECT_EQ(net.refused, 0u);
}

TEST(datagram_channel, memory_is_bounded_for_all_together) {
  packet_store store{960, 64};
  struct silence final : datagram_output {
    bool put(peer_id, const datagram&) noexcept override { return true; }
  } nowhere;
  recorder arrivals;
  datagram_counters counted;
  std::vector<std::unique_ptr<datagram_channel>> many;
  std::size_t taken = 0;
  for (peer_id each = 0; each < 100; ++each) {
    many.push_back(std::make_unique<datagram_channel>(arrivals, nowhere, store, counted, each));
    while (many.back()->send(message(900, 0), pattern(900, 0).data())) ++taken;
  }
  EXPECT_EQ(taken, 64u);
  EXPECT_EQ(store.left(), 0u);
  EXPECT_EQ(
      std::count_if(many.begin(), many.end(), [](const auto& each) { return !each->drained(); }),
      34)
      << "two hold windows, all others one";
  many.clear();
  EXPECT_EQ(store.left(), 64u);
}

// ---- packets that nobody of the stream has sent

struct forged : testing::Test {
  network net{960, {}};
  alignas(16) std::byte data[1024]{};

  void SetUp() override {
    for (std::uint32_t each = 0; each < 3; ++each)
      ASSERT_TRUE(net.ends[0]->send(message(900, each), pattern(900, each).data()));
    ASSERT_TRUE(net.until([&] { return net.ends[0]->drained(); }));
    const envelope sound = message(16, 3);
    std::memcpy(data, &sound, sizeof sound);
  }
  datagram next() { return {4, 0, datagram_flags::sequenced, 32, data}; }
  bool taken(const datagram& what) { return net.ends[1]->receive(what, net.now, true); }
};

TEST_F(forged, the_true_one_is_taken) {
  EXPECT_TRUE(taken(next()));
  EXPECT_EQ(net.arrivals[1].got.size(), 4u);
}

TEST_F(forged, whatever_is_wrong_is_refused_and_changes_nothing) {
  const auto refused = [&](const char* why, auto change) {
    datagram wrong = next();
    change(wrong);
    EXPECT_FALSE(taken(wrong)) << why;
  };
  refused("acknowledges what was never sent", [](datagram& d) { d.acknowledged = 1; });
  refused("acknowledges what was never sent", [](datagram& d) { d.acknowledged = 0x80000000; });
  refused("far ahead", [](datagram& d) { d.sequence = 4 + 128; });
  refused("very far ahead", [](datagram& d) { d.sequence = 0x7fffffff; });
  refused("long ago", [](datagram& d) { d.sequence = 4 - (1u << 16) - 1; });
  refused("an odd length", [](datagram& d) { d.bytes = 33; });
  refused("longer than a packet", [](datagram& d) { d.bytes = 976; });
  refused("unknown flags", [](datagram& d) { d.flags |= 0x8000; });
  refused("an acknowledgement with data", [](datagram& d) { d.flags = 0, d.sequence = 0; });
  refused("an acknowledgement with a number", [](datagram& d) { d.flags = 0, d.bytes = 0; });
  const envelope endless = message(eager_limit + 1, 3);
  std::memcpy(data, &endless, sizeof endless);
  refused("a message that is too long", [](datagram&) {});
  EXPECT_EQ(net.arrivals[1].got.size(), 3u);
  ASSERT_TRUE(net.ends[0]->send(message(900, 3), pattern(900, 3).data()));
  ASSERT_TRUE(net.until([&] { return net.ends[0]->drained(); }));
  expect_all(net.arrivals[1], 4);
}

TEST_F(forged, an_early_one_that_makes_no_sense_gives_way_to_the_true_one) {
  datagram early = next();
  early.sequence = 5;
  const envelope endless = message(eager_limit + 1, 3);
  std::memcpy(data, &endless, sizeof endless);
  EXPECT_TRUE(taken(early)) << "it cannot be read yet";
  for (std::uint32_t each = 3; each < 6; ++each)  // a whole packet each
    ASSERT_TRUE(net.ends[0]->send(message(944, each), pattern(944, each).data()));
  ASSERT_TRUE(net.until([&] { return net.ends[0]->drained(); }));
  expect_all(net.arrivals[1], 6);
}

TEST_F(forged, random_bytes_do_no_harm) {
  std::mt19937 random{3};
  for (int each = 0; each < 100'000; ++each) {
    datagram wild{static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()),
                  static_cast<std::uint16_t>(random()), static_cast<std::uint16_t>(random() % 1000),
                  data};
    for (std::byte& b : data) b = static_cast<std::byte>(random());
    (void)taken(wild);
  }
  EXPECT_EQ(net.arrivals[1].got.size(), 3u);
}

}  // namespace
