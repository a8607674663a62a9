#include "comm/start/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace peal {

namespace {

/// Who takes part in an exchange of addresses, how the node's segment is laid out, which messages a collective has and whether calls are
/// compared first. Variables of the verbs transport need not agree: processes tell each other what they do.
constexpr std::array names{"PEAL_TRANSPORT",      "PEAL_SHM_HEAP", "PEAL_BARRIER", "PEAL_BCAST",     "PEAL_REDUCE",
                           "PEAL_ALLREDUCE",      "PEAL_GATHER",   "PEAL_SCATTER", "PEAL_ALLGATHER", "PEAL_ALLTOALL",
                           "PEAL_REDUCE_SCATTER", "PEAL_SCAN",     "PEAL_EXSCAN",  "PEAL_CHECK"};

const variable& row_of(std::string_view name) { return *std::ranges::find(variables(), name, &variable::name); }

std::string value_of(const config& from, const variable& which) {
  return which.kind == variable_kind::bytes ? std::to_string(from.bytes(which.name)) : std::string{from.text(which.name)};
}

std::string fallback_of(const variable& which) {
  return which.kind == variable_kind::bytes ? std::to_string(parse_bytes(which.fallback)) : std::string{which.fallback};
}

/// In what a rank told: "NAME=value;NAME=value;".
std::string value_in(std::string_view told, std::string_view name) {
  const std::size_t at = told.find(fmt::format("{}=", name));
  if (at == std::string_view::npos) return fallback_of(row_of(name));
  const std::size_t begin = at + name.size() + 1;
  return std::string{told.substr(begin, told.find(';', begin) - begin)};
}

}  // namespace

std::string settings_to_agree_on(const config& from) {
  std::string made;
  for (const char* const name : names) {
    const variable& which = row_of(name);
    if (const std::string value = value_of(from, which); value != fallback_of(which)) made += fmt::format("{}={};", name, value);
  }
  return made;
}

std::string disagreement(const std::vector<std::optional<std::string>>& told) {
  const auto one = std::ranges::find_if(told, [](const auto& each) { return each.has_value(); });
  const auto other = std::find_if(one, told.end(), [&](const auto& each) { return each && *each != **one; });
  if (other == told.end()) return {};
  for (const char* const name : names) {
    const std::string first = value_in(**one, name), second = value_in(**other, name);
    if (first != second)
      return fmt::format("{} must be the same for all ranks, but is {} for rank {} and {} for rank {}", name, first, one - told.begin(),
                         second, other - told.begin());
  }
  return {};
}

}  // namespace peal
