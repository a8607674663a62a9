// Whatever the bytes of a packet are, what is read out of it lies within it.
#include "transport/verbs/parsing.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace {

using namespace peal;
using namespace peal::verbs;

using octets = std::vector<std::byte>;

template <class Head>
octets with(const Head& head, std::size_t behind) {
  octets made(sizeof head + behind, std::byte{7});
  std::memcpy(made.data(), &head, sizeof head);
  return made;
}

bool lies_in(const octets& whole, const std::byte* at, std::size_t bytes) {
  return at >= whole.data() && bytes <= whole.size() && at <= whole.data() + (whole.size() - bytes);
}

/// All of it is read, so that sanitizers see what is not there.
void parse_as_anything(const octets& what) {
  unsigned sum = 0;
  if (const parsed<datagram_view> read = parse_datagram(what); !read.problem) {
    ASSERT_TRUE(lies_in(what, read.view.data, read.view.head.bytes));
    for (std::size_t each = 0; each < read.view.head.bytes; ++each)
      sum += static_cast<unsigned>(read.view.data[each]);
  }
  if (const parsed<payload_view> read = parse_payload(what); !read.problem) {
    const payload_header& header = read.view.header;
    if (header.kind == payload_kind::data || header.kind == payload_kind::push) {
      ASSERT_TRUE(lies_in(what, read.view.data, header.bytes));
      ASSERT_LE(header.bytes, most_payload);
    }
    if (header.kind == payload_kind::push) {
      ASSERT_LE(read.view.at() + header.bytes, read.view.planned());
    }
    if (header.kind == payload_kind::ask || header.kind == payload_kind::data ||
        header.kind == payload_kind::write) {
      ASSERT_GE(header.position + header.bytes, header.position) << "it does not wrap";
    }
  }
  std::size_t end = 0;
  (void)parse_messages(what, [&](envelope e, const std::byte* payload) {
    EXPECT_TRUE(lies_in(what, payload, e.bytes()));
    EXPECT_GE(static_cast<std::size_t>(payload - what.data()), end) << "behind the one before it";
    end = static_cast<std::size_t>(payload - what.data()) + e.bytes();
    for (std::size_t each = 0; each < e.bytes(); ++each)
      sum += static_cast<unsigned>(payload[each]);
  });
  if (what.size() >= sizeof(handshake_packet)) {
    handshake_packet said;
    std::memcpy(&said, what.data(), sizeof said);
    if (!problem_of(said)) {
      EXPECT_LE(said.kind, last_handshake_kind);
    }
  }
  EXPECT_GE(sum, 0u);
}

octets with_numbers(payload_kind kind, const pair_numbers& numbers, std::uint32_t link = 0) {
  octets made(sizeof(payload_header) + sizeof numbers);
  const payload_header header{kind, link, 0, 0, sizeof numbers};
  std::memcpy(made.data(), &header, sizeof header);
  std::memcpy(made.data() + sizeof header, &numbers, sizeof numbers);
  return made;
}

std::vector<octets> true_packets() {
  datagram_header datagram;
  datagram.bytes = 64;
  datagram.flags = datagram_flags::sequenced;
  handshake_packet handshake;
  handshake.credits = handshake.most_credits = 64;
  octets messages = with(envelope::make(1, 2, 3, envelope_kind::eager, 20), 32);
  const octets second = with(envelope::make(1, 2, 3, envelope_kind::eager, 5), 5);
  messages.insert(messages.end(), second.begin(), second.end());
  return {with(datagram, 64),
          with(handshake, 0),
          messages,
          with(payload_header{payload_kind::ask, 0, 1, 0, 100}, 8),
          with(payload_header{payload_kind::data, 0, 1, 0, 100}, 100),
          with(payload_header{payload_kind::push, 0, 1, std::uint64_t{100} << 32, 100}, 100),
          with(payload_header{payload_kind::write, 0, 1, 4096, 100}, sizeof(write_source)),
          with(payload_header{payload_kind::written, 2, 1, 0, 0}, 0),
          with(payload_header{payload_kind::left_out, 1, 0, 0, 0}, 0),
          with(payload_header{payload_kind::keys, 1, 1, 0, 0}, 0),
          with(payload_header{payload_kind::keys, 3, 1, 0, 32}, 32),
          with_numbers(payload_kind::pairs_asked, {.what = {0, 4, true}}),
          with_numbers(payload_kind::link_given, {.what = {0, 4, false}}, 1)};
}

TEST(verbs_parsing, true_packets_say_what_was_written) {
  const std::vector<octets> all = true_packets();
  const parsed<datagram_view> datagram = parse_datagram(all[0]);
  ASSERT_EQ(datagram.problem, nullptr);
  EXPECT_EQ(datagram.view.head.bytes, 64u);
  std::vector<std::size_t> lengths;
  EXPECT_EQ(
      parse_messages(all[2], [&](envelope e, const std::byte*) { lengths.push_back(e.bytes()); }),
      nullptr);
  EXPECT_EQ(lengths, (std::vector<std::size_t>{20, 5}));
  for (std::size_t each = 3; each < all.size(); ++each)
    EXPECT_EQ(parse_payload(all[each]).problem, nullptr) << each;
  EXPECT_EQ(parse_payload(all[5]).view.planned(), 100u);
}

