#include "memory/code_patch.hpp"

#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__)

#include <dlfcn.h>
#include <emmintrin.h>
#include <fmt/format.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/cache_line.hpp"
#include "base/page.hpp"
#include "memory/loaded_code.hpp"

// What a stub calls: the number lies in rax, the arguments where the kernel wants them. Keeps every
// register but rax, which the stub saves.
asm(R"(
  .text
  .p2align 4
  .local peal_code_patch_seen
  .type peal_code_patch_seen, @function
peal_code_patch_seen:
  .cfi_startproc
  pushfq
  .cfi_adjust_cfa_offset 8
  push %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset rbp, 0
  mov %rsp, %rbp
  .cfi_def_cfa_register rbp
  push %rcx
  push %r11
  push %r9
  push %r8
  push %r10
  push %rdx
  push %rsi
  push %rdi
  push %rax
  mov %rsp, %rdi
  and $-16, %rsp
  cld
  call *peal_code_patch_watcher(%rip)
  lea -72(%rbp), %rsp
  pop %rax
  pop %rdi
  pop %rsi
  pop %rdx
  pop %r10
  pop %r8
  pop %r9
  pop %r11
  pop %rcx
  pop %rbp
  .cfi_def_cfa rsp, 16
  popfq
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
  .size peal_code_patch_seen, .-peal_code_patch_seen
  .local peal_code_patch_watcher
  .comm peal_code_patch_watcher, 8, 8
)");

namespace peal {

namespace {

extern "C" {
void peal_code_patch_seen() __asm__("peal_code_patch_seen");
extern system_call_watcher peal_code_patch_watcher __asm__("peal_code_patch_watcher");
}

// of `mov $number,%eax`, of `mov 8(%rsp),%r9`, and of a jump
constexpr std::size_t patched_bytes = 5;
using code = std::array<std::uint8_t, patched_bytes>;

/// System calls of ours: the C library's functions are what is being changed.
long call_kernel(long number, long first = 0, long second = 0, long third = 0) noexcept {
  long result = number;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(first), "S"(second), "d"(third)
               : "rcx", "r11", "memory");
  return result;  // -errno when it failed
}

struct site {
  std::uintptr_t address;
  code was;
  int number;  // -1: in rax already, at the end of syscall()
  std::uintptr_t stub = 0;
};

/// Held while code is half changed; fork() takes it, lest a child is born with a jump to itself.
std::mutex& changing() {
  static std::mutex made;
  return made;
}

constexpr code load_sixth_argument{0x4c, 0x8b, 0x4c, 0x24, 0x08};  // mov 8(%rsp),%r9

/// Whether what begins with b8 behind that byte may be another instruction than mov to eax: with a
/// REX prefix another register is loaded, or eight bytes are, and with 66 two. The byte may also be
/// the end of the instruction before, which cannot be told apart.
constexpr bool may_be_prefix(std::uint8_t before) {
  return (before & 0xf0) == 0x40 || before == 0x66;
}

/// Adds the site whose `syscall` instruction stands at `at`, if it is to be watched. False: it
/// cannot be told whether it is.
[[nodiscard]] bool add_site(std::vector<site>& into, const std::uint8_t* at,
                            std::span<const watched_call> wanted) {
  site made{reinterpret_cast<std::uintptr_t>(at) - patched_bytes, {}, -1};
  std::memcpy(made.was.data(), at - patched_bytes, patched_bytes);
  if (made.was == load_sixth_argument) {
    into.push_back(made);
    return true;
  }
  if (made.was[0] != 0xb8) return true;
  std::memcpy(&made.number, &made.was[1], sizeof made.number);
  for (const watched_call& each : wanted) {
    if (each.number != made.number) continue;
    into.push_back(made);
    return !may_be_prefix(at[-static_cast<std::ptrdiff_t>(patched_bytes) - 1]);
  }
  return true;
}

/// All sites of an object; false: of one it cannot be told what it is.
/// Looks for `syscall`, 0f 05, sixteen bytes at a time: libc has two megabytes.
[[nodiscard]] bool add_sites(std::vector<site>& into, object_code in,
                             std::span<const watched_call> wanted) {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(in.begin);
  const auto* const end = reinterpret_cast<const std::uint8_t*>(in.end);
  const __m128i first = _mm_set1_epi8(0x0f), second = _mm_set1_epi8(0x05);
  const std::uint8_t* at = begin + 16;
  for (; at + 17 <= end; at += 16) {
    const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i next = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 1));
    const __m128i both = _mm_and_si128(_mm_cmpeq_epi8(here, first), _mm_cmpeq_epi8(next, second));
    for (auto mask = static_cast<unsigned>(_mm_movemask_epi8(both)); mask != 0; mask &= mask - 1)
      if (!add_site(into, at + __builtin_ctz(mask), wanted)) return false;
  }
  return true;
}

