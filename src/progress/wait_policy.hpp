// progress/wait_policy.hpp
// How a thread waits while nothing comes: spin for a while, then give the core away at every turn.
//
// A spin that outlasts the usual message costs nothing when every rank has a core; when ranks outnumber cores each spin keeps the rank that
// is waited for from running, so the first miss yields.
//
// Layer    progress: may include topology/, base/.
// Units    turns: one turn is one poll of every source, about 20–50 ns.
// Threads  a policy is constant; a backoff belongs to one wait of one thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace peal {

class wait_policy {
 public:
  enum class mode : std::uint8_t {
    adaptive,  // spin, then yield; yield at once when crowded
    poll,      // never give the core away
    yield      // give it away at every miss
  };

  /// `crowded`: more ranks than cores they may use.
  constexpr explicit wait_policy(mode how = mode::adaptive, bool crowded = false) noexcept
      : spins_{how == mode::poll               ? ~std::uint32_t{0}
               : how == mode::yield || crowded ? 0
                                               : adaptive_spins} {}

  /// Requires: one of the words that PEAL_WAIT allows.
  static constexpr mode mode_from(std::string_view word) noexcept {
    return word == "poll" ? mode::poll : word == "yield" ? mode::yield : mode::adaptive;
  }

  /// Misses in a row before the first yield; all ones: never.
  [[nodiscard]] constexpr std::uint32_t spins() const noexcept { return spins_; }

  /// About 50 µs: several times the longest step of a message inside a node, and below the kernel's shortest time slice (0.75 ms) by far.
  static constexpr std::uint32_t adaptive_spins = 2000;

 private:
  std::uint32_t spins_;
};

/// What one wait does after each turn. Sleeping becomes the third action: next() then names it after enough yields, and the engine arms its
/// sources, polls once more, and sleeps.
class backoff {
 public:
  enum class action : std::uint8_t { spin, yield };

  constexpr explicit backoff(const wait_policy& policy) noexcept : spins_{policy.spins()} {}

  /// `moved`: the turn moved something, so the next will probably too.
  constexpr action next(bool moved) noexcept {
    if (moved) {
      misses_ = 0;
      return action::spin;
    }
    if (misses_ == spins_ && spins_ != ~std::uint32_t{0}) return action::yield;
    ++misses_;
    return action::spin;
  }

 private:
  std::uint32_t spins_;
  std::uint32_t misses_ = 0;
};

}  // namespace peal
