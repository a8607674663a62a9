#include "engine/terminal_relay.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace peal::launcher {

terminal_relay::~terminal_relay() {
  close_child_end();
  close_pipe();
}

int terminal_relay::open() {
  if (::isatty(STDIN_FILENO) == 0) return STDIN_FILENO;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error{errno, std::generic_category(), "pipe"};
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  child_ = ends[0];
  pipe_ = ends[1];
  return child_;
}

void terminal_relay::close_child_end() {
  if (const int end = std::exchange(child_, -1); end >= 0) ::close(end);
}

void terminal_relay::close_pipe() {
  if (const int end = std::exchange(pipe_, -1); end >= 0) ::close(end);
}

// While another job is in the foreground the terminal is not ours to read; SIGCONT, which comes
// when that changes, ends the poll.
void terminal_relay::add_to(std::vector<pollfd>& list) const {
  if (pipe_ < 0) return;
  if (!waiting_.empty()) list.push_back({pipe_, POLLOUT, 0});
  else if (::tcgetpgrp(STDIN_FILENO) == ::getpgrp()) list.push_back({STDIN_FILENO, POLLIN, 0});
}

void terminal_relay::serve(const std::vector<pollfd>& list) {
  for (const pollfd& each : list) {
    if (each.revents == 0 || pipe_ < 0) continue;
    const auto again = [] { return errno == EINTR || errno == EAGAIN; };
    if (each.fd == STDIN_FILENO) {
      std::array<char, 4096> typed{};
      const ssize_t got = ::read(STDIN_FILENO, typed.data(), typed.size());
      if (got > 0) waiting_.assign(typed.data(), static_cast<std::size_t>(got));
      else if (got == 0 || !again()) close_pipe();
    } else if (each.fd == pipe_) {
      const ssize_t written = ::write(pipe_, waiting_.data(), waiting_.size());
      if (written > 0) waiting_.erase(0, static_cast<std::size_t>(written));
      else if (!again()) close_pipe();
    }
  }
}

}  // namespace peal::launcher
