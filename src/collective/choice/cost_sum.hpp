// collective/choice/cost_sum.hpp
// Adds up what the rounds of an algorithm take: the way that decides the time, the work of the
// ranks that share cores, and how often the cores must change from rank to rank.
//
// Layer    collective: may include base/.
// Units    nanoseconds, bytes; distances are differences of rank numbers.
// Threads  one.
#pragma once

#include <algorithm>

#include "collective/choice/cost.hpp"
#include "collective/choice/cost_rules.hpp"
#include "collective/problem.hpp"

namespace peal {

class cost_sum {
 public:
  cost_sum(int ranks, const spread& where, const cost_parameters& costs) noexcept
      : ranks_{ranks},
        per_node_{std::clamp(where.ranks_per_node, 1, ranks)},
        cores_{std::clamp(where.cores, 1, per_node_)},
        rules_{costs, per_node_ > cores_} {}

  [[nodiscard]] int per_node() const noexcept { return per_node_; }
  [[nodiscard]] int nodes() const noexcept { return (ranks_ + per_node_ - 1) / per_node_; }

  /// Whether a message of so many bytes that may leave the node waits for its receiver.
  [[nodiscard]] bool announces(double bytes) const noexcept {
    return bytes > cost_rules::eager_limit(nodes() > 1);
  }

  /// A round in which ranks that are so far apart swap messages in pairs: their numbers differ in
  /// one bit.
  void swap(double bytes, int distance) noexcept {
    const bool in_blocks = floor_power(per_node_) == per_node_ && floor_power(ranks_) == ranks_;
    exchange(bytes, nodes() > 1 && (distance >= per_node_ || !in_blocks), 1, per_node_);
  }
  /// One of the rounds in which every rank sends to the one so far above it, at distances that
  /// double. Those below the width of a node reach the next node once, with the longest at worst.
  void shift(double bytes, int distance) noexcept {
    const bool apart = nodes() > 1 && 2 * distance >= per_node_;
    if (ranks_ == 2) fan(bytes, 1, apart, false, 1);
    else exchange(bytes, apart, 1, std::min(distance, per_node_));
  }
  /// Rounds in which ranks of a node send to counterparts on another, so many at once, and receive
  /// as much.
  void swap_between(double bytes, double rounds, int sharers) noexcept {
    way_ += rounds * round(bytes, 1, 1, true, sharers);
    work_ += rounds * sharers * effort(bytes, true);
    turns_ += rounds;
  }
  /// Rounds in which every rank passes something to its neighbour.
  void ring(double bytes, double rounds) noexcept;
  /// One rank after the other passes segments to its neighbour, so many at once.
  void chain(double bytes, double segments, double streams) noexcept;
  /// Rounds in which a rank sends `count` messages one after another, to ranks so far away that
  /// receive one each; `in`: the other way round.
  void fan(double bytes, double count, int distance, bool in, double rounds = 1) noexcept {
    fan(bytes, count, far(distance), in, rounds);
  }
  /// A tree in which each rank serves the children at its farthest distance first, `joins` for a
  /// reduction, which goes the other way.
  void tree(double bytes, int radix, bool joins) noexcept {
    grow(bytes, radix, joins, ranks_, 1, per_node_);
  }
  /// Such a tree of the ranks of each node, or of a rank of each node, `trees` of them at once.
  void tree_inside(double bytes, int radix, bool joins) noexcept {
    grow(bytes, radix, joins, per_node_, 1, per_node_);
  }
  void tree_between(double bytes, int radix, bool joins, int trees) noexcept {
    grow(bytes, radix, joins, nodes(), per_node_, trees);
  }
  /// A round in which a rank has messages for all others, or, `in`, from them.
  void star(double bytes, bool in) noexcept {
    way_ += star_takes(bytes, in);
    work(bytes, (ranks_ - 1.0) / ranks_);
    turns_ += 1;
  }
  /// A round in which each rank has messages for all that are above it.
  void row_of_stars(double bytes) noexcept {
    way_ += std::max(star_takes(bytes, false), star_takes(bytes, true));
    work(bytes, (ranks_ - 1) / 2.0);
    turns_ += 1;
  }
  /// A round in which every rank sends a message to every other one.
  void all_to_all(double bytes) noexcept;
  /// Such a round inside each node, in which so many of its ranks have messages for all others, or,
  /// `in`, from them.
  void share_inside(double bytes, int owners, bool in) noexcept;
  /// As many rounds, one for each of the others; some rank sends to another node in each.
  void pairwise(double bytes) noexcept { exchange(bytes, nodes() > 1, ranks_ - 1, per_node_); }
  /// What `fan` does not count: messages that each rank receives, on average.
  void work(double bytes, double messages = 1) noexcept {
    work_ += per_node_ * messages * effort(bytes, false);
  }

