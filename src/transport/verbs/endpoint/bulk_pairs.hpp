// transport/verbs/endpoint/bulk_pairs.hpp
// How many queue pairs for large payloads all connections have, by rail: so much room they need in
// the completion queues.
//
// Layer    transport/verbs.
// Threads  one at a time.
// Errors   none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "transport/verbs/device/interface.hpp"

namespace peal::verbs {

class bulk_pairs {
 public:
  /// `turn` counts polls, and outlives this.
  explicit bulk_pairs(const std::uint32_t& turn) noexcept : turn_{turn} {}

  void add(std::size_t rail) noexcept { ++made_[rail]; }
  void remove(std::size_t rail) noexcept {
    --made_[rail];
    ++gone_[rail];
    last_gone_ = turn_;
  }

  [[nodiscard]] std::size_t on(std::size_t rail) const noexcept { return made_[rail]; }
  /// Those of which completions may stand in the queue: some devices leave those of a queue pair
  /// that is destroyed where they are.
  [[nodiscard]] std::size_t seen(std::size_t rail) noexcept {
    if (turn_ - last_gone_ > enough_turns) gone_ = {};
    return made_[rail] + gone_[rail];
  }

 private:
  /// A poll takes up to 32 completions, so by then every queue was read to its end.
  static constexpr std::uint32_t enough_turns = 1u << 16;

  const std::uint32_t& turn_;
  std::array<std::size_t, most_rails> made_{}, gone_{};
  std::uint32_t last_gone_ = 0;
};

}  // namespace peal::verbs
