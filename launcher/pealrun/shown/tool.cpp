#include "shown/tool.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <sstream>

extern char** environ;

namespace peal::launcher {

std::string find_tool(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders{path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin"};
  for (std::string each; std::getline(folders, each, ':');)
    if (const std::string file = (each.empty() ? "." : each) + "/" + name;
        ::access(file.c_str(), X_OK) == 0)
      return file;
  return {};
}

std::optional<std::string> run_tool(const std::vector<std::string>& words, double seconds) {
  using clock = std::chrono::steady_clock;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (const std::string& each : words) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int problem =
      ::posix_spawn(&child, words.front().c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  ::close(ends[1]);
  std::string text;
  bool whole = false;
  const auto end = clock::now() + std::chrono::duration_cast<clock::duration>(
                                      std::chrono::duration<double>{seconds});
  while (problem == 0 && !whole) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock::now()).count();
    pollfd what{ends[0], POLLIN, 0};
    if (left <= 0 || (::poll(&what, 1, static_cast<int>(left)) <= 0 && errno != EINTR)) break;
    std::array<char, 65536> some{};
    const ssize_t got = ::read(ends[0], some.data(), some.size());
    if (got > 0) text.append(some.data(), static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR) whole = got == 0;
    if (got < 0 && errno != EINTR) break;
  }
  ::close(ends[0]);
  if (problem != 0) return std::nullopt;
  if (!whole) ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!whole) return std::nullopt;
  return text;
}

}  // namespace peal::launcher
