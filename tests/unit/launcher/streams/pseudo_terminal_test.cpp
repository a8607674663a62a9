#include "streams/pseudo_terminal.hpp"

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

namespace {

using peal::launcher::copy_window;
using peal::launcher::open_pseudo_terminal;

TEST(pseudo_terminal, hands_on_bytes_as_they_are_and_tells_of_its_end) {
  const auto made = open_pseudo_terminal(STDOUT_FILENO);
  if (!made) GTEST_SKIP() << "needs a pseudo-terminal: mount devpts on /dev/pts";
  EXPECT_EQ(::isatty(made->theirs), 1);
  const std::string text{"a\nb\tc\r\n\0\x03\x04\xff no end", 18};
  ASSERT_EQ(::write(made->theirs, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(made->theirs);
  std::string found;
  std::array<char, 100> bytes;
  ssize_t got = 0;
  while ((got = ::read(made->ours, bytes.data(), bytes.size())) > 0)
    found.append(bytes.data(), static_cast<std::size_t>(got));
  EXPECT_EQ(errno, EIO);
  EXPECT_EQ(found, text);
  ::close(made->ours);
}

TEST(pseudo_terminal, has_the_size_of_another) {
  const auto first = open_pseudo_terminal(STDOUT_FILENO);
  if (!first) GTEST_SKIP() << "needs a pseudo-terminal: mount devpts on /dev/pts";
  const winsize size{33, 77, 0, 0};
  ASSERT_EQ(::ioctl(first->theirs, TIOCSWINSZ, &size), 0);
  const auto second = open_pseudo_terminal(first->theirs);
  ASSERT_TRUE(second);
  winsize found{};
  ::ioctl(second->theirs, TIOCGWINSZ, &found);
  EXPECT_EQ(found.ws_row, 33);
  EXPECT_EQ(found.ws_col, 77);
  EXPECT_FALSE(copy_window(first->theirs, second->ours)) << "it has that size";
  const winsize larger{50, 200, 0, 0};
  ASSERT_EQ(::ioctl(first->ours, TIOCSWINSZ, &larger), 0);
  EXPECT_TRUE(copy_window(first->ours, second->ours));
  ::ioctl(second->theirs, TIOCGWINSZ, &found);
  EXPECT_EQ(found.ws_row, 50);
  EXPECT_EQ(found.ws_col, 200);
  for (const int each : {first->ours, first->theirs, second->ours, second->theirs}) ::close(each);
}

}  // namespace
