#include "streams/rank_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "say.hpp"

namespace peal::launcher {

namespace {

// Each rank reads a file at its own pace, from where pealrun was given it.
int open_once_more() {
  const int made = ::open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
  if (made >= 0) ::lseek(made, ::lseek(STDIN_FILENO, 0, SEEK_CUR), SEEK_SET);
  return made;
}

bool regular_file() {
  struct stat status{};
  return ::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

rank_input::rank_input(const stream_request& asked)
    : asked_{asked}, from_{source::here}, terminal_{::isatty(STDIN_FILENO) != 0} {
  if (terminal_) return;
  if (asked.input == input_policy::one) from_ = source::shared;
  if (asked.input == input_policy::all && regular_file()) {
    child_ = open_once_more();
    if (child_ >= 0) from_ = source::file;
    close_child_end();
  }
}

rank_input::~rank_input() {
  close_child_end();
  for (const reader& each : readers_) ::close(each.pipe);
}

int rank_input::open(int rank) {
  if (asked_.input == input_policy::none ||
      (asked_.input == input_policy::one && rank != asked_.input_rank))
    return -1;
  if (from_ == source::shared) return STDIN_FILENO;
  if (from_ == source::file) return child_ = open_once_more();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error{errno, std::generic_category(), "pipe"};
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  child_ = ends[0];
  readers_.push_back({ends[1]});
  return child_;
}

void rank_input::close_child_end() {
  if (child_ >= 0) ::close(child_);
  child_ = -1;
}

// In the background we must not read the terminal either. The shell that brings us to the front
// sends SIGCONT, which ends the poll that leaves the terminal out. Where it is the terminal of
// another session, or of none, it stops nobody.
bool rank_input::may_read() const {
  if (ended_ || readers_.empty()) return false;
  // One reader gets what is there before more is read, so that what it does not read is left for
  // the shell.
  if (readers_.size() == 1 && readers_.front().at < waiting_.end()) return false;
  const pid_t foreground = terminal_ ? ::tcgetpgrp(STDIN_FILENO) : -1;
  return foreground < 0 || foreground == ::getpgrp();
}

// A reader that waits for nothing is polled all the same: so it is noticed when it has gone.
void rank_input::add_to(std::vector<pollfd>& list) {
  polled_from_ = list.size();
  polled_ = readers_.size();
  for (const reader& each : readers_)
    list.push_back({each.pipe, static_cast<short>(each.at < waiting_.end() ? POLLOUT : 0), 0});
  reading_ = may_read() && !waiting_.full();
  if (reading_) list.push_back({STDIN_FILENO, POLLIN, 0});
}

void rank_input::serve(const std::vector<pollfd>& list) {
  if (reading_ && list[polled_from_ + polled_].revents != 0) read();
  for (std::size_t at = 0; at < polled_; ++at) {
    const short came = list[polled_from_ + at].revents;
    if ((came & POLLOUT) != 0) hand_on(readers_[at]);
    if ((came & (POLLERR | POLLNVAL)) != 0) readers_[at].at = waiting_.end() + 1;
  }
  polled_ = 0;
  reading_ = false;
  // Those that have gone, and those that have had all there will be.
  std::erase_if(readers_, [this](const reader& each) {
    const bool done = each.at > waiting_.end() || (ended_ && each.at == waiting_.end());
    if (done) ::close(each.pipe);
    return done;
  });
  forget();
}

void rank_input::read() {
  std::array<char, 65536> bytes;
  const std::size_t most = terminal_ ? 4096 : bytes.size();  // a terminal has no longer lines
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), most);
  if (got > 0) waiting_.append({bytes.data(), static_cast<std::size_t>(got)});
  else if (got == 0 || (errno != EINTR && errno != EAGAIN))
    ended_ = true;  // end of input, or no terminal any more
}

void rank_input::hand_on(reader& to) {
  std::array<char, 65536> bytes;
  const std::size_t size = waiting_.read(to.at, bytes.data(), bytes.size());
  if (size == 0) {
    say("input that waited for a rank cannot be read back: the rank gets no more of it");
    to.at = waiting_.end() + 1;
    return;
  }
  const ssize_t written = ::write(to.pipe, bytes.data(), size);
  if (written >= 0) to.at += static_cast<std::uint64_t>(written);
  else if (errno != EINTR && errno != EAGAIN) to.at = waiting_.end() + 1;  // it reads no more
}

void rank_input::forget() {
  std::uint64_t least = waiting_.end();
  for (const reader& each : readers_) least = std::min(least, each.at);
  waiting_.forget_before(least);
}

}  // namespace peal::launcher
