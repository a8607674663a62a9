#include "hang/stacks.hpp"

#include <fmt/format.h>

#include <sstream>

#include "shown/tool.hpp"

namespace peal::launcher {

namespace {

// gdb reads the symbols of all libraries first.
constexpr double patience = 20;
constexpr std::size_t most_lines = 16;

}  // namespace

std::vector<std::string> read_stack(const std::string& output) {
  std::vector<std::string> made;
  std::istringstream lines{output};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with('#') && made.size() < most_lines) made.push_back(line);
  return made;
}

std::vector<std::string> stack_of(long process) {
  std::vector<std::string> made;
  if (const std::string gdb = find_tool("gdb"); !gdb.empty())
    if (const auto output =
            run_tool({gdb, "-batch", "-nx", "-p", fmt::format("{}", process), "-ex",
                      "set print frame-arguments none", "-ex", "thread 1", "-ex", "bt 16"},
                     patience))
      made = read_stack(*output);
  if (!made.empty()) return made;
  if (const std::string tool = find_tool("eu-stack"); !tool.empty())
    if (const auto output =
            run_tool({tool, "-1", "-s", "-p", fmt::format("{}", process)}, patience))
      made = read_stack(*output);
  return made;
}

}  // namespace peal::launcher
