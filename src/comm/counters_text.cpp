#include "comm/counters_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace peal {

namespace {

std::uint64_t value_of(const std::vector<counter>& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const counter& each) { return each.name == name; });
  return found == all.end() ? 0 : found->value;
}

}  // namespace

std::string counters_text(const std::vector<counter>& all, int rank) {
  std::string text = fmt::format("peal rank {}: counters", rank);
  const auto is_zero = [](const counter& each) { return each.value == 0; };
  if (std::all_of(all.begin(), all.end(), is_zero)) return text + ": all are 0\n";
  text += '\n';
  const auto out = std::back_inserter(text);
  for (const counter& each : all)
    if (!is_zero(each))
      fmt::format_to(out, "  {:<26} {:>14}  {}{}\n", each.name, each.value, each.meaning,
                     each.of_all_processes ? " (by all processes of this machine)" : "");
  const auto messages = static_cast<double>(value_of(all, "verbs.messages"));
  const auto requests = static_cast<double>(value_of(all, "verbs.requests"));
  const auto doorbells = static_cast<double>(value_of(all, "verbs.doorbells"));
  if (requests > 0 && doorbells > 0)
    fmt::format_to(out, "  {:.2f} messages a work request, {:.2f} work requests a doorbell\n",
                   messages / requests, requests / doorbells);
  return text;
}

void add_counters(std::vector<counter>& all, const std::vector<counter>& more) {
  for (const counter& each : more) {
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const counter& before) { return before.name == each.name; });
    if (same == all.end()) all.push_back(each);
    else if (!each.of_all_processes) same->value += each.value;
  }
}

}  // namespace peal
