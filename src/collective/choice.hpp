// collective/choice.hpp
// Which algorithm serves a call: a table of rules, first match first, unless a PEAL_ variable names one.
//
// What the choice looks at must be the same on every rank, or ranks would run different algorithms: the collective, the number of ranks,
// the bytes where blocks are equal or all ranks know all lengths, whether the operation commutes. Not addresses, nor whether this rank
// works in place.
//
// Layer    collective: may include base/.
// Units    bytes: of a rank's block; of bcast and of reductions the whole vector.
// Threads  immutable once built.
#pragma once

#include <array>
#include <cstddef>

#include "base/config.hpp"
#include "collective/algorithms.hpp"
#include "collective/problem.hpp"

namespace peal {

struct chosen {
  const algorithm* how = nullptr;
  int radix = 2;
  segmentation cut;
};

/// How a long vector is cut for this algorithm where a rule cuts it; uncut where none does.
segmentation usual_cut(const algorithm&) noexcept;

class choice {
 public:
  /// Only rules.
  choice() = default;
  /// Reads PEAL_BARRIER, PEAL_BCAST, ...
  explicit choice(const config&);

  /// Never without an algorithm. One that was forced but cannot serve the call gives way to the rules.
  [[nodiscard]] chosen of(detail::collective, const problem&) const noexcept;

 private:
  std::array<const algorithm*, detail::collectives_in_all> forced_{};  // by collective; null: the rules decide
};

}  // namespace peal
