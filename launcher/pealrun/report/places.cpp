#include "report/places.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <set>
#include <string_view>

extern char** environ;

namespace peal::launcher {

namespace {

/// What the program wrote on its output; empty where it could not be run.
std::string output_of(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& each : words) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const bool runs = ::posix_spawnp(&child, words.front().c_str(), &actions, nullptr,
                                   arguments.data(), environ) == 0;
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t read = 0; runs && (read = ::read(ends[0], part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(read));
  ::close(ends[0]);
  if (runs) ::waitpid(child, nullptr, 0);
  return text;
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

places::places(const gathered_run& run) {
  std::map<std::string, std::set<std::uint64_t>> wanted;
  for (const noted_rank& rank : run.ranks)
    for (const noted_site& each : rank.sites)
      if (each.line == 0 && !each.file.empty()) wanted[each.file].insert(each.address);
  for (const auto& [file, addresses] : wanted) {
    std::vector<std::string> words{"addr2line", "-e", file};
    for (const std::uint64_t each : addresses) words.push_back(fmt::format("{:#x}", each));
    const std::string text = output_of(std::move(words));
    std::size_t at = 0;
    for (const std::uint64_t each : addresses) {
      const std::size_t end = text.find('\n', at);
      if (end == std::string::npos) break;
      std::string line = text.substr(at, end - at);
      at = end + 1;
      line = line.substr(0, line.find(" ("));
      if (!line.starts_with("??") && !line.ends_with(":?") && !line.ends_with(":0"))
        lines_[{file, each}] = last_part(line);
    }
  }
}

std::string places::text(const noted_site& of) const {
  if (of.line != 0) return fmt::format("{}:{}", last_part(of.file), of.line);
  if (of.file.empty() && of.address == 0) return "other places";
  const auto found = lines_.find({of.file, of.address});
  return found != lines_.end() ? found->second
                               : fmt::format("{}+{:#x}", last_part(of.file), of.address);
}

}  // namespace peal::launcher
