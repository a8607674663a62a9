// collective/algorithms/reductions/halving.hpp
// Recursive halving, and the way back. Of the parts that two partners hold each keeps one half and
// joins the other's into it; later they meet again, the last first, and give each other what they
// lack. It begins with neighbours, so that what is joined is always two adjacent groups of ranks in
// order.
//
// Layer    collective.
// Source   Rabenseifner: Optimization of collective reduction operations (2004).
#pragma once

#include <array>

#include "collective/algorithms.hpp"

namespace peal::algorithms {

class halving {
 public:
  /// Parts first, ..., last - 1.
  struct range {
    int first;
    int last;
  };
  /// A halving that is undone.
  struct meeting {
    int bit;      // in which the partners' folded ranks differ
    int partner;  // its rank
    range mine;   // what this rank holds, joined
    range theirs;
  };

  /// Requires: !fold.gives(rank).
  halving(const folding& fold, int rank) noexcept
      : fold_{fold}, me_{fold.folded(rank)}, kept_{0, fold.power} {}

  /// Adds the rounds after which this rank's parts of `sums` are joined over all ranks. `vector` is
  /// what it brings; what comes in lies at the beginning of scratch. Returns where the vector is
  /// now: in `sums`, but where it was when there is a single rank. Parts: a partition, or what has
  /// its `range`.
  template <class Parts>
  slice join(schedule& s, const Parts& parts, slice vector, slice sums) {
    for (int bit = 1; bit < fold_.power; bit *= 2) {
      before_[static_cast<std::size_t>(depth_++)] = kept_;
      const int middle = (kept_.first + kept_.last) / 2;
      const bool upper = me_ & bit;
      const range given = upper ? range{kept_.first, middle} : range{middle, kept_.last};
      kept_ = upper ? range{middle, kept_.last} : range{kept_.first, middle};
      const int partner = fold_.real(me_ ^ bit);
      const slice own = parts.range(vector.buffer, kept_.first, kept_.last, vector.offset);
      const slice incoming{place::scratch, 0, own.bytes};
      const slice into = parts.range(sums.buffer, kept_.first, kept_.last, sums.offset);
      s.send(partner, parts.range(vector.buffer, given.first, given.last, vector.offset));
      s.receive(partner, incoming);
      s.need_scratch(own.bytes);
      if (upper) s.reduce(incoming, own, into);
      else s.reduce(own, incoming, into);
      s.end_round();
      vector = sums;
    }
    return vector;
  }

  /// What this rank holds, joined: after `join` one part, whose number is its folded rank with the
  /// bits in reverse.
  [[nodiscard]] range kept() const noexcept { return kept_; }
  [[nodiscard]] bool all_undone() const noexcept { return depth_ == 0; }
  /// The last halving that is not undone yet. Afterwards this rank counts as holding what both
  /// held.
  meeting undo() noexcept {
    const range whole = before_[static_cast<std::size_t>(--depth_)];
    const range mine = kept_;
    const range theirs =
        mine.first == whole.first ? range{mine.last, whole.last} : range{whole.first, mine.first};
    kept_ = whole;
    const int bit = 1 << depth_;
    return {bit, fold_.real(me_ ^ bit), mine, theirs};
  }

 private:
  folding fold_;
  int me_;
  range kept_;
  std::array<range, 32> before_;  // what was kept before each halving
  int depth_ = 0;
};

}  // namespace peal::algorithms
