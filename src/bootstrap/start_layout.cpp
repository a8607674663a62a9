#include "bootstrap/start_layout.hpp"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <limits>
#include <system_error>

#include "base/page.hpp"
#include "peal/error.hpp"

namespace peal::start_layout {

namespace {
std::size_t slots_at() { return (sizeof(header) + 2 * line - 1) / (2 * line) * (2 * line); }
}  // namespace

std::size_t fixed_bytes(std::size_t ranks) { return slots_at() + ranks * sizeof(slot); }

// Between processes, so not FUTEX_PRIVATE_FLAG.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t same,
                const std::chrono::nanoseconds* limit) noexcept {
  timespec left{};
  if (limit != nullptr)
    left = {static_cast<std::time_t>(limit->count() / 1'000'000'000),
            static_cast<long>(limit->count() % 1'000'000'000)};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, same, limit != nullptr ? &left : nullptr, nullptr, 0);
}

void futex_wake(const std::atomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

void fail(const std::string& what, int problem) {
  throw error(errc::bootstrap_failed,
              fmt::format("{}: {}", what, std::generic_category().message(problem)));
}

namespace {
std::byte* map(int file, std::uint64_t offset, std::size_t bytes) {
  void* const at =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  if (at == MAP_FAILED) fail("cannot map the memory that pealrun shares with its ranks", errno);
  return static_cast<std::byte*>(at);
}
}  // namespace

void map_fixed(segment_view& view, std::size_t bytes) {
  view.base = map(view.file, 0, bytes);
  view.size = bytes;
}

bool lengthen(int file, std::uint64_t bytes) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return false;
  if (static_cast<std::uint64_t>(status.st_size) >= bytes) return true;
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur < bytes) {
    errno = EFBIG;
    return false;
  }
  return ::ftruncate(file, static_cast<off_t>(bytes)) == 0 ||
         (::fstat(file, &status) == 0 && static_cast<std::uint64_t>(status.st_size) >= bytes);
}

// Through a mapping: the limit of the size of files, which a rank may have set for itself, would
// end it with a signal in write().
void write_all(int file, std::string_view what, std::uint64_t offset) {
  if (what.empty()) return;
  if (!lengthen(file, offset + what.size()))
    fail("the memory that pealrun shares with its ranks cannot grow", errno);
  const std::uint64_t begin = offset / page * page;
  const std::size_t bytes = static_cast<std::size_t>(offset - begin) + what.size();
  std::byte* const to = map(file, begin, bytes);
  std::memcpy(to + (offset - begin), what.data(), what.size());
  ::munmap(to, bytes);
}

segment_view::~segment_view() {
  if (base != nullptr) ::munmap(base, size);
  if (file >= 0) ::close(file);
}

header& segment_view::head() const noexcept { return *reinterpret_cast<header*>(base); }

slot& segment_view::at(int rank) const noexcept {
  return reinterpret_cast<slot*>(base + slots_at())[rank];
}

std::string segment_view::read(std::uint64_t offset, std::uint64_t bytes) const {
  std::string into(bytes, '\0');
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got =
        ::pread(file, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  into.resize(done);
  return into;
}

}  // namespace peal::start_layout
