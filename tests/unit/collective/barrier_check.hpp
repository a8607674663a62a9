// tests/unit/collective/barrier_check.hpp
// Whether an algorithm of barrier holds everyone.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "collective/algorithms.hpp"

namespace symbolic {

// Whether the barrier holds: every rank's end must depend on every rank's beginning. Followed
// through the messages.
inline std::string barrier_problem(const peal::algorithm& tested, int size,
                                   const peal::node_map* nodes) {
  const auto n = static_cast<std::size_t>(size);
  using ranks = std::vector<bool>;
  std::vector<peal::schedule> plans(n);
  std::vector<ranks> heard(n, ranks(n));
  std::vector<std::size_t> round(n);
  std::vector<bool> posted(n);
  std::map<std::pair<std::size_t, std::size_t>, std::deque<ranks>> under_way;
  for (std::size_t rank = 0; rank != n; ++rank) {
    peal::problem p;
    p.rank = static_cast<int>(rank);
    p.size = size;
    p.nodes = nodes;
    peal::build(tested, p, {}, plans[rank]);
    heard[rank][rank] = true;
  }
  // What a round receives is known only when the round is over.
  const auto advance = [&](std::size_t rank) {
    if (round[rank] == plans[rank].rounds().size()) return false;
    const auto& now = plans[rank].rounds()[round[rank]];
    if (!posted[rank])
      for (const peal::step& s : plans[rank].sends(now))
        under_way[{rank, static_cast<std::size_t>(s.peer)}].push_back(heard[rank]);
    const bool moved = !posted[rank];
    posted[rank] = true;
    for (const peal::step& s : plans[rank].receives(now))
      if (under_way[{static_cast<std::size_t>(s.peer), rank}].empty()) return moved;
    for (const peal::step& s : plans[rank].receives(now)) {
      auto& from = under_way[{static_cast<std::size_t>(s.peer), rank}];
      for (std::size_t i = 0; i != n; ++i) heard[rank][i] = heard[rank][i] || from.front()[i];
      from.pop_front();
    }
    posted[rank] = false;
    ++round[rank];
    return true;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t rank = 0; rank != n; ++rank) moved |= advance(rank);
  }
  for (std::size_t rank = 0; rank != n; ++rank) {
    if (round[rank] != plans[rank].rounds().size()) return fmt::format("rank {} is stuck", rank);
    for (std::size_t i = 0; i != n; ++i)
      if (!heard[rank][i]) return fmt::format("rank {} leaves before rank {} came", rank, i);
  }
  return {};
}

}  // namespace symbolic
