// launcher/pealrun/hang/rank_ranges.hpp
// Lists of ranks in words: "rank 3", "ranks 0,2-5".
//
// Layer    launcher.
// Errors   none.
#pragma once

#include <string>
#include <vector>

namespace peal::launcher {

/// "0,2-5". Any order, no rank twice.
[[nodiscard]] std::string ranges_of(std::vector<int> ranks);
/// "rank 3" or "ranks 0,2-5".
[[nodiscard]] std::string words_of(const std::vector<int>& ranks);

}  // namespace peal::launcher
