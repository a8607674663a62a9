// Changing the C library's code while others run it, and leaving it alone when somebody else was
// there first. Each test has a process of its own, since the hooks are placed once.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "memory/unmap_hooks.hpp"
#include "memory/unmap_log.hpp"

namespace {

using namespace peal;

class code_patch : public testing::Test {
 protected:
  void SetUp() override {
    // a new process, in which nothing has been placed yet
    testing::FLAGS_gtest_death_test_style = "threadsafe";
#if !(defined(__x86_64__) || defined(__aarch64__)) || defined(__SANITIZE_ADDRESS__) || \
    defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "needs unmap hooks: build without a sanitizer, run on x86-64 or aarch64 with "
                    "glibc";
#endif
  }
};

[[noreturn]] void end(bool good, const std::string& what) {
  if (!good) fprintf(stderr, "%s\n", what.c_str());
  _exit(good ? 0 : 1);
}

#if defined(__x86_64__) || defined(__aarch64__)
/// What other communication libraries do to a function.
int unmap_in_another_way(void* at, std::size_t bytes) {
#if defined(__x86_64__)
  long result = SYS_munmap;
  asm volatile("syscall" : "+a"(result) : "D"(at), "S"(bytes) : "rcx", "r11", "memory");
#else
  register long number asm("x8") = SYS_munmap;
  register long result asm("x0") = reinterpret_cast<long>(at);
  register std::size_t second asm("x1") = bytes;
  asm volatile("svc #0" : "+r"(result) : "r"(number), "r"(second) : "memory");
#endif
  return static_cast<int>(result);
}
void redirect_munmap() {
  auto* const at = static_cast<std::uint8_t*>(dlsym(RTLD_DEFAULT, "munmap"));
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(at) & ~std::uintptr_t{4095};
  if (mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    end(false, "mprotect");
  const auto to = reinterpret_cast<std::uintptr_t>(&unmap_in_another_way);
#if defined(__x86_64__)
  at[0] = 0x49, at[1] = 0xbb;  // movabs $to,%r11
  std::memcpy(at + 2, &to, sizeof to);
  at[10] = 0x41, at[11] = 0xff, at[12] = 0xe3;  // jmp *%r11
#else
  const std::uint32_t code[2] = {0x5800004f, 0xd61f01e0};  // ldr x15, .+8; br x15
  std::memcpy(at, code, sizeof code);
  std::memcpy(at + sizeof code, &to, sizeof to);
  __builtin___clear_cache(reinterpret_cast<char*>(at), reinterpret_cast<char*>(at + 16));
#endif
}

TEST_F(code_patch, leaves_alone_what_somebody_else_has_patched) {
  EXPECT_EXIT(
      {
        redirect_munmap();
        const unmap_hooks& hooks = use_unmap_hooks();
        end(!hooks.work && hooks.problem == "somebody else has patched munmap of the C library",
            hooks.problem);
      },
      testing::ExitedWithCode(0), "");
}

#if defined(__x86_64__)
TEST_F(code_patch, leaves_alone_what_may_be_another_instruction) {
  auto* const at = static_cast<std::uint8_t*>(dlsym(RTLD_DEFAULT, "munmap"));
  if (at[0] != 0xb8)
    GTEST_SKIP() << "needs a C library whose munmap begins with its number: glibc on x86-64";
  EXPECT_EXIT(
      {
        const std::uintptr_t page =
            reinterpret_cast<std::uintptr_t>(at - 1) & ~std::uintptr_t{4095};
        if (mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
          end(false, "mprotect");
        at[-1] = 0x41;  // what nobody runs, between two functions: as if it were mov to r8d
        const unmap_hooks& hooks = use_unmap_hooks();
        end(!hooks.work &&
                hooks.problem == "an instruction of the C library cannot be told from another",
            hooks.problem);
      },
      testing::ExitedWithCode(0), "");
}

#endif

TEST_F(code_patch, notices_who_patches_later) {
  EXPECT_EXIT(
      {
        const unmap_hooks& hooks = use_unmap_hooks();
        if (!hooks.work) end(false, hooks.problem);
        const unmap_log::reader reader{unmapped()};
        if (!reader.complete()) end(false, "the log is not complete to begin with");
        redirect_munmap();
        end(!reader.complete(), "the log still says that it is complete");
      },
      testing::ExitedWithCode(0), "");
}
#endif

[[noreturn]] void place_amid_calls() {
  std::atomic<int> wrong{0}, running{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int each = 0; each < 4; ++each) {
    threads.emplace_back([&] {
      ++running;
      while (!over) {
        auto* const at = static_cast<char*>(
            mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (at == MAP_FAILED) return ++wrong, void();
        at[4096] = 7;
        wrong += madvise(at, 4096, MADV_DONTNEED) != 0 || at[4096] != 7 ||
                 mprotect(at, 4096, PROT_READ) != 0;
        wrong += syscall(SYS_getpid) != getpid() || munmap(at, 8192) != 0;
        errno = 0;
        wrong += munmap(at + 1, 1) != -1 || errno != EINVAL;
      }
    });
  }
  threads.emplace_back([&] {
    ++running;
    while (!over) {
      const pid_t child = fork();
      if (child == 0)
        _exit(munmap(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096) == 0
                  ? 3
                  : 4);
      int status = 0;
      wrong +=
          waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3;
    }
  });
  while (running < 5) std::this_thread::yield();
  const unmap_hooks& hooks = use_unmap_hooks();
  over = true;
  for (std::thread& each : threads) each.join();
  end(hooks.work && wrong == 0, hooks.problem + ", wrong: " + std::to_string(wrong));
}

/// What a rank does: its segment of many GiB lies right below the libraries.
[[noreturn]] void place_beside_large_mappings() {
  for (int each = 0; each < 16; ++each)
    if (mmap(nullptr, std::size_t{1} << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
             -1, 0) == MAP_FAILED)
      end(false, "mmap");
  const unmap_hooks& hooks = use_unmap_hooks();
  end(hooks.work, hooks.problem);
}
TEST_F(code_patch, finds_room_beside_large_mappings) {
  EXPECT_EXIT(place_beside_large_mappings(), testing::ExitedWithCode(0), "");
}

TEST_F(code_patch, disturbs_nobody_who_runs_the_code) {
  EXPECT_EXIT(place_amid_calls(), testing::ExitedWithCode(0), "");
}

}  // namespace
