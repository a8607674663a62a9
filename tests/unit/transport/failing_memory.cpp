#include "unit/transport/failing_memory.hpp"

#include <cstdlib>
#include <new>

namespace peal::test {

thread_local bool failing_memory::fails = false;

}  // namespace peal::test

// Those of arrays and those that do not throw call these. Aligned memory has others, which stay.
void* operator new(std::size_t bytes) {
  void* const made = peal::test::failing_memory::fails ? nullptr : std::malloc(bytes);
  if (made == nullptr) throw std::bad_alloc{};
  return made;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
