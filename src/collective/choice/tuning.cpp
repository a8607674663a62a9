#include "collective/choice/tuning.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "base/log.hpp"
#include "topology/processor.hpp"

namespace peal {

namespace {

constexpr int format_now = 1;
// A tuning file has some hundred bytes; whatever this is, it is none.
constexpr std::size_t longest_file = 64 << 10;
// Of a processor, longer than topology/ gives one.
constexpr std::size_t longest_name = 200;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Of a file that may hold anything, for a warning.
std::string shown(std::string_view text, std::size_t enough = 40) {
  std::string made{text.substr(0, enough)};
  std::ranges::replace_if(made, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > enough ? made + "..." : made;
}

/// Takes one "name = value"; what is wrong with it.
std::string take(std::string_view name, std::string_view value, int& format, tuning& into,
                 std::vector<bool>& seen) {
  if (name == "format") {
    const auto told = number_in<int>(value);
    if (!told) return fmt::format("its format, \"{}\", is no number", shown(value));
    if (*told != format_now)
      return fmt::format("it is of format {}, and this peal reads {}", *told, format_now);
    format = *told;
    return {};
  }
  if (format != format_now) return "it does not begin with its format";
  if (name == "processor") {
    if (value.size() < 2 || !value.starts_with('"') || !value.ends_with('"'))
      return fmt::format("processor = {}: must be a name in quotes", shown(value));
    into.processor = shown(value.substr(1, value.size() - 2), longest_name);
    return {};
  }
  const auto fields = cost_fields();
  const auto field = std::ranges::find(fields, name, &cost_field::name);
  if (field == fields.end()) return fmt::format("\"{}\" is no parameter", shown(name));
  const auto index = static_cast<std::size_t>(field - fields.begin());
  if (seen[index]) return fmt::format("{} stands there twice", name);
  const auto number = number_in<double>(value);
  if (!number || !(*number >= field->least && *number <= field->most))
    return fmt::format("{} = {}: must be from {} to {}", name, shown(value), field->least,
                       field->most);
  into.costs.*field->value = *number;
  seen[index] = true;
  return {};
}

/// A file's text; what is wrong if it cannot be read. A rank must not wait for a writer where the
/// name is not that of a file (a pipe, for example).
std::string contents(const std::string& name, std::string& text) {
  const int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return std::strerror(errno);
  struct stat about{};
  std::string problem;
  if (::fstat(file, &about) != 0) problem = std::strerror(errno);
  else if (!S_ISREG(about.st_mode))
    problem = S_ISDIR(about.st_mode) ? std::strerror(EISDIR) : "it is no ordinary file";
  text.resize(longest_file + 1);
  std::size_t filled = 0;
  while (problem.empty() && filled != text.size()) {
    const ssize_t got = ::read(file, text.data() + filled, text.size() - filled);
    if (got == 0) break;
    if (got > 0) filled += static_cast<std::size_t>(got);
    else if (errno != EINTR) problem = std::strerror(errno);
  }
  text.resize(filled);
  ::close(file);
  return problem;
}

tuning unused(std::string_view file, std::string_view problem) {
  tuning made;
  made.problem = fmt::format("the tuning file {} is not used: {}", file, problem);
  return made;
}

}  // namespace

std::string tuning_text(const cost_parameters& of, std::string_view remark,
                        std::string_view processor) {
  std::string made;
  while (!remark.empty()) {
    const std::size_t end = std::min(remark.find('\n'), remark.size());
    made += fmt::format("# {}\n", remark.substr(0, end));
    remark.remove_prefix(std::min(end + 1, remark.size()));
  }
  made += fmt::format("format = {}\n", format_now);
  if (!processor.empty()) made += fmt::format("processor = \"{}\"\n", processor);
  for (const cost_field& each : cost_fields())
    made += fmt::format("{} = {}  # {}\n", each.name, of.*each.value, each.meaning);
  return made;
}

tuning parse_tuning(std::string_view text, std::string_view from) {
  tuning read;
  int format = 0;
  std::vector<bool> seen(cost_fields().size());
  std::string wrong;
  if (text.size() > longest_file) wrong = "it is too long";
  for (std::size_t line = 1; wrong.empty() && !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = trimmed(text.substr(0, std::min(text.find('#'), end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (content.empty()) continue;
    const std::size_t equals = content.find('=');
    if (equals == std::string_view::npos) wrong = "it is no \"name = value\"";
    else
      wrong = take(trimmed(content.substr(0, equals)), trimmed(content.substr(equals + 1)), format,
                   read, seen);
    if (!wrong.empty()) wrong = fmt::format("line {}: {}", line, wrong);
  }
  if (wrong.empty() && format != format_now) wrong = "it holds nothing";
  if (const auto missing = std::ranges::find(seen, false); wrong.empty() && missing != seen.end())
    wrong = fmt::format("it lacks {}",
                        cost_fields()[static_cast<std::size_t>(missing - seen.begin())].name);
  if (!wrong.empty()) return unused(from, wrong);
  read.from = from;
  return read;
}

std::string tuning_file(const std::string& wish) {
  if (wish == "none") return {};
  if (wish != "auto") return wish;
  const char* const folder = std::getenv("XDG_CONFIG_HOME");
  if (folder && *folder == '/') return fmt::format("{}/peal/tuning.toml", folder);
  const char* const home = std::getenv("HOME");
  return home && *home == '/' ? fmt::format("{}/.config/peal/tuning.toml", home) : std::string{};
}

tuning read_tuning_file(const std::string& file) {
  std::string text;
  const std::string problem = contents(file, text);
  if (problem.empty()) return parse_tuning(text, file);
  return unused(file, problem);
}

tuning read_tuning(const std::string& wish) {
  const std::string name = tuning_file(wish);
  if (name.empty()) return {};
  // The user did not name this file, so it need not exist.
  if (wish == "auto" && ::access(name.c_str(), F_OK) != 0) return {};
  tuning found = read_tuning_file(name);
  if (found.processor.empty()) return found;
  if (const std::string here = processor_name(); !here.empty() && here != found.processor)
    return unused(name, fmt::format("it was measured on another machine (its line processor says "
                                    "\"{}\", and this is \"{}\")",
                                    found.processor, here));
  return found;
}

std::optional<cost_parameters> tuned_costs(const std::string& wish) {
  const tuning found = read_tuning(wish);
  if (!found.problem.empty())
    log_warning(
        "{}; algorithms are chosen as without one (peal-info --tune makes a new file, "
        "PEAL_TUNING=none none)",
        found.problem);
  return found.from.empty() ? std::nullopt : std::optional{found.costs};
}

}  // namespace peal
