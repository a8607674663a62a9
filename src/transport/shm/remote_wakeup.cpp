#include "transport/shm/remote_wakeup.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace peal::shm {

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

void remote_wakeup::close() noexcept {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace peal::shm
