#include "processes/signals.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace peal::launcher {

signal_source::signal_source() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  for (const int each : forwarded_signals) sigaddset(&wanted, each);
  sigaddset(&wanted, report_signal);
  pthread_sigmask(SIG_BLOCK, &wanted, &mask_before_);
  struct sigaction ignore{}, standard{};
  ignore.sa_handler = SIG_IGN;
  standard.sa_handler = SIG_DFL;
  // A reader of our output that left shows as an error of write.
  sigaction(SIGPIPE, &ignore, &pipe_before_);
  // So does a file of --output that may not grow further (ulimit -f).
  sigaction(SIGXFSZ, &ignore, &size_before_);
  // Ignored, the system would reap the ranks before we read how they ended.
  sigaction(SIGCHLD, &standard, &child_before_);
  descriptor_ = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) throw std::system_error{errno, std::generic_category(), "signalfd"};
}

signal_source::~signal_source() { ::close(descriptor_); }

std::vector<int> signal_source::take() {
  std::vector<int> came;
  signalfd_siginfo info;
  while (::read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info))
    came.push_back(static_cast<int>(info.ssi_signo));
  return came;
}

void signal_source::restore() const noexcept {
  sigaction(SIGPIPE, &pipe_before_, nullptr);
  sigaction(SIGCHLD, &child_before_, nullptr);
  sigaction(SIGXFSZ, &size_before_, nullptr);
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("signal {} (SIG{})", signal, name)
                         : fmt::format("signal {}", signal);
}

}  // namespace peal::launcher
