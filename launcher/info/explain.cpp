#include "explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "base/settings.hpp"
#include "base/value_types.hpp"
#include "collective/direct/price.hpp"
#include "collective/node_map.hpp"
#include "topology/machine.hpp"
#include "units.hpp"

namespace peal::info {

namespace {

using detail::collective;

constexpr int most_ranks = 1 << 20;
constexpr std::size_t most_bytes = std::size_t{1} << 40;

std::size_t length_of(const explain_words& words, collective kind) {
  if (kind == collective::barrier) return 0;
  if (words.bytes.empty()) return 8;
  std::size_t found = 0;
  try {
    found = parse_bytes(words.bytes);
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument(
        fmt::format("--bytes {}: not a size such as 4096, 64K or 1M", words.bytes));
  }
  if (found > most_bytes)
    throw std::invalid_argument(fmt::format("--bytes {}: at most 1024G", words.bytes));
  if (detail::is_reduction(kind) && found % words.element != 0)
    throw std::invalid_argument(fmt::format(
        "--bytes {}: not a multiple of the {} bytes of an element", words.bytes, words.element));
  return found;
}

std::string how_run(const chosen& as, std::size_t bytes) {
  std::string text;
  if (as.how->name == "tree") text += fmt::format("  {} children a step", as.radix - 1);
  if (as.how->segmentable && as.cut.bytes != 0 && bytes > as.cut.bytes)
    text += fmt::format("  segments of {} in {} streams", size_text(as.cut.bytes), as.cut.streams);
  return text;
}

std::string why(const explanation& of, const candidate& taken) {
  switch (taken.as.why) {
    case reason::forced: return fmt::format("{}={}", variable_of(of.kind), taken.as.how->name);
    case reason::price:
      return fmt::format(
          "its price: that of the algorithm in peal's table of rules is more than {:g} times as "
          "high",
          decisive);
    case reason::rule: break;
  }
  if (of.costs.from.empty())
    return "peal's table of rules (prices count where costs were measured: peal-info --tune)";
  if (!of.prices_count)
    return fmt::format(
        "peal's table of rules (prices count where costs were measured, and those {} were not: "
        "peal-info --tune)",
        of.nodes > 1 ? "between its nodes" : "inside a node");
  return taken.price ? fmt::format(
                           "peal's table of rules: its price is less than {:g} times that of any "
                           "other that may take its place",
                           decisive)
                     : "peal's table of rules: it has no price";
}

}  // namespace

detail::collective collective_of(std::string_view name) {
  for (std::size_t i = 0; i != detail::collectives_in_all; ++i)
    if (name_of(static_cast<collective>(i)) == name) return static_cast<collective>(i);
  throw std::invalid_argument(
      fmt::format("{}: no such collective; there are {}", name, known_collectives()));
}

std::string known_collectives() {
  std::string all;
  for (std::size_t i = 0; i != detail::collectives_in_all; ++i)
    all += fmt::format("{}{}", all.empty() ? "" : " ", name_of(static_cast<collective>(i)));
  return all;
}

explanation explain(const explain_words& words) {
  explanation made;
  made.kind = collective_of(words.collective);
  if (words.ranks < 1 || words.ranks > most_ranks)
    throw std::invalid_argument(
        words.ranks == 0 ? "--explain needs --ranks, or --job"
                         : fmt::format("--ranks {}: from 1 to {}", words.ranks, most_ranks));
  made.ranks = words.ranks;
  made.nodes = std::max(words.nodes, 1);
  if (words.nodes < 0 || made.nodes > made.ranks)
    throw std::invalid_argument(
        fmt::format("--nodes {}: from 1 to the number of ranks", words.nodes));
  if (words.cores < 0)
    throw std::invalid_argument(fmt::format("--cores {}: at least 1", words.cores));
  if (words.element < 1 || words.element > 1024)
    throw std::invalid_argument(fmt::format("--element {}: from 1 to 1024", words.element));
  if (made.nodes > 1) made.where.ranks_per_node = (made.ranks + made.nodes - 1) / made.nodes;
  made.where.cores = words.cores > 0 ? words.cores : machine{}.usable_cores();
  made.bytes = length_of(words, made.kind);

  const job_settings settings = job_settings::from_environment();
  made.costs = words.tuning.empty() || words.tuning == "none"
                   ? read_tuning(words.tuning.empty() ? settings.tuning : words.tuning)
                   : read_tuning_file(words.tuning);
  const auto measured = made.costs.from.empty() ? std::nullopt : std::optional{made.costs.costs};
  problem p;
  p.size = made.ranks;
  p.bytes = made.kind == collective::reduce_scatter
                ? made.bytes * static_cast<std::size_t>(made.ranks)
                : made.bytes;
  if (detail::is_reduction(made.kind)) p.element = words.element;
  std::optional<node_map> nodes;
  if (made.nodes > 1) {
    std::vector<std::uint32_t> by_rank;
    for (int rank = 0; rank != made.ranks; ++rank)
      by_rank.push_back(static_cast<std::uint32_t>(rank / made.where.ranks_per_node));
    if (node_map found{by_rank}; found.has_levels()) nodes = std::move(found);
  }
  p.nodes = nodes ? &*nodes : nullptr;
  const choice by{settings.algorithms, measured};
  made.prices_count = by.prices_count(p, made.where);
  made.found = by.candidates(made.kind, p, made.where);
  detail::collective_call call;
  call.kind = made.kind;
  call.bytes = made.bytes;
  call.element_size = p.element;
  if (made.nodes == 1 && made.ranks > 1 && !by.forces(made.kind))
    made.direct = direct::price(call, made.ranks, made.where.cores, made.costs.costs,
                                !by.leaves_open(made.kind));
  return made;
}

std::string to_text(const explanation& of) {
  std::string text{name_of(of.kind)};
  const auto to = std::back_inserter(text);
  if (of.kind != collective::barrier) fmt::format_to(to, " of {}", size_text(of.bytes));
  fmt::format_to(to, ", {} ranks on {} node{} of {} core{}\n", of.ranks, of.nodes,
                 of.nodes > 1 ? "s" : "", of.where.cores, of.where.cores > 1 ? "s" : "");
  fmt::format_to(to, "cost parameters: {}\n", of.costs.from.empty() ? "built in" : of.costs.from);
  if (!of.costs.problem.empty()) fmt::format_to(to, "  ({})\n", of.costs.problem);
  fmt::format_to(to, "\n{:<20}{:>12}\n", "algorithm", "price");
  if (of.direct)
    fmt::format_to(to, "{:<20}{}  blocking calls\n", "direct", right(time_text(*of.direct), 12));
  for (const candidate& each : of.found)
    fmt::format_to(
        to, "{:<20}{}{}\n", fmt::format("{}{}", each.as.how->name, each.taken ? " *" : ""),
        right(each.price ? time_text(*each.price) : "none", 12), how_run(each.as, of.bytes));
  for (const candidate& each : of.found)
    if (each.taken) fmt::format_to(to, "\n* chosen by {}\n", why(of, each));
  if (of.direct)
    text +=
        "Blocking calls go past messages, through memory of all ranks (direct); nonblocking ones "
        "and plans by *.\n";
  return text;
}

}  // namespace peal::info
