// simulator/amount.hpp
// How much work it is to play a call: what decides which ranks are played, found out from the
// schedules of a few ranks.
//
// Layer    simulator: may include collective/, base/.
// Units    messages; steps of schedules.
// Threads  pure functions.
#pragma once

#include "simulator/forecast.hpp"

namespace peal::simulator {

/// Of all ranks together, but for `longest`.
struct amount {
  double messages = 0;
  double steps = 0;
  double longest = 0;  // schedule of one rank
};

/// Of a few ranks it is counted, of more estimated.
amount estimate(const question&);

/// What `build` cuts a vector into: segments of so many bytes, of which the last may have fewer.
struct cutting {
  std::size_t segment = 0;
  std::size_t count = 1;
};
cutting cutting_of(const question&);

/// Whether algorithms may cut the vector into a part for each rank.
bool shared_out(detail::collective) noexcept;

}  // namespace peal::simulator
