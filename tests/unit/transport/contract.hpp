// tests/unit/transport/contract.hpp
// One suite that every transport passes. One thread drives both ends, so that what each step does
// is known. Who includes it instantiates it: contract_test.cpp for the transports of a node,
// verbs/verbs_transport_contract_test.cpp for RDMA devices.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "peal/error.hpp"
#include "unit/transport/ends.hpp"

namespace peal::test {

/// Two ends; with a transport to oneself both are the same.
struct two_ends {
  virtual ~two_ends() = default;
  virtual transport& sender() = 0;
  virtual transport& receiver() = 0;
  virtual recorder& arrivals() = 0;
  virtual peer_id sender_id() = 0;
  virtual peer_id receiver_id() = 0;
  void poll() {
    sender().poll();
    receiver().poll();
  }
};

/// `make` gives null where there is no such device.
struct candidate {
  const char* name;
  std::function<std::unique_ptr<two_ends>()> make;
};

class contract : public testing::TestWithParam<candidate> {
 protected:
  std::unique_ptr<two_ends> ends = GetParam().make();

  void SetUp() override {
    if (!ends) GTEST_SKIP() << no_device_here;
  }

  /// Sends, polling both ends while there is no room.
  void send(envelope e, const void* payload) {
    ASSERT_TRUE(until(
        [&] {
          ends->receiver().poll();
          ends->sender().poll();
        },
        [&] { return ends->sender().send(ends->receiver_id(), e, payload); }));
  }
  void wait_for(std::size_t messages) {
    ASSERT_TRUE(
        until([&] { ends->poll(); }, [&] { return ends->arrivals().got.size() >= messages; }));
  }
  /// A fetch follows an announcement, so the two have met.
  void meet() { meet(*ends); }
  static void meet(two_ends& both) {
    const envelope hello = envelope::make(0, 0, 0, envelope_kind::announce, 0);
    ASSERT_TRUE(until([&] { both.poll(); },
                      [&] { return both.sender().send(both.receiver_id(), hello, nullptr); }));
    ASSERT_TRUE(until([&] { both.poll(); }, [&] { return !both.arrivals().got.empty(); }));
  }
};

inline envelope numbered_message(std::size_t bytes, std::uint32_t number) {
  return envelope::make(number, static_cast<std::int32_t>(number * 3), number + 7,
                        envelope_kind::eager, bytes);
}

TEST_P(contract, envelope_and_payload_arrive_as_sent) {
  std::uint32_t number = 0;
  for (const std::size_t bytes : {0,  1,  2,  3,  4,  5,  7,  8,  9,  15, 16,   17,   31,
                                  32, 33, 39, 40, 41, 63, 64, 95, 96, 97, 1000, 4095, 4096}) {
    if (bytes > ends->sender().eager_limit()) continue;
    const auto payload = pattern(bytes, number);
    const envelope head = numbered_message(bytes, number);
    send(head, payload.data());
    wait_for(++number);
    const arrival& got = ends->arrivals().got.back();
    EXPECT_EQ(got.from, ends->sender_id());
    EXPECT_EQ(got.head.match, head.match);
    EXPECT_EQ(got.head.rest, head.rest);
    EXPECT_EQ(got.payload, payload) << bytes << " bytes";
  }
  EXPECT_TRUE(ends->arrivals().aligned);
}

TEST_P(contract, every_kind_and_extreme_value_passes) {
  const envelope head = envelope::make(0xffffffff, -2, 0xffffffff, envelope_kind::fetched, 0);
  send(head, nullptr);
  wait_for(1);
  EXPECT_EQ(ends->arrivals().got[0].head.kind(), envelope_kind::fetched);
  EXPECT_EQ(ends->arrivals().got[0].head.tag(), -2);
  EXPECT_EQ(ends->arrivals().got[0].head.source(), 0xffffffffu);
}

TEST_P(contract, order_holds_under_random_sizes_and_polls) {
  std::mt19937 random{4711};
  std::uint32_t number = 0;
  const auto draw = [&](unsigned below) { return random() % below; };
  for (int burst = 0; burst < 300; ++burst) {
    for (unsigned count = draw(40); count > 0; --count, ++number) {
      const std::size_t bytes = draw(4) != 0 ? draw(64) : draw(4097);
      send(numbered_message(bytes, number), pattern(bytes, number).data());
    }
    for (unsigned polls = draw(3); polls > 0; --polls) ends->receiver().poll();
  }
  wait_for(number);
  ASSERT_EQ(ends->arrivals().got.size(), number);
  for (std::uint32_t each = 0; each < number; ++each) {
    const arrival& got = ends->arrivals().got[each];
    ASSERT_EQ(got.head.context(), each);
    ASSERT_EQ(got.payload, pattern(got.head.bytes(), each)) << each;
  }
  EXPECT_TRUE(ends->arrivals().aligned);
}

TEST_P(contract, what_does_not_fit_is_refused_and_nothing_is_lost) {
  std::uint32_t sent = 0;
  const auto payload = pattern(4096, 1);
  send(numbered_message(4096, sent), payload.data());  // a connection, where it takes one
  wait_for(++sent);
  while (ends->sender().send(ends->receiver_id(), numbered_message(4096, sent), payload.data()))
    ASSERT_LT(++sent, 100000u) << "no limit at all";
  EXPECT_GT(sent, 1u);
  EXPECT_FALSE(
      ends->sender().send(ends->receiver_id(), numbered_message(4096, sent), payload.data()))
      << "still full";
  send(numbered_message(4096, sent), payload.data());  // the receiver polls: room again
  wait_for(sent + 1);
  for (std::uint32_t each = 0; each <= sent; ++each)
    ASSERT_EQ(ends->arrivals().got[each].head.context(), each);
}

TEST_P(contract, arrivals_come_from_poll_only) {
  send(numbered_message(8, 0), "12345678");
  EXPECT_TRUE(ends->arrivals().got.empty());
  wait_for(1);
}

TEST_P(contract, an_arrival_may_send) {
  int answers = 0;
  ends->arrivals().also = [&](const arrival& each) {
    if (each.head.context() < 5 &&
        ends->receiver().send(ends->sender_id(), numbered_message(16, each.head.context() + 100),
                              "0123456789abcdef"))
      ++answers;
  };
  for (std::uint32_t each = 0; each < 5; ++each)
    send(numbered_message(16, each), "fedcba9876543210");
  wait_for(5);
  EXPECT_EQ(answers, 5);
}

TEST_P(contract, poll_says_whether_anything_moved) {
  while (ends->sender().poll() || ends->receiver().poll()) {
  }
  EXPECT_FALSE(ends->receiver().poll());
  send(numbered_message(8, 0), "12345678");
  EXPECT_TRUE(until([] {}, [&] { return ends->receiver().poll(); }));
}

TEST_P(contract, a_fetch_brings_the_exposed_bytes) {
  meet();
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, std::size_t{32768},
                                  std::size_t{100'001}, (std::size_t{4} << 20) + 3}) {
    const auto source = pattern(bytes, bytes);
    std::vector<std::byte> target(bytes + 1, std::byte{0x5a});
    const remote_region region = ends->sender().expose(ends->receiver_id(), source.data(), bytes);
    tracked_fetch fetching{ends->sender_id(), region, target.data(), bytes};
    ends->receiver().start_fetch(fetching);
    ASSERT_TRUE(until([&] { ends->poll(); }, [&] { return fetching.calls > 0; })) << bytes;
    ends->sender().withdraw(ends->receiver_id(), region);
    EXPECT_FALSE(fetching.error) << fetching.error.message();
    EXPECT_TRUE(std::equal(source.begin(), source.end(), target.begin())) << bytes;
    EXPECT_EQ(target.back(), std::byte{0x5a}) << "written past the end";
    for (int more = 0; more < 3; ++more) ends->poll();
    EXPECT_EQ(fetching.calls, 1);
  }
}

TEST_P(contract, a_fetch_that_absorbs_gets_every_byte_once) {
  for (const std::size_t bytes : {1, 4096, 16'385, 40'000, 131'072, 1'000'000, 5'000'001}) {
    const auto ends = GetParam().make();
    meet(*ends);
    const auto source = pattern(bytes, 17);
    const remote_region region = ends->sender().expose(ends->receiver_id(), source.data(), bytes);
    absorbing_fetch fetching{ends->sender_id(), region, bytes};
    ends->receiver().start_fetch(fetching);
    ASSERT_TRUE(until([&] { ends->poll(); }, [&] { return fetching.calls > 0; })) << bytes;
    EXPECT_FALSE(fetching.error) << fetching.error.message();
    EXPECT_TRUE(fetching.data == source) << bytes;
    EXPECT_EQ(std::count(fetching.times.begin(), fetching.times.end(), 1),
              static_cast<std::ptrdiff_t>(bytes));
    EXPECT_TRUE(fetching.aligned);
    ends->sender().withdraw(ends->receiver_id(), region);
  }
}

/// As p2p does it: the fetch begins once the announcement has come. Some sizes are next to what
/// verbs sends with it.
TEST_P(contract, a_fetch_behind_its_announcement_brings_the_exposed_bytes) {
  meet();
  std::size_t announced = ends->arrivals().got.size();
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{4095}, std::size_t{8193}, std::size_t{61'440},
        std::size_t{61'441}, std::size_t{65'535}, std::size_t{65'536}, std::size_t{65'537},
        std::size_t{69'632}, std::size_t{1'000'000}})
    for (const std::size_t wanted :
         {bytes, (bytes + 1) / 2, std::min<std::size_t>(bytes, 40'000)}) {
      const auto source = pattern(bytes, bytes);
      const remote_region region = ends->sender().expose(ends->receiver_id(), source.data(), bytes);
      send(envelope::make(1, 1, 1, envelope_kind::announce, sizeof region), &region);
      wait_for(++announced);
      std::vector<std::byte> target(wanted + 1, std::byte{0x5a});
      tracked_fetch copying{ends->sender_id(), region, target.data(), wanted};
      absorbing_fetch absorbing{ends->sender_id(), region, wanted};
      tracked_fetch& fetching = announced % 2 == 0 ? copying : absorbing;
      ends->receiver().start_fetch(fetching);
      ASSERT_TRUE(until([&] { ends->poll(); }, [&] { return fetching.calls > 0; })) << bytes;
      ends->sender().withdraw(ends->receiver_id(), region);
      EXPECT_FALSE(fetching.error) << fetching.error.message();
      const auto& got = announced % 2 == 0 ? target : absorbing.data;
      EXPECT_TRUE(std::equal(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(wanted),
                             source.begin()))
          << wanted << " of " << bytes;
      EXPECT_EQ(target.back(), std::byte{0x5a}) << "written past the end";
      if (announced % 2 == 0) continue;
      EXPECT_EQ(std::count(absorbing.times.begin(), absorbing.times.end(), 1),
                static_cast<std::ptrdiff_t>(wanted));
      EXPECT_TRUE(absorbing.aligned);
    }
}

TEST_P(contract, a_fetch_may_take_less_than_was_exposed) {
  meet();
  const auto source = pattern(300'000, 9);
  std::vector<std::byte> target(100'000);
  const remote_region region =
      ends->sender().expose(ends->receiver_id(), source.data(), source.size());
  tracked_fetch fetching{ends->sender_id(), region, target.data(), target.size()};
  ends->receiver().start_fetch(fetching);
  ASSERT_TRUE(until([&] { ends->poll(); }, [&] { return fetching.calls > 0; }));
  EXPECT_TRUE(std::equal(target.begin(), target.end(), source.begin()));
}

TEST_P(contract, many_fetches_at_once_all_end) {
  meet();
  constexpr std::size_t count = 100, bytes = 70'000;
  std::vector<std::vector<std::byte>> sources, targets(count, std::vector<std::byte>(bytes));
  std::vector<std::unique_ptr<tracked_fetch>> fetches;
  for (std::size_t each = 0; each < count; ++each) {
    sources.push_back(pattern(bytes, each));
    const remote_region region =
        ends->sender().expose(ends->receiver_id(), sources.back().data(), bytes);
    fetches.push_back(
        std::make_unique<tracked_fetch>(ends->sender_id(), region, targets[each].data(), bytes));
    ends->receiver().start_fetch(*fetches.back());
  }
  const auto all = [&] {
    return std::all_of(fetches.begin(), fetches.end(),
                       [](const auto& each) { return each->calls == 1; });
  };
  ASSERT_TRUE(until([&] { ends->poll(); }, all));
  for (std::size_t each = 0; each < count; ++each)
    EXPECT_TRUE(targets[each] == sources[each]) << each;
}

TEST_P(contract, wants_eager_is_what_the_receiver_says) {
  const auto wants = [&] { return ends->sender().wants_eager(ends->receiver_id()); };
  const auto becomes = [&](bool what) {
    return until([&] { ends->poll(); }, [&] { return wants() == what; });
  };
  EXPECT_TRUE(wants());
  ends->receiver().set_wants_eager(false);  // before the first message
  send(numbered_message(8, 0), "12345678");
  EXPECT_TRUE(becomes(false));
  ends->receiver().set_wants_eager(true);
  EXPECT_TRUE(becomes(true));
  ends->receiver().set_wants_eager(false);
  EXPECT_TRUE(becomes(false));
}

/// Of transports whose sender takes part in a fetch.
class packing_contract : public contract {};

TEST_P(packing_contract, a_payload_is_packed_while_it_is_fetched) {
  for (const std::size_t bytes : {1, 4096, 4097, 16'385, 131'072, 1'000'000, 5'000'001})
    for (const bool absorbs : {false, true}) {
      const auto ends = GetParam().make();
      meet(*ends);
      const auto source = pattern(bytes, 23);
      const counting_packer from{source};
      const remote_region region = ends->sender().expose_packed(ends->receiver_id(), from, bytes);
      std::vector<std::byte> target(bytes);
      absorbing_fetch absorbing{ends->sender_id(), region, bytes};
      tracked_fetch copying{ends->sender_id(), region, target.data(), bytes};
      tracked_fetch& fetching = absorbs ? absorbing : copying;
      ends->receiver().start_fetch(fetching);
      ASSERT_TRUE(until([&] { ends->poll(); }, [&] { return fetching.calls > 0; })) << bytes;
      EXPECT_FALSE(fetching.error) << fetching.error.message();
      EXPECT_TRUE((absorbs ? absorbing.data : target) == source) << bytes;
      EXPECT_TRUE(from.each_once()) << bytes;
      ends->sender().withdraw(ends->receiver_id(), region);
    }
}

TEST_P(packing_contract, less_of_a_packed_payload_may_be_fetched) {
  meet();
  const auto source = pattern(300'000, 5);
  const counting_packer from{source};
  std::vector<std::byte> target(100'001, std::byte{0x5a});
  const remote_region region =
      ends->sender().expose_packed(ends->receiver_id(), from, source.size());
  tracked_fetch fetching{ends->sender_id(), region, target.data(), 100'000};
  ends->receiver().start_fetch(fetching);
  ASSERT_TRUE(until([&] { ends->poll(); }, [&] { return fetching.calls > 0; }));
  EXPECT_TRUE(std::equal(target.begin(), target.end() - 1, source.begin()));
  EXPECT_EQ(target.back(), std::byte{0x5a});
}

}  // namespace peal::test
