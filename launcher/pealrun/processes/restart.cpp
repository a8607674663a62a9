#include "processes/restart.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "request/checks.hpp"
#include "say.hpp"

namespace peal::launcher {

namespace {

// Those that an execution of another program would leave open.
std::vector<int> open_for_children() {
  std::vector<int> found;
  std::error_code failed;
  for (std::filesystem::directory_iterator each{"/proc/self/fd", failed}, end;
       !failed && each != end; each.increment(failed)) {
    const int descriptor = std::atoi(each->path().filename().c_str());
    const int flags = ::fcntl(descriptor, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) found.push_back(descriptor);
  }
  return found;
}

}  // namespace

restart::restart(std::vector<std::string> words) : inherited_{open_for_children()} {
  if (words.empty()) words.emplace_back("pealrun");
  program_ = std::move(words.front());
  words.erase(words.begin());
  if (words.size() >= 2 && words.front() == restart_word) {
    count_ = number_in<int>(words[1]).value_or(0);
    words.erase(words.begin(), words.begin() + 2);
  }
  arguments_ = std::move(words);
  ::setenv("PEAL_RESTART", fmt::format("{}", count_).c_str(), 1);
  // Of a job around this one.
  ::unsetenv("PEALRUN_APPNUM");
}

std::string restart::name_of(const std::string& job) const {
  return count_ == 0 ? job : fmt::format("{}.{}", job, count_);
}

void restart::once_more(int most, const signal_source& signals,
                        const descriptor_limit& files) const {
  const std::string number = fmt::format("{}", count_ + 1);
  say(fmt::format("the job is started again (restart {} of {})", number, most));
  std::vector<std::string> words{program_, restart_word, number};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  std::vector<char*> list;
  for (std::string& each : words) list.push_back(each.data());
  list.push_back(nullptr);
  // libpmix leaves descriptors open that are not for the next start, nor for its ranks.
  ::close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
  for (const int each : inherited_) ::fcntl(each, F_SETFD, 0);
  files.restore();
  signals.restore();  // one that has come meanwhile ends this process, as it asks
  ::execv("/proc/self/exe", list.data());
  say(fmt::format("the job cannot be started again: /proc/self/exe: {}",
                  std::generic_category().message(errno)));
}

}  // namespace peal::launcher
