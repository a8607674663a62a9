#include "processes/unkillable.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace {

using peal::launcher::what_keeps;

class child {
 public:
  child() : pid_{::fork()} {
    if (pid_ == 0)
      for (;;) ::pause();
    while (!what_keeps(pid_)) ::usleep(1000);  // until it sleeps
  }
  ~child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(what_keeps, is_nothing_while_a_process_runs) { EXPECT_FALSE(what_keeps(::getpid())); }

TEST(what_keeps, names_the_process_that_traces_it) {
  const child process;
  if (::ptrace(PTRACE_SEIZE, process.pid(), 0, 0) != 0)
    GTEST_SKIP()
        << "needs ptrace: kernel.yama.ptrace_scope below 3, and a container that allows it";
  EXPECT_EQ(what_keeps(process.pid()),
            "process " + std::to_string(::getpid()) + ", which traces it, holds it");
}

TEST(what_keeps, names_the_state_of_what_is_still_there) {
  const child process;
  ::kill(process.pid(), SIGSTOP);
  ::waitpid(process.pid(), nullptr, WUNTRACED);
  EXPECT_EQ(what_keeps(process.pid()), "its state is T");
}

}  // namespace
