#include "memory/node_segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/log.hpp"
#include "base/page.hpp"
#include "memory/unmap_log.hpp"
#include "peal/error.hpp"

namespace peal {
namespace {

constexpr std::size_t share_alignment = std::size_t{2} << 20;  // a huge page

/// How long index 0 may take to make the file. The launcher ends the job when that process dies, or
/// tells; this is for those that do neither.
constexpr std::chrono::seconds patience{60};
/// Index 0 is asked after so long whether it has made the file, and again and again.
constexpr std::chrono::milliseconds between_questions{200};

std::string readable(std::size_t bytes) {
  if (bytes >= std::size_t{10} << 30) return fmt::format("{} GiB", bytes >> 30);
  if (bytes >= std::size_t{10} << 20) return fmt::format("{} MiB", bytes >> 20);
  return fmt::format("{} KiB", (bytes + 1023) >> 10);
}

std::uint64_t random_number() {
  std::uint64_t value = 0;
  while (value == 0)
    if (getrandom(&value, sizeof value, 0) != sizeof value)
      value =
          static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
          static_cast<std::uint64_t>(getpid()) << 40;
  return value;
}

[[noreturn]] void fail(int error, const std::string& what) {
  throw peal::error{error == ENOSPC ? make_error_code(errc::no_space)
                                    : std::error_code{error, std::system_category()},
                    what};
}

/// Reserves the range. Until Linux 6.10 a signal makes the kernel give up and undo what the call
/// did, so it is asked for pieces, and after a signal for shorter ones: a program with a profiling
/// timer would never get much at a time. Where fallocate is unknown to the file system, writing
/// zeros does the same.
int reserve(int file, std::size_t offset, std::size_t bytes) {
  constexpr std::size_t longest = std::size_t{16} << 20, shortest = std::size_t{64} << 10;
  const std::size_t begin = offset, end = offset + bytes;
  for (std::size_t step = longest; offset < end;) {
    const std::size_t piece = std::min(step, end - offset);
    if (fallocate(file, 0, static_cast<off_t>(offset), static_cast<off_t>(piece)) == 0) {
      offset += piece;
    } else if (errno == EINTR) {
      step = std::max(piece / 2, shortest);
    } else if (errno == EOPNOTSUPP) {
      return posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(end - offset));
    } else {
      const int error = errno;
      if (offset > begin)
        fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
                  static_cast<off_t>(offset - begin));
      return error;
    }
  }
  return 0;
}

