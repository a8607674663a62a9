// Who ran on a core, by a clock of the test's own: it goes on as far as processes have run, however
// busy the machine is.
#include "topology/core_time.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <vector>

namespace peal::test {
namespace {

using namespace std::chrono_literals;
using answer = core_time::answer;

constexpr core_time::clock::time_point start{1h};

/// A process that runs only while it is told to.
class process {
 public:
  process() : id_{::fork()} {
    if (id_ != 0) {
      stop();
      return;
    }
    for (;;) {
    }
  }
  ~process() {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  process(const process&) = delete;
  process& operator=(const process&) = delete;
  [[nodiscard]] pid_t id() const { return id_; }
  [[nodiscard]] core_time::duration used() const {
    clockid_t clock{};
    timespec time{};
    EXPECT_EQ(::clock_getcpuclockid(id_, &clock), 0);
    EXPECT_EQ(::clock_gettime(clock, &time), 0);
    return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
  }
  /// Runs for so long at least. Returns how long that was.
  [[nodiscard]] core_time::duration run(core_time::duration least) const {
    const auto before = used();
    ::kill(id_, SIGCONT);
    while (used() - before < least) ::usleep(1000);
    stop();
    return used() - before;
  }

 private:
  void stop() const {
    ::kill(id_, SIGSTOP);
    ::waitpid(id_, nullptr, WUNTRACED);
  }

  pid_t id_;
};

TEST(core_time, with_very_many_ranks_a_core_nobody_is_asked) {
  cpu_set_t set;
  ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  const auto most = core_time::most_a_core * static_cast<std::size_t>(CPU_COUNT(&set));
  const std::vector<pid_t> few(most, ::getpid()), many(most + 1, ::getpid());
  core_time asked{few, ::getpid()}, not_asked{many, ::getpid()};
  EXPECT_EQ(asked.ask(start), answer::begun);
  EXPECT_EQ(not_asked.ask(start), answer::shared);
}

TEST(core_time, tells_whether_the_ranks_had_their_core) {
  const process rank;
  core_time time{{rank.id()}, rank.id()};
  EXPECT_EQ(time.ask(start), answer::begun);
  const auto later = start + rank.run(20ms);
  EXPECT_EQ(time.ask(later), answer::ours);
  EXPECT_EQ(time.ask(later + 3 * rank.run(5ms)), answer::shared) << "others ran for longer";
}

TEST(core_time, of_ranks_that_sleep_the_cores_are_not_all_used) {
  const process rank;
  core_time time{{rank.id()}, rank.id()};
  time.begin(start);
  EXPECT_EQ(time.ask(start + 20ms), answer::shared);
}

TEST(core_time, knows_nothing_of_what_is_long_ago) {
  const process rank;
  core_time time{{rank.id()}, rank.id()};
  time.begin(start);
  EXPECT_EQ(time.ask(start + 1h), answer::begun);
  EXPECT_EQ(time.ask(start + 1h + rank.run(5ms)), answer::ours);
}

TEST(core_time, knows_nothing_where_a_rank_cannot_be_asked) {
  const process rank;
  core_time time{{rank.id(), 0}, rank.id()};
  time.begin(start);
  EXPECT_EQ(time.ask(start + rank.run(5ms)), answer::shared);
}

TEST(core_time, ranks_that_have_ended_are_left_out) {
  const process rank;
  pid_t gone = 0;
  {
    const process brief;
    gone = brief.id();
  }
  core_time time{{gone, rank.id()}, rank.id()};
  time.begin(start);
  EXPECT_EQ(time.ask(start + rank.run(5ms)), answer::ours);
}

}  // namespace
}  // namespace peal::test
