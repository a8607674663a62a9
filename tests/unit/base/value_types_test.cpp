// How values of variables are read and written.
#include "base/value_types.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>

namespace {

using namespace peal;

TEST(value_types, a_count_is_a_whole_number_within_its_bounds) {
  const types::count of{1, 64};
  EXPECT_EQ(of.read("1"), 1u);
  EXPECT_EQ(of.read("64"), 64u);
  for (const char* const wrong :
       {"", "0", "65", "-1", "+1", " 1", "1 ", "1.0", "0x1", "one", "18446744073709551617"})
    EXPECT_FALSE(of.read(wrong)) << wrong;
  EXPECT_EQ(of.allowed(), "1..64");
}

TEST(value_types, a_pkey_is_hexadecimal_or_decimal_and_names_a_partition) {
  const types::pkey of;
  EXPECT_EQ(of.read("0x8001"), 0x8001);
  EXPECT_EQ(of.read("0X7fff"), 0x7fff);
  EXPECT_EQ(of.read("65535"), 0xffff);
  EXPECT_EQ(of.write(1), "0x0001");
  for (const char* const wrong : {"", "0", "0x", "0x8000", "0x10000", "65536", "-1", "8001h"})
    EXPECT_FALSE(of.read(wrong)) << wrong;
}

TEST(value_types, bytes_are_written_as_they_are_read) {
  const types::bytes of{0, std::size_t{1} << 40};
  const std::pair<const char*, std::size_t> known[] = {
      {"0", 0}, {"1", 1}, {"4096", 4096}, {"64K", 64 << 10}, {"1M", 1 << 20}, {"2G", 2ull << 30}};
  for (const auto& [text, bytes] : known) {
    EXPECT_EQ(of.read(text), bytes) << text;
    EXPECT_EQ(of.read(of.write(bytes)), bytes) << text;
  }
  for (const char* const wrong : {"", "K", "1KB", "-1", "1 K", "1.5M", "99999999999999999999G"})
    EXPECT_FALSE(of.read(wrong)) << wrong;
}

TEST(value_types, bytes_that_overflow_are_refused) {
  const types::bytes of{0, ~std::size_t{0}};
  EXPECT_FALSE(of.read("17179869184G")) << "2^64 bytes";
  EXPECT_EQ(of.read("17179869183G"), std::size_t{17179869183} << 30);
}

TEST(value_types, a_real_is_a_finite_number_within_its_bounds) {
  const types::seconds of{{0.001, 1000}};
  EXPECT_EQ(of.read("0.5"), 0.5);
  EXPECT_EQ(of.read("1e2"), 100.0);
  for (const char* const wrong : {"", "0", "1001", "nan", "inf", "1s", "-1", "1,5"})
    EXPECT_FALSE(of.read(wrong)) << wrong;
}

TEST(value_types, a_path_is_absolute_and_a_text_is_not_empty) {
  EXPECT_EQ(types::path{}.read("/dev/shm"), "/dev/shm");
  EXPECT_FALSE(types::path{}.read("shm"));
  EXPECT_FALSE(types::path{}.read(""));
  EXPECT_TRUE(types::text{"a name"}.read("x"));
  EXPECT_FALSE(types::text{"a name"}.read(""));
}

TEST(value_types, a_choice_knows_its_words_alone) {
  const auto of = types::on_or_off();
  EXPECT_EQ(of.read("on"), true);
  EXPECT_EQ(of.read("off"), false);
  EXPECT_FALSE(of.read("ON"));
  EXPECT_FALSE(of.read(""));
  EXPECT_EQ(of.write(true), "on");
  EXPECT_EQ(of.allowed(), "on|off");
}

TEST(value_types, auto_is_nothing_and_the_rest_is_as_without_it) {
  const types::auto_or of{types::count{1, 8}};
  const auto left_to_peal = of.read("auto");
  ASSERT_TRUE(left_to_peal);
  EXPECT_FALSE(*left_to_peal);
  EXPECT_EQ(of.read("8").value(), 8u);
  EXPECT_FALSE(of.read("9"));
  EXPECT_EQ(of.write(std::nullopt), "auto");
  EXPECT_EQ(of.allowed(), "auto|1..8");
}

TEST(value_types, parse_bytes_throws_on_what_it_cannot_read) {
  EXPECT_EQ(parse_bytes("3K"), 3072u);
  EXPECT_THROW((void)parse_bytes("three"), std::invalid_argument);
}

}  // namespace
