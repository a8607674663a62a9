// launcher/sim/command_line.hpp
// What the command line of peal-sim asks for.
//
// Layer    launcher: may include simulator/, collective/, base/.
// Units    bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "peal/detail/core.hpp"
#include "simulator/forecast.hpp"
#include "simulator/machine.hpp"

namespace peal::sim {

struct request {
  detail::collective kind = detail::collective::barrier;
  int ranks = 2;
  std::size_t bytes = 8;
  std::size_t element = 4;
  const algorithm* only = nullptr;  // null: all of the collective
  std::optional<int> radix;         // nothing: as the rules have it, as the next one
  std::optional<segmentation> cut;
  simulator::machine on;
  simulator::method by = simulator::method::automatic;
  bool json = false;
  std::string plot;  // file; empty: none
  bool over_ranks = false;
};

struct reading {
  std::optional<request> wanted;
  int exit_code = 0;  // where nothing is wanted: help, version or a mistake, which has been told
};

reading read_command_line(int count, char** words);

}  // namespace peal::sim
