// The allocator of the C library with a count of what is in use: these functions stand before its
// own ones, for libpeal too.
//
// Source   glibc manual, "Replacing malloc".
#include "blocks.hpp"

#include <atomic>
#include <cerrno>

extern "C" {
void* __libc_malloc(std::size_t);
void __libc_free(void*);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

std::atomic<std::size_t> count{0};  // relaxed: it is read when nobody else allocates

void* counted(void* block) noexcept {
  if (block) count.fetch_add(1, std::memory_order_relaxed);
  return block;
}

}  // namespace

std::size_t soak::blocks_in_use() noexcept { return count.load(std::memory_order_relaxed); }

extern "C" {

void* malloc(std::size_t bytes) noexcept { return counted(__libc_malloc(bytes)); }
void* calloc(std::size_t number, std::size_t bytes) noexcept {
  return counted(__libc_calloc(number, bytes));
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return counted(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return counted(__libc_memalign(alignment, bytes));
}

int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
  void* const made = counted(__libc_memalign(alignment, bytes));
  if (!made) return ENOMEM;
  *block = made;
  return 0;
}

void* realloc(void* block, std::size_t bytes) noexcept {
  void* const made = __libc_realloc(block, bytes);
  if (!block) return counted(made);
  if (!made && bytes == 0) count.fetch_sub(1, std::memory_order_relaxed);  // freed
  return made;
}

void free(void* block) noexcept {
  if (block) count.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(block);
}
}
