// collective/choice/choice.hpp
// Which algorithm serves a call: a table of rules, first match first, unless a PEAL_ variable names
// one. Where the costs of the machine were measured (tuning.hpp) another one takes the place of the
// rule's if that one's price (cost.hpp) is much higher.
//
// What the choice looks at must be the same on every rank, or ranks would run different algorithms:
// the collective, the number of ranks, how they lie on nodes, the cost parameters, the bytes where
// blocks are equal or all ranks know all lengths, whether the operation commutes. Not addresses,
// nor whether this rank works in place.
//
// Layer    collective: may include base/.
// Units    bytes: of a rank's block; of bcast and of reductions the whole vector.
// Threads  immutable once built.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "collective/algorithms.hpp"
#include "collective/choice/cost.hpp"
#include "collective/choice/cost_parameters.hpp"
#include "collective/problem.hpp"

namespace peal {

enum class reason {
  rule,
  forced,  // by a variable
  price    // the rule's is more than `decisive` times as dear
};
std::string_view to_text(reason) noexcept;

/// Prices are off by as much as this: doc/internals/collectives.md, "The choice". A rule rests on
/// more, so it stands where its price is less than that many times the lowest.
inline constexpr double decisive = 1.5;
/// What it costs when so many ranks send to one at once is in no formula, so in larger teams prices
/// do not bring this about.
inline constexpr int most_ranks_at_once = 16;

struct chosen {
  const algorithm* how = nullptr;
  int radix = 2;
  segmentation cut;
  reason why = reason::rule;
};

/// An algorithm that serves a call, as it would be run.
struct candidate {
  chosen as;
  // Nanoseconds; nothing: it has none, or the call has no length that all ranks know.
  std::optional<double> price;
  bool taken = false;
};

/// Of the collective, as in PEAL_ALLREDUCE: lower case.
[[nodiscard]] const char* name_of(detail::collective) noexcept;
/// PEAL_BARRIER, PEAL_BCAST, ...
std::string variable_of(detail::collective);

/// How a long vector is cut for this algorithm where a rule cuts it; uncut where none does.
segmentation usual_cut(const algorithm&) noexcept;

class choice {
 public:
  /// Rules only.
  choice() = default;
  /// Forces what is named there. `measured`: what prices are made of; nothing: of what is built in,
  /// and they decide nothing.
  explicit choice(const algorithm_settings&, const std::optional<cost_parameters>& measured = {});

  /// Whether a variable names one for this collective.
  [[nodiscard]] bool forces(detail::collective kind) const noexcept {
    return forced_[static_cast<std::size_t>(kind)] != nullptr;
  }
  /// Or says that it is to go past messages where it can.
  [[nodiscard]] bool leaves_open(detail::collective kind) const noexcept {
    return (named_ >> static_cast<unsigned>(kind) & 1) == 0;
  }
  /// Never without an algorithm. One that was forced but cannot serve the call gives way to the
  /// others.
  [[nodiscard]] chosen of(detail::collective, const problem&, const spread& = {}) const noexcept;
  /// Whether prices may decide: all links that such a team has were measured.
  [[nodiscard]] bool prices_count(const problem&, const spread&) const noexcept;
  /// All that serve the call, the cheapest first, those without a price last.
  [[nodiscard]] std::vector<candidate> candidates(detail::collective, const problem&,
                                                  const spread& = {}) const;

 private:
  [[nodiscard]] std::optional<double> price_of(const chosen&, const problem&,
                                               const spread&) const noexcept;

  std::array<const algorithm*, detail::collectives_in_all> forced_{};  // by collective; null: none
  std::uint32_t named_ = 0;  // a bit for each collective of which a variable says something
  cost_parameters costs_;
  bool inside_ = false;   // what messages cost inside a node was measured
  bool between_ = false;  // and between nodes
};

}  // namespace peal
