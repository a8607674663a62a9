// Asks the simulator about each algorithm.
#include <algorithm>

#include "report.hpp"

namespace peal::sim {

std::vector<line> compare(const request& wanted, int ranks, std::size_t bytes) {
  std::vector<line> lines;
  const algorithm& usual =
      simulator::usual(wanted.kind, ranks, bytes, wanted.element, wanted.on.ranks_per_node);
  for (const algorithm& each : all_algorithms()) {
    if (each.kind != wanted.kind ||
        (wanted.only ? wanted.only != &each : each.by_node && wanted.on.ranks_per_node == 1))
      continue;
    simulator::question asked =
        simulator::ask(each, ranks, bytes, wanted.element, wanted.on.ranks_per_node);
    if (wanted.radix) asked.radix = *wanted.radix;
    if (wanted.cut) asked.cut = *wanted.cut;
    lines.push_back(
        {&each, asked, simulator::predict(wanted.on, asked, wanted.by), &each == &usual});
  }
  std::ranges::stable_sort(lines, {}, [](const line& each) {
    return std::pair{!each.found.refusal.empty(), each.found.time};
  });
  return lines;
}

}  // namespace peal::sim
