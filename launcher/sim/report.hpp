// launcher/sim/report.hpp
// What peal-sim has found: a line for each algorithm, the fastest first; and how it is written.
//
// Layer    launcher: may include simulator/, collective/, base/.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "simulator/forecast.hpp"

namespace peal::sim {

struct line {
  const algorithm* how = nullptr;
  simulator::question asked;
  simulator::forecast found;
  bool usual = false;  // the rules choose it
};

/// The algorithms for a call of that size, the fastest first; those without a forecast last.
std::vector<line> compare(const request&, int ranks, std::size_t bytes);

/// 4 KiB, 1 MiB; 1000 B where it is no whole number of larger units.
std::string size_text(std::size_t bytes);

/// For people.
std::string to_text(const request&, const std::vector<line>&);
/// For programs.
std::string to_json(const request&, const std::vector<line>&);
/// A picture of many calls: lines of time over bytes or ranks.
std::string to_picture(const request&);

}  // namespace peal::sim
