// collective/cost_sum.hpp
// Adds up what the rounds of an algorithm take: the way that decides the time, the work of the
// ranks that share cores, and how often the cores must change from rank to rank.
//
// Layer    collective: may include base/.
// Units    nanoseconds, bytes; distances are differences of rank numbers.
// Threads  one.
#pragma once

#include <algorithm>

#include "collective/cost.hpp"
#include "collective/cost_parameters.hpp"

namespace peal {

class cost_sum {
 public:
  cost_sum(int ranks, const spread& where, const cost_parameters& costs) noexcept
      : costs_{costs},
        ranks_{ranks},
        per_node_{std::clamp(where.ranks_per_node, 1, ranks)},
        cores_{std::clamp(where.cores, 1, per_node_)},
        crowded_{per_node_ > cores_} {}

  [[nodiscard]] int per_node() const noexcept { return per_node_; }
  [[nodiscard]] int nodes() const noexcept { return (ranks_ + per_node_ - 1) / per_node_; }
  [[nodiscard]] bool far(int distance) const noexcept {
    return distance >= per_node_ && per_node_ < ranks_;
  }

  /// So many rounds in which every rank sends a message to one rank and receives one. `sharers`:
  /// ranks of a node that send to other nodes at once; 0: all.
  void exchange(double bytes, int distance, double rounds = 1, int sharers = 0) noexcept;
  /// Rounds in which every rank passes something to its neighbour.
  void ring(double bytes, double rounds) noexcept {
    exchange(bytes, nodes() > 1 ? per_node_ : 1, rounds, 1);
  }
  /// Rounds in which a rank sends `count` messages one after another, to ranks so far away that
  /// receive one each, or the other way round.
  void fan(double bytes, double count, int distance, double rounds = 1) noexcept;
  /// A tree in which each rank serves the children at its farthest distance first, `joins` for a
  /// reduction, which goes the other way.
  void tree(double bytes, int radix, bool joins) noexcept {
    grow(bytes, radix, joins, ranks_, 1, 1);
  }
  /// Such a tree of the ranks of each node, or of a rank of each node, `trees` of them at once.
  void tree_inside(double bytes, int radix, bool joins) noexcept {
    grow(bytes, radix, joins, per_node_, 1, 1);
  }
  void tree_between(double bytes, int radix, bool joins, int trees) noexcept {
    grow(bytes, radix, joins, nodes(), per_node_, trees);
  }
  /// A round in which a rank has messages from all others, or for all others.
  void star(double bytes) noexcept;
  /// A round in which everyone sends a message to everyone.
  void all_to_all(double bytes) noexcept { send_all(bytes, ranks_ - per_node_); }
  /// To everyone of its node.
  void all_to_all_inside(double bytes) noexcept { send_all(bytes, 0); }
  /// As many rounds, one for each of the others.
  void pairwise(double bytes) noexcept;
  /// What `fan`, `star` and `tree` do not count: messages that each rank receives in them, on
  /// average.
  void work(double bytes, double messages = 1) noexcept {
    work_ += per_node_ * messages * effort(bytes, false);
  }

  /// On every rank.
  void join(double bytes, double times = 1) noexcept {
    compute(bytes / costs_.reduce_rate + costs_.step_ns, times, times);
  }
  void copy(double bytes, double times = 1) noexcept {
    compute(bytes / costs_.local_copy_rate + costs_.step_ns, times, times);
  }
  /// So many on the way that decides, another number on a rank on average.
  void join(double bytes, double on_the_way, double on_average) noexcept {
    compute(bytes / costs_.reduce_rate + costs_.step_ns, on_the_way, on_average);
  }

  [[nodiscard]] double total() const noexcept;

 private:
  /// A tree of `members` that are `stride` ranks apart, on whose nodes so many ranks send at once.
  void grow(double bytes, int radix, bool joins, int members, int stride, double sharers) noexcept;
  /// To all others of the node, and to `apart` ranks of other ones.
  void send_all(double bytes, double apart) noexcept;
  /// What a message takes that is copied up to `limit`, and announced beyond: never less for more
  /// bytes.
  template <class Eager, class Large>
  static double stepped(double bytes, double limit, Eager eager, Large large) noexcept {
    return bytes <= limit ? eager(bytes) : std::max(eager(limit), large(bytes));
  }
  /// Of both cores together, and the bytes.
  [[nodiscard]] double effort(double bytes, bool far) const noexcept;
  /// From the moment when the sender has posted it until the receiver has it, besides the bytes.
  [[nodiscard]] double delay(bool far) const noexcept {
    return far ? costs_.remote_flight_ns : costs_.local_flight_ns;
  }
  /// The bytes of `out` messages that a rank sends and `in` that it receives in a round, and what
  /// announcing takes. Either may be 0: those at the other end have one each.
  [[nodiscard]] double bytes_take(double bytes, double out, double in, bool far,
                                  double sharers) const noexcept;
  [[nodiscard]] double posting(bool far) const noexcept {
    return far ? costs_.remote_send_ns + costs_.remote_doorbell_ns : costs_.local_send_ns;
  }
  [[nodiscard]] double taking(bool far) const noexcept {
    return far ? costs_.remote_receive_ns : costs_.local_receive_ns;
  }
  void compute(double each, double on_the_way, double on_average) noexcept {
    way_ += each * on_the_way;
    work_ += per_node_ * each * on_average;
  }

  const cost_parameters& costs_;
  int ranks_;
  int per_node_;
  int cores_;
  bool crowded_;
  double way_ = 0;    // until the last rank has ended, if each had a core
  double work_ = 0;   // of all ranks of a node
  double turns_ = 0;  // rounds that begin when the one before has ended
};

}  // namespace peal
