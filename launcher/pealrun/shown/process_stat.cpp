#include "shown/process_stat.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace peal::launcher {

std::optional<process_stat> process_stat::of(pid_t process) {
  std::ifstream file{fmt::format("/proc/{}/stat", process)};
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  // The name before it, in brackets, may hold anything.
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest{text.substr(name_end + 2)};
  process_stat made;
  long long skipped = 0;
  unsigned long long in_user = 0, in_system = 0;
  rest >> made.state >> made.parent;
  for (int each = 0; each != 9; ++each) rest >> skipped;  // up to the 13th
  rest >> in_user >> in_system;
  for (int each = 0; each != 6; ++each) rest >> skipped;
  rest >> made.start;
  if (!rest) return std::nullopt;
  made.cpu_seconds =
      static_cast<double>(in_user + in_system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return made;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> found;
  std::error_code failed;
  for (std::filesystem::directory_iterator each{"/proc", failed}, end; !failed && each != end;
       each.increment(failed)) {
    const std::string name = each->path().filename();
    pid_t number = 0;
    const auto [stop, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (problem == std::errc{} && stop == name.data() + name.size()) found.push_back(number);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace peal::launcher
