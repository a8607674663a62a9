#include "progress/wakeup.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace peal {

void ring_pipe(int writing_end) noexcept {
  const int before = errno;
  const char one = 1;
  while (::write(writing_end, &one, 1) < 0 && errno == EINTR) {
  }
  errno = before;
}

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

void wakeup::clear() noexcept {
  std::array<char, 256> some;
  while (::read(read_, some.data(), some.size()) == static_cast<ssize_t>(some.size())) {
  }
}

}  // namespace peal
