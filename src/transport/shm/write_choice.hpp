// transport/shm/write_choice.hpp
// How payloads go to a peer: into its box, through the caches or past them, or announced.
//
// Which is faster depends on the processor and on which cores run the two processes, and on a
// virtual machine that changes from minute to minute. The writer's own time tells nothing: stores
// past the caches look quick to it, and what reaches the reader late is paid for there. So all ways
// are taken in turns, for some messages each, and what counts is the time from the first of them to
// the first of the next turn: of an exchange of answers as of a stream that waits for room. Where
// the program itself does other things meanwhile they look alike, and it does not matter.
//
// What is announced is copied once, by the receiver through the kernel. Where a line takes long
// from core to core that is faster than two copies, but for streams: one way of 16 and 32 KiB
// takes 2.3 and 3.3 µs there, and 2.9 and 4.8 through the box, while a stream of 16 KiB makes 9.1
// GB/s, and 12.7 through the box (Intel Xeon, family 6, model 207, 137 ns a line; where it is 20
// ns the box takes 1.0 and 1.9 µs).
//
// Layer    transport/shm.
// Units    bytes a nanosecond.
// Threads  one; of the writer.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/copy.hpp"

namespace peal::shm {

class write_choice {
 public:
  using clock = std::chrono::steady_clock;
  enum class way : std::uint8_t { through_caches, past_caches, announced };
  static constexpr std::size_t ways = 3;
  /// Up to here nothing is announced: that has not been faster on any machine yet.
  static constexpr std::size_t most_unannounced = 8192;
  /// Shorter and longer payloads are told apart.
  static constexpr std::size_t classes = 2;
  static constexpr std::size_t class_of(std::size_t bytes) noexcept {
    return bytes <= most_unannounced ? 0 : 1;
  }
  /// So much goes in one way before the clock is read. A ring holds a quarter of it, so that little
  /// of what a turn costs the reader falls into the next one.
  static constexpr std::size_t turn_bytes = 1 << 20;

  explicit write_choice(bool has_past = can_copy_past_caches()) noexcept : has_past_{has_past} {}

  /// The way of the next payload, of so many bytes. `now` tells the time.
  template <class Clock = clock::time_point (*)()>
  [[nodiscard]] way take(std::size_t bytes, Clock now = clock::now) noexcept {
    state& mine = turn_of(bytes, 0, now);
    mine.taken += bytes;
    return mine.current;
  }
  /// Whether the next payload is to be announced, of so many bytes. `open`: how many payloads that
  /// were announced to this peer are not yet with it. The turn does not end before they are, lest
  /// its time be that of the announcements alone. Nothing is taken: a sender may ask several times
  /// for one payload.
  template <class Clock = clock::time_point (*)()>
  [[nodiscard]] bool is_to_announce(std::size_t bytes, std::uint32_t open,
                                    Clock now = clock::now) noexcept {
    return turn_of(bytes, open, now).current == way::announced;
  }
  /// A payload of so many bytes was announced.
  void take_announced(std::size_t bytes) noexcept {
    if (announces(bytes)) states_[class_of(bytes)].taken += bytes;
  }
  /// Whether the last payload of about that length was to be announced.
  [[nodiscard]] bool announces(std::size_t bytes) const noexcept {
    return states_[class_of(bytes)].current == way::announced;
  }
  /// Whether it was written past the caches.
  [[nodiscard]] bool goes_past_caches(std::size_t bytes) const noexcept {
    return states_[class_of(bytes)].current == way::past_caches;
  }

 private:
  // A turn in another way costs as many times more as that is slower; so much more in all is spent
  // on looking.
  static constexpr float spent = 0.02F;
  static constexpr std::uint32_t least_between = 8, most_between = 128;  // turns
  /// What loses again and again is tried half as often each time.
  static constexpr std::uint32_t most_losses = 4;
  static_assert(least_between << most_losses <= most_between);
  /// Another way is taken that is so much faster, or, of late, a little faster in two trials. Where
  /// messages go to and fro half of a turn is what the peer does, so of what is gained half is
  /// seen.
  static constexpr float clearly = 1.2F, a_little = 1.04F;
  static constexpr std::uint32_t trials_to_win = 2, until_next_win = 2;
  /// Some turns at this part of the usual rate, or less, make it worth to look sooner.
  static constexpr float sudden = 0.6F;
  static constexpr std::uint32_t some = 3;

