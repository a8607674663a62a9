// memory/preferred_numa.hpp
// From which NUMA node the kernel takes the memory that the calling thread asks for.
//
// Layer    memory.
// Units    NUMA nodes by the system's numbers.
// Threads  each for itself.
// Errors   none: where the kernel refuses, as some containers make it, or the user has set a policy
//          (numactl), memory comes from where it would have come.
// Source   set_mempolicy(2), get_mempolicy(2).
#pragma once

namespace peal {

/// While it lives, what the calling thread reserves comes from the node if there is room there.
class preferred_numa {
 public:
  static constexpr int nearest = -1;  // to the thread, as always: no system call is made
  explicit preferred_numa(int numa) noexcept : set_{numa != nearest && set(numa)} {}
  ~preferred_numa() {
    if (set_) reset();
  }
  preferred_numa(const preferred_numa&) = delete;
  preferred_numa& operator=(const preferred_numa&) = delete;

 private:
  static bool set(int numa) noexcept;
  static void reset() noexcept;

  bool set_;
};

}  // namespace peal
