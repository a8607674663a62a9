#include "comm/start/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/variables.hpp"

namespace peal {

namespace {

/// In what a rank told: "NAME=value;NAME=value;".
std::string_view value_in(std::string_view told, const variable& which) {
  const std::size_t at = told.find(fmt::format("{}=", which.name));
  if (at == std::string_view::npos) return which.fallback;
  const std::size_t begin = at + which.name.size() + 1;
  return told.substr(begin, told.find(';', begin) - begin);
}

}  // namespace

std::string settings_to_agree_on(const job_settings& from) {
  std::string made;
  for (const variable& each : variables()) {
    if (!each.must_agree) continue;
    if (const std::string value = each.written(from); value != each.fallback)
      made += fmt::format("{}={};", each.name, value);
  }
  return made;
}

std::string disagreement(const std::vector<std::optional<std::string>>& told) {
  const auto one = std::ranges::find_if(told, [](const auto& each) { return each.has_value(); });
  const auto other =
      std::find_if(one, told.end(), [&](const auto& each) { return each && *each != **one; });
  if (other == told.end()) return {};
  for (const variable& each : variables()) {
    const std::string_view first = value_in(**one, each), second = value_in(**other, each);
    if (first != second)
      return fmt::format(
          "{} must be the same for all ranks, but is {} for rank {} and {} for rank {}", each.name,
          first, one - told.begin(), second, other - told.begin());
  }
  return {};
}

}  // namespace peal
