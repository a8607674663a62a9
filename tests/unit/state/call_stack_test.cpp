#include "state/call_stack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace peal::state {
namespace {

[[gnu::noinline]] std::size_t one_deeper(std::span<std::uint64_t> into) {
  const std::size_t found = call_stack(into);
  asm volatile("" ::: "memory");  // no call in tail position
  return found;
}

TEST(call_stack, a_call_more_is_an_address_more) {
  std::array<std::uint64_t, 64> outer{}, inner{};
  const std::size_t few = call_stack(outer), more = one_deeper(inner);
  EXPECT_GT(few, 1u);
  EXPECT_EQ(more, few + 1);
  // What is further out than this function is the same.
  EXPECT_TRUE(std::equal(outer.begin() + 2, outer.begin() + static_cast<std::ptrdiff_t>(few),
                         inner.begin() + 3));
}

TEST(call_stack, what_there_is_no_room_for_is_left_out) {
  std::array<std::uint64_t, 1> room{};
  EXPECT_EQ(call_stack(room), 1u);
  EXPECT_NE(room[0], 0u);
}

}  // namespace
}  // namespace peal::state
