// transport/shm/bulk/direct_copy.hpp
// Copies between the private memories of two processes of one node, by the kernel, where it allows
// that.
//
// Layer    transport/shm: may include memory/, base/.
// Threads  one.
// Errors   errno values; ESRCH: the process is gone.
// Source   process_vm_readv(2), ptrace(2) "Ptrace access mode checking".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/node_segment.hpp"

namespace peal::shm {

class direct_copy {
 public:
  /// `wanted` false: never.
  direct_copy(const node_segment&, bool wanted);

  /// Whether the process with this local index may be reached. Found out on first use by reading a
  /// number that it wrote down: a process id may mean another process, in another namespace of ids,
  /// and a container may forbid the call.
  [[nodiscard]] bool reaches(int index) noexcept;
  void give_up(int index) noexcept {
    if (answer* const known = of(index)) *known = answer::no;
  }

  [[nodiscard]] int read(int index, std::uint64_t from, void* to, std::size_t bytes) const noexcept;
  [[nodiscard]] int write(int index, std::uint64_t to, const void* from,
                          std::size_t bytes) const noexcept;

 private:
  enum class answer : std::uint8_t { unknown, yes, no };
  /// Null: there is no memory for the answers.
  [[nodiscard]] answer* of(int index) noexcept;

  const node_segment* segment_;
  bool wanted_;
  std::vector<answer> known_;  // by local index; empty before the first question
};

}  // namespace peal::shm
