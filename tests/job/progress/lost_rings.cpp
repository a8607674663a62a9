// Preloaded into ranks: one in LOSE_RINGS of the wake-ups that a rank sends to another goes
// nowhere, as if the sleeper had not been armed. So tests see that a lost wake-up is noticed: the
// sleep ends by the backstop, and wait.missed counts it.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace {

/// A ring is one byte into a pipe that was opened for both directions.
bool is_ring(int file, std::size_t bytes) {
  struct stat status{};
  return bytes == 1 && fstat(file, &status) == 0 && S_ISFIFO(status.st_mode) &&
         (fcntl(file, F_GETFL) & O_ACCMODE) == O_RDWR;
}

bool loses_it() {
  static const int one_in =
      std::getenv("LOSE_RINGS") != nullptr ? std::atoi(std::getenv("LOSE_RINGS")) : 0;
  static std::atomic<int> rings{0};
  return one_in > 0 && ++rings % one_in == 0;
}

}  // namespace

extern "C" ssize_t write(int file, const void* from, std::size_t bytes) {
  using function = ssize_t (*)(int, const void*, std::size_t);
  static const auto real = reinterpret_cast<function>(dlsym(RTLD_NEXT, "write"));
  return is_ring(file, bytes) && loses_it() ? 1 : real(file, from, bytes);
}
