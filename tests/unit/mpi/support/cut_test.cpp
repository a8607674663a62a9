#include "mpi/support/cut.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace {

TEST(cut, as_much_is_copied_as_there_is_room_for) {
  for (std::size_t room = 1; room != 9; ++room) {
    std::array<char, 10> into;
    into.fill('x');
    const std::size_t length = peal::mpi::copy_cut("hello", into.data(), room);
    EXPECT_EQ(length, std::min<std::size_t>(room - 1, 5));
    EXPECT_EQ(std::string{into.data()}, std::string{"hello"}.substr(0, length));
    for (std::size_t after = length + 1; after != into.size(); ++after)
      EXPECT_EQ(into[after], 'x') << "nothing is written beyond the end";
  }
}

}  // namespace
