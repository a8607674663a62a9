#include "processes/terminal.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <utility>

namespace peal::launcher {

terminal::terminal() : descriptor_{::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)} {}

terminal::~terminal() {
  take_back();
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool terminal::ours() const { return descriptor_ >= 0 && ::tcgetpgrp(descriptor_) == ::getpgrp(); }

namespace {

// Whoever changes the terminal from the background is stopped, and with stty tostop whoever writes
// to it, unless that signal is blocked.
void block_stop(bool block) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTTOU);
  pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &stop, nullptr);
}

}  // namespace

bool terminal::give_to(pid_t group) {
  if (::tcsetpgrp(descriptor_, group) != 0) return false;
  block_stop(true);
  given_to_ = group;
  return true;
}

// Not from somebody else, who got it from our shell meanwhile.
void terminal::take_back() {
  const pid_t group = std::exchange(given_to_, 0);
  if (group == 0) return;
  if (::tcgetpgrp(descriptor_) == group) ::tcsetpgrp(descriptor_, ::getpgrp());
  block_stop(false);
}

}  // namespace peal::launcher
