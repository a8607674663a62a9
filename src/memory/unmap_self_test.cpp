#include "memory/unmap_self_test.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "base/page.hpp"
#include "memory/unmap_log.hpp"

namespace peal {

namespace {

/// More than the most from which glibc maps a block of its own (M_MMAP_THRESHOLD_MAX, 32 MiB): it
/// is given back at once.
constexpr std::size_t large = std::size_t{33} << 20;

std::uintptr_t address_of(const void* of) { return reinterpret_cast<std::uintptr_t>(of); }
void touch(void* at) { *static_cast<volatile char*>(at) = 1; }
void* behind(void* at, std::size_t bytes) { return static_cast<char*>(at) + bytes; }

/// Looks at one page, and what the log says of it.
class witness {
 public:
  witness(const unmap_log& log, const void* at)
      : reader_{log}, page_{address_of(at) & ~(page - 1)} {}

  [[nodiscard]] bool seen() {
    take();
    return seen_;
  }
  /// By a note of a range. A reader is told that everything has gone, too, where other threads of
  /// the program write more notes than the ring holds, or one of them is amid a note.
  [[nodiscard]] bool seen_in_a_range() {
    take();
    return in_a_range_;
  }
  /// Whether nothing is mapped there any more.
  [[nodiscard]] bool gone() const {
    unsigned char resident = 0;
    return mincore(reinterpret_cast<void*>(page_), page, &resident) != 0 && errno == ENOMEM;
  }
  /// Or what is mapped there has no memory. Requires: it was written to.
  [[nodiscard]] bool empty() const {
    unsigned char resident = 0;
    return mincore(reinterpret_cast<void*>(page_), page, &resident) != 0 ? errno == ENOMEM
                                                                         : (resident & 1) == 0;
  }

 private:
  void take() {
    reader_.take([this](std::uintptr_t begin, std::uintptr_t end) {
      const bool here = begin <= page_ && page_ < end;
      seen_ |= here;
      in_a_range_ |= here && (begin != 0 || end != unmap_log::end_of_memory);
    });
  }

  unmap_log::reader reader_;
  std::uintptr_t page_;
  bool seen_ = false, in_a_range_ = false;
};

std::string unseen(const char* what) { return fmt::format("{} passes the hooks by", what); }
std::string unclear(const char* what) {
  return fmt::format("it cannot be told whether {} gives memory back to the system", what);
}

/// What became of a page that should be gone.
std::string judge(witness& of, const char* what) {
  if (of.seen()) return {};
  return of.gone() ? unseen(what) : unclear(what);
}

/// The same where memory may also stay: nothing needs to be seen then.
std::string judge_if_gone(witness& of, const char* what) {
  return of.seen() || !of.gone() ? std::string{} : unseen(what);
}

void* map(std::size_t bytes, void* at = nullptr, int flags = 0) {
  void* const made =
      mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (made == MAP_FAILED) return nullptr;
  touch(made);
  return made;
}

std::string try_calls(const unmap_log& log) {
  void* at = map(2 * page);
  if (!at) return "there is no memory to try the hooks with";
  std::array<witness, 2> advised{witness{log, at}, witness{log, behind(at, page)}};
  madvise(at, page, MADV_DONTNEED);
  if (!advised[0].seen()) return unseen("madvise");
  if (advised[1].seen_in_a_range()) return "madvise is seen with a wrong length";
  witness mapped{log, at};
  if (!map(page, at, MAP_FIXED)) return unclear("mmap");
  if (!mapped.seen()) return unseen("mmap");
  witness moved{log, at};
  void* const elsewhere = mremap(at, page, 64 * page, MREMAP_MAYMOVE);
  if (elsewhere == MAP_FAILED || !moved.seen()) return unseen("mremap");
  witness unmapped{log, elsewhere};
  munmap(behind(at, page), page);
  munmap(elsewhere, 64 * page);
  if (std::string problem = judge(unmapped, "munmap"); !problem.empty()) return problem;
  // A break that is too low is refused by the kernel, so nothing changes, whatever other thread
  // moves it.
  witness lowered{log, reinterpret_cast<void*>(address_of(sbrk(0)) - 1)};
  if (static_cast<void>(brk(reinterpret_cast<void*>(page))); !lowered.seen()) return unseen("brk");
  // Of a detached segment the length is not known, so everything is recorded.
  witness detached{log, &log};
  if (shmdt(reinterpret_cast<void*>(page)); !detached.seen()) return unseen("shmdt");
  return {};
}

/// One block, since the kernel may give it a huge page to begin with, which takes as long as all
/// the rest.
std::string try_allocator(const unmap_log& log) {
  void* const block = std::malloc(large);
  if (!block) return "there is no memory to try the hooks with";
  witness moved{log, behind(block, page)};
  void* const larger = std::realloc(block, 2 * large);
  if (!larger) {
    std::free(block);
    return "there is no memory to try the hooks with";
  }
  std::string problem = judge_if_gone(moved, "realloc");
  witness cut{log, behind(larger, large + page)};
  void* const smaller = std::realloc(larger, large);
  void* const left = smaller ? smaller : larger;
  if (problem.empty()) problem = judge_if_gone(cut, "realloc");
  witness freed{log, behind(left, page)};
  std::free(left);
  return problem.empty() ? judge(freed, "free") : problem;
}

std::string try_trimming(const unmap_log& log) {
  const auto trim = reinterpret_cast<int (*)(std::size_t)>(dlsym(RTLD_DEFAULT, "malloc_trim"));
  if (!trim) return {};
  // Below what glibc maps for itself (M_MMAP_THRESHOLD, 128 KiB).
  constexpr std::size_t bytes = 96 << 10;
  std::array<void*, 4> blocks{};
  for (void*& each : blocks)
    if (each = std::malloc(bytes); each) touch(behind(each, bytes / 2));
  if (!blocks[1]) return "there is no memory to try the hooks with";
  witness trimmed{log, behind(blocks[1], bytes / 2)};
  for (void* each : blocks) std::free(each);
  trim(0);
  return trimmed.seen() || !trimmed.empty() ? std::string{} : unseen("malloc_trim");
}

/// The C library keeps the stack of a thread that has ended for the next one, but gives its pages
/// back.
std::string try_thread(const unmap_log& log) {
  std::uintptr_t deep = 0;
  pthread_t thread{};
  const auto body = [](void* into) -> void* {
    volatile char frame[64 << 10];
    frame[0] = 1;
    *static_cast<std::uintptr_t*>(into) = reinterpret_cast<std::uintptr_t>(&frame[0]);
    return nullptr;
  };
  unmap_log::reader before{log};
  if (pthread_create(&thread, nullptr, body, &deep) != 0) return {};  // no threads: no stacks
  pthread_join(thread, nullptr);
  bool seen = false;
  before.take(
      [&](std::uintptr_t begin, std::uintptr_t end) { seen |= begin <= deep && deep < end; });
  return seen || !witness{log, reinterpret_cast<void*>(deep)}.empty()
             ? std::string{}
             : unseen("the end of a thread");
}

}  // namespace

std::string try_unmap_hooks(const unmap_log& log) {
  for (const auto part : {try_calls, try_allocator, try_trimming, try_thread})
    if (std::string problem = part(log); !problem.empty()) return problem;
  return {};
}

}  // namespace peal