TEST(verbs_parsing, a_packet_that_is_cut_or_longer_is_told_from_a_true_one) {
  const std::vector<octets> all = true_packets();
  for (const std::size_t each : {0u, 3u, 4u, 5u, 6u, 7u, 8u, 9u})
    for (const int change : {-1, 1}) {
      octets other = all[each];
      other.resize(other.size() + static_cast<std::size_t>(change));
      EXPECT_NE(each == 0 ? parse_datagram(other).problem : parse_payload(other).problem, nullptr)
          << each << " by " << change;
    }
}

TEST(verbs_parsing, bounds_that_wrap_are_refused) {
  constexpr std::uint64_t end = ~std::uint64_t{0};
  const auto refuses = [](const payload_header& header, std::size_t behind) {
    return parse_payload(with(header, behind)).problem != nullptr;
  };
  EXPECT_TRUE(refuses({payload_kind::ask, 0, 1, end, 2}, 8));
  EXPECT_TRUE(refuses({payload_kind::ask, 0, 1, 2, end}, 8));
  EXPECT_TRUE(refuses({payload_kind::ask, 0, 1, 2, 0}, 8)) << "no bytes";
  EXPECT_TRUE(refuses({payload_kind::data, 0, 1, end, 8}, 8));
  EXPECT_TRUE(refuses({payload_kind::push, 0, 1, std::uint64_t{8} << 32 | 1, 8}, 8));
  EXPECT_TRUE(refuses({payload_kind::push, 0, 1, std::uint64_t{8} << 32 | 9, 8}, 8));
  EXPECT_TRUE(refuses({payload_kind::push, 0, end, std::uint64_t{8} << 32, 8}, 8)) << "its number";
  EXPECT_TRUE(refuses({payload_kind::write, 0, 1, end, 2}, sizeof(write_source)));
  EXPECT_TRUE(refuses({payload_kind::written, 1u << most_rails, 1, 0, 0}, 0));
  EXPECT_TRUE(refuses({payload_kind::keys, 1, 1, 0, 17}, 17)) << "half a key";
  EXPECT_TRUE(refuses({payload_kind::keys, 1, 1, 0, 16}, 32));
  EXPECT_TRUE(refuses({payload_kind::keys, 0, 1, 0, 16}, 16)) << "the first piece";
  EXPECT_TRUE(refuses({payload_kind::keys, 1, 0, 0, 16}, 16)) << "of no exposure";
  EXPECT_TRUE(refuses({payload_kind::keys, 1, end, 0, 16}, 16)) << "nor of this";
  EXPECT_TRUE(refuses({payload_kind::left_out, 0, 0, 0, 0}, 0)) << "the first rail";
}

TEST(verbs_parsing, numbers_of_queue_pairs_are_of_places_that_there_are) {
  const auto refuses = [](unsigned first, unsigned last, unsigned writes) {
    octets packet = with_numbers(payload_kind::pairs_given, {});
    const auto put = [&](std::size_t at, unsigned value) {
      packet[sizeof(payload_header) + offsetof(pair_numbers, what) + at] =
          static_cast<std::byte>(value);
    };
    put(offsetof(pairing::range, first), first);
    put(offsetof(pairing::range, last), last);
    put(offsetof(pairing::range, writes), writes);
    return parse_payload(packet).problem != nullptr;
  };
  EXPECT_FALSE(refuses(0, most_readers, 1));
  EXPECT_FALSE(refuses(most_readers, most_readers, 0));
  EXPECT_TRUE(refuses(0, most_readers + 1, 0));
  EXPECT_TRUE(refuses(2, 1, 0));
  EXPECT_TRUE(refuses(0, 1, 2)) << "neither true nor false";
  for (const std::uint32_t link : {std::uint32_t{0}, std::uint32_t{most_rails}})
    EXPECT_TRUE(parse_payload(with_numbers(payload_kind::link_asked, {}, link)).problem);
}

TEST(verbs_parsing, a_handshake_says_how_many_credits_there_are_and_may_ever_be) {
  const auto refuses = [](std::uint16_t first, std::uint16_t most) {
    handshake_packet said;
    said.credits = first;
    said.most_credits = most;
    return problem_of(said) != nullptr;
  };
  EXPECT_FALSE(refuses(1, 1));
  EXPECT_FALSE(refuses(2, 64));
  EXPECT_TRUE(refuses(0, 64));
  EXPECT_TRUE(refuses(65, 64));
}

TEST(verbs_parsing, whatever_the_bytes_are_nothing_is_read_beyond_them) {
  std::mt19937_64 random{18};
  const std::vector<octets> all = true_packets();
  for (int round = 0; round < 20'000; ++round) {
    octets what = all[random() % all.size()];
    if (round % 4 == 0)
      for (std::byte& each : what) each = static_cast<std::byte>(random());
    for (std::uint64_t flips = random() % 4; flips > 0; --flips)
      what[random() % what.size()] ^= static_cast<std::byte>(random());
    what.resize(random() % 3 == 0 ? random() % (what.size() + 1) : what.size());
    what.shrink_to_fit();
    parse_as_anything(what);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
