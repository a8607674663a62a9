// What an error says without the place where it was thrown.
#include "base/error_text.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <source_location>
#include <stdexcept>
#include <string>
#include <system_error>

namespace {

using namespace peal;

TEST(error_text, neither_the_place_nor_the_words_of_the_code) {
  const error of{make_error_code(errc::no_space), "the heap is full"};
  EXPECT_NE(std::string{of.what()}.find("error_text_test.cpp"), std::string::npos);
  EXPECT_EQ(text_without_place(of), "the heap is full");
  EXPECT_EQ(plain_text_of(of), "the heap is full");
  EXPECT_EQ(plain_text_of(std::runtime_error{"other"}), "other");
}

TEST(error_text, another_process_is_told_what_the_system_says) {
  const error of{{EROFS, std::generic_category()}, "cannot make /dev/shm/x"};
  EXPECT_EQ(plain_text_of(of), "cannot make /dev/shm/x: Read-only file system");
}

TEST(error_text, an_error_gets_another_place_and_keeps_the_rest) {
  const error inside{make_error_code(errc::invalid_rank), "rank 7", 7};
  const auto here = std::source_location::current();
  const error placed = placed_at(inside, here);
  EXPECT_EQ(placed.where().line(), here.line());
  EXPECT_EQ(placed.code(), make_error_code(errc::invalid_rank));
  EXPECT_EQ(placed.peer(), 7);
  EXPECT_EQ(text_without_place(placed), "rank 7");
}

TEST(error_text, every_code_has_words_of_its_own) {
  std::set<std::string> seen;
  for (int code = 1; code <= static_cast<int>(errc::internal); ++code) {
    const std::string words = make_error_code(static_cast<errc>(code)).message();
    EXPECT_EQ(words.find("unknown"), std::string::npos) << code;
    EXPECT_TRUE(seen.insert(words).second) << words;
  }
  EXPECT_EQ(make_error_code(static_cast<errc>(1000)).message(), "unknown error 1000");
}

}  // namespace
