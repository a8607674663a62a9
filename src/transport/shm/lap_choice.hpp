// transport/shm/lap_choice.hpp
// Whether messages that are answered one by one go round all of a box's data ring, or few lines.
//
// Few lines stay in the first caches of both cores. Between two cores of an EPYC 9004 what lies
// there is passed on sooner: one way of 3000 B took 0.78 of the time that it took round the whole
// ring. Between two cores of an Intel Xeon (family 6, model 167) what was used long ago is: 2 KiB
// took 1.26 of the time by few lines. So both are timed, for some periods each, one behind the
// other. Where the program itself does other things meanwhile they look alike, and it does not
// matter.
//
// Layer    transport/shm.
// Units    of the data ring.
// Threads  one; of the writer.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

namespace peal::shm {

class lap_choice {
 public:
  using clock = std::chrono::steady_clock;
  /// So much is written before the clock is read: what the whole ring holds.
  static constexpr std::uint32_t period_units = 4096;
  /// Of one way that are compared with as many of the other one. The least counts: others were
  /// interrupted, or used lines that lay where the other way had left them.
  static constexpr std::uint32_t compared = 2;
  /// Periods between two trials of the other way, at first and at most; four times as many behind
  /// each trial that was lost.
  static constexpr std::uint32_t least_between = 8, most_between = 128;

  /// A lap has come to where it may end, and all before was read. `units` were written since this
  /// was asked last. Returns whether it is to end. `now` tells the time.
  template <class Clock = clock::time_point (*)()>
  [[nodiscard]] bool ends_early(std::uint32_t units, Clock now = clock::now) noexcept {
    if (!std::exchange(counts_, true)) {
      begun_ = now();
      written_ = 0;
    } else if ((written_ += units) >= period_units) {
      const clock::time_point end = now();
      const auto took = std::chrono::duration<float, std::nano>(end - begun_).count();
      note(took / static_cast<float>(written_));
      begun_ = end;
      written_ = 0;
    }
    return few_;
  }
  /// What is written now is not to be compared with what was: not answered one by one, or of
  /// another kind.
  void disturb() noexcept { counts_ = false; }

 private:
  /// Another way is taken whose time is that part of the usual one's, or less.
  static constexpr float better = 0.97F;

  /// Of a period, a unit.
  void note(float time) noexcept {
    last_[periods_++ % compared] = time;
    if (periods_ < (tries_ ? compared : between_)) return;
    const float least = *std::min_element(last_.begin(), last_.end());
    if (tries_) settle(least);
    else try_other(least);
  }
  void try_other(float usual) noexcept {
    usual_ = usual;
    tries_ = true;
    change();
  }
  void settle(float tried) noexcept {
    tries_ = false;
    if (tried < better * usual_) {
      between_ = least_between;
      periods_ = 0;
    } else {
      between_ = std::min(4 * between_, most_between);
      change();
    }
  }
  void change() noexcept {
    few_ = !few_;
    periods_ = 0;
  }

  bool few_ = false;
  bool counts_ = false;  // what was written since `begun_`
  bool tries_ = false;   // the way that is not the usual one
  std::uint32_t written_ = 0;
  std::uint32_t periods_ = 0;  // of the way that it is, timed
  std::uint32_t between_ = least_between;
  std::array<float, compared> last_{};  // times
  float usual_ = 0;                     // while another way is tried
  clock::time_point begun_{};
};

}  // namespace peal::shm
