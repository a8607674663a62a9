// transport/shm/bulk/copy_choice.hpp
// Which way a large payload takes where each is possible: what was fastest of late, by kind of
// buffers, distance of the two cores and class of length. All processes of the node share what
// payloads took, try a way together, and take the same one. Nothing is measured at the start: the
// first payloads go the usual way, then each other way carries some, and later a few now and then,
// since a machine changes.
//
// Layer    transport/shm.
// Units    bytes, nanoseconds; rates in nanoseconds a KiB.
// Threads  one; other processes use the same rates at the same time. Rates are hints, so what two
//          processes write at a time may be lost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "topology/distances.hpp"
#include "transport/shm/layout.hpp"

namespace peal::shm {

enum class way : std::uint8_t {
  alone,        // the receiver copies, by the kernel or straight
  together,     // both sides take pieces, and copy them so
  staged,       // two copies through a ring
  staged_large  // the same in large pieces
};
constexpr bool is_staged(way of) noexcept { return of == way::staged || of == way::staged_large; }

/// Which side sees the other one's buffer, since that lies in the segment; or neither does, and the
/// receiver does not keep the payload, but joins it.
enum class buffers : std::uint8_t { separate, source_shared, destination_shared, absorbed };

class copy_choice {
 public:
  /// Payloads of up to so much are copied by the receiver alone: there is nothing to choose. A ring
  /// takes some milliseconds to make, and was faster for them on an EPYC 9004 alone, at times.
  static constexpr std::size_t longest_alone = 32 * 1024;
  /// Payloads of up to so much have no large pieces: theirs are as long as the receiver should
  /// wait for the first one.
  static constexpr std::size_t longest_in_usual_pieces = 512 * 1024;

  /// What was chosen for a payload.
  struct answer {
    way how;
    std::uint16_t cell;
    bool measure;  // `note` wants to know what it takes
    bool trial;    // `trial_ended` wants to know of its end
    bool settled;  // it is no trial, and every way is known: the next ones will take as long
  };

  /// `rates` are shared, and zero at the start.
  explicit copy_choice(copy_rates& rates) noexcept : rates_{&rates} {}

  /// Requires: bytes > longest_alone, and every way of these buffers is possible.
  [[nodiscard]] answer choose(buffers, span, std::size_t bytes) noexcept;
  /// The payload of that answer has taken so long, and nothing else disturbed it.
  void note(std::uint16_t cell, way, std::size_t bytes, std::uint64_t nanoseconds) noexcept;
  /// A payload that was a trial is over, measured or not.
  void trial_ended(std::uint16_t cell) noexcept { --cells_[cell].under_way; }

 private:
  static constexpr std::size_t ways = copy_rates::ways;
  static constexpr std::uint8_t most_samples = 9;
  /// Of the way that all processes of the node go in a cell.
  enum class stage : std::uint8_t { in_use, trial, whole_trial };
  struct samples {
    std::array<float, most_samples> rate{};
    std::uint8_t count = 0;
    std::uint16_t tried = 0;  // payloads that went this way since one was measured
    std::uint32_t until_trial = 0;
  };
  /// Of this process, one for each cell of the rates.
  struct cell {
    way current = way::alone;
    way best = way::alone;
    bool begun = false;
    bool settled = false;  // when it was thought about last, every way was known
    stage now = stage::in_use;
    bool streams = false;         // a lone payload of another way was not measured
    std::uint32_t mode = 0;       // of the node, as it was seen last
    std::uint16_t under_way = 0;  // of trials
    std::uint8_t next_trial = 0;  // turns round the ways
    std::uint16_t left = 0;       // payloads until it is thought about again
    std::uint16_t given = 0;      // to the trial, since it was thought about
    std::uint32_t period = 0;     // between trials, unless a slow way makes it longer
    float at_trial = 0;  // rate of the best way when it was thought about first, or changed
    std::array<samples, ways> taken{};
  };
  /// The ways that a cell may take, and the one with which it begins.
  struct possible {
    std::array<bool, ways> may;
    way usual;
  };

  [[nodiscard]] static possible ways_of(std::size_t cell) noexcept;
  [[nodiscard]] float rate(std::size_t cell, std::size_t way) const noexcept;
  [[nodiscard]] bool known(std::size_t cell, std::size_t way) const noexcept;
  /// Whether it is possible, not known, and may get known.
  [[nodiscard]] bool to_learn(std::size_t cell, std::size_t way) const noexcept;
  void publish(std::size_t cell, std::size_t way) noexcept;
  void rethink(std::size_t cell) noexcept;
  [[nodiscard]] bool begin_trial(std::size_t cell, const possible&) noexcept;
  [[nodiscard]] bool go_on_with_trial(std::size_t cell) noexcept;
  void put_off(std::size_t cell, std::size_t way, std::uint32_t least) noexcept;
  void begin(std::size_t cell) noexcept;
  void propose(std::size_t cell, stage, std::size_t way) noexcept;
  void follow(std::size_t cell, std::uint32_t mode) noexcept;
  [[nodiscard]] way best_of(std::size_t cell, const possible&) const noexcept;

  copy_rates* rates_;
  std::array<cell, sizeof(copy_rates::cells) / sizeof(copy_rates::cell)> cells_{};
};

}  // namespace peal::shm
