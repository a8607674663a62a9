// code_patch.hpp on 64-bit ARM processors: `svc`, which makes the system call, becomes a branch to
// a stub, which calls the watcher, makes the system call and branches back.
//
// No thread needs to be stopped: of svc and b the architecture says that one may become the other
// while others run it, each of which runs the one or the other.
//
// Source   Arm Architecture Reference Manual for A-profile (DDI 0487), B2.2.5 (concurrent
//          modification and execution of instructions); AAPCS64, 6.1.1 (registers).
#include "memory/code_patch.hpp"

#if defined(__aarch64__) && defined(__linux__) && defined(__GLIBC__)

#include <dlfcn.h>
#include <fmt/format.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/page.hpp"
#include "memory/aarch64/instructions.hpp"
#include "memory/loaded_code.hpp"

// What a stub calls: the number lies in x8, the arguments in x0 to x5. Keeps every register but x16
// and x30, which the stub saves; those of vectors the watcher leaves alone.
asm(R"(
  .text
  .p2align 4
  .local peal_code_patch_seen
  .type peal_code_patch_seen, @function
peal_code_patch_seen:
  .cfi_startproc
  hint #34
  stp x29, x30, [sp, #-176]!
  .cfi_def_cfa_offset 176
  .cfi_offset 29, -176
  .cfi_offset 30, -168
  mov x29, sp
  stp x8, x0, [sp, #16]
  stp x1, x2, [sp, #32]
  stp x3, x4, [sp, #48]
  stp x5, x6, [sp, #64]
  stp x7, x9, [sp, #80]
  stp x10, x11, [sp, #96]
  stp x12, x13, [sp, #112]
  stp x14, x15, [sp, #128]
  stp x17, x18, [sp, #144]
  mrs x9, nzcv
  str x9, [sp, #160]
  add x0, sp, #16
  adrp x9, peal_code_patch_watcher
  ldr x9, [x9, :lo12:peal_code_patch_watcher]
  blr x9
  ldr x9, [sp, #160]
  msr nzcv, x9
  ldp x17, x18, [sp, #144]
  ldp x14, x15, [sp, #128]
  ldp x12, x13, [sp, #112]
  ldp x10, x11, [sp, #96]
  ldp x7, x9, [sp, #80]
  ldp x5, x6, [sp, #64]
  ldp x3, x4, [sp, #48]
  ldp x1, x2, [sp, #32]
  ldp x8, x0, [sp, #16]
  ldp x29, x30, [sp], #176
  .cfi_restore 29
  .cfi_restore 30
  .cfi_def_cfa_offset 0
  ret
  .cfi_endproc
  .size peal_code_patch_seen, .-peal_code_patch_seen
)");

namespace peal {

namespace {

extern "C" {
void peal_code_patch_seen() __asm__("peal_code_patch_seen");
// The instructions above have its name.
[[gnu::visibility("hidden"), gnu::used]] system_call_watcher peal_code_patch_watcher = nullptr;
}

using aarch64::instruction;

/// System calls of ours: the C library's functions are what is being changed.
long call_kernel(long number, long first = 0, long second = 0, long third = 0) noexcept {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = first;
  register long x1 asm("x1") = second;
  register long x2 asm("x2") = third;
  asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;  // -errno when it failed
}

struct site {
  std::uintptr_t address;  // of svc
  int number;              // -1: in x8, at the end of syscall()
  instruction jump = 0;
};

std::span<const instruction> code_in(object_code in) {
  return {reinterpret_cast<const instruction*>(in.begin),
          (in.end - in.begin) / sizeof(instruction)};
}

/// All sites of an object. Between code stands data, in which the same four bytes would be a chance
/// of one in thousands; so only a call whose number can be told counts, or that of syscall().
void add_sites(std::vector<site>& into, object_code in, object_code of_syscall,
               std::span<const watched_call> wanted) {
  const std::span<const instruction> code = code_in(in);
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at] != aarch64::supervisor_call) continue;
    const std::uintptr_t address = in.begin + at * sizeof(instruction);
    const std::size_t first = at - std::min(at, aarch64::most_back);
    const auto number = aarch64::number_at_end(code.subspan(first, at + 1 - first));
    if (!number) {
      if (of_syscall.holds(address)) into.push_back({address, -1});
      continue;
    }
    if (std::ranges::find(wanted, *number, &watched_call::number) != wanted.end())
      into.push_back({address, *number});
  }
}

/// Empty when the function is as the C library made it and one of the sites lies in it.
std::string objection(void* libc, const char* name, int number, const std::vector<site>& sites) {
  const object_code function = code_of_function(libc, name);
  if (function.begin == 0) return fmt::format("the C library has no {}", name);
  if (aarch64::begins_with_a_jump(code_in(function)))
    return fmt::format("somebody else has patched {} of the C library", name);
  const bool there = std::ranges::any_of(sites, [&](const site& each) {
    return each.number == number && function.holds(each.address);
  });
  return there ? std::string{} : fmt::format("{} of this C library looks unfamiliar", name);
}

// ---- stubs

constexpr std::size_t stub_bytes = 32;
// The first holds the address that stubs call.
constexpr std::size_t most_sites = page / stub_bytes - 1;

/// False: something is out of reach.
bool write_stub(std::uint8_t* at, site& over, const std::uint8_t* callee) {
  const auto stub = reinterpret_cast<std::uintptr_t>(at);
  const auto load = aarch64::load_x16(callee - (at + sizeof(instruction)));
  const auto back =
      aarch64::branch(stub + 5 * sizeof(instruction), over.address + sizeof(instruction));
  const auto jump = aarch64::branch(over.address, stub);
  if (!load || !back || !jump) return false;
  over.jump = *jump;
  const std::array<instruction, 6> code{aarch64::push_x16_x30,    *load,
                                        aarch64::call_x16,        aarch64::pop_x16_x30,
                                        aarch64::supervisor_call, *back};
  std::memcpy(at, code.data(), sizeof code);
  return true;
}

/// Of one object's sites. Empty: the stubs are there.
std::string make_stubs(std::span<site> sites) {
  if (sites.size() > most_sites) return "the C library makes the system calls in too many places";
  const auto [low, high] = std::ranges::minmax(sites, {}, &site::address);
  std::uint8_t* const at = page_near(low.address, high.address, aarch64::branch_reach);
  if (!at) return "there is no room for code near the C library";
  const auto callee = reinterpret_cast<std::uintptr_t>(&peal_code_patch_seen);
  std::memcpy(at, &callee, sizeof callee);
  std::uint8_t* next = at;
  for (site& each : sites)
    if (!write_stub(next += stub_bytes, each, at)) {
      munmap(at, page);
      return "there is no room for code near the C library";
    }
  __builtin___clear_cache(reinterpret_cast<char*>(at), reinterpret_cast<char*>(at + page));
  if (mprotect(at, page, PROT_READ | PROT_EXEC) == 0) return {};
  const int error = errno;
  munmap(at, page);
  return because("the kernel allows no code that is made at run time", -error);
}

// ---- changing code that other threads run

long protect(const site& of, long protection) noexcept {
  // Of pages larger than these the kernel takes the beginning.
  static const auto bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return call_kernel(SYS_mprotect, static_cast<long>(of.address & ~(bytes - 1)),
                     static_cast<long>(bytes), protection);
}

/// Empty: done.
std::string change(const std::vector<site>& sites) {
  if (const long failed =
          call_kernel(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE);
      failed < 0)
    return because("the kernel cannot tell all cores of changed code (membarrier)", failed);
  long failed = 0;
  std::size_t open = 0;
  while (open < sites.size() && failed == 0)
    if (failed = protect(sites[open], PROT_READ | PROT_WRITE | PROT_EXEC); failed == 0) ++open;
  if (failed == 0) {
    for (const site& each : sites) {
      auto* const at = reinterpret_cast<instruction*>(each.address);
      // Whole, for whoever runs it; the caches of instructions are told below.
      std::atomic_ref{*at}.store(each.jump, std::memory_order_relaxed);
      __builtin___clear_cache(reinterpret_cast<char*>(at), reinterpret_cast<char*>(at + 1));
    }
    // Afterwards no core has the old instruction on its way.
    call_kernel(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
  }
  while (open > 0) protect(sites[--open], PROT_READ | PROT_EXEC);
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
  if (objects[0].begin == 0 || objects[1].begin == 0)
    return "the code of the C library is not where it is expected";
  std::vector<site> sites;
  add_sites(sites, objects[0], code_of_function(libc, "syscall"), calls);
  const std::size_t of_libc = sites.size();
  add_sites(sites, objects[1], {}, calls);
  for (const watched_call& each : calls)
    if (each.required)
      if (std::string problem = objection(libc, each.function, each.number, sites);
          !problem.empty())
        return problem;
  if (std::string problem = objection(libc, "syscall", -1, sites); !problem.empty()) return problem;
  const std::span all{sites}, own = all.first(of_libc), of_loader = all.subspan(of_libc);
  // The linker's own, by which dlclose() unmaps; it has no name.
  if (std::ranges::find(of_loader, SYS_munmap, &site::number) == of_loader.end())
    return "the dynamic linker looks unfamiliar";
  if (!keep_loaded(reinterpret_cast<void*>(&peal_code_patch_seen)))
    return "libpeal cannot be kept from being unloaded";
  // Each object has a page of stubs: a branch does not reach far.
  if (std::string problem = make_stubs(own); !problem.empty()) return problem;
  if (std::string problem = make_stubs(of_loader); !problem.empty()) return problem;
  peal_code_patch_watcher = seen;
  if (std::string problem = change(sites); !problem.empty()) return problem;
  note_patched(objects);
  return {};
}

}  // namespace peal

#endif
