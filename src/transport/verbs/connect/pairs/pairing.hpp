// transport/verbs/connect/pairs/pairing.hpp
// What two ranks tell each other of queue pairs for large payloads, and what a connection knows of
// such that are being made. The pair maker writes it, and `link_returns` what is its own.
//
// Layer    transport/verbs. Control path.
// Threads  one at a time.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <type_traits>

#include "transport/verbs/wire.hpp"

namespace peal::verbs {

class pairing {
 public:
  /// Places of queue pairs for READs, [first, last) of each link; and that for WRITEs, or not.
  struct range {
    std::uint8_t first = 0, last = 0;
    bool writes = false;
    [[nodiscard]] bool empty() const noexcept { return first == last && !writes; }
  };

  /// Something is being made that both sides have not agreed upon.
  [[nodiscard]] bool under_way() const noexcept { return asks_ || gives_ || link_returns_; }

 private:
  friend class pair_maker;
  friend class link_returns;
  bool asks_ = false;          // this side has asked for `what_`
  bool gives_ = false;         // this side has answered with `what_`
  bool link_returns_ = false;  // one that was left out is tried
  range what_{};
  std::uint32_t first_psn_ = 0, remote_psn_ = 0;
  bool writes_asked_ = false;                // once
  std::uint8_t refused_ = most_readers + 1;  // so many queue pairs were too many
  // Not to be asked for again before.
  std::chrono::steady_clock::time_point again_{};
};

/// Behind the header of a packet about queue pairs.
struct pair_numbers {
  pairing::range what{};
  std::uint8_t reserved = 0;
  std::uint32_t first_psn = 0;
  // most_bulk of each link; 0: none. Those alone count that are meant by `what`.
  std::array<std::uint32_t, most_bulk * most_rails> numbers{};
};
static_assert(std::is_trivially_copyable_v<pair_numbers> &&
              sizeof(pair_numbers) == 8 + 4 * most_bulk * most_rails);

}  // namespace peal::verbs
