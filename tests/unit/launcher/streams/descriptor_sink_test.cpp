#include "streams/descriptor_sink.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

namespace {

using peal::launcher::descriptor_sink;

class descriptor_sinks : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe(ends_.data()), 0);
    handler_ = ::signal(SIGPIPE, SIG_IGN);
  }
  void TearDown() override {
    for (const int each : ends_) ::close(each);
    ::signal(SIGPIPE, handler_);
  }
  std::string read_some(std::size_t most) {
    std::string text(most, ' ');
    const ssize_t got = ::read(ends_[0], text.data(), most);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
  }

  std::array<int, 2> ends_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(descriptor_sinks, knows_a_pipe_from_a_terminal_and_a_file) {
  const descriptor_sink sink{ends_[1]};
  EXPECT_TRUE(sink.pipe());
  EXPECT_FALSE(sink.terminal() || sink.regular_file() || sink.colours() || sink.stops_writers());
  EXPECT_TRUE(sink.same_as(descriptor_sink{ends_[1]}));
  EXPECT_FALSE(sink.same_as(descriptor_sink{STDIN_FILENO}));
}

TEST_F(descriptor_sinks, never_waits_for_its_reader_and_loses_nothing) {
  descriptor_sink sink{ends_[1]};
  std::string given, taken;
  for (int number = 0; !sink.full(); ++number) {
    const std::string line = "line " + std::to_string(number) + "\n";
    sink.put(line);
    given += line;
    if (number % 1000 == 0) sink.write();  // would wait for ever if it waited
  }
  EXPECT_FALSE(sink.idle());
  while (!sink.idle()) {
    sink.write();
    taken += read_some(50'000);
  }
  while (taken.size() < given.size()) taken += read_some(given.size());
  EXPECT_EQ(taken, given);
  EXPECT_FALSE(sink.full());
  EXPECT_EQ(sink.error(), 0);
}

TEST_F(descriptor_sinks, tells_that_nobody_reads_and_drops_what_comes_then) {
  descriptor_sink sink{ends_[1]};
  ::close(ends_[0]);
  ends_[0] = -1;
  sink.put("unseen\n");
  sink.write();
  EXPECT_EQ(sink.error(), EPIPE);
  sink.put("more\n");
  EXPECT_TRUE(sink.idle());
}

}  // namespace
