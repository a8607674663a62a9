#include "job_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace peal::info {

namespace {

namespace fs = std::filesystem;

std::optional<int> number_in(const std::string& text) {
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The entries of a folder whose names are numbers, by number.
std::vector<int> numbers_in(const fs::path& folder, std::error_code& failed) {
  std::vector<int> found;
  for (fs::directory_iterator each{folder, failed}, end; !failed && each != end;
       each.increment(failed))
    if (const auto number = number_in(each->path().filename())) found.push_back(*number);
  std::ranges::sort(found);
  return found;
}

/// The process that started it, or adopted it; 0: it is gone.
pid_t parent_of(pid_t process) {
  std::ifstream file{fmt::format("/proc/{}/stat", process)};
  std::string text;
  std::getline(file, text);
  // The name before it, in brackets, may hold anything.
  const std::size_t name_end = text.rfind(") ");
  return name_end == std::string::npos || name_end + 4 >= text.size()
             ? 0
             : static_cast<pid_t>(std::strtol(text.c_str() + name_end + 4, nullptr, 10));
}

/// All that descend from it, nearer ones first.
std::vector<pid_t> descendants_of(pid_t process) {
  std::error_code ignored;
  std::vector<std::pair<pid_t, pid_t>> parents;
  for (const int each : numbers_in("/proc", ignored)) parents.emplace_back(each, parent_of(each));
  std::vector<pid_t> found{process};
  for (std::size_t next = 0; next != found.size(); ++next)
    for (const auto& [child, parent] : parents)
      if (parent == found[next] && std::ranges::find(found, child) == found.end())
        found.push_back(child);
  found.erase(found.begin());
  return found;
}

bool read_all(int file, std::size_t offset, void* into, std::size_t bytes) noexcept {
  return ::pread(file, into, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

}  // namespace

std::vector<job_memory> job_memory::of_process(pid_t process) {
  const fs::path folder = fmt::format("/proc/{}/fd", process);
  std::error_code failed;
  const std::vector<int> files = numbers_in(folder, failed);
  if (failed == std::errc::permission_denied)
    throw std::runtime_error(fmt::format("process {} is another user's", process));
  if (failed) throw std::runtime_error(fmt::format("there is no process {} on this node", process));
  std::vector<job_memory> found;
  for (const int each : files) {
    const fs::path name = folder / std::to_string(each);
    const std::string leads_to = fs::read_symlink(name, failed).string();
    if (failed || leads_to.find(".peal") == std::string::npos) continue;
    const int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) continue;
    segment_header header{};
    if (read_all(file, 0, &header, sizeof header) && header.magic == segment_magic)
      found.push_back(job_memory{file, header});
    else ::close(file);
  }
  return found;
}

std::vector<job_memory> job_memory::find(pid_t process) {
  std::vector<job_memory> found = of_process(process);
  if (!found.empty()) return found;
  for (const pid_t each : descendants_of(process)) {
    try {
      found = of_process(each);
    } catch (const std::runtime_error&) {  // it has ended meanwhile, or is not ours
    }
    if (!found.empty()) return found;
  }
  throw std::runtime_error(
      fmt::format("process {} is no rank of a job, and has started none on this node that runs and "
                  "shares memory",
                  process));
}

job_memory::~job_memory() {
  if (file_ >= 0) ::close(file_);
}

job_memory::job_memory(job_memory&& from) noexcept
    : file_{std::exchange(from.file_, -1)}, header_{from.header_} {}

std::int64_t job_memory::process_of(std::size_t index) const {
  process_card card;
  return read_all(file_, card_offset(index), &card, sizeof card) ? card.pid : 0;
}

bool job_memory::read_front(std::size_t index, std::size_t offset, void* into,
                            std::size_t bytes) const noexcept {
  return index < ranks() && offset + bytes <= front_bytes() &&
         read_all(file_, front_offset(index, front_bytes(), ranks()) + offset, into, bytes);
}

}  // namespace peal::info
