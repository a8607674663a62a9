// comm/counters_text.hpp
// The counters of a rank as PEAL_STATS prints them.
//
// Layer    comm: may include everything in src/.
// Threads  any.
#pragma once

#include <string>
#include <vector>

#include "peal/counter.hpp"

namespace peal {

/// A line a counter that is not 0, and what a work request and a doorbell were worth; a single line
/// when all are 0.
std::string counters_text(const std::vector<counter>&, int rank);

/// Adds the values of `more` to those of the same name; what all processes count, each tells the
/// whole of.
void add_counters(std::vector<counter>& all, const std::vector<counter>& more);

}  // namespace peal
