// A line on a terminal that says what a benchmark measures now, and how far it is; the next row of
// the table takes its place. Nothing is written to files and pipes.
//
// Threads  one.
// Errors   none.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace bench {

class progress {
 public:
  /// `steps` are what will be measured, one after the other. `quiet`: write nothing at all.
  progress(std::vector<std::string> steps, bool quiet);

  /// Writes which step runs now. To be called before each.
  void begin_step();
  /// Clears the line, for a row that is written next.
  void clear() const;

 private:
  std::vector<std::string> steps_;
  std::size_t begun_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool shown_;
};

}  // namespace bench
