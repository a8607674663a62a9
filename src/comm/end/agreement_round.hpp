// comm/end/agreement_round.hpp
// One agreement among the ranks of a communicator that live, as one of them goes through it: what
// it says to whom, and when it knows the result. All that live come to the same result, whoever
// dies meanwhile.
//
// The lowest rank that lives coordinates. Every other one gives it its word; when it has the word
// of all that live it decides, and tells them. When it dies the next one takes over and asks all:
// one that knows a decision answers with that, which then holds; any other one gives its word, and
// from then on takes no decision of a lower coordinator. So where any rank that lives has a
// decision, the new coordinator learns of it before it decides. An agreement takes two messages a
// rank, and as many more for each coordinator that dies.
//
// Layer    comm: may include base/.
// Threads  one at a time.
// Errors   throws std::bad_alloc.
// Source   the coordinator takes over as in the rotating coordinator of Chandra and Toueg,
//          "Unreliable failure detectors for reliable distributed systems", 1996, where a rank that
//          is said to be dead is.
#pragma once

#include <cstdint>
#include <vector>

namespace peal {

/// What a rank gives, or what all have agreed upon.
struct verdict {
  std::uint64_t flags = ~std::uint64_t{0};  // all of a result: the bitwise AND
  std::uint32_t context = 0;  // for a communicator of those who live; the coordinator's
  bool some_make = false;     // such a communicator
  bool all_make = true;
  std::vector<bool> gone;  // by rank, whom a rank takes for dead

  friend bool operator==(const verdict&, const verdict&) = default;
};

class agreement_round {
 public:
  enum class kind : std::uint32_t {
    gives,    // here is my word, coordinator
    asks,     // I coordinate now: give me your word, or the result
    decides,  // this is the result, says a coordinator
    knows     // this is the result, says a rank that was asked
  };
  struct saying {
    kind what = kind::gives;
    int coordinator = 0;  // at whose time it is said
    verdict about;
  };
  struct letter {
    int to;
    saying what;
  };

  /// The word of `rank`, with the ranks that it takes for dead. What is to be sent is appended to
  /// `out`, here and below, to be sent in that order.
  agreement_round(int rank, verdict mine, std::vector<letter>& out);

  void take(int from, const saying&, std::vector<letter>& out);
  /// That rank is dead, and all that it has said was taken.
  void mark_gone(int rank, std::vector<letter>& out);
  [[nodiscard]] bool is_gone(int rank) const noexcept { return mine_.gone[at(rank)]; }

  [[nodiscard]] bool decided() const noexcept { return decided_; }
  /// Requires: decided().
  [[nodiscard]] const verdict& result() const noexcept { return result_; }
  /// Whether this one waits for that rank.
  [[nodiscard]] bool awaits(int rank) const noexcept;

 private:
  static std::size_t at(int rank) noexcept { return static_cast<std::size_t>(rank); }
  void follow(int coordinator, std::vector<letter>& out);
  void go_on(std::vector<letter>& out);
  void decide_if_complete(std::vector<letter>& out);
  void adopt(const verdict&, std::vector<letter>& out);
  void tell_all(kind, const verdict&, std::vector<letter>& out) const;
  [[nodiscard]] int lowest_alive() const noexcept;

  const int rank_;
  const int size_;
  verdict mine_;
  int coordinator_ = -1;     // the last one that has this rank's word
  verdict joint_;            // where this rank coordinates: of all whose word it has
  std::vector<bool> heard_;  // these, by rank
  // Whose word is of no use to this rank, since it has given its own to a higher one, or who asked
  // then. Nobody does where ranks that are said to be dead are; they get the result.
  std::vector<int> askers_;
  bool decided_ = false;
  verdict result_;
};

}  // namespace peal