  /// On every rank.
  void join(double bytes, double times = 1) noexcept { join(bytes, times, times); }
  /// So many on the way that decides, another number on a rank on average.
  void join(double bytes, double on_the_way, double on_average) noexcept {
    compute(rules_.local(1, 0, bytes), on_the_way, on_average);
  }
  void copy(double bytes, double times = 1) noexcept { copy(bytes, times, times); }
  void copy(double bytes, double on_the_way, double on_average) noexcept {
    compute(rules_.local(1, bytes, 0), on_the_way, on_average);
  }

  [[nodiscard]] double total() const noexcept;

 private:
  [[nodiscard]] bool far(int distance) const noexcept {
    return distance >= per_node_ && per_node_ < ranks_;
  }
  /// What a function makes of a message: never less for more bytes, though announcing a long one
  /// may be cheaper than copying one that just goes unasked.
  template <class Of>
  [[nodiscard]] double stepped(double bytes, bool far, Of of) const noexcept {
    const double limit = cost_rules::eager_limit(far), found = of(rules_.message(bytes, far));
    return bytes <= limit ? found : std::max(of(rules_.message(limit, far)), found);
  }
  /// Of both cores together.
  [[nodiscard]] double effort(double bytes, bool far) const noexcept {
    return stepped(bytes, far,
                   [](const message_cost& m) { return m.sender + m.receiver + 2 * m.both; });
  }
  /// A round in which a rank sends so many messages and receives so many, `sharers` ranks of its
  /// node beside each other. Either may be 0: those at the other end have one each.
  [[nodiscard]] double round(double bytes, double out, double in, bool far,
                             double sharers) const noexcept;
  [[nodiscard]] double star_takes(double bytes, bool in) const noexcept;
  void exchange(double bytes, bool far, double rounds, double sharers) noexcept;
  void fan(double bytes, double count, bool far, bool in, double rounds) noexcept;
  /// A tree of `members` that are `stride` ranks apart, so many of them on a node.
  void grow(double bytes, int radix, bool joins, int members, int stride, double a_node) noexcept;
  void compute(double each, double on_the_way, double on_average) noexcept {
    way_ += each * on_the_way;
    work_ += per_node_ * each * on_average;
  }

  int ranks_;
  int per_node_;
  int cores_;
  cost_rules rules_;
  double way_ = 0;    // until the last rank has ended, if each had a core
  double work_ = 0;   // of all ranks of a node
  double turns_ = 0;  // rounds that begin when the one before has ended
};

/// A call of which an algorithm adds up the price: of an uncut vector, or of one segment; of
/// allgather of a rank's block.
struct pricing {
  int ranks;
  int radix;
  double bytes;
  int shares;       // of ranks of a node, where each works for its own part of a vector
  double segments;  // of a vector that is priced whole: so many of `bytes` each
  double streams;   // in which they run
  cost_sum& sum;

  [[nodiscard]] double share() const noexcept { return bytes / ranks; }
  [[nodiscard]] bool folds() const noexcept { return floor_power(ranks) != ranks; }
  /// Node by node.
  [[nodiscard]] int width() const noexcept { return sum.per_node(); }
  [[nodiscard]] int nodes() const noexcept { return sum.nodes(); }
  [[nodiscard]] double node_share() const noexcept { return bytes / shares; }
};

}  // namespace peal
