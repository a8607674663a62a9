// transport/shm/write_choice.hpp
// Whether payloads are written into a box through the caches or past them.
//
// Which is faster depends on the processor and on which cores run the two processes, and on a
// virtual machine that changes from minute to minute. The writer's own time tells nothing: stores
// past the caches look quick to it, and what reaches the reader late is paid for there. So both
// ways are taken in turns, for some messages each, and what counts is the time from the first of
// them to the first of the next turn: of an exchange of answers as of a stream that waits for room.
// Where the program itself does other things meanwhile the two look alike, and it does not matter.
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

namespace peal::shm {

class write_choice {
 public:
  using clock = std::chrono::steady_clock;
  /// Payloads of lengths that differ by more than that are told apart.
  static constexpr std::size_t classes = 3;
  static constexpr std::size_t class_of(std::size_t bytes) noexcept {
    return bytes <= 8192 ? 0 : bytes <= 32768 ? 1 : 2;
  }
  /// So much is written in one way before the clock is read. A ring holds a quarter of it, so that
  /// little of what a turn costs the reader falls into the next one.
  static constexpr std::size_t turn_bytes = 1 << 20;

  /// Whether the next payload, of so many bytes, goes past the caches. `now` tells the time.
  template <class Clock = clock::time_point (*)()>
  [[nodiscard]] bool past_caches(std::size_t bytes, Clock now = clock::now) noexcept {
    state& mine = states_[class_of(bytes)];
    if (mine.left < bytes) [[unlikely]]
      mine.next_turn(now());
    mine.left -= bytes;
    return mine.past;
  }

 private:
  // A turn in the other way costs as many times more as that is slower; so much more in all is
  // spent on looking.
  static constexpr float spent = 0.03F;
  static constexpr std::uint32_t least_between = 8, most_between = 128;  // turns
  /// The other way has to be so much faster to be taken. What the peer does, which writes too,
  /// makes a turn slower as well.
  static constexpr float clearly = 1.2F;
  /// Some turns at this part of the usual rate, or less, make it worth to look sooner.
  static constexpr float sudden = 0.6F;
  static constexpr std::uint32_t some = 3;

  struct state {
    std::size_t left = 0;  // of this turn
    bool past = false;
    bool tries = false;                         // the way that is not the usual one
    std::uint32_t until_trial = least_between;  // turns
    std::uint32_t fallen = 0;
    std::array<float, 2> rate{};  // by `past`; 0: not known
    clock::time_point begun{};

    void next_turn(clock::time_point now) noexcept {
      const bool first = begun == clock::time_point{};
      const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(now - begun).count();
      begun = now;
      left = turn_bytes;
      if (!first) note(static_cast<float>(turn_bytes) / static_cast<float>(took + 1));
    }
    void note(float now) noexcept {
      float& known = rate[past];
      const float before = known;
      // What is tried now and then was something else at its last time, perhaps.
      known = before == 0 ? now : tries ? (before + 3 * now) / 4 : (before + now) / 2;
      if (tries) return settle();
      fallen = before > 0 && now < sudden * before ? fallen + 1 : 0;
      if (fallen == some) until_trial = 1;
      if (--until_trial > 0) return;
      past = !past;
      tries = true;
    }
    void settle() noexcept {
      tries = false;
      fallen = 0;
      const bool usual = !past;
      past = rate[past] > clearly * rate[usual] ? past : usual;
      until_trial = std::clamp(
          static_cast<std::uint32_t>(std::max(rate[past] / rate[!past] - 1, 0.0F) / spent),
          least_between, most_between);
    }
  };
  std::array<state, classes> states_;
};

}  // namespace peal::shm