  /// Of announcements on trial.
  static constexpr std::size_t warming_bytes = turn_bytes / 8, trial_bytes = turn_bytes / 2;
  /// Of a stream in which some payload is always under way.
  static constexpr std::size_t longest_turn_bytes = 8 * turn_bytes;

  struct state {
    std::size_t taken = 0;  // bytes, in this turn
    way usual = way::through_caches;
    way current = way::through_caches;  // another one: it is tried
    std::uint32_t fallen = 0;
    std::array<std::uint32_t, ways> until_trial{least_between, least_between, 2 * least_between};
    std::array<float, ways> rate{};            // 0: not known
    std::array<std::uint32_t, ways> losses{};  // trials, one after the other
    std::array<std::uint32_t, ways> wins{};
    bool warm = false;  // of an announcement on trial
    clock::time_point begun{};

    [[nodiscard]] bool ends_before(std::size_t bytes, std::uint32_t open) const noexcept {
      const std::size_t least = current != way::announced || usual == current ? turn_bytes
                                : warm                                        ? trial_bytes
                                                                              : warming_bytes;
      return taken + bytes > least &&
             (current != way::announced || open == 0 || taken + bytes > longest_turn_bytes);
    }
    /// The first payloads that are announced behind others find nothing in the caches, neither data
    /// nor the kernel's code, and are not timed. True: these were they.
    [[nodiscard]] bool has_warmed(clock::time_point now) noexcept {
      if (current != way::announced || usual == current || taken == 0 || std::exchange(warm, true))
        return false;
      begun = now;
      taken = 0;
      return true;
    }
    void next_turn(clock::time_point now, const std::array<bool, ways>& there) noexcept {
      const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(now - begun).count();
      begun = now;
      if (const std::size_t all = std::exchange(taken, 0); all > 0)
        note(static_cast<float>(all) / static_cast<float>(took + 1), there);
    }
    [[nodiscard]] float& rate_of(way which) noexcept { return rate[std::size_t(which)]; }
    [[nodiscard]] std::uint32_t& until(way which) noexcept {
      return until_trial[std::size_t(which)];
    }
    void note(float now, const std::array<bool, ways>& there) noexcept {
      float& known = rate_of(current);
      const float before = known;
      const bool tries = current != usual;
      // One slow turn may have been interrupted, and is not counted; some are what it is now.
      const bool falls = !tries && before > 0 && now < sudden * before;
      fallen = falls ? fallen + 1 : 0;
      if (falls && fallen < some) return;
      // What is tried now and then was something else at its last time, perhaps.
      known = before == 0 || falls ? now : tries ? (before + 3 * now) / 4 : (before + now) / 2;
      if (tries) return settle(now);
      for (std::size_t each = 0; each < ways; ++each) {
        if (way(each) == usual || !there[each]) continue;
        if (fallen == some) until_trial[each] = 1;
        // The first whose time has come; another one then waits for the turn behind its trial.
        if (until_trial[each] > 0) --until_trial[each];
        if (until_trial[each] == 0 && current == usual) current = way(each);
      }
    }
    /// Behind a trial, which went at the rate `now`.
    void settle(float now) noexcept {
      const way tried = std::exchange(current, usual);
      fallen = 0;
      warm = false;
      std::uint32_t& won = wins[std::size_t(tried)];
      won = now > a_little * rate_of(usual) ? won + 1 : 0;
      const bool better = rate_of(tried) > clearly * rate_of(usual) || won == trials_to_win;
      if (better) won = 0;
      if (won > 0) {
        until(tried) = until_next_win;
        return;
      }
      const way slower = better ? std::exchange(usual, tried) : tried;
      current = usual;
      std::uint32_t& lost = losses[std::size_t(slower)];
      lost = better ? 0 : std::min(lost + 1, most_losses);
      const float more = std::max(rate_of(usual) / rate_of(slower) - 1, 0.0F);
      until(slower) =
          std::clamp(static_cast<std::uint32_t>(more / spent), least_between << lost, most_between);
    }
  };

  /// The class of that length, in a turn that has room for it.
  template <class Clock>
  [[nodiscard]] state& turn_of(std::size_t bytes, std::uint32_t open, Clock now) noexcept {
    const std::size_t length_class = class_of(bytes);
    state& mine = states_[length_class];
    if (mine.taken == 0 || mine.ends_before(bytes, open)) [[unlikely]] {
      const clock::time_point time = now();
      if (!mine.has_warmed(time)) mine.next_turn(time, {true, has_past_, length_class > 0});
    }
    return mine;
  }

  std::array<state, classes> states_;
  bool has_past_;
};

}  // namespace peal::shm
