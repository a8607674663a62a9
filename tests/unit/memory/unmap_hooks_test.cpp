// Every way in which memory leaves stands in the log when it has left, and the C library does what
// it did before.
//
// PEAL_TEST_UNMAP_HOOKS=off runs these without the hooks, to show that they fail then.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <set>
#include <thread>

#include "memory/unmap_hooks.hpp"
#include "memory/unmap_log.hpp"
#include "unit/memory/leaving_memory.hpp"

namespace {

using namespace peal;
using namespace peal::test;

constexpr std::size_t bytes = 1 << 20;

bool hooks_are_off() {
  const char* const set = std::getenv("PEAL_TEST_UNMAP_HOOKS");
  return set && std::strcmp(set, "off") == 0;
}

class unmap_hooks : public testing::Test {
 protected:
  void SetUp() override {
    if (hooks_are_off()) return;
    const peal::unmap_hooks& hooks = use_unmap_hooks();
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__GLIBC__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    ASSERT_TRUE(hooks.work) << hooks.problem;  // nothing excuses them here
#endif
    if (!hooks.work)
      GTEST_SKIP() << "needs unmap hooks: " << hooks.problem
                   << " (build without a sanitizer, run on x86-64 or aarch64 with glibc)";
  }
};

class memory_that_leaves : public unmap_hooks, public testing::WithParamInterface<way_to_leave> {};

TEST_P(memory_that_leaves, stands_in_the_log) {
  const auto memory = GetParam().make();
  std::byte* const at = memory->come(bytes);
  if (!at)
    GTEST_SKIP() << "needs memory of this kind: System V segments of 1 MiB, or room at the break";
  std::memset(at, 1, bytes);
  unmap_log::reader reader{unmapped()};
  memory->leave();
  std::vector<bool> gone(bytes >> 12);
  const auto first = (reinterpret_cast<std::uintptr_t>(at) + 4095) >> 12;
  reader.take([&](std::uintptr_t begin, std::uintptr_t end) {
    for (std::size_t each = 0; each < gone.size(); ++each)
      if (begin <= (first + each) << 12 && (first + each) << 12 < end) gone[each] = true;
  });
  // The allocator may keep a page at either end.
  EXPECT_GE(std::count(gone.begin(), gone.end(), true),
            static_cast<std::ptrdiff_t>(gone.size() * 3 / 4));
  if (memory->come_again()) memory->end();
}

INSTANTIATE_TEST_SUITE_P(all, memory_that_leaves, testing::ValuesIn(ways_to_leave()),
                         [](const auto& info) { return info.param.name; });

#if defined(__x86_64__)
struct alignas(16) vector_registers {
  std::array<std::uint8_t, 256> bytes;
};

/// Calls a function of the C library with something in every vector register, and says what was in
/// them afterwards.
vector_registers left_by(void* function, const vector_registers& before, void* first,
                         std::uintptr_t second, std::uintptr_t third) {
  vector_registers after{};
  register void* call asm("r12") = function;
  register const void* from asm("r13") = &before;
  register void* to asm("r14") = &after;
  asm volatile(
      "movq %%rsp, %%rbx\n"
      "subq $256, %%rsp\n"
      "andq $-64, %%rsp\n"
      "movdqa 0(%%r13), %%xmm0\n"
      "movdqa 16(%%r13), %%xmm1\n"
      "movdqa 32(%%r13), %%xmm2\n"
      "movdqa 48(%%r13), %%xmm3\n"
      "movdqa 64(%%r13), %%xmm4\n"
      "movdqa 80(%%r13), %%xmm5\n"
      "movdqa 96(%%r13), %%xmm6\n"
      "movdqa 112(%%r13), %%xmm7\n"
      "movdqa 128(%%r13), %%xmm8\n"
      "movdqa 144(%%r13), %%xmm9\n"
      "movdqa 160(%%r13), %%xmm10\n"
      "movdqa 176(%%r13), %%xmm11\n"
      "movdqa 192(%%r13), %%xmm12\n"
      "movdqa 208(%%r13), %%xmm13\n"
      "movdqa 224(%%r13), %%xmm14\n"
      "movdqa 240(%%r13), %%xmm15\n"
      "callq *%%r12\n"
      "movdqa %%xmm0, 0(%%r14)\n"
      "movdqa %%xmm1, 16(%%r14)\n"
      "movdqa %%xmm2, 32(%%r14)\n"
      "movdqa %%xmm3, 48(%%r14)\n"
      "movdqa %%xmm4, 64(%%r14)\n"
      "movdqa %%xmm5, 80(%%r14)\n"
      "movdqa %%xmm6, 96(%%r14)\n"
      "movdqa %%xmm7, 112(%%r14)\n"
      "movdqa %%xmm8, 128(%%r14)\n"
      "movdqa %%xmm9, 144(%%r14)\n"
      "movdqa %%xmm10, 160(%%r14)\n"
      "movdqa %%xmm11, 176(%%r14)\n"
      "movdqa %%xmm12, 192(%%r14)\n"
      "movdqa %%xmm13, 208(%%r14)\n"
      "movdqa %%xmm14, 224(%%r14)\n"
      "movdqa %%xmm15, 240(%%r14)\n"
      "movq %%rbx, %%rsp\n"
      : "+D"(first), "+S"(second), "+d"(third)
      : "r"(call), "r"(from), "r"(to)
      : "rax", "rbx", "rcx", "r8", "r9", "r10", "r11", "cc", "memory", "xmm0", "xmm1", "xmm2",
        "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
        "xmm14", "xmm15");
  return after;
}

// The C library's functions around a system call touch none, and may keep something in them.
TEST_F(unmap_hooks, vector_registers_stay) {
  vector_registers before{};
  for (std::size_t each = 0; each < before.bytes.size(); ++each)
    before.bytes[each] = static_cast<std::uint8_t>(each + 1);
  const auto stays = [&](const char* name, std::uintptr_t second, std::uintptr_t third) {
    const auto after = left_by(dlsym(RTLD_DEFAULT, name), before, ways::map(bytes), second, third);
    EXPECT_EQ(after.bytes, before.bytes) << name;
  };
  unmap_log::reader reader{unmapped()};
  stays("mprotect", bytes, PROT_READ | PROT_WRITE);
  stays("madvise", bytes, MADV_DONTNEED);
  stays("munmap", bytes, 0);
  stays("shmdt", 0, 0);
  std::size_t notes = 0;
  reader.take([&](std::uintptr_t, std::uintptr_t) { ++notes; });
  EXPECT_GE(notes, 3U) << "the hooks were called";
}
#endif

TEST_F(unmap_hooks, memory_that_stays_is_not_told) {
  unmap_log::reader reader{unmapped()};
  std::byte* const at = ways::map(bytes);
  std::memset(at, 1, bytes);
  madvise(at, bytes, MADV_WILLNEED);
  mprotect(at, bytes, PROT_READ);
  EXPECT_NE(sbrk(4096), reinterpret_cast<void*>(-1));
  int notes = 0;
  reader.take([&](std::uintptr_t, std::uintptr_t) { ++notes; });
  EXPECT_EQ(notes, 0);
  EXPECT_EQ(at[bytes - 1], std::byte{1});
  munmap(at, bytes);
}

TEST_F(unmap_hooks, errors_are_told_as_ever) {
  errno = 0;
  EXPECT_EQ(munmap(reinterpret_cast<void*>(1), 4096), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(madvise(reinterpret_cast<void*>(1), 4096, MADV_DONTNEED), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(mmap(nullptr, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), MAP_FAILED);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(mremap(reinterpret_cast<void*>(4096), 4096, 8192, 0), MAP_FAILED);
  EXPECT_EQ(errno, EFAULT);
  EXPECT_EQ(shmdt(reinterpret_cast<void*>(4096)), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(brk(reinterpret_cast<void*>(~std::uintptr_t{4095})), -1);
  EXPECT_EQ(errno, ENOMEM);
  errno = 0;
  EXPECT_EQ(syscall(SYS_close, -1), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(syscall(SYS_getpid), getpid());
}

/// The break that the C library believes in is the kernel's.
TEST_F(unmap_hooks, the_break_stays_right) {
  const auto of_kernel = [] { return reinterpret_cast<void*>(syscall(SYS_brk, nullptr)); };
  void* const before = sbrk(0);
  EXPECT_EQ(before, of_kernel());
  EXPECT_EQ(sbrk(12345), before);
  EXPECT_EQ(sbrk(0), of_kernel());
  EXPECT_EQ(brk(before), 0);
  EXPECT_EQ(sbrk(0), before);
  EXPECT_EQ(before, of_kernel());
}

/// All six arguments of syscall() arrive: pages of a file come from the offset, which is the sixth.
TEST_F(unmap_hooks, system_calls_keep_their_arguments) {
  const int file = memfd_create("peal-test", 0);
  ASSERT_EQ(pwrite(file, "x", 1, 4096), 1);
  // taken as longs
  const long at =
      syscall(SYS_mmap, 0L, 4096L, long{PROT_READ}, long{MAP_PRIVATE}, long{file}, 4096L);
  ASSERT_NE(at, -1);
  EXPECT_EQ(*reinterpret_cast<const char*>(at), 'x');
  munmap(reinterpret_cast<void*>(at), 4096);
  void* const same = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file, 4096);
  ASSERT_NE(same, MAP_FAILED);
  EXPECT_EQ(*static_cast<const char*>(same), 'x');
  munmap(same, 4096);
  close(file);
}

TEST_F(unmap_hooks, a_library_that_is_closed_stands_in_the_log) {
  void* const library = dlopen("libutil.so.1", RTLD_NOW);
  if (!library)
    GTEST_SKIP() << "needs a shared library to load and to close: libutil.so.1, of the C library";
  unmap_log::reader reader{unmapped()};
  dlclose(library);
  int notes = 0;
  reader.take([&](std::uintptr_t, std::uintptr_t) { ++notes; });
  EXPECT_GT(notes, 0);
}

TEST_F(unmap_hooks, a_child_lives_with_them) {
  const pid_t child = fork();
  if (child == 0) {
    for (int each = 0; each < 100; ++each) std::free(std::malloc(64 << 20));
    std::thread{[] { std::free(std::malloc(1 << 20)); }}.join();
    _exit(7);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  EXPECT_EQ(std::system("exit 3"), 3 << 8);
}

/// Threads that map and unmap at the same few places, while another asks. They never get so far
/// ahead that the reader would be outrun, but a writer that loses its core in the middle of a note
/// makes the reader hear that everything has gone.
TEST_F(unmap_hooks, many_threads_unmap_while_one_reads) {
  std::atomic<int> living{3};
  // the page that was unmapped last, by whoever, and in its low bits the alarms before that
  std::atomic<std::uintptr_t> latest{0};
  std::atomic<std::uintptr_t> alarms{0};  // how often everything had gone
  std::atomic<std::uint64_t> written{0}, read{0};
  std::vector<std::thread> threads;
  unmap_log::reader reader{unmapped()};
  for (int each = 0; each < 3; ++each) {
    threads.emplace_back([&] {
      for (int round = 0; round < 3000; ++round) {
        while (written.load() - read.load() > 300) std::this_thread::yield();
        ++written;
        std::byte* const at = ways::map(4096);
        const std::uintptr_t before = alarms % 4096;
        munmap(at, 4096);
        latest.store(reinterpret_cast<std::uintptr_t>(at) | before, std::memory_order_release);
      }
      --living;
    });
  }
  std::uint64_t missed = 0;
  std::set<std::uintptr_t> known;
  while (living > 0) {
    const std::uint64_t so_far = written;
    const std::uintptr_t told = latest.exchange(0, std::memory_order_acquire);
    reader.take([&](std::uintptr_t begin, std::uintptr_t end) {
      if (end == unmap_log::end_of_memory) ++alarms;
      for (; begin < end && end - begin < bytes; begin += 4096) known.insert(begin);
    });
    const std::uintptr_t page = told & ~std::uintptr_t{4095};
    missed += page != 0 && !known.contains(page) && told % 4096 == alarms % 4096;
    read = so_far;
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(missed, 0u);
  EXPECT_FALSE(known.empty());
}

/// A signal handler that unmaps, in the middle of others that do.
TEST_F(unmap_hooks, signal_handlers_may_unmap) {
  static std::atomic<int> handled{0};
  struct sigaction action{}, before{};
  action.sa_handler = [](int) {
    void* const at = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(at, 4096);
    ++handled;
  };
  sigaction(SIGUSR1, &action, &before);
  std::atomic<bool> over{false};
  const pthread_t self = pthread_self();
  std::thread other{[&] {
    while (!over) {
      pthread_kill(self, SIGUSR1);
      std::this_thread::yield();
    }
  }};
  unmap_log::reader reader{unmapped()};
  int missed = 0;
  for (int round = 0; round < 3000 || handled < 10; ++round) {
    std::byte* const at = ways::map(4096);
    munmap(at, 4096);
    bool found = false;
    reader.take([&](std::uintptr_t begin, std::uintptr_t end) {
      const auto page = reinterpret_cast<std::uintptr_t>(at);
      found |= begin <= page && page < end;
    });
    missed += !found;
  }
  over = true;
  other.join();
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(missed, 0);
}

}  // namespace
