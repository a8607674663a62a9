#include "bootstrap/owner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>

namespace peal {

namespace {

struct process_state {
  char letter = 0;
  std::uint64_t start = 0;
};

// The fields of /proc/PID/stat after the name, which may itself hold spaces and brackets: state is
// the third field, start the 22nd.
std::optional<process_state> read_process(pid_t pid) {
  const std::string path = fmt::format("/proc/{}/stat", pid);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::array<char, 1024> text;
  const ssize_t got = ::read(file, text.data(), text.size());
  ::close(file);
  if (got <= 0) return std::nullopt;
  std::string_view rest{text.data(), static_cast<std::size_t>(got)};
  const auto name_end = rest.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= rest.size()) return std::nullopt;
  rest.remove_prefix(name_end + 2);
  process_state found{rest.front(), 0};
  for (int field = 3; field < 22; ++field) {
    const auto space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  if (std::from_chars(rest.data(), rest.data() + rest.size(), found.start).ec != std::errc{})
    return std::nullopt;
  return found;
}

std::uint64_t own_pid_space() {
  struct stat status{};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

// The first 64 bits of the boot id, a random UUID: as good as all of them, and names stay short.
std::uint64_t own_boot() {
  std::ifstream file{"/proc/sys/kernel/random/boot_id"};
  std::string text;
  file >> text;
  std::erase(text, '-');
  std::uint64_t bits = 0;
  std::from_chars(text.data(), text.data() + std::min<std::size_t>(text.size(), 16), bits, 16);
  return bits;
}

// Reads "<number><separator>" from the front.
template <class Number>
bool take_number(std::string_view& text, Number& value, char separator, int base = 10) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (failed != std::errc{} || end == text.data()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.empty()) return separator == 0;
  if (separator == 0) return text.front() == '.';
  if (text.front() != separator) return false;
  text.remove_prefix(1);
  return true;
}

int remove_where(const std::string& folder, const std::function<bool(const std::string&)>& wanted) {
  namespace fs = std::filesystem;
  int removed = 0;
  std::error_code failed;
  for (fs::directory_iterator each{folder, fs::directory_options::skip_permission_denied, failed},
       end;
       !failed && each != end; each.increment(failed)) {
    const std::string name = each->path().filename().string();
    struct stat status{};
    if (!name.starts_with("peal-") || ::lstat(each->path().c_str(), &status) != 0 ||
        status.st_uid != ::geteuid())
      continue;
    if (!wanted(name)) continue;
    std::error_code ignored;  // another pealrun may be sweeping too
    if (fs::remove_all(each->path(), ignored) > 0 && !ignored) ++removed;
  }
  return removed;
}

}  // namespace

job_owner this_process() {
  const auto self = read_process(::getpid());
  return {::getpid(), self ? self->start : 0, own_pid_space(), own_boot()};
}

std::string job_name_of(const job_owner& owner) {
  return fmt::format("peal-{:x}-{}-{}-{}", owner.boot, owner.pid_space, owner.pid, owner.start);
}

std::optional<job_owner> owner_in(std::string_view file_name) {
  constexpr std::string_view prefix = "peal-";
  if (!file_name.starts_with(prefix)) return std::nullopt;
  file_name.remove_prefix(prefix.size());
  job_owner owner;
  if (!take_number(file_name, owner.boot, '-', 16) ||
      !take_number(file_name, owner.pid_space, '-') || !take_number(file_name, owner.pid, '-') ||
      !take_number(file_name, owner.start, '\0'))
    return std::nullopt;
  return owner;
}

bool may_be_alive(const job_owner& owner) {
  if (owner.boot == 0 || owner.boot != own_boot() || owner.pid_space != own_pid_space())
    return true;
  const auto found = read_process(owner.pid);
  if (!found) return ::access("/proc/self/stat", R_OK) != 0;  // without /proc nothing is sure
  // A zombie holds nothing any more; its parent may never fetch it (containers without an init).
  return found->start == owner.start && found->letter != 'Z' && found->letter != 'X';
}

int remove_entries_of(std::string_view job, const std::string& folder) {
  return remove_where(folder, [job](const std::string& name) {
    return name.starts_with(job) && (name.size() == job.size() || name[job.size()] == '.');
  });
}

int remove_leftovers(const std::string& folder) {
  return remove_where(folder, [](const std::string& name) {
    const auto owner = owner_in(name);
    return owner && !may_be_alive(*owner);
  });
}

}  // namespace peal
