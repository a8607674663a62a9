// launcher/pealrun/nodes/clock_samples.hpp
// How far the clock of a node is ahead of another one, by questions and answers: the answer was
// given between the question and its arrival, so half of that time is the most by which its middle
// is wrong.
//
// Layer    launcher.
// Units    nanoseconds of steady clocks.
// Threads  values.
// Errors   without samples nothing is known, and times stay as they are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace peal::launcher {

/// At that time of the node's clock it was ahead by so much, and is known so well.
struct clock_sample {
  std::int64_t at = 0, ahead = 0, error = 0;
  bool operator==(const clock_sample&) const = default;
};

/// Of one question: when it was asked, what the node's clock said, when the answer was here.
[[nodiscard]] clock_sample sample_of(std::int64_t asked, std::int64_t said, std::int64_t here);

/// The samples of one node, by time.
class clock_of_node {
 public:
  void add(const clock_sample&);
  /// The same moment on the clock of pealrun's host: between two samples as if the clocks went
  /// apart evenly, outside of them as at the nearest one.
  [[nodiscard]] std::int64_t here(std::int64_t time) const;
  /// The most by which `here` is wrong between samples; 0: there are none.
  [[nodiscard]] std::int64_t error() const;
  [[nodiscard]] const std::vector<clock_sample>& samples() const noexcept { return all_; }

 private:
  std::vector<clock_sample> all_;
};

using node_clocks = std::map<std::string, clock_of_node>;

/// As lines of a file.
[[nodiscard]] std::string text_of(const node_clocks&);
[[nodiscard]] node_clocks clocks_in(const std::string&);

}  // namespace peal::launcher
