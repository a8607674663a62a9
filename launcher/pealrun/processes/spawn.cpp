#include "processes/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>

namespace peal::launcher {

namespace {

// A set of any number of processors, made before the fork, since the child may not allocate.
class processor_set {
 public:
  explicit processor_set(const std::vector<int>& threads)
      : count_{threads.empty()
                   ? 0
                   : static_cast<std::size_t>(*std::max_element(threads.begin(), threads.end())) +
                         1},
        set_{threads.empty() ? nullptr : CPU_ALLOC(count_)} {
    if (set_ == nullptr) return;
    CPU_ZERO_S(CPU_ALLOC_SIZE(count_), set_);
    for (const int each : threads)
      CPU_SET_S(static_cast<std::size_t>(each), CPU_ALLOC_SIZE(count_), set_);
  }
  ~processor_set() {
    if (set_ != nullptr) CPU_FREE(set_);
  }
  processor_set(const processor_set&) = delete;
  processor_set& operator=(const processor_set&) = delete;

  void apply() const noexcept {
    // Refused: the rank runs all the same.
    if (set_ != nullptr) ::sched_setaffinity(0, CPU_ALLOC_SIZE(count_), set_);
  }

 private:
  std::size_t count_;
  cpu_set_t* set_;
};

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 2);
  for (const std::string& each : words) list.push_back(const_cast<char*>(each.c_str()));
  list.push_back(nullptr);
  return list;
}

// Everything that the child needs, ready to use without allocating.
struct prepared {
  const char* program;
  const char* folder;
  std::vector<char*> arguments;
  std::vector<char*> shell_arguments;  // for a script that names no interpreter
  std::vector<char*> environment;
  processor_set processors;
  pid_t parent;
};

[[noreturn]] void give_up(const char* what, const char* name, int problem) {
  const std::string_view words[] = {"pealrun: ", what, " ", name, ": ", ::strerrordesc_np(problem),
                                    "\n"};
  for (const std::string_view each : words) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, each.data(), each.size());
  }
  ::_exit(problem == ENOENT ? 127 : 126);
}

// Runs in the child, in pealrun's memory: async-signal-safe calls only, and nothing is changed.
[[noreturn]] void become_rank(const rank_start& start, const prepared& ready,
                              const signal_source& signals, const descriptor_limit& files) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != ready.parent) ::_exit(126);  // pealrun died before the line above
  const pid_t group = ::getpid();
  [[maybe_unused]] const ssize_t told = ::write(start.guard, &group, sizeof group);
  if (ready.folder != nullptr && ::chdir(ready.folder) != 0)
    give_up("cannot enter", ready.folder, errno);
  const int input = start.input >= 0 ? start.input : ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input != STDIN_FILENO) ::dup2(input, STDIN_FILENO);
  if (start.output >= 0) ::dup2(start.output, STDOUT_FILENO);
  if (start.error >= 0) ::dup2(start.error, STDERR_FILENO);
  ready.processors.apply();
  files.restore();
  signals.restore();
  ::execve(ready.program, ready.arguments.data(), ready.environment.data());
  const int problem = errno;
  if (problem == ENOEXEC)
    ::execve("/bin/sh", ready.shell_arguments.data(), ready.environment.data());
  give_up("cannot execute", ready.program, problem);
}

}  // namespace

pid_t start_rank(const rank_start& start, const signal_source& signals,
                 const descriptor_limit& files) {
  const application& what = *start.what;
  std::vector<std::string> by_shell{"sh", what.program};
  by_shell.insert(by_shell.end(), what.arguments.begin() + 1, what.arguments.end());
  const prepared ready{what.program.c_str(),
                       what.folder.empty() ? nullptr : what.folder.c_str(),
                       pointers_to(what.arguments),
                       pointers_to(by_shell),
                       pointers_to(start.environment),
                       processor_set{start.threads},
                       ::getpid()};
  // fork would copy pealrun's page tables, and the child would copy what pealrun writes meanwhile:
  // with many ranks that takes longer than their start. The child runs in pealrun's memory until it
  // is the program, and pealrun waits so long.
  const pid_t pid = ::vfork();
  if (pid < 0)
    throw std::system_error{errno, std::generic_category(),
                            "a rank cannot be started (ulimit -u and the cgroup's pids.max limit "
                            "how many processes there may be)"};
  if (pid == 0) become_rank(start, ready, signals, files);
  ::setpgid(pid, pid);  // here too, so that a signal sent next finds the group; fails harmlessly
                        // once the child has done it
  return pid;
}

}  // namespace peal::launcher
