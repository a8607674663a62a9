// memory/unmap_hooks.hpp
// Sees to it that every range that leaves the address space of this process stands in the log
// before it goes: munmap, mmap over something, mremap, madvise, brk, shmdt and shmat, made by the
// program or by the C library (in free(), realloc(), malloc_trim(), dlclose() or at the end of a
// thread).
//
// What is not seen: system calls made by other code than the C library's (the self-test notices an
// allocator that does so), holes and cuts that are made in a file while it is mapped, and what
// passes the hooks by because other code has patched the C library later without its mprotect.
//
// Layer    memory: may include base/.
// Threads  any.
// Errors   told in unmap_hooks::problem.
// Source   munmap(2), mremap(2), madvise(2), shmat(2); the number of a break's system call is the C
//          library's brk(2).
#pragma once

#include <string>

namespace peal {

struct unmap_hooks {
  bool work = false;    // the log is complete from now on
  std::string problem;  // otherwise: why not
};

/// Places the hooks and tries them at the first call, which takes a fraction of a millisecond.
const unmap_hooks& use_unmap_hooks();

}  // namespace peal
