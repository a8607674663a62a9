// A handshake packet is taken from whom it says, once, and in order.
#include "transport/verbs/connect/handshake_packing.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <vector>

namespace {

using namespace peal::verbs;
using verdict = handshake_packing::verdict;

class handshake_packings : public testing::Test {
 protected:
  addresses sender_known{1, {}}, receiver_known{0, {}};
  handshake_packing sender{3}, receiver{3};
  handshake_packet heard;

  handshake_packings() {
    const std::vector<std::optional<address>> all{receiver_known.own(), sender_known.own(), {}};
    std::vector<std::optional<address>> told = all;
    for (auto& each : told)
      if (each) each->rail_count = 1;
    sender_known.meet(told);
    receiver_known.meet(told);
  }
  handshake_packet packet() {
    handshake_packet made;
    made.from = 1;
    made.to = 0;
    made.from_incarnation = sender_known.own().incarnation;
    made.to_incarnation = receiver_known.own().incarnation;
    made.credits = made.most_credits = 1;
    made.attempt = 5;
    return made;
  }
  packed_handshake packed(const handshake_packet& what) {
    return sender.pack(what, sender_known.proof());
  }
  verdict takes(const packed_handshake& what) {
    return receiver.unpack(std::as_bytes(std::span{&what, 1}), receiver_known, heard);
  }
};

TEST_F(handshake_packings, what_was_packed_is_unpacked) {
  EXPECT_EQ(takes(packed(packet())), verdict::good);
  EXPECT_EQ(heard.attempt, 5u);
  EXPECT_EQ(heard.from, 1u);
}

TEST_F(handshake_packings, zeros_behind_it_change_nothing) {
  const packed_handshake made = packed(packet());
  std::vector<std::byte> longer(1024);
  std::memcpy(longer.data(), &made, sizeof made);
  EXPECT_EQ(receiver.unpack(longer, receiver_known, heard), verdict::good);
}

TEST_F(handshake_packings, a_packet_is_taken_once_and_not_behind_a_later_one) {
  const packed_handshake first = packed(packet()), second = packed(packet()),
                         third = packed(packet());
  EXPECT_EQ(takes(first), verdict::good);
  EXPECT_EQ(takes(first), verdict::repeated);
  EXPECT_EQ(takes(third), verdict::good) << "those between may be lost";
  EXPECT_EQ(takes(second), verdict::repeated) << "late";
  EXPECT_EQ(takes(packed(packet())), verdict::good);
}

TEST_F(handshake_packings, what_is_refused_does_not_count) {
  packed_handshake forged = packed(packet());
  forged.number += 1000;
  EXPECT_EQ(takes(forged), verdict::refused);
  EXPECT_EQ(takes(packed(packet())), verdict::good);
}

TEST_F(handshake_packings, each_byte_of_it_is_proven) {
  const packed_handshake good = packed(packet());
  for (std::size_t each = 0; each < sizeof good; ++each) {
    packed_handshake forged = good;
    reinterpret_cast<std::byte*>(&forged)[each] ^= std::byte{0x10};
    EXPECT_EQ(takes(forged), verdict::refused) << "byte " << each;
  }
  EXPECT_EQ(takes(good), verdict::good);
}

TEST_F(handshake_packings, what_is_of_others_or_of_an_earlier_job_is_refused) {
  const auto changed = [&](auto change) {
    handshake_packet what = packet();
    change(what);
    return takes(packed(what));
  };
  EXPECT_EQ(changed([](auto& it) { it.to = 2; }), verdict::refused) << "for another rank";
  EXPECT_EQ(changed([](auto& it) { it.from = 0; }), verdict::refused) << "from itself";
  EXPECT_EQ(changed([](auto& it) { it.from = 2; }), verdict::refused) << "has told no address";
  EXPECT_EQ(changed([](auto& it) { it.from = 3; }), verdict::refused) << "is no rank";
  EXPECT_EQ(changed([](auto& it) { ++it.from_incarnation; }), verdict::refused);
  EXPECT_EQ(changed([](auto& it) { ++it.to_incarnation; }), verdict::refused);
  const authenticator other{secret{9, 9}};
  EXPECT_EQ(takes(sender.pack(packet(), other)), verdict::refused) << "another job's";
  EXPECT_EQ(receiver.unpack({}, receiver_known, heard), verdict::refused);
}

}  // namespace
