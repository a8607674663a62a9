#include "memory/unmap_hooks.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>

#include <array>

#include "base/log.hpp"
#include "memory/code_patch.hpp"
#include "memory/unmap_log.hpp"
#include "memory/unmap_self_test.hpp"

namespace peal {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

#if defined(__x86_64__) || defined(__aarch64__)

// The compiler must not use vector registers here: the C library's function has no reason to expect
// that they change.
#define PEAL_IN_A_SYSTEM_CALL __attribute__((target("general-regs-only")))

/// Advice that leaves the pages as they are. All other advice counts, known or not: newer kernels
/// have kinds that take pages away.
PEAL_IN_A_SYSTEM_CALL bool harmless(std::uint64_t advice) noexcept {
  switch (advice) {
    case 0:
    case 1:
    case 2:
    case 3:  // NORMAL, RANDOM, SEQUENTIAL, WILLNEED
    case 10:
    case 11:  // DONTFORK, DOFORK
    case 14:
    case 15:  // HUGEPAGE, NOHUGEPAGE
    case 16:
    case 17:  // DONTDUMP, DODUMP
    case 18:
    case 19:  // WIPEONFORK, KEEPONFORK
    case 22:
    case 23:  // POPULATE_READ, POPULATE_WRITE
      return true;
    default: return false;
  }
}

PEAL_IN_A_SYSTEM_CALL std::uint64_t current_break() noexcept {
#if defined(__x86_64__)
  std::uint64_t result = SYS_brk;
  asm volatile("syscall" : "+a"(result) : "D"(0) : "rcx", "r11", "memory");
  return result;
#else
  register std::uint64_t number asm("x8") = SYS_brk;
  register std::uint64_t result asm("x0") = 0;
  asm volatile("svc #0" : "+r"(result) : "r"(number) : "memory");
  return result;
#endif
}

PEAL_IN_A_SYSTEM_CALL void seen(const system_call* call) noexcept {
  const std::uint64_t* const with = call->arguments;
  unmap_log& log = unmapped();
  switch (call->number) {
    case SYS_munmap:
    case SYS_remap_file_pages: log.record(with[0], with[1]); break;
    case SYS_mmap:
      if ((with[3] & MAP_FIXED) != 0 && (with[3] & MAP_FIXED_NOREPLACE) == 0)
        log.record(with[0], with[1]);
      break;
    case SYS_mremap:
      log.record(with[0], with[1]);
      if ((with[3] & MREMAP_FIXED) != 0) log.record(with[4], with[2]);
      break;
    case SYS_madvise:
      if (!harmless(with[2])) log.record(with[0], with[1]);
      break;
    case SYS_process_madvise:  // perhaps of this process
      if (!harmless(with[3])) log.record_everything();
      break;
    case SYS_brk:
      if (const std::uint64_t now = current_break(); with[0] != 0 && with[0] < now)
        log.record(with[0], now - with[0]);
      break;
    case SYS_shmat:
      // How long it is, only the kernel knows.
      if ((with[2] & SHM_REMAP) != 0) log.record_everything();
      break;
    case SYS_shmdt: log.record_everything(); break;
    case SYS_mprotect:
      // Other code is about to patch the C library too: from then on calls may pass us by.
      if ((with[2] & PROT_WRITE) != 0 && holds_patched_code(with[0], with[0] + with[1]))
        log.give_up();
      break;
    default: break;
  }
}

std::string place() {
  static constexpr std::array<watched_call, 10> calls{
      {{SYS_munmap, "munmap", true},
       {SYS_mmap, "mmap", true},
       {SYS_mremap, "mremap", true},
       {SYS_madvise, "madvise", true},
       {SYS_brk, "brk", true},
       {SYS_shmat, "shmat", true},
       {SYS_shmdt, "shmdt", true},
       {SYS_mprotect, "mprotect", true},
       {SYS_process_madvise, "process_madvise", false},
       {SYS_remap_file_pages, "remap_file_pages", false}}};
  return watch_system_calls(calls, seen);
}

#else

std::string place() { return watch_system_calls({}, nullptr); }

#endif

unmap_hooks place_and_try() {
  const auto without = [](std::string problem) {
    log_debug("no unmap hooks, so registrations end with their use: {}", problem);
    return unmap_hooks{false, std::move(problem)};
  };
  if (sanitized || dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_init"))
    return without("the program runs under a sanitizer, whose allocator calls the kernel itself");
  if (std::string problem = place(); !problem.empty()) return without(std::move(problem));
  if (std::string problem = try_unmap_hooks(unmapped()); !problem.empty()) {
    unmapped().give_up();
    return without(std::move(problem));
  }
  return {true, {}};
}

}  // namespace

const unmap_hooks& use_unmap_hooks() {
  // Never destroyed: static objects may use it to the last.
  static const unmap_hooks& made = *new unmap_hooks(place_and_try());
  return made;
}

}  // namespace peal
