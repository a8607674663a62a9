#include "unit/transport/failing_memory.hpp"

#include <cstdlib>
#include <new>

namespace peal::test {

thread_local bool failing_memory::fails = false;

}  // namespace peal::test

// All forms but those of aligned memory, which stay: beside a sanitizer those that are missing
// would be its own, and it wants memory back by the form that gave it.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return peal::test::failing_memory::fails ? nullptr : std::malloc(bytes);
}
void* operator new(std::size_t bytes) {
  void* const made = operator new(bytes, std::nothrow);
  if (made == nullptr) throw std::bad_alloc{};
  return made;
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return operator new(bytes, std::nothrow);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
