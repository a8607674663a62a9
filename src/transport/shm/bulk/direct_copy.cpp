#include "transport/shm/bulk/direct_copy.hpp"

#include <sys/uio.h>

#include <cerrno>
#include <new>

#include "base/log.hpp"
#include "base/timing/copy_time.hpp"

namespace peal::shm {
namespace {

/// Both calls may move less than asked for.
template <class Call>
int repeat(Call call, std::int64_t pid, std::uint64_t remote, std::byte* local,
           std::size_t bytes) noexcept {
  while (bytes > 0) {
    const iovec here{local, bytes};
    const iovec there{reinterpret_cast<void*>(remote), bytes};
    const ssize_t moved = call(static_cast<pid_t>(pid), &here, 1, &there, 1, 0);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return errno;
    if (moved == 0) return EFAULT;
    remote += static_cast<std::uint64_t>(moved);
    local += moved;
    bytes -= static_cast<std::size_t>(moved);
  }
  return 0;
}

}  // namespace

direct_copy::direct_copy(const node_segment& segment, bool wanted)
    : segment_{&segment}, wanted_{wanted} {}

direct_copy::answer* direct_copy::of(int index) noexcept {
  try {
    if (known_.empty()) [[unlikely]]
      known_.assign(static_cast<std::size_t>(segment_->count()),
                    wanted_ ? answer::unknown : answer::no);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return &known_[static_cast<std::size_t>(index)];
}

bool direct_copy::reaches(int index) noexcept {
  answer* const asked = of(index);
  if (asked == nullptr) return false;  // it is asked again
  answer& known = *asked;
  if (known == answer::unknown) {
    const process_card& card = segment_->card(index);
    std::uint64_t found = 0;
    const int error = read(index, card.nonce_address, &found, sizeof found);
    known = error == 0 && found == card.nonce ? answer::yes : answer::no;
    if (known == answer::no)
      log_debug(
          "process_vm_readv does not reach local rank {} (errno {}): large messages take two "
          "copies",
          index, error);
  }
  return known == answer::yes;
}

int direct_copy::read(int index, std::uint64_t from, void* to, std::size_t bytes) const noexcept {
  const copy_time noted{bytes};
  return repeat(process_vm_readv, segment_->card(index).pid, from, static_cast<std::byte*>(to),
                bytes);
}

int direct_copy::write(int index, std::uint64_t to, const void* from,
                       std::size_t bytes) const noexcept {
  const copy_time noted{bytes};
  return repeat(process_vm_writev, segment_->card(index).pid, to,
                static_cast<std::byte*>(const_cast<void*>(from)), bytes);
}

}  // namespace peal::shm
