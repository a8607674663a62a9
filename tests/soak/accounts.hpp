// What a process holds, noted round by round for as long as it runs, and whether that grows.
//
// The time is cut into slices, of each of which the least of every quantity is kept: what a round
// holds for a moment, and what lies in caches by chance, does not count then. The first third of
// the slices is for warming up. Something leaks if the least of the last third is above that of the
// middle one by more than its bound.
//
// Units    bytes; numbers of descriptors, mappings and threads.
// Threads  none but the caller's.
// Errors   a file of /proc that cannot be read fails the job.
#pragma once

#include <dirent.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>

#include "../job/support.hpp"
#include "blocks.hpp"

namespace soak {

class accounts {
 public:
  static constexpr std::size_t slices = 12;

  /// Requires: slice < slices.
  void note(std::size_t slice) {
    ++rounds_[slice];
    const std::array<std::size_t, kinds> now{blocks_in_use(),          in_use(),
                                             job::resident(),          mappings(),
                                             entries("/proc/self/fd"), entries("/proc/self/task")};
    for (std::size_t i = 0; i < kinds; ++i) least_[slice][i] = std::min(least_[slice][i], now[i]);
  }

  /// What has grown, and from what to what; empty if nothing has. Requires: there were rounds in
  /// every slice.
  [[nodiscard]] std::string grown() const {
    job::check(rounds_in(1) != 0 && rounds_in(2) != 0,
               "too few rounds to tell whether anything grows");
    std::string all;
    for (std::size_t i = 0; i < kinds; ++i)
      if (least_in(2, i) > least_in(1, i) + allowed(i))
        all += (all.empty() ? "" : ", ") + change(i);
    return all;
  }

  /// All quantities in the middle third and in the last one.
  [[nodiscard]] std::string told() const {
    std::string all = std::to_string(rounds_in(0) + rounds_in(1) + rounds_in(2)) + " rounds";
    for (std::size_t i = 0; i < kinds; ++i) all += ", " + change(i);
    return all;
  }

 private:
  /// What a quantity may grow by: a number, so many parts of 100 of what it was, and one for so
  /// many rounds (0: none).
  struct limit {
    const char* name;
    std::size_t number, percent, rounds;
  };
  static constexpr std::size_t kinds = 6;
  // Blocks: the numbers of communicators that have gone are kept until there are 65,536 of them, 64
  // in a block. Bytes: the scratch memory of collectives is kept at the longest that it ever was,
  // which random lengths raise ever more seldom. The kernel joins and parts mappings as their
  // neighbours come and go. What a lane sleeps on, and wakes others with, is opened when it is
  // first needed.
  static constexpr std::array<limit, kinds> limits{{{"blocks in use", 200, 0, 16},
                                                    {"bytes in use", 1 << 20, 50, 0},
                                                    {"bytes resident", 8 << 20, 50, 0},
                                                    {"mappings", 8, 10, 0},
                                                    {"descriptors", 20, 0, 0},
                                                    {"threads", 0, 0, 0}}};

  static std::size_t in_use() {
    const auto found = mallinfo2();
    return found.uordblks + found.hblkhd;
  }
  static std::size_t entries(const char* folder) {
    DIR* const open = opendir(folder);
    job::check(open != nullptr, std::string{"cannot read "} + folder);
    std::size_t found = 0;
    while (readdir(open) != nullptr) ++found;
    closedir(open);
    return found;
  }
  static std::size_t mappings() {
    std::ifstream file{"/proc/self/maps"};
    std::size_t found = 0;
    for (std::string line; std::getline(file, line);) ++found;
    job::check(found != 0, "cannot read /proc/self/maps");
    return found;
  }

  [[nodiscard]] std::size_t rounds_in(std::size_t third) const {
    std::size_t sum = 0;
    for (std::size_t i = third * slices / 3; i < (third + 1) * slices / 3; ++i) sum += rounds_[i];
    return sum;
  }
  [[nodiscard]] std::size_t least_in(std::size_t third, std::size_t kind) const {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (std::size_t i = third * slices / 3; i < (third + 1) * slices / 3; ++i)
      least = std::min(least, least_[i][kind]);
    return least;
  }
  [[nodiscard]] std::size_t allowed(std::size_t kind) const {
    const auto& most = limits[kind];
    return most.number + least_in(1, kind) / 100 * most.percent +
           (most.rounds == 0 ? 0 : rounds_in(2) / most.rounds);
  }
  [[nodiscard]] std::string change(std::size_t kind) const {
    return std::string{limits[kind].name} + " " + std::to_string(least_in(1, kind)) + " to " +
           std::to_string(least_in(2, kind));
  }

  static constexpr std::array<std::size_t, kinds> nothing = [] {
    std::array<std::size_t, kinds> made{};
    made.fill(std::numeric_limits<std::size_t>::max());
    return made;
  }();
  std::array<std::array<std::size_t, kinds>, slices> least_ = [] {
    std::array<std::array<std::size_t, kinds>, slices> made{};
    made.fill(nothing);
    return made;
  }();
  std::array<std::size_t, slices> rounds_{};
};

}  // namespace soak
