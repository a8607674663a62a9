#include "streams/input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace peal::launcher {

terminal_input::~terminal_input() {
  close_child_end();
  close_pipe();
}

int terminal_input::open() {
  if (::isatty(STDIN_FILENO) == 0) return STDIN_FILENO;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error{errno, std::generic_category(), "pipe"};
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  child_ = ends[0];
  pipe_ = ends[1];
  return child_;
}

void terminal_input::close_child_end() {
  if (child_ >= 0) ::close(child_);
  child_ = -1;
}

void terminal_input::close_pipe() {
  if (pipe_ >= 0) ::close(pipe_);
  pipe_ = -1;
}

// In the background we must not read either. The shell that brings us to the front sends SIGCONT,
// which ends the poll that leaves the terminal out.
void terminal_input::add_to(std::vector<pollfd>& list) const {
  if (pipe_ < 0) return;
  if (!waiting_.empty()) list.push_back({pipe_, POLLOUT, 0});
  else if (::tcgetpgrp(STDIN_FILENO) == ::getpgrp()) list.push_back({STDIN_FILENO, POLLIN, 0});
}

void terminal_input::serve(const std::vector<pollfd>& list) {
  for (const pollfd& each : list) {
    if (each.revents == 0 || pipe_ < 0) continue;
    if (each.fd == STDIN_FILENO && each.events == POLLIN) {
      std::array<char, 4096> typed;
      const ssize_t got = ::read(STDIN_FILENO, typed.data(), typed.size());
      if (got > 0) waiting_.assign(typed.data(), static_cast<std::size_t>(got));
      else if (got == 0 || (errno != EINTR && errno != EAGAIN))
        close_pipe();  // end of input, or no terminal any more
    } else if (each.fd == pipe_ && each.events == POLLOUT) {
      const ssize_t written = ::write(pipe_, waiting_.data(), waiting_.size());
      if (written > 0) waiting_.erase(0, static_cast<std::size_t>(written));
      else if (errno != EINTR && errno != EAGAIN) close_pipe();  // rank 0 reads no more
    }
  }
}

}  // namespace peal::launcher
