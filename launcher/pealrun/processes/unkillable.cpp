#include "processes/unkillable.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

namespace peal::launcher {

std::optional<std::string> what_keeps(pid_t process) {
  std::ifstream status{fmt::format("/proc/{}/status", process)};
  char state = '?';
  pid_t tracer = 0;
  for (std::string line; std::getline(status, line);) {
    const std::string_view text{line};
    if (text.starts_with("State:\t") && text.size() > 7) state = text[7];
    if (text.starts_with("TracerPid:\t")) tracer = std::atoi(line.c_str() + 11);
  }
  if (state == 'R') return std::nullopt;
  if (tracer != 0) return fmt::format("process {}, which traces it, holds it", tracer);
  if (state != 'D') return fmt::format("its state is {}", state);
  std::string where;
  std::getline(std::ifstream{fmt::format("/proc/{}/wchan", process)}, where);
  return fmt::format("it waits in the kernel{}, as for a disk that does not answer",
                     where.empty() || where == "0" ? "" : " (" + where + ")");
}

}  // namespace peal::launcher
