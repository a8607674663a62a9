// simulator/simulation.hpp
// Plays shapes against each other on a machine, event by event: what the executor
// (collective/run.cpp) would do, and when.
//
// Either all ranks are simulated, or the first few stand for all: when every rank does the same at
// another place, rank r + k * few does at any time what rank r does, so a message to the one is a
// message to the other, from the simulated rank that stands for its sender. That is exact when the
// simulated ranks fill leaf switches and their number divides that of all (for peers told by bits:
// is a power of two), but for the order in which messages that come at the same instant are served.
//
// Layer    simulator: may include collective/, base/.
// Units    picoseconds, bytes.
// Threads  none of its own; the same input gives the same output.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/fabric.hpp"
#include "simulator/machine.hpp"
#include "simulator/shape.hpp"

namespace peal::simulator {

struct population {
  int ranks = 1;  // of the team
  // Of each simulated rank: as many as ranks, or fewer that stand for all.
  std::vector<std::uint32_t> shape_of;
  std::vector<shape> shapes;
};

struct outcome {
  picoseconds time = 0;        // until the last rank has ended
  std::uint32_t rounds = 0;    // on the way that decides that time
  std::uint64_t messages = 0;  // of the simulated ranks, as the next two
  std::uint64_t bytes = 0;
  std::uint64_t doorbells = 0;
  double misses = 0;  // part of the accesses to contexts that miss the adapter's cache
  bool ended = true;  // false: ranks wait for each other for ever
};

outcome simulate(const machine&, const population&);

}  // namespace peal::simulator
