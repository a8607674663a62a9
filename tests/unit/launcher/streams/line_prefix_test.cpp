#include "streams/line_prefix.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>

namespace {

using namespace std::chrono_literals;
using peal::launcher::line_prefix;

const line_prefix::clock::time_point some_time{1'000'000'000s + 42ms};  // 2001-09-09 01:46:40 UTC

std::string made(bool tag, bool timestamp, int rank, bool colours = false) {
  std::string text;
  line_prefix{tag, timestamp}.append_to(text, rank, some_time, colours);
  return text;
}

TEST(line_prefix, is_empty_when_nothing_is_asked_for) {
  EXPECT_FALSE((line_prefix{false, false}.any()));
  EXPECT_EQ(made(false, false, 3), "");
}

TEST(line_prefix, names_the_rank) { EXPECT_EQ(made(true, false, 1023), "[1023] "); }

TEST(line_prefix, has_local_time_with_milliseconds_before_the_rank) {
  const char* set = std::getenv("TZ");
  const std::string before = set != nullptr ? set : "";
  ::setenv("TZ", "XYZ-2", 1);
  ::tzset();
  EXPECT_EQ(made(true, true, 0), "2001-09-09 03:46:40.042 [0] ");
  EXPECT_EQ(made(false, true, 0), "2001-09-09 03:46:40.042 ");
  if (set != nullptr) ::setenv("TZ", before.c_str(), 1);
  else ::unsetenv("TZ");
  ::tzset();
}

TEST(line_prefix, follows_the_clock_from_second_to_second) {
  line_prefix prefix{false, true};
  std::string text;
  for (const auto at : {some_time, some_time + 1ms, some_time + 1s, some_time})
    prefix.append_to(text, 0, at, false);
  const std::string first = text.substr(0, 24);
  EXPECT_EQ(text.substr(24, 19), first.substr(0, 19));
  EXPECT_EQ(text.substr(43, 5), ".043 ");
  EXPECT_NE(text.substr(48, 19), first.substr(0, 19));
  EXPECT_EQ(text.substr(72), first);
}

TEST(line_prefix, colours_the_rank_alone) {
  const std::string text = made(true, false, 7, true);
  EXPECT_TRUE(text.starts_with("\x1b[")) << text;
  EXPECT_TRUE(text.ends_with("m[7]\x1b[0m ")) << text;
  EXPECT_NE(text.substr(0, 5), made(true, false, 8, true).substr(0, 5));
}

}  // namespace
