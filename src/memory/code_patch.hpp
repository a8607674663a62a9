// memory/code_patch.hpp
// Shows certain system calls of the C library to a function of ours, right before they are made.
//
// What follows is said of x86-64; aarch64 has it simpler (aarch64/code_patch.cpp).
//
// In the code of libc.so.6 and of the dynamic linker every `mov $number,%eax; syscall` is found,
// and its first instruction, five bytes, replaced by a jump to a stub, which saves all registers,
// calls the watcher, does what was replaced and jumps back. So the C library still makes its system
// call itself, and errno, its break and its bookkeeping are as ever. Its function syscall() is
// watched too.
//
// Other threads may run meanwhile: of an instruction that is replaced its first two bytes become a
// jump to themselves, all cores are told (membarrier), the other bytes are written, all cores are
// told, and the jump becomes the one to the stub. So no thread runs half an instruction; a thread
// that comes to one that is being replaced waits for microseconds. Signals of the patching thread
// are blocked, and fork() of other threads waits. Nothing is changed when anything is not as
// expected, for example because another library has patched the same functions. There is no way
// back: the library stays loaded.
//
// Layer    memory: may include base/.
// Threads  watch: one at a time, once in a process.
// Errors   watch says what keeps it from doing so.
// Source   HotSpot replaces jumps in the same way (nativeInst_x86.cpp, NativeJump); membarrier(2);
//          System V ABI for AMD64, A.2.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace peal {

/// A system call that is about to be made.
struct system_call {
  std::int64_t number;
  std::uint64_t arguments[6];
};

/// Runs in the middle of anything: may only write to atomics, makes no call of the C library, and
/// touches no vector register.
using system_call_watcher = void (*)(const system_call*) noexcept;

/// A system call to be watched, and the function of libc.so.6 that makes it.
struct watched_call {
  int number;
  const char* function;
  bool required;  // the watch fails without it; otherwise it may be missing
};

/// Empty: from now on `seen` is called. Otherwise what is in the way.
std::string watch_system_calls(std::span<const watched_call>, system_call_watcher seen);

/// Whether the range holds code that was changed: code that makes it writable is about to change it
/// as well. Safe in a watcher.
bool holds_patched_code(std::uintptr_t begin, std::uintptr_t end) noexcept;

}  // namespace peal
