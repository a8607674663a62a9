#include "overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "topology/machine.hpp"
#include "units.hpp"

namespace peal::info {

namespace {

constexpr std::size_t shortest = 8, longest = std::size_t{16} << 20;

bool is_alike(const alike_calls& one, const alike_calls& other) noexcept {
  return one.kind == other.kind && one.by.how == other.by.how && one.by.why == other.by.why &&
         one.direct == other.direct;
}

std::string lengths_of(const alike_calls& of) {
  if (of.kind == detail::collective::barrier) return {};
  if (of.from == of.up_to) return size_text(of.from);
  return fmt::format("{} to {}", size_text(of.from), size_text(of.up_to));
}

}  // namespace

overview look_at_all(const explain_words& words) {
  overview made;
  explain_words asked = words;
  if (asked.cores == 0) asked.cores = machine{}.usable_cores();  // takes its time
  for (std::size_t kind = 0; kind != detail::collectives_in_all; ++kind) {
    asked.collective = name_of(static_cast<detail::collective>(kind));
    if (!words.collective.empty() && words.collective != asked.collective) continue;
    for (std::size_t bytes = shortest; bytes <= longest; bytes *= 2) {
      asked.bytes = std::to_string(bytes);
      const explanation found = explain(asked);
      const auto taken = std::ranges::find(found.found, true, &candidate::taken);
      const alike_calls calls{.kind = found.kind,
                              .from = bytes,
                              .up_to = bytes,
                              .by = taken->as,
                              .direct = found.direct.has_value()};
      if (!made.calls.empty() && is_alike(made.calls.back(), calls))
        made.calls.back().up_to = bytes;
      else made.calls.push_back(calls);
      made.ranks = found.ranks;
      made.nodes = found.nodes;
      made.cores = found.where.cores;
      made.costs = found.costs;
      made.prices_count = found.prices_count;
      if (found.kind == detail::collective::barrier) break;
    }
  }
  return made;
}

std::string to_text(const overview& of) {
  std::string text = fmt::format("{} ranks on {} node{} of {} core{}\n", of.ranks, of.nodes,
                                 of.nodes > 1 ? "s" : "", of.cores, of.cores > 1 ? "s" : "");
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "cost parameters: {}\n", of.costs.from.empty() ? "built in" : of.costs.from);
  if (!of.costs.problem.empty()) fmt::format_to(to, "  ({})\n", of.costs.problem);
  if (!of.costs.from.empty() && !of.prices_count)
    fmt::format_to(to, "  (they were not measured {}, so only peal's table of rules counts)\n",
                   of.nodes > 1 ? "between nodes" : "inside a node");
  fmt::format_to(to, "\n{:<16}{:<22}{:<13}{:<20}{}\n", "collective", "lengths", "blocking",
                 "others", "because");
  bool some_direct = false;
  for (const alike_calls& each : of.calls) {
    fmt::format_to(to, "{:<16}{:<22}{:<13}{:<20}{}\n", name_of(each.kind), lengths_of(each),
                   each.direct ? "direct" : "as others", each.by.how->name, to_text(each.by.why));
    some_direct |= each.direct;
  }
  if (some_direct)
    text +=
        "\ndirect: past messages, through memory of all ranks. From the first calls on ranks go by "
        "what calls take: peal-info --explain --job process.\n";
  return text;
}

}  // namespace peal::info
