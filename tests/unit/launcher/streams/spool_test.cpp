#include "streams/spool.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace {

using peal::launcher::spool;

std::string all_from(const spool& of, std::uint64_t at) {
  std::string found;
  std::array<char, 5000> bytes;
  while (const std::size_t got = of.read(at + found.size(), bytes.data(), bytes.size()))
    found.append(bytes.data(), got);
  return found;
}

std::string letters(std::size_t count) {
  std::string made(count, ' ');
  for (std::size_t at = 0; at < count; ++at) made[at] = static_cast<char>('a' + at % 23);
  return made;
}

TEST(spool, gives_back_what_was_appended_from_any_position) {
  spool bytes;
  bytes.append("hello ");
  bytes.append("world");
  EXPECT_EQ(bytes.end(), 11u);
  EXPECT_EQ(all_from(bytes, 0), "hello world");
  EXPECT_EQ(all_from(bytes, 6), "world");
  EXPECT_EQ(all_from(bytes, 11), "");
}

TEST(spool, keeps_more_than_it_has_memory_for) {
  spool bytes;
  const std::string text = letters(10'000'000);
  for (std::size_t at = 0; at < text.size(); at += 50'000) {
    EXPECT_FALSE(bytes.full());
    bytes.append(std::string_view{text}.substr(at, 50'000));
  }
  EXPECT_EQ(all_from(bytes, 0), text);
  EXPECT_EQ(all_from(bytes, 9'999'990), text.substr(9'999'990));
}

TEST(spool, counts_positions_on_after_everything_was_forgotten) {
  spool bytes;
  const std::string text = letters(3'000'000);
  bytes.append(text);
  bytes.forget_before(bytes.end());
  bytes.append("more");
  EXPECT_EQ(bytes.end(), text.size() + 4);
  EXPECT_EQ(all_from(bytes, text.size()), "more");
  bytes.append(text);
  bytes.forget_before(text.size() + 2);  // some of it is still needed
  EXPECT_EQ(all_from(bytes, text.size() + 2), "re" + text);
}

TEST(spool, is_full_where_no_file_can_be_made) {
  const char* set = std::getenv("TMPDIR");
  const std::string before = set != nullptr ? set : "";
  ::setenv("TMPDIR", "/surely/not/there", 1);
  spool bytes;
  const std::string text = letters(2'000'000);
  bytes.append(text);
  EXPECT_TRUE(bytes.full());
  EXPECT_EQ(all_from(bytes, 0), text);
  bytes.forget_before(1'500'000);
  EXPECT_FALSE(bytes.full());
  if (set != nullptr) ::setenv("TMPDIR", before.c_str(), 1);
  else ::unsetenv("TMPDIR");
}

}  // namespace
