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
// A box is small, so its lines are in both second-level caches when they are written again. Where
// that is slow, as on an EPYC 9004 at times, what is announced goes faster, through a ring of twice
// such a cache: one way of 16 and 32 KiB takes 1.8 and 2.4 µs there and 2.1 and 3.3 through the
// box; at other times 1.6 and 2.3, and 1.0 and 1.5.
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
  /// The same where it is `announced`: true. Otherwise nothing is taken yet. `open`: how many
  /// payloads that were announced to this peer are not yet with it. The turn does not end before
  /// they are, lest its time be that of the announcements alone.
  template <class Clock = clock::time_point (*)()>
  [[nodiscard]] bool take_if_announced(std::size_t bytes, std::uint32_t open,
                                       Clock now = clock::now) noexcept {
    state& mine = turn_of(bytes, open, now);
    if (mine.current != way::announced) [[likely]]
      return false;
    mine.taken += bytes;
    return true;
  }
  /// Whether the last payload of about that length was to be announced.
  [[nodiscard]] bool announces(std::size_t bytes) const noexcept {
    return states_[class_of(bytes)].current == way::announced;
  }

 private:
  // A turn in another way costs as many times more as that is slower; so much more in all is spent
  // on looking.
  static constexpr float spent = 0.02F;
  static constexpr std::uint32_t least_between = 8, most_between = 128;  // turns
  /// What loses again and again is tried half as often each time.
  static constexpr std::uint32_t most_losses = 4;
  static_assert(least_between << most_losses <= most_between);
  /// Trials of announcements that lose nothing: the ring is made in them, which took 5 ms of one on
  /// an Intel Xeon (family 6, model 207), and it is found out how such payloads are copied. These
  /// turns are short, as no ring has to be read empty first.
  static constexpr std::uint32_t trials_to_begin = 4;
  /// Another way has to be so much faster to be taken. What the peer does, which writes too, makes
  /// a turn slower as well.
  static constexpr float clearly = 1.2F;
  /// Some turns at this part of the usual rate, or less, make it worth to look sooner.
  static constexpr float sudden = 0.6F;
  static constexpr std::uint32_t some = 3;

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
    std::uint32_t announced_trials = 0;
    clock::time_point begun{};

    [[nodiscard]] bool ends_before(std::size_t bytes, std::uint32_t open) const noexcept {
      const bool short_trial = current == way::announced && usual != current;
      return taken + bytes > (short_trial ? turn_bytes / 4 : turn_bytes) &&
             (current != way::announced || open == 0 || taken + bytes > longest_turn_bytes);
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
      // What is tried now and then was something else at its last time, perhaps. What is announced
      // is as fast as in its best trial once it is known how such payloads are copied: until then
      // trials are of ways that will not be taken.
      const bool disappoints = tries && current == way::announced && now < before;
      known = before == 0 || falls ? now
              : disappoints        ? (3 * before + now) / 4
              : tries              ? (before + 3 * now) / 4
                                   : (before + now) / 2;
      if (tries) return settle();
      for (std::size_t each = 0; each < ways; ++each) {
        if (way(each) == usual || !there[each]) continue;
        if (fallen == some) until_trial[each] = 1;
        // The first whose time has come; another one then waits for the turn behind its trial.
        if (until_trial[each] > 0) --until_trial[each];
        if (until_trial[each] == 0 && current == usual) current = way(each);
      }
    }
    void settle() noexcept {
      const way tried = std::exchange(current, usual);
      fallen = 0;
      const bool better = rate_of(tried) > clearly * rate_of(usual);
      if (!better && tried == way::announced && announced_trials < trials_to_begin) {
        ++announced_trials;
        until(tried) = least_between;
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
    if (mine.taken == 0 || mine.ends_before(bytes, open)) [[unlikely]]
      mine.next_turn(now(), {true, has_past_, length_class > 0});
    return mine;
  }

  std::array<state, classes> states_;
  bool has_past_;
};

}  // namespace peal::shm
