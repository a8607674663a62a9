#include "record/event_log.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

namespace peal::record {

std::uint16_t number_of_thread() noexcept {
  constexpr std::uint32_t most = 65535;  // those that come later share it
  static constinit std::atomic<std::uint32_t> asked{0};
  static constinit thread_local std::uint32_t number = 0;
  // relaxed: a number and nothing else
  if (number == 0) number = 1 + asked.fetch_add(1, std::memory_order_relaxed);
  return static_cast<std::uint16_t>(std::min(number, most));
}

event_log::event_log(const std::string& file, std::uint64_t limit)
    : descriptor_{::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)},
      limit_{limit} {
  if (descriptor_ < 0) throw std::system_error{errno, std::generic_category(), file};
  void* const at = ::mmap(nullptr, limit * sizeof(event), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_NORESERVE, descriptor_, 0);
  if (at == MAP_FAILED) {
    const int why = errno;
    ::close(descriptor_);
    throw std::system_error{why, std::generic_category(), file};
  }
  at_ = static_cast<event*>(at);
}

event_log::event_log(event_log&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)},
      at_{std::exchange(other.at_, nullptr)},
      limit_{std::exchange(other.limit_, 0)},
      room_{other.room_},
      used_{other.used_},
      lost_{other.lost_},
      posted_{other.posted_},
      full_{other.full_} {}

event_log::~event_log() {
  if (at_ != nullptr) ::munmap(at_, limit_ * sizeof(event));
  if (descriptor_ >= 0) ::close(descriptor_);
}

// Allocated before it is written to: a store for which the file system has no space would end the
// process.
bool event_log::grow() noexcept {
  if (room_ == limit_) {
    full_ = true;
    return false;
  }
  const std::uint64_t more = std::min(piece, limit_ - room_);
  if (::posix_fallocate(descriptor_, static_cast<off_t>(room_ * sizeof(event)),
                        static_cast<off_t>(more * sizeof(event))) != 0) {
    full_ = true;
    return false;
  }
  room_ += more;
  return true;
}

}  // namespace peal::record
