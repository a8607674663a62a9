#include "processes/guard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "bootstrap/owner.hpp"

namespace peal::launcher {

namespace {

constexpr pid_t farewell = 0;  // no process group has this number

// Nothing of pealrun's but the pipe: else a process that reads pealrun's output would wait for the
// guard as well.
void let_go_of_everything_but(int kept) {
  const int null = ::open("/dev/null", O_RDWR);
  for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, each);
  ::dup2(kept, 3);
  ::close_range(4, ~0u, 0);
}

// Returns the groups once pealrun is gone; never when pealrun said farewell.
std::vector<pid_t> listen(int pipe) {
  std::vector<pid_t> groups;
  for (;;) {
    pid_t word = -1;
    const ssize_t got = ::read(pipe, &word, sizeof word);
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<ssize_t>(sizeof word)) return groups;
    if (word == farewell) ::_exit(0);
    groups.push_back(word);
  }
}

[[noreturn]] void stand_guard(int pipe, const std::string& job,
                              const std::vector<std::string>& folders) {
  ::setsid();  // what the terminal sends to pealrun is not for us
  ::prctl(PR_SET_NAME, "pealrun-guard");
  for (const int each : {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGTSTP})
    ::signal(each, SIG_IGN);
  let_go_of_everything_but(pipe);
  const std::vector<pid_t> groups = listen(3);
  for (const pid_t group : groups) ::kill(-group, SIGKILL);
  // A process may fork while we look, so look until there is none. A dying process keeps its
  // environment for a moment.
  for (int round = 0; round < 100 && kill_by_environment(job) > 0; ++round) ::usleep(10'000);
  for (const std::string& each : folders) remove_entries_of(job, each);
  ::_exit(0);
}

}  // namespace

guard::guard(const std::string& job, const std::vector<std::string>& folders) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error{errno, std::generic_category(), "pipe"};
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error{errno, std::generic_category(), "fork"};
  if (pid_ == 0) {
    ::close(ends[1]);
    stand_guard(ends[0], job, folders);
  }
  ::close(ends[0]);
  pipe_ = ends[1];
}

guard::~guard() {
  [[maybe_unused]] const ssize_t written = ::write(pipe_, &farewell, sizeof farewell);
  ::close(pipe_);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

int kill_by_environment(const std::string& job) {
  namespace fs = std::filesystem;
  const std::string wanted = fmt::format("PMIX_NAMESPACE={}", job) + '\0';
  int killed = 0;
  std::error_code failed;
  for (fs::directory_iterator each{"/proc", failed}, end; !failed && each != end;
       each.increment(failed)) {
    const std::string name = each->path().filename().string();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr !=
            name.data() + name.size() ||
        pid == ::getpid())
      continue;
    std::ifstream file{each->path() / "environ", std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    const auto at = text.find(wanted);
    if (at == std::string::npos || (at != 0 && text[at - 1] != '\0')) continue;
    if (::kill(pid, SIGKILL) == 0) ++killed;
  }
  return killed;
}

}  // namespace peal::launcher
