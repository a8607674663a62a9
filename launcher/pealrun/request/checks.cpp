#include "request/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/variables.hpp"
#include "request/request.hpp"

namespace peal::launcher {

std::string check_ranks(const std::string& text) {
  const auto value = number_in<int>(text);
  if (value && *value >= 1 && *value <= most_ranks) return {};
  return fmt::format("'{}' is no number of ranks: a whole number from 1 to {} is allowed", text,
                     most_ranks);
}

std::string check_threads(const std::string& text) {
  const auto value = number_in<int>(text);
  if (value && *value >= 1 && *value <= most_threads) return {};
  return fmt::format("'{}' is no number of threads: a whole number from 1 to {} is allowed", text,
                     most_threads);
}

std::string check_seconds(const std::string& text) {
  const auto value = number_in<double>(text);
  if (value && std::isfinite(*value) && *value > 0 && *value <= 1e9) return {};
  return fmt::format("'{}' is no time: a number of seconds above 0 is allowed", text);
}

std::string check_file_name(const std::string& text) {
  return text.empty() ? "the name of a file is missing" : "";
}

std::string check_variable(const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  if (name.empty()) return fmt::format("'{}' has no name: NAME or NAME=VALUE is allowed", text);
  if (text == name && std::getenv(name.c_str()) == nullptr)
    return fmt::format("{} is not set, so there is nothing to pass on: set it, or give {}=VALUE",
                       name, name);
  // Rank 0 warns of names that are no variable of peal's.
  if (const variable* known = find_variable(name); known != nullptr && text != name)
    return objection(*known, std::string_view{text}.substr(name.size() + 1));
  return {};
}

CLI::Validator one_of(std::vector<std::string> allowed) {
  return {[allowed](std::string& text) -> std::string {
            if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return {};
            return fmt::format("'{}' is not known: {} is allowed", text,
                               fmt::join(allowed, " or "));
          },
          fmt::format("{}", fmt::join(allowed, "|"))};
}

std::vector<int> numbers_in(std::string_view text) {
  constexpr int most = 1 << 20;  // more hardware threads than Linux knows, so that no list is huge
  std::vector<int> found;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    const auto dash = item.find('-');
    const auto first = number_in<int>(std::string{item.substr(0, dash)});
    const auto last =
        dash == std::string_view::npos ? first : number_in<int>(std::string{item.substr(dash + 1)});
    if (!first || !last || *first < 0 || *last < *first || *last >= most) return {};
    for (int each = *first; each <= *last; ++each) found.push_back(each);
    if (item.size() == text.size()) break;
    text.remove_prefix(item.size() + 1);
    if (text.empty()) return {};  // a comma at the end
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace peal::launcher
