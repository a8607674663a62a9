// launcher/pealrun/report/page/heat_map.hpp
// Who sent how much to whom, as a picture: a square for each pair of ranks, or of groups of ranks
// where there are many.
//
// Layer    launcher.
// Units    bytes.
// Errors   none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/gathered.hpp"

namespace peal::launcher {

/// What went from one rank to another, as the sender counted it, or where it is not known, the
/// receiver.
struct pair_traffic {
  int from, to;
  std::uint64_t messages, bytes;
};
/// Of all pairs that have any; messages of the program, without those of collectives.
std::vector<pair_traffic> pairs_of(const gathered_run&);
/// The same of messages that collectives have sent.
std::vector<pair_traffic> collective_pairs_of(const gathered_run&);

/// Most squares a side.
inline constexpr int most_squares = 64;

/// As SVG. Squares have `data-from`, `data-to`, `data-messages` and `data-bytes`.
/// `names`: of what sends and receives, where that is no ranks; used if there are not too many.
std::string heat_map(const std::vector<pair_traffic>&, int ranks, const std::string& label,
                     const std::vector<std::string>& names = {});

}  // namespace peal::launcher
