// memory/loaded_code.hpp
// The machine code of objects that are loaded: where it lies, room for more beside it, and which of
// it was changed by code_patch.hpp. What both kinds of processors have in common.
//
// Layer    memory: may include base/.
// Units    addresses are half-open ranges.
// Threads  note_patched: once, before other threads ask; the others: any.
// Errors   nothing found is an empty range, or null.
// Source   dl_iterate_phdr(3), dladdr1(3), mmap(2) (MAP_FIXED_NOREPLACE).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace peal {

struct object_code {  // executable bytes of a loaded object
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] bool holds(std::uintptr_t at) const noexcept { return begin <= at && at < end; }
};

/// The executable part of the object that holds an address.
object_code code_around(const void* address);

/// The bytes of a function of a loaded object; empty: it has none of that name.
object_code code_of_function(void* object, const char* name);

/// A page, writable, at most `reach` from everything between `low` and `high`. Below the libraries
/// a program may have mapped a segment of many GiB, and above them there may be nothing but the
/// stack, so both are tried.
std::uint8_t* page_near(std::uintptr_t low, std::uintptr_t high, std::uintptr_t reach);

/// The object that holds `here` stays loaded, even after a dlclose. The program itself is never
/// unloaded. False: it cannot be kept.
bool keep_loaded(void* here);

/// "what: why"; `error` as the kernel returns it, below zero.
std::string because(const char* what, long error);

inline constexpr std::size_t most_patched = 2;
/// The code of these objects, most_patched at most, has been changed.
void note_patched(std::span<const object_code>) noexcept;

}  // namespace peal
