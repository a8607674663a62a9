#include "progress/biased_lock.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace peal {

namespace {

bool membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

}  // namespace

bool biased_lock::available() noexcept {
  static const bool registered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  return registered;
}

bool biased_lock::revoke() noexcept {
  revoked_.store(true, std::memory_order_relaxed);
  // The owner, on whichever core, has either said that it is inside, or will see that it may not go
  // in.
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) && !inside_.load(std::memory_order_acquire))
    return true;
  give_back();
  return false;
}

}  // namespace peal
