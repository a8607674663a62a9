#include "streams/output_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "request/request.hpp"

namespace peal::launcher {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw stop{1, fmt::format("pealrun: --output {}: {}\n", name, why)};
}

// rank.DIGITS.out or rank.DIGITS.err
bool is_of_a_rank(std::string_view file) {
  constexpr std::string_view begin = "rank.", out = ".out", err = ".err";
  if (!file.starts_with(begin) || !(file.ends_with(out) || file.ends_with(err))) return false;
  if (file.size() <= begin.size() + out.size()) return false;
  const auto number = file.substr(begin.size(), file.size() - begin.size() - out.size());
  return std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Whether a job that runs writes the file. A file system without locks cannot tell.
bool in_use(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return locked;
}

}  // namespace

output_folder::output_folder(const std::string& name, int ranks, bool merged) : merged_{merged} {
  std::error_code failed;
  std::filesystem::create_directories(name, failed);
  if (!std::filesystem::is_directory(name))
    refuse(name, fmt::format("the folder cannot be made: {}",
                             failed ? failed.message() : "a file has its name"));
  move_earlier_files(name);
  const int digits = static_cast<int>(std::to_string(ranks - 1).size());
  for (int rank = 0; rank < ranks; ++rank)
    for (const char* ending : {"out", "err"}) {
      if (merged && *ending == 'e') continue;
      const std::string file = fmt::format("{}/rank.{:0{}}.{}", name, rank, digits, ending);
      const int descriptor =
          ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
      if (descriptor < 0) {
        const std::string why = std::generic_category().message(errno);
        for (const auto& each : files_) ::unlink(each->name().c_str());
        refuse(name, fmt::format("{} cannot be written: {}", file, why));
      }
      files_.push_back(std::make_unique<file_sink>(file, descriptor));
      ::flock(descriptor, LOCK_EX | LOCK_NB);
    }
}

void output_folder::move_earlier_files(const std::string& folder) {
  std::vector<std::string> earlier;
  std::error_code failed;
  for (auto each = std::filesystem::directory_iterator{folder, failed};
       !failed && each != std::filesystem::directory_iterator{}; each.increment(failed))
    if (std::string file = each->path().filename(); is_of_a_rank(file))
      earlier.push_back(std::move(file));
  if (failed) refuse(folder, fmt::format("the folder cannot be read: {}", failed.message()));
  for (const std::string& each : earlier)
    if (const std::string file = fmt::format("{}/{}", folder, each); in_use(file))
      refuse(folder, fmt::format("a job that runs writes to {}: name another folder", file));
  if (earlier.empty()) return;
  int number = 0;
  do moved_to_ = fmt::format("{}/earlier.{}", folder, ++number);
  while (!std::filesystem::create_directory(moved_to_, failed) && !failed);
  for (const std::string& each : earlier) {
    if (failed) break;
    std::filesystem::rename(fmt::format("{}/{}", folder, each),
                            fmt::format("{}/{}", moved_to_, each), failed);
  }
  if (failed)
    refuse(folder, fmt::format("files of an earlier job cannot be moved to {}: {}", moved_to_,
                               failed.message()));
}

file_sink& output_folder::of(int rank, int to) const {
  const auto at = static_cast<std::size_t>(rank);
  return *files_[merged_ ? at : 2 * at + (to == STDERR_FILENO ? 1 : 0)];
}

}  // namespace peal::launcher
