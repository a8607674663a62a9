// launcher/info/overview.hpp
// Which algorithm each collective runs with, by the length of the call.
//
// Layer    launcher: may include collective/, base/.
// Units    bytes.
// Errors   as explain.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "explain.hpp"

namespace peal::info {

/// Calls of one collective that are made alike. Lengths as asked: explanation::bytes.
struct alike_calls {
  detail::collective kind = detail::collective::barrier;
  std::size_t from = 0, up_to = 0;  // lengths, powers of two
  chosen by;                        // of messages
  bool direct = false;              // when blocking
};

struct overview {
  int ranks = 0, nodes = 1, cores = 0;
  tuning costs;
  bool prices_count = false;  // or only rules do
  std::vector<alike_calls> calls;
};

/// Of the collective that is named, or of all. Lengths are not looked at.
overview look_at_all(const explain_words&);
std::string to_text(const overview&);
std::string to_json(const overview&);

}  // namespace peal::info
