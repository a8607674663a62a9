#include "memory/preferred_numa.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstddef>

namespace peal {

namespace {

constexpr std::size_t word_bits = sizeof(unsigned long) * CHAR_BIT;
/// As many nodes as Linux knows at most.
using node_mask = std::array<unsigned long, 1024 / word_bits>;

}  // namespace

bool preferred_numa::set(int numa) noexcept {
  node_mask nodes{};
  const auto at = static_cast<std::size_t>(numa);
  int mode = 0;
  if (numa < 0 || at / word_bits >= nodes.size() ||
      ::syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, nullptr, 0UL) != 0 || mode != MPOL_DEFAULT)
    return false;
  nodes[at / word_bits] = 1UL << at % word_bits;
  // The kernel takes one bit less than it is told.
  return ::syscall(SYS_set_mempolicy, MPOL_PREFERRED, nodes.data(), nodes.size() * word_bits + 1) ==
         0;
}

void preferred_numa::reset() noexcept { ::syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0UL); }

}  // namespace peal
