// collective/schedule.hpp
// A collective as data: what one rank sends, receives, copies and reduces, round by round.
//
// An algorithm is a pure function that fills a schedule for (rank, size, root, sizes). One executor runs schedules over p2p; tests run
// them on symbols instead, for every size and root, without starting a process.
//
// Layer    collective: may include p2p/, base/.
// Units    bytes; offsets count from the start of the buffer named.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace peal {

enum class place : std::uint8_t { send, receive, scratch };

/// A range of one of the three buffers of a call.
struct slice {
  place buffer = place::receive;
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

struct step {
  enum class action : std::uint8_t {
    send,         // slice `from` to `peer`
    receive,      // from `peer` into slice `into`
    copy,         // `from` → `into`, same length
    reduce,       // into = from ∘ into, `from` being of the lower ranks
    reduce_right  // into = into ∘ from, `from` being of the higher ranks
  };
  action what = action::copy;
  int peer = -1;  // rank of the team
  slice from;
  slice into;
};

/// First all receives and sends of a round are posted; when they have finished, its copies and reductions run in order; then the next
/// round.
struct round {
  std::vector<step> steps;
};

struct schedule {
  std::vector<round> rounds;
  std::size_t scratch_bytes = 0;
};

}  // namespace peal
