#include "record/event_log.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace peal::record {

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
