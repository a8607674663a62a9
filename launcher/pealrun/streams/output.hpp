// launcher/pealrun/streams/output.hpp
// Lines that ranks write, each with its rank before it, whole.
//
// Layer    launcher.
// Units    bytes.
// Threads  one.
// Errors   output that cannot be written is told by `broken`; nothing throws.
#pragma once

#include <poll.h>

#include <string>
#include <vector>

namespace peal::launcher {

class tagged_output {
 public:
  tagged_output() = default;
  ~tagged_output();
  tagged_output(const tagged_output&) = delete;
  tagged_output& operator=(const tagged_output&) = delete;

  /// Makes a pipe for a rank and returns the end to write to, which the caller closes once the rank
  /// has it. `to` is 1 or 2.
  int open(int rank, int to);

  /// Appends what there is to poll for.
  void add_to(std::vector<pollfd>&) const;
  /// Looks at the answers of poll, given the same list that add_to appended to.
  void serve(const std::vector<pollfd>&);

  /// All pipes have ended and everything is written.
  [[nodiscard]] bool finished() const noexcept;
  /// Everything that was read is written.
  [[nodiscard]] bool idle() const noexcept;
  /// Leaves the pipes that have not ended.
  void stop_reading();
  /// Why our standard output or error cannot be written, EPIPE when no process reads it any more; 0
  /// while it can.
  [[nodiscard]] int broken() const noexcept { return broken_; }

 private:
  struct stream {
    int rank;
    int from;
    int to;
    std::string part;  // of a line that has not ended
  };
  void read(stream&);
  void write(int to);
  [[nodiscard]] bool full(int to) const;

  std::vector<stream> streams_;
  struct queue {
    std::string text;
    std::size_t written = 0;  // of the text
  };
  std::size_t unfinished_ = 0;  // bytes of all parts
  queue waiting_[3];            // by descriptor: whole lines not yet written
  int broken_ = 0;
};

}  // namespace peal::launcher
