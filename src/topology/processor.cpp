#include "topology/processor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstddef>

namespace peal {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The value of the first line "field : value".
std::string_view value_of(std::string_view field, std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == field)
      return trimmed(line.substr(colon + 1));
    text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
  }
  return {};
}

/// As it may stand between quotes in a file of values.
std::string plain(std::string_view text) {
  constexpr std::size_t longest = 100;
  std::string made{text.substr(0, longest)};
  for (char& each : made)
    if (each < ' ' || each > '~' || each == '"' || each == '#' || each == '\\') each = '?';
  return made;
}

}  // namespace

std::string processor_name_in(std::string_view text) {
  // x86, RISC-V and POWER, then ARM, which has numbers for it.
  for (const std::string_view field : {"model name", "uarch", "cpu"})
    if (const auto name = value_of(field, text); !name.empty()) return plain(name);
  const auto maker = value_of("CPU implementer", text), part = value_of("CPU part", text);
  return maker.empty() || part.empty()
             ? std::string{}
             : plain("ARM " + std::string{maker} + " " + std::string{part});
}

std::string processor_name() {
  const int file = ::open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  // The first processor's lines, but for its flags, which nothing is read from.
  std::array<char, 4096> text{};
  const ssize_t got = ::read(file, text.data(), text.size());
  ::close(file);
  return got > 0 ? processor_name_in({text.data(), static_cast<std::size_t>(got)}) : std::string{};
}

}  // namespace peal