/// Whether a function begins like one that another library has redirected, or that stands under a
/// debugger.
bool begins_with_a_jump(const std::uint8_t* at) {
  static constexpr std::array<std::uint8_t, 4> endbr64{0xf3, 0x0f, 0x1e, 0xfa};
  if (std::memcmp(at, endbr64.data(), endbr64.size()) == 0) at += endbr64.size();
  // jmp *x(%rip), jmp *%reg
  const bool far = at[0] == 0xff && (at[1] == 0x25 || (at[1] & 0xf8) == 0xe0);
  // movabs $address,%reg
  const bool loads_register = (at[0] == 0x48 || at[0] == 0x49) && (at[1] & 0xf8) == 0xb8;
  // 68: push, for ret
  return at[0] == 0xe9 || at[0] == 0xeb || at[0] == 0xcc || at[0] == 0x68 || far || loads_register;
}

/// Empty when the function is as the C library made it and one of the sites lies in it.
std::string objection(void* libc, const char* name, int number, const std::vector<site>& sites) {
  const object_code function = code_of_function(libc, name);
  if (function.begin == 0) return fmt::format("the C library has no {}", name);
  if (begins_with_a_jump(reinterpret_cast<const std::uint8_t*>(function.begin)))
    return fmt::format("somebody else has patched {} of the C library", name);
  const bool there = std::any_of(sites.begin(), sites.end(), [&](const site& each) {
    return each.number == number && function.holds(each.address);
  });
  return there ? std::string{} : fmt::format("{} of this C library looks unfamiliar", name);
}

// ---- stubs

/// Machine code, byte by byte.
class writer {
 public:
  explicit writer(std::uint8_t* at) : at_{at} {}
  writer& bytes(std::initializer_list<std::uint8_t> all) {
    at_ = std::copy(all.begin(), all.end(), at_);
    return *this;
  }
  writer& bytes(const code& all) {
    at_ = std::copy(all.begin(), all.end(), at_);
    return *this;
  }
  writer& number(std::int32_t value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
    return *this;
  }
  /// The distance from behind these four bytes.
  writer& distance(std::uintptr_t to) {
    return number(static_cast<std::int32_t>(
        static_cast<std::int64_t>(to - reinterpret_cast<std::uintptr_t>(at_)) - 4));
  }

 private:
  std::uint8_t* at_;
};

constexpr std::size_t stub_bytes = 48;
// The first holds the address that stubs call.
constexpr std::size_t most_sites = page / stub_bytes - 1;

void write_stub(std::uint8_t* at, const site& over, std::uintptr_t callee) {
  writer out{at};
  // lea -128(%rsp),%rsp: what a leaf function keeps below its stack pointer
  out.bytes({0x48, 0x8d, 0x64, 0x24, 0x80});
  out.bytes({0x50});                                            // push %rax
  if (over.number >= 0) out.bytes({0xb8}).number(over.number);  // mov $number,%eax
  out.bytes({0xff, 0x15}).distance(callee);                     // call *callee(%rip)
  out.bytes({0x58});                                            // pop %rax
  out.bytes({0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0});           // lea 128(%rsp),%rsp
  out.bytes(over.was);
  out.bytes({0xe9}).distance(over.address + patched_bytes);  // jmp
}

/// How far a jump reaches, and a margin.
constexpr std::uintptr_t jump_reach = (std::uintptr_t{1} << 31) - (std::uintptr_t{1} << 20);

/// Empty: the stubs are there.
std::string make_stubs(std::vector<site>& sites) {
  if (sites.size() > most_sites) return "the C library makes the system calls in too many places";
  const auto [low, high] =
      std::minmax_element(sites.begin(), sites.end(),
                          [](const site& a, const site& b) { return a.address < b.address; });
  std::uint8_t* const at = page_near(low->address, high->address, jump_reach);
  if (!at) return "there is no room for code near the C library";
  const auto callee = reinterpret_cast<std::uintptr_t>(&peal_code_patch_seen);
  std::memcpy(at, &callee, sizeof callee);
  std::uint8_t* next = at + stub_bytes;
  for (site& each : sites) {
    write_stub(next, each, reinterpret_cast<std::uintptr_t>(at));
    each.stub = reinterpret_cast<std::uintptr_t>(next);
    next += stub_bytes;
  }
  if (mprotect(at, page, PROT_READ | PROT_EXEC) == 0) return {};
  const int error = errno;
  munmap(at, page);
  return because("the kernel allows no code that is made at run time", -error);
}

// ---- changing code that other threads run

