// launcher/pealrun/streams/descriptor_sink.hpp
// pealrun's own standard output or errors, written without ever waiting for the process that reads
// them, so that pealrun goes on answering signals.
//
// Layer    launcher.
// Units    bytes.
// Threads  one.
// Errors   `error` tells why it cannot be written any more; what comes later is dropped.
// Source   pipe(7), tty_ioctl(4), write(2).
#pragma once

#include <poll.h>
#include <sys/stat.h>

#include <string>

#include "streams/sink.hpp"

namespace peal::launcher {

class descriptor_sink final : public sink {
 public:
  /// Of descriptor 1 or 2.
  explicit descriptor_sink(int descriptor);
  ~descriptor_sink() override;

  void put(std::string_view text) override;
  [[nodiscard]] bool full() const noexcept override;
  [[nodiscard]] bool idle() const noexcept { return text_.empty(); }
  /// Of write; EPIPE when no process reads it any more; 0 while it can be written.
  [[nodiscard]] int error() const noexcept { return error_; }

  [[nodiscard]] pollfd wanted() const noexcept { return {to_, POLLOUT, 0}; }
  /// Writes what there is room for.
  void write();

  [[nodiscard]] bool terminal() const noexcept { return terminal_; }
  /// A terminal that stops a background process that writes to it (stty tostop).
  [[nodiscard]] bool stops_writers() const noexcept;
  [[nodiscard]] bool pipe() const noexcept;
  [[nodiscard]] bool regular_file() const noexcept;
  /// Terminal codes may be written: neither NO_COLOR nor a terminal without colours forbids it.
  [[nodiscard]] bool colours() const noexcept { return colours_; }
  /// Both lead to one file, pipe or terminal.
  [[nodiscard]] bool same_as(const descriptor_sink&) const noexcept;

 private:
  struct stat status_{};
  int own_ = -1;  // opened once more, so that it may be nonblocking; -1: that cannot be had
  int to_;
  bool terminal_;
  bool colours_;
  std::string text_;
  std::size_t written_ = 0;  // of the text
  int error_ = 0;
};

}  // namespace peal::launcher
