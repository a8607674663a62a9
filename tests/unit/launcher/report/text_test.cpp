#include "report/text.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace peal::launcher
