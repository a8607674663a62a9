// Makes operator new fail, in a program with failing_memory.cpp.
#pragma once

namespace peal::test {

/// While it lives, operator new throws std::bad_alloc in this thread.
class failing_memory {
 public:
  failing_memory() noexcept { fails = true; }
  ~failing_memory() { fails = false; }
  failing_memory(const failing_memory&) = delete;
  failing_memory& operator=(const failing_memory&) = delete;

  static thread_local bool fails;
};

}  // namespace peal::test
