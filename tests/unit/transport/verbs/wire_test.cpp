// Addresses go through text and back; what is no address of ours is refused.
#include "transport/verbs/wire.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>

namespace {

using namespace peal::verbs;

address of_rails(std::uint8_t count) {
  address made;
  made.rail_count = count;
  made.rails[0].handshake_qp = 17;
  made.incarnation = 0x1234567890abcdef;
  made.job = {1, 2};
  return made;
}

TEST(wire, an_address_goes_through_text_and_back) {
  std::size_t before = 0;
  for (std::uint8_t rails = 1; rails <= most_rails; ++rails) {
    const std::string text = to_text(of_rails(rails));
    EXPECT_GT(text.size(), before) << "only the rails that there are travel";
    before = text.size();
    const std::optional<address> back = address_from(text);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->rail_count, rails);
    EXPECT_EQ(back->used().size(), rails);
    EXPECT_EQ(back->rails[0].handshake_qp, 17u);
    EXPECT_EQ(back->incarnation, 0x1234567890abcdefu);
    EXPECT_EQ(back->job, (secret{1, 2}));
  }
}

TEST(wire, what_is_no_address_of_ours_is_refused) {
  const std::string good = to_text(of_rails(2));
  EXPECT_FALSE(address_from(""));
  EXPECT_FALSE(address_from(good.substr(0, good.size() - 1)));
  EXPECT_FALSE(address_from(good + "x"));
  EXPECT_FALSE(address_from(std::string(sizeof(address) + 1, 'a')));
  address other = of_rails(1);
  ++other.layout;
  EXPECT_FALSE(address_from(to_text(other))) << "another version of peal";
  for (const std::size_t count : {std::size_t{0}, most_rails + 1}) {
    std::string text = to_text(of_rails(1));
    text[offsetof(address, rail_count)] = static_cast<char>(count);
    EXPECT_FALSE(address_from(text)) << count << " rails";
  }
  address without = of_rails(1);
  without.job = {};
  EXPECT_FALSE(address_from(to_text(without))) << "no secret";
  std::string text = to_text(of_rails(1));
  text[offsetof(address, rail_count)] = 2;
  EXPECT_FALSE(address_from(text)) << "two rails in the length of one";
}

TEST(wire, a_message_begins_where_the_one_before_it_ends_rounded_up) {
  EXPECT_EQ(aligned(0), 0u);
  EXPECT_EQ(aligned(1), message_alignment);
  EXPECT_EQ(aligned(message_alignment), message_alignment);
  EXPECT_EQ(aligned(message_alignment + 1), 2 * message_alignment);
}

TEST(wire, what_rides_on_a_message_does_not_overlap) {
  std::uint32_t seen = immediate::credit_bits;
  for (const std::uint32_t each : {immediate::refuses_eager, immediate::staged,
                                   immediate::uncounted, immediate::leaving, immediate::last}) {
    EXPECT_EQ(seen & each, 0u);
    seen |= each;
  }
}

}  // namespace
