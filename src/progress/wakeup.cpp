#include "progress/wakeup.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

namespace peal {

namespace {

// A full pipe has rung long ago, so EAGAIN is as good as a byte. errno stays, since a signal
// handler may be the caller.
void write_one(int file) noexcept {
  const int before = errno;
  const char one = 1;
  while (::write(file, &one, 1) < 0 && errno == EINTR) {
  }
  errno = before;
}

}  // namespace

wakeup::wakeup() noexcept {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  read_ = ends[0];
  write_ = ends[1];
}

wakeup::~wakeup() {
  if (read_ >= 0) ::close(read_);
  if (write_ >= 0) ::close(write_);
}

wakeup_address wakeup::address() const noexcept {
  struct stat status{};
  if (read_ < 0 || ::fstat(write_, &status) != 0) return {};
  return {::getpid(), write_, status.st_dev, status.st_ino};
}

void wakeup::ring() noexcept {
  if (write_ >= 0) write_one(write_);
}

void wakeup::clear() noexcept {
  std::array<char, 256> some;
  while (::read(read_, some.data(), some.size()) == static_cast<ssize_t>(some.size())) {
  }
}

bool remote_wakeup::open(const wakeup_address& of) noexcept {
  close();
  if (of.descriptor < 0) return false;
  std::array<char, 64> name;
  std::snprintf(name.data(), name.size(), "/proc/%lld/fd/%lld", static_cast<long long>(of.pid),
                static_cast<long long>(of.descriptor));
  // A reading end as well, so that a ring after the owner's death raises no SIGPIPE.
  file_ = ::open(name.data(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  struct stat status{};
  if (file_ >= 0 &&
      (::fstat(file_, &status) != 0 || status.st_dev != of.device || status.st_ino != of.inode))
    close();
  return file_ >= 0;
}

void remote_wakeup::ring() noexcept { write_one(file_); }

void remote_wakeup::close() noexcept {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace peal
