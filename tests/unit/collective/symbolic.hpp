// tests/unit/collective/symbolic.hpp
// Runs the schedules of all ranks of a collective on symbols instead of bytes, and says what is
// wrong with them.
//
// Each byte holds a symbol: which byte of the vector it came from, and which ranks' contributions
// it joins, in which order. Since every algorithm joins neighbours, contributions are a range of
// ranks, cyclic where the operation commutes; what cannot be written so is refused, so a result
// that is accepted is proven, not likely. Sends are synchronous: none ends before its receive is
// posted. A schedule that relies on buffering gets stuck here and is reported.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "collective/schedule.hpp"

namespace symbolic {

struct symbol {
  std::uint32_t origin = 0;  // byte of the vector or of the block
  std::uint16_t first = 0;   // contributions of the ranks [first, first + count), cyclically
  std::uint16_t count = 0;   // 0: no value was ever written here

  friend bool operator==(const symbol&, const symbol&) = default;
};

using bytes = std::vector<symbol>;

/// A rank: what it will do, and its three buffers.
struct actor {
  peal::schedule plan;
  std::array<bytes, 3> memory;  // by place; scratch is made here

  bytes& at(peal::place where) { return memory[static_cast<std::size_t>(where)]; }
};

class world {
 public:
  /// Plays all schedules to their end. Empty: they ended, and kept the rules of schedule.hpp.
  /// Otherwise what went wrong first.
  std::string play(std::vector<actor>& actors, std::size_t element, bool commutative);

 private:
  struct post {
    peal::slice where;
  };
  // posts of one pair and stream that wait for the other side; all of them sends, or all of them
  // receives
  struct channel {
    std::vector<post> waiting;
    std::size_t head = 0;
    bool sends = false;
  };
  struct place_in_plan {
    std::uint32_t round = peal::round::none;
    std::uint32_t pending = 0;
  };

  void begin_round(std::size_t rank, std::uint32_t stream, std::uint32_t index);
  void finish_round(std::size_t rank, std::uint32_t stream);
  void post_one(std::size_t rank, std::uint32_t stream, const peal::step&, bool sends);
  void transfer(std::size_t from, peal::slice source, std::size_t to, peal::slice target,
                std::uint32_t stream);
  void local(std::size_t rank, std::uint32_t stream, const peal::step&);
  void check_overlaps(std::size_t rank, const peal::round&);
  /// The symbols of a slice; notes that `stream` reads or writes them.
  symbol* span(std::size_t rank, peal::slice, std::uint32_t stream, bool writes);
  void fail(std::size_t rank, const std::string& what);
  symbol join(std::size_t rank, symbol lower, symbol higher);

  std::vector<actor>* actors_ = nullptr;
  std::size_t element_ = 1;
  bool commutative_ = true;
  std::string problem_;
  std::vector<channel> channels_;  // kept between plays; empty after a good one
  std::vector<place_in_plan> places_;
  // rank and stream whose round has nothing pending
  std::vector<std::pair<std::size_t, std::uint32_t>> ready_;
  // by place and byte: stamp of the last round that receives there
  std::array<std::vector<std::uint32_t>, 3> marks_;
  std::uint32_t stamp_ = 0;
  struct touch {
    std::uint8_t read = 0;
    std::uint8_t written = 0;  // a bit a stream
  };
  std::vector<std::array<std::vector<touch>, 3>> touches_;
};

}  // namespace symbolic
