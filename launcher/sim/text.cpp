// The table for people.
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "collective/choice/choice.hpp"
#include "report.hpp"

namespace peal::sim {

namespace {

using simulator::forecast;

std::string with_unit(double value, std::string_view unit) {
  const int digits = value >= 999.95 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;
  return fmt::format("{:.{}f} {}", value, digits, unit);
}

std::string time_text(simulator::picoseconds time) {
  const double ns = static_cast<double>(time) / 1000;
  if (ns < 999.5) return with_unit(ns, "ns");
  if (ns < 999.5e3) return with_unit(ns / 1e3, "µs");
  return ns < 999.5e6 ? with_unit(ns / 1e6, "ms") : with_unit(ns / 1e9, "s");
}

/// Exactly where that is short.
std::string amount_text(double amount) {
  if (amount < 999'999.5) return fmt::format("{:.0f}", amount);
  constexpr std::string_view units = "MGTPE";
  std::size_t unit = 0;
  for (amount /= 1e6; amount >= 999.5 && unit + 1 < units.size(); ++unit) amount /= 1e3;
  return fmt::format("{:.3g} {}", amount, units[unit]);
}

std::string played(const forecast& found) {
  std::string text = fmt::format("{}", found.simulated);
  if (found.extrapolated) text += ", the first rounds";
  if (found.rounded) text += ", vector rounded up";
  if (found.uneven) text += ", last leaf taken as full";
  return text;
}

/// fmt counts µ as two columns of width where it counts bytes; here by hand.
std::string right(const std::string& text, std::size_t width) {
  std::size_t columns = 0;
  for (const char each : text) columns += (static_cast<unsigned char>(each) & 0xC0) != 0x80;
  return std::string(columns < width ? width - columns : 0, ' ') + text;
}

}  // namespace

std::string size_text(std::size_t bytes) {
  if (bytes >= 1u << 30 && bytes % (1u << 30) == 0) return fmt::format("{} GiB", bytes >> 30);
  if (bytes >= 1u << 20 && bytes % (1u << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  if (bytes >= 1u << 10 && bytes % (1u << 10) == 0) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} B", bytes);
}

std::string to_text(const request& wanted, const std::vector<line>& lines) {
  std::string text = std::string{name_of(wanted.kind)};
  const auto to = std::back_inserter(text);
  if (wanted.bytes != 0) fmt::format_to(to, " of {}", size_text(wanted.bytes));
  const simulator::machine& on = wanted.on;
  fmt::format_to(to, ", {} ranks, {} a node, {} nodes a leaf switch, {} of {:g} Gb/s\n\n",
                 wanted.ranks, on.ranks_per_node, on.net.leaf_nodes, on.nic.name,
                 on.nic.link_rate * 8);
  fmt::format_to(to, "{:<20}{:>12}{:>11}{:>11}{:>9}{:>11}{:>8}  {}\n", "algorithm", "time",
                 "messages", "bytes", "rounds", "doorbells", "misses", "ranks played");
  for (const line& each : lines) {
    const forecast& found = each.found;
    if (!found.refusal.empty()) continue;
    fmt::format_to(to, "{:<20}{}{:>11}{:>11}{:>9}{:>11}{:>8}  {}\n",
                   fmt::format("{}{}", each.how->name, each.usual ? " *" : ""),
                   right(time_text(found.time), 12), amount_text(found.messages),
                   amount_text(found.bytes), amount_text(found.rounds),
                   amount_text(found.doorbells), fmt::format("{:.0f} %", found.misses * 100),
                   played(found));
  }
  for (const line& each : lines)
    if (!each.found.refusal.empty())
      fmt::format_to(to, "{:<20}not simulated: {}\n",
                     fmt::format("{}{}", each.how->name, each.usual ? " *" : ""),
                     each.found.refusal);
  fmt::format_to(
      to,
      "\nmessages, bytes, doorbells: of all ranks; rounds: on the way that decides the time;\n"
      "misses: accesses to queue pairs that are not in the adapter's cache; *: what peal's rules "
      "choose\n");
  return text;
}

}  // namespace peal::sim
