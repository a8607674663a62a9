#include "request/placement_request.hpp"

#include <gtest/gtest.h>

#include "request/checks.hpp"

namespace {

using peal::launcher::list_text;
using peal::launcher::numbers_in;

TEST(placement_request, writes_lists_as_they_are_read) {
  for (const char* text : {"0", "0-3", "0-3,8", "1,3,5-6", "1023"})
    EXPECT_EQ(list_text(numbers_in(text)), text);
  EXPECT_EQ(list_text(numbers_in("5,3-4,4")), "3-5") << "in order, and each once";
  EXPECT_EQ(list_text({}), "");
}

TEST(placement_request, takes_no_list_that_is_none) {
  for (const char* text :
       {"", "x", "1,", ",1", "1-", "-1", "3-1", "1--2", "0x1", " 1", "0-99999999", "1,,2"})
    EXPECT_TRUE(numbers_in(text).empty()) << text;
}

}  // namespace