/// In which namespace this process's id means it; 0: not known.
std::uint64_t own_id_space() {
  struct stat status{};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

/// Whether it is a plain file of this user.
bool is_own(int file) {
  struct stat status{};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

}  // namespace

node_segment::node_segment(const segment_plan& plan)
    : plan_{plan}, own_nonce_{random_number()}, owner_{getpid()} {
#if defined(PR_SET_PTRACER) && defined(PR_SET_PTRACER_ANY)
  // Without Yama an error of no meaning.
  if (plan_.readable_by_peers) prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
#endif
  compute_size();
  try {
    if (plan_.index == 0) create();
    else attach();
  } catch (...) {
    close();
    throw;
  }
}

node_segment::~node_segment() { close(); }

void node_segment::reopen() {
  if (plan_.index == 0) return;
  close();
  attach();
}

void node_segment::close() noexcept {
  if (base_ != nullptr) munmap(base_, size_);
  base_ = nullptr;
  unlink();
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void node_segment::unlink() noexcept {
  if (named_ && owner_ == getpid()) ::unlink(path().c_str());
  named_ = false;
}

std::string node_segment::path() const {
  return fmt::format("{}/{}.peal", plan_.directory, plan_.job_name);
}

void node_segment::compute_size() {
  const auto count = static_cast<std::size_t>(plan_.count);
  front_stride_ = front_stride(plan_.front_bytes);
  slices_at_ = front_offset(count, plan_.front_bytes, count) - front_lead;
  transport_parts_ = round_up(slices_at_ + count * plan_.slices * slice_bytes, share_alignment);
  transport_stride_ = round_up(plan_.transport_bytes, share_alignment);
  heap_parts_ = transport_parts_ + count * transport_stride_;
  heap_stride_ = round_up(plan_.heap_bytes, share_alignment);
  size_ = heap_parts_ + count * heap_stride_;
}

void node_segment::create() {
  const std::string final_name = path();
  // No other process can have made a file of this name before, neither one of another user nor one
  // of another launcher that gives its jobs the same names.
  const std::string first_name = fmt::format("{}.{:016x}.new", final_name, random_number());
  file_ = open(first_name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file_ < 0)
    fail(errno, fmt::format("cannot make {} (PEAL_SHM_DIR names the folder)", first_name));
  const auto give_up = [&](int error, const std::string& what) {
    ::unlink(first_name.c_str());
    fail(error, what);
  };
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur < size_)
    give_up(EFBIG, fmt::format("the node's segment spans {} and this process may make files of {} "
                               "only: raise the limit (ulimit -f "
                               "unlimited) or lower PEAL_SHM_HEAP",
                               readable(size_), readable(limit.rlim_cur)));
  if (ftruncate(file_, static_cast<off_t>(size_)) != 0)
    give_up(
        errno,
        fmt::format(
            "cannot make {} of {} (PEAL_SHM_DIR names the folder; PEAL_SHM_HEAP the largest part)",
            first_name, readable(size_)));
  if (const int error = reserve_front(); error != 0) give_up(error, shortage(committed_, error));
  try {
    map(file_);
  } catch (...) {
    ::unlink(first_name.c_str());
    throw;
  }
  nonce_ = random_number();
  *at<segment_header>(0) = {segment_magic,
                            nonce_,
                            static_cast<std::uint64_t>(plan_.count),
                            plan_.front_bytes,
                            plan_.transport_bytes,
                            plan_.heap_bytes,
                            0};
  write_card();
  if (plan_.count == 1) {  // no other process needs a name
    ::unlink(first_name.c_str());
    return;
  }
  // The rename publishes the header: a process that opens the file afterwards sees all of it.
  if (rename(first_name.c_str(), final_name.c_str()) != 0)
    give_up(errno, fmt::format("cannot name {}: has another user made it?", final_name));
  named_ = true;
}

void node_segment::attach() {
  const std::string name = path();
  const auto deadline = std::chrono::steady_clock::now() + patience;
  auto question = std::chrono::steady_clock::now() + between_questions;
  // Index 0 is a few milliseconds ahead or behind; the pause grows so that many waiters leave it
  // the core.
  for (auto pause = std::chrono::microseconds{100};;
       pause = std::min(pause * 2, std::chrono::microseconds{5000})) {
    // Asked before the look: it may have died after the making.
    const bool maker_died = plan_.maker_died && plan_.maker_died();
    const bool asks = plan_.maker_done && std::chrono::steady_clock::now() >= question;
    const bool maker_done = asks && plan_.maker_done();  // likewise
    if (asks) question = std::chrono::steady_clock::now() + between_questions;
    file_ = open(name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file_ >= 0 && is_own(file_)) break;
    const int problem = file_ >= 0 ? ENOENT : errno;
    if (file_ >= 0) ::close(file_);
    file_ = -1;
    // A link, or what another user has put there, is not what index 0 makes.
    if (problem != ENOENT && problem != ELOOP && problem != EACCES)
      fail(problem, fmt::format("cannot open {}", name));
    if (maker_done) {
      nonce_ = 0;
      return;
    }
    if (maker_died)
      throw error{errc::peer_failed,
                  fmt::format("the first rank of this node died before it had made {}", name)};
    if (std::chrono::steady_clock::now() > deadline)
      fail(ETIMEDOUT,
           fmt::format("{} did not appear within {} s: the first rank of this node did not make it",
                       name, patience.count()));
    std::this_thread::sleep_for(pause);
  }
  struct stat status{};
  if (fstat(file_, &status) != 0) fail(errno, fmt::format("cannot look at {}", name));
  const segment_header wanted{segment_magic,
                              0,
                              static_cast<std::uint64_t>(plan_.count),
                              plan_.front_bytes,
                              plan_.transport_bytes,
                              plan_.heap_bytes,
                              0};
  segment_header found{};
  const bool read = pread(file_, &found, sizeof found, 0) == sizeof found;
  const bool same =
      read && static_cast<std::size_t>(status.st_size) == size_ && found.magic == wanted.magic &&
      found.count == wanted.count && found.front_bytes == wanted.front_bytes &&
      found.transport_bytes == wanted.transport_bytes && found.heap_bytes == wanted.heap_bytes;
  if (!same) {
    // A leftover of another job, or one of another version: nothing of it is touched. The nonces
    // tell, and reopen finds the right one.
    ::close(file_);
    file_ = -1;
    nonce_ = 0;
    return;
  }
  if (const int error = reserve_front(); error != 0) fail(error, shortage(committed_, error));
  map(file_);
  nonce_ = found.nonce;
  write_card();
}

/// And the header and all cards, by index 0.
int node_segment::reserve_front() noexcept {
  const std::size_t own = front(plan_.index).offset - front_lead,
                    begin = plan_.index == 0 ? 0 : own;
  committed_ = own + front_stride_ - begin;
  return committed_ > plan_.most_committed ? ENOSPC : reserve(file_, begin, committed_);
}

void node_segment::map(int file) {
  void* address = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (address == MAP_FAILED)
    fail(errno, fmt::format("cannot map the node's segment of {} (mostly empty): lower "
                            "PEAL_SHM_HEAP, or raise the limit of address space "
                            "(ulimit -v unlimited)",
                            readable(size_)));
  base_ = static_cast<std::byte*>(address);
  // A core file holds what the process owns, not a node's worth of holes.
  madvise(address, size_, MADV_DONTDUMP);
}

node_segment::part node_segment::front(int index) const noexcept {
  return {front_offset(static_cast<std::size_t>(index), plan_.front_bytes,
                       static_cast<std::size_t>(plan_.count)),
          plan_.front_bytes};
}

node_segment::part node_segment::slice(int index, std::size_t which) const noexcept {
  const std::size_t before = which * static_cast<std::size_t>(plan_.count);
  return {slices_at_ + (before + static_cast<std::size_t>(index)) * slice_bytes, slice_bytes};
}

node_segment::part node_segment::transport_part(int index) const noexcept {
  return {transport_parts_ + static_cast<std::size_t>(index) * transport_stride_,
          plan_.transport_bytes};
}

node_segment::part node_segment::heap_part(int index) const noexcept {
  return {heap_parts_ + static_cast<std::size_t>(index) * heap_stride_, plan_.heap_bytes};
}

const process_card& node_segment::card(int index) const noexcept {
  return *at<process_card>(card_offset(static_cast<std::size_t>(index)));
}

void node_segment::write_card() noexcept {
  *at<process_card>(card_offset(static_cast<std::size_t>(plan_.index))) = {
      getpid(), own_id_space(), reinterpret_cast<std::uintptr_t>(&own_nonce_), own_nonce_};
}

bool node_segment::knows_by_id(int index) const noexcept {
  const std::uint64_t space = card(plan_.index).id_space;
  return index == plan_.index || (space != 0 && card(index).id_space == space);
}

void node_segment::note_leaving() noexcept {
  // release: pairs with the acquire in any_has_left
  std::atomic_ref{at<segment_header>(0)->left}.fetch_add(1, std::memory_order_release);
}

bool node_segment::any_has_left() const noexcept {
  return std::atomic_ref{at<segment_header>(0)->left}.load(std::memory_order_acquire) != 0;
}

int node_segment::commit(std::size_t offset, std::size_t bytes, int numa) noexcept {
  const std::size_t already =
      std::atomic_ref{committed_}.fetch_add(bytes, std::memory_order_relaxed);
  const preferred_numa from{numa};
  const int error = already > plan_.most_committed || bytes > plan_.most_committed - already
                        ? ENOSPC
                        : reserve(file_, offset, bytes);
  if (error != 0) std::atomic_ref{committed_}.fetch_sub(bytes, std::memory_order_relaxed);
  return error;
}

void node_segment::give_back(std::size_t offset, std::size_t bytes) noexcept {
  unmapped().record(reinterpret_cast<std::uintptr_t>(at(offset)), bytes);
  if (fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                static_cast<off_t>(bytes)) == 0)
    std::atomic_ref{committed_}.fetch_sub(bytes, std::memory_order_relaxed);
  else log_debug("cannot give {} back to {}: errno {}", readable(bytes), plan_.directory, errno);
}

std::string node_segment::shortage(std::size_t bytes, int error) const {
  if (error == EBADF)
    return fmt::format("cannot reserve {}: the program has closed descriptors that peal has opened",
                       readable(bytes));
  struct statvfs space{};
  std::string left;
  if (statvfs(plan_.directory.c_str(), &space) == 0)
    left = fmt::format(", {} are free there", readable(space.f_bavail * space.f_frsize));
  return fmt::format(
      "cannot reserve {} in {} for {} ranks of this node ({}{}): make it larger (mount -o "
      "remount,size=1G {}; in a container "
      "docker run --shm-size=1g) or let PEAL_SHM_DIR name a folder with more space",
      readable(bytes), plan_.directory, plan_.count,
      std::error_code{error, std::system_category()}.message(), left, plan_.directory);
}

}  // namespace peal
