#include "report/text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace peal::launcher {
namespace {

TEST(text, numbers_have_three_digits_also_where_rounding_adds_one) {
  EXPECT_EQ(three_digits(1.234), "1.23");
  EXPECT_EQ(three_digits(9.996), "10.0");
  EXPECT_EQ(three_digits(12.34), "12.3");
  EXPECT_EQ(three_digits(99.96), "100");
  EXPECT_EQ(three_digits(123.4), "123");
}

TEST(text, times_have_the_unit_that_fits) {
  EXPECT_EQ(time_text(0), "0 s");
  EXPECT_EQ(time_text(1.5e-9), "1.50 ns");
  EXPECT_EQ(time_text(0.99999e-6), "1.00 µs");
  EXPECT_EQ(time_text(0.0123), "12.3 ms");
  EXPECT_EQ(time_text(61.24), "61.2 s");
  EXPECT_EQ(time_text(86400), "86400 s");
}

TEST(text, marks_of_an_axis_have_no_zeros_at_their_end) {
  EXPECT_EQ(round_time_text(0), "0 s");
  EXPECT_EQ(round_time_text(0.05), "50 ms");
  EXPECT_EQ(round_time_text(0.0015), "1.5 ms");
  EXPECT_EQ(round_time_text(0.2), "200 ms");
  EXPECT_EQ(round_time_text(2), "2 s");
}

TEST(text, shares_that_are_not_nothing_do_not_look_so) {
  EXPECT_EQ(share_text(0), "0 %");
  EXPECT_EQ(share_text(0.00001), "< 0.01 %");
  EXPECT_EQ(share_text(0.0001), "0.01 %");
  EXPECT_EQ(share_text(1), "100 %");
}

TEST(text, bytes_are_exact_below_a_kibibyte) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1.00 KiB");
  EXPECT_EQ(bytes_text(1024.0 * 1023.9), "1.00 MiB");
}

TEST(text, counts_are_exact_up_to_six_digits) {
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(999999), "999,999");
  EXPECT_EQ(count_text(12345678), "12.3 M");
}

TEST(text, lengths_name_their_ends) {
  EXPECT_EQ(length_class_text(0), "empty");
  EXPECT_EQ(length_class_text(1), "1 B");
  EXPECT_EQ(length_class_text(4), "8 B to 16 B");
  EXPECT_EQ(length_class_text(13), "4.00 KiB to 8.00 KiB");
}

TEST(text, what_a_program_is_called_cannot_change_the_page) {
  EXPECT_EQ(escaped("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
  EXPECT_EQ(json_string("a\"b\\c\n</script>"), "\"a\\\"b\\\\c\\u000a\\u003c/script>\"");
}

TEST(text, bytes_that_are_no_characters_are_replaced) {
  constexpr const char* mark = "\xef\xbf\xbd";
  EXPECT_EQ(readable("grün €𝄞"), "grün €𝄞");
  EXPECT_EQ(readable("a\xff"), std::string{"a"} + mark);
  EXPECT_EQ(readable("\xc3"), mark);                                     // cut off
  EXPECT_EQ(readable("\xc0\x80"), std::string{mark} + mark);             // too long a form
  EXPECT_EQ(readable("\xed\xa0\x80"), std::string{mark} + mark + mark);  // half a pair
  EXPECT_EQ(readable("\xf4\x90\x80\x80"), std::string{mark} + mark + mark + mark);  // no such one
  EXPECT_EQ(readable("a\x1b[0m\tb"), std::string{"a"} + mark + "[0m\tb");
  EXPECT_EQ(json_string("\xff"), std::string{"\""} + mark + '"');
  EXPECT_EQ(escaped("<\xff"), std::string{"&lt;"} + mark);
}

}  // namespace
}  // namespace peal::launcher