long protect(const site& of, long protection) noexcept {
  const std::uintptr_t begin = of.address & ~(page - 1), end = of.address + patched_bytes;
  return call_kernel(SYS_mprotect, static_cast<long>(begin), static_cast<long>(end - begin),
                     protection);
}

/// Two bytes at once. Locked, since they may not be aligned.
void write_pair(std::uintptr_t at, std::uint8_t first, std::uint8_t second) noexcept {
  auto both = static_cast<std::uint16_t>(first | second << 8);
  asm volatile("xchgw %0, (%1)" : "+r"(both) : "r"(at) : "memory");
}

void tell_all_cores() noexcept {
  call_kernel(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
}

/// Requires: the pages are writable, signals are blocked.
void redirect(const std::vector<site>& sites) noexcept {
  const auto jump_of = [](const site& each) {
    code jump{0xe9};
    const auto distance = static_cast<std::int32_t>(
        static_cast<std::int64_t>(each.stub - each.address) - std::int64_t{patched_bytes});
    std::memcpy(&jump[1], &distance, sizeof distance);
    return jump;
  };
  for (const site& each : sites) write_pair(each.address, 0xeb, 0xfe);  // jmp .
  tell_all_cores();
  for (const site& each : sites) {
    const code jump = jump_of(each);
    auto* const to = reinterpret_cast<volatile std::uint8_t*>(each.address);
    for (std::size_t byte = 2; byte < patched_bytes; ++byte) to[byte] = jump[byte];
  }
  tell_all_cores();
  for (const site& each : sites) {
    const code jump = jump_of(each);
    write_pair(each.address, jump[0], jump[1]);
  }
  tell_all_cores();
}

/// Empty: done.
std::string change(const std::vector<site>& sites) {
  if (const long failed =
          call_kernel(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE);
      failed < 0)
    return because("the kernel cannot tell all cores of changed code (membarrier)", failed);
  pthread_atfork([] { changing().lock(); }, [] { changing().unlock(); },
                 [] { changing().unlock(); });
  sigset_t all, before;
  sigfillset(&all);
  const std::lock_guard hold{changing()};
  pthread_sigmask(SIG_SETMASK, &all, &before);
  long failed = 0;
  std::size_t open = 0;
  while (open < sites.size() && failed == 0)
    if (failed = protect(sites[open], PROT_READ | PROT_WRITE | PROT_EXEC); failed == 0) ++open;
  if (failed == 0) redirect(sites);
  while (open > 0) protect(sites[--open], PROT_READ | PROT_EXEC);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return failed == 0 ? std::string{}
                     : because("the kernel does not let the C library's code be changed", failed);
}

}  // namespace

std::string watch_system_calls(std::span<const watched_call> calls, system_call_watcher seen) {
  void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void* const of_linker = dlsym(RTLD_DEFAULT, "__tls_get_addr");
  if (!libc || !of_linker) return "the C library is not the dynamic one of GNU";
  const std::array<object_code, most_patched> objects{code_around(dlsym(libc, "munmap")),
                                                      code_around(of_linker)};
  std::vector<site> sites;
  for (const object_code& each : objects) {
    if (each.begin == 0) return "the code of the C library is not where it is expected";
    if (!add_sites(sites, each, calls))
      return "an instruction of the C library cannot be told from another";
  }
  for (const watched_call& each : calls)
    if (each.required)
      if (std::string problem = objection(libc, each.function, each.number, sites);
          !problem.empty())
        return problem;
  if (std::string problem = objection(libc, "syscall", -1, sites); !problem.empty()) return problem;
  // The linker's own, by which dlclose() unmaps; it has no name.
  const auto of_dlclose = [&](const site& each) {
    return each.number == SYS_munmap && objects[1].holds(each.address);
  };
  if (std::none_of(sites.begin(), sites.end(), of_dlclose))
    return "the dynamic linker looks unfamiliar";
  for (const site& each : sites)
    if (each.address % cache_line == cache_line - 1)
      return "an instruction of the C library lies across two cache lines";
  if (!keep_loaded(reinterpret_cast<void*>(&peal_code_patch_seen)))
    return "libpeal cannot be kept from being unloaded";
  if (std::string problem = make_stubs(sites); !problem.empty()) return problem;
  peal_code_patch_watcher = seen;
  if (std::string problem = change(sites); !problem.empty()) return problem;
  note_patched(objects);
  return {};
}

}  // namespace peal

#elif !(defined(__aarch64__) && defined(__linux__) && defined(__GLIBC__))

namespace peal {

std::string watch_system_calls(std::span<const watched_call>, system_call_watcher) {
  return "peal watches system calls on x86-64 and aarch64 with the GNU C library only";
}

}  // namespace peal

#endif
