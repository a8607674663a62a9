// launcher/info/explain.hpp
// Which algorithm a collective would run with, and why: the candidates with their prices.
//
// Layer    launcher: may include collective/, base/.
// Units    bytes; nanoseconds.
// Errors   explain throws std::invalid_argument, peal::error (errc::invalid_config) where a
//          variable is wrong.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collective/choice/choice.hpp"
#include "collective/choice/tuning.hpp"
#include "peal/detail/core.hpp"

namespace peal::info {

/// As on the command line; 0 or empty: not given.
struct explain_words {
  std::string collective, bytes;
  std::string tuning;  // the file, instead of that of PEAL_TUNING, of whatever machine; or none
  int ranks = 0, nodes = 0, cores = 0;
  std::size_t element = 4;
};

struct explanation {
  detail::collective kind = detail::collective::barrier;
  int ranks = 0, nodes = 1;
  spread where;
  // As asked: of a block; of bcast and reductions but reduce_scatter the whole vector.
  std::size_t bytes = 0;
  tuning costs;
  bool prices_count = false;  // or only rules do
  std::vector<candidate> found;
  // Nanoseconds: blocking calls go past messages, so none of these is asked.
  std::optional<double> direct;
};

/// All of the collectives, with blanks between.
std::string known_collectives();
/// Of that name. Throws std::invalid_argument where there is none.
detail::collective collective_of(std::string_view name);
explanation explain(const explain_words&);
std::string to_text(const explanation&);
std::string to_json(const explanation&);

}  // namespace peal::info
