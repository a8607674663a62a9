// launcher/pealrun/streams/rank_input.hpp
// pealrun's standard input on its way to one rank or to all. A file or a pipe is given to one rank
// as it is, and each of all ranks opens a file for itself; a pipe for all ranks, and a terminal,
// are read here and handed on through pipes: ranks are background process groups, and the system
// stops a process that reads the terminal from there.
//
// Layer    launcher.
// Threads  one.
// Errors   `open` throws std::system_error where there is no pipe to be had.
// Source   termios(3), tcgetpgrp(3).
#pragma once

#include <poll.h>

#include <cstdint>
#include <vector>

#include "request/request.hpp"
#include "streams/spool.hpp"

namespace peal::launcher {

class rank_input {
 public:
  explicit rank_input(const stream_request&);
  ~rank_input();
  rank_input(const rank_input&) = delete;
  rank_input& operator=(const rank_input&) = delete;

  /// The descriptor that a rank shall have as its standard input; -1: an empty one.
  /// `close_child_end` when it has it.
  int open(int rank);
  void close_child_end();

  void add_to(std::vector<pollfd>&);
  void serve(const std::vector<pollfd>&);

 private:
  enum class source { shared, file, here };  // how ranks come to it
  struct reader {
    int pipe;              // the end that we write
    std::uint64_t at = 0;  // what it has had
  };

  [[nodiscard]] bool may_read() const;
  void read();
  void hand_on(reader&);
  void forget();

  const stream_request& asked_;
  source from_;
  bool terminal_;
  bool ended_ = false;
  int child_ = -1;
  std::vector<reader> readers_;
  spool waiting_;
  std::size_t polled_from_ = 0;  // where the readers stand in the list
  std::size_t polled_ = 0;       // how many of them
  bool reading_ = false;         // the source stands behind them
};

}  // namespace peal::launcher
