// collective/direct/learnt_ways.hpp
// Which way the blocking collectives of a communicator go: the one that was fastest of late. Calls
// of one shape (what collective, and between which powers of two its length lies) try every way on
// the program's own calls, and go the fastest one then.
//
// All ranks must go the same way in the same call. So nothing changes but at a review, which comes
// after an agreed number of the communicator's calls: there each rank tells what its calls took
// (`tell`), and from what all have told, joined, each computes the same next window (`hear`). A
// window of trials is short; while nothing changes, windows grow. Where a review takes long beside
// the calls of a window, windows are longer.
//
//     learnt_ways::plan p = ways.next(shape);     // a call
//     ... p.by says which way; ways.took(p, nanoseconds_a_byte) where ways.times(p)
//     ways.hear(all ranks' ways.tell(), joined);  // a review, after ways.window() calls
//
// Of the ranks the geometric mean counts: a rank that comes late waits for nobody, so the waiting
// of others weighs less than by a sum.
//
// Layer    collective/direct: may include collective/, base/.
// Units    nanoseconds a byte, as logarithms to the base of 2; windows in calls.
// Threads  one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "collective/choice/tuned_algorithm.hpp"
#include "collective/direct/learnt_summary.hpp"
#include "peal/detail/core.hpp"

namespace peal::direct {

/// What calls must have in common to be compared.
struct call_shape {
  detail::collective kind{};
  std::uint8_t length = 0;  // lengths above 1 << (length - 1), up to 1 << length
  bool commutative = true;  // so that any algorithm serves
  bool in_order = false;    // the bits of the result depend on who joins what first
  friend constexpr bool operator==(const call_shape&, const call_shape&) = default;
};
constexpr std::size_t longest_of(const call_shape& of) noexcept {
  return std::size_t{1} << of.length;
}

/// Of a call among so many ranks. `any_order`: bits may depend on it.
[[nodiscard]] call_shape shape_of(const detail::collective_call&, int size,
                                  bool any_order) noexcept;

/// A way that a call can go. Neither: as it would go if nothing were learnt.
struct call_way {
  bool directly = false;
  bool shares = false;                  // directly, each joins a part for all (long_call.hpp)
  const tuned_algorithm* by = nullptr;  // messages; one of `kept`
};

/// What there is to try for a shape.
struct ways_of_shape {
  call_way usual;  // what that is if nothing is learnt
  std::vector<call_way> others;
  /// Short calls of the usual way are over when they end, while the others leave work for later.
  bool usual_is_short = false;
};

class learnt_ways {
 public:
  /// Of a shape at first; and with those that differ from a fast one in a parameter.
  static constexpr std::size_t first_ways = 6, most_ways = 10;
  static constexpr std::size_t most_shapes = 64;
  /// Each way is measured so often before trials become rare: a first call of a way builds its
  /// schedule, and touches memory that nobody has touched before.
  static constexpr std::uint8_t rounds = 2;
  /// So many calls of a shape are timed in a window. The first of them do not count, up to half:
  /// where the calls before went another way they find their lines in no cache, and where ranks
  /// share cores it takes some calls until their turns fit the way (10 us a call by messages, and
  /// up to 50 in the first five).
  static constexpr std::size_t most_times = 16, most_warming = 4;
  static constexpr std::uint32_t trial_window = 10, least_window = 32, most_window = 256,
                                 idle_window = 1024;
  /// Of calls above 128 KiB: each costs more, and less disturbs it. And of ways that are known to
  /// be slow. The first trial of a way of such a call is a single call, which says what another one
  /// may lose; so are those of ways that are very slow. The second has two where the first was
  /// slow.
  static constexpr std::uint32_t short_trial_window = 4;
  /// Trials of calls above 128 KiB may cost so much of what these take without, and of the first
  /// few of them less, and then one call more: a way may take twenty times as long as another one,
  /// and a program that makes ten calls has nothing of what it learns.
  static constexpr float trials_share = 0.25F, few_calls = 50;
  static constexpr bool is_long(const call_shape& of) noexcept { return of.length >= 18; }
  /// After a window of which most calls were not settled, which does not count, the same way goes
  /// on for one more, and so often at most: less often where it is slow.
  static constexpr std::uint32_t settling_window = 32, long_settling_window = 8;
  static constexpr float most_settling = 32;
  /// A window takes so many times what its review takes, since the slow ways of trials cost more
  /// the longer they are taken; and so many where nothing is tried.
  static constexpr std::uint32_t reviews_a_trial = 8, reviews_a_window = 33;
  /// That is not known before the program's calls have been seen.
  static constexpr std::uint32_t longest_window = 8192;
  /// A shape of which nothing is known goes as the one does that is most like it, up to so many
  /// times twice as long or as short, and tries only what was fast there.
  static constexpr int alike = 4;

  /// Both give the same on every rank. `ways_of`: those of a shape. `neighbors_of`: what else may
  /// be tried once all have been and this one is the fastest.
  using neighbors = std::vector<tuned_algorithm>;
  explicit learnt_ways(
      std::function<ways_of_shape(const call_shape&)> ways_of,
      std::function<neighbors(const call_shape&, const tuned_algorithm&)> neighbors_of = {});

  struct plan {
    call_way by;
    std::uint8_t place = most_told;  // in this window; most_told: not timed
    std::uint32_t window = 0;        // its number
  };
  /// The way of the next call.
  [[nodiscard]] plan next(const call_shape& of) noexcept {
    if (of != last_shape_ || last_.window != number_) [[unlikely]]
      look_up(of);
    return last_;
  }
  /// That of a call with which a review goes along: it is in no window.
  [[nodiscard]] plan untimed(const call_shape& of) noexcept;
  /// Whether the call's time is wanted.
  [[nodiscard]] bool times(const plan& of) const noexcept {
    return of.place != most_told && of.window == number_ && timed_[of.place].not_settled() != 0;
  }
  /// `settled`: another call will take as long. Not so while the messages that it is made of try
  /// ways themselves. Requires: times(of).
  void took(const plan& of, double nanoseconds_a_byte, bool settled = true) noexcept;

  /// What this rank says at the end of a window.
  [[nodiscard]] told_times tell() noexcept;
  /// Begins the next window. `said`: by all ranks. Returns how many shapes have another way than
  /// before for good.
  int hear(const learnt_summary& said) noexcept;
  /// How many calls the window has.
  [[nodiscard]] std::uint32_t window() const noexcept { return window_; }

  /// The best way of a shape, as far as it is known.
  [[nodiscard]] call_way best_of(const call_shape&) const noexcept;

  /// What is known of a shape, the same on every rank.
  struct known_shape {
    call_shape of;
    std::vector<call_way> ways;  // the first is the usual one
    std::array<float, most_ways> cost{};
    std::array<std::uint8_t, most_ways> measured{};  // how often; 0: not yet
    std::uint8_t best = 0;
    std::uint8_t first = 0;  // so many ways there were at first
    call_way usual;          // what that is
    bool prefers_usual = false;
  };
  /// Of every shape.
  [[nodiscard]] std::vector<known_shape> known() const;
  /// The fastest algorithm of messages for calls of a shape.
  struct message_way {
    call_shape of;
    const tuned_algorithm* by;
  };
  /// Of the shapes of which every way of the first ones has been tried, but those whose bits depend
  /// on the way, and those that the usual algorithm of messages serves as well. The same on every
  /// rank.
  void fastest_of_messages(std::vector<message_way>& into) const;
  /// Goes on from what a communicator of the same ranks knew, whose ways are the same. Requires: no
  /// call yet.
  void begin_with(std::span<const known_shape>);
  /// Those whose costs the last review has changed, once each.
  template <class Visitor>
  void visit_news(Visitor&& visit) {
    for (entry& each : entries_)
      if (std::exchange(each.news, false)) visit(static_cast<const known_shape&>(each));
  }

 private:
  static constexpr int most_reach = 5;
  static constexpr float no_loss = std::numeric_limits<float>::max();
  struct entry : known_shape {
    std::uint8_t now = 0;  // in this window
    std::uint8_t turn = 0;
    bool steady = false;        // all ways have been tried
    std::uint16_t refined = 0;  // a bit for each way whose neighbors there are
    std::uint16_t gaps = 0;     // a bit for each way whose cost is one over that of the best way
    std::uint16_t guessed = 0;  // a bit for each way whose cost is that of a shape like it
    float expected = 0;         // of that one, while there are gaps
    bool news = false;
    std::uint8_t settling = 0;  // windows in a row that were not settled
    std::uint8_t reach = 0;     // windows of its trials have 1 << reach calls at least
    float calls = 0;            // up to now, where the program made no others between
    float may_lose = 0;         // in trials, in calls of the best way
    float waits_for = no_loss;  // the next trial may lose so much; no_loss: none waits for that
    // While a review is heard:
    float heard = 0;
    bool was_heard = false;
    bool settled = true;
  };
  struct timed {
    call_shape of;
    std::uint8_t way = 0;
    call_way by;
    std::uint8_t count = 0;
    std::uint16_t settled = 0;  // a bit for each of these that is
    std::array<float, most_times> times{};

    [[nodiscard]] std::uint16_t not_settled() const noexcept {
      return static_cast<std::uint16_t>(~settled);
    }
    /// So many of the first times do not count.
    [[nodiscard]] std::size_t warming() const noexcept {
      return std::min(most_warming, std::size_t{count} / 2);
    }
    /// Most of what counts is.
    [[nodiscard]] bool is_settled() const noexcept {
      return 2 * static_cast<std::size_t>(
                     std::popcount(static_cast<unsigned>(settled) >> warming())) >=
             count - warming();
    }
    [[nodiscard]] float cost() noexcept;
  };
  static_assert(most_times == std::numeric_limits<decltype(timed::settled)>::digits);

  void look_up(const call_shape&) noexcept;
  [[nodiscard]] entry* find(const call_shape&) noexcept;
  [[nodiscard]] entry* find_or_add(const call_shape&, std::uint8_t now) noexcept;
  [[nodiscard]] entry made_for(const call_shape&) const;
  [[nodiscard]] const entry* most_like(const call_shape&) const noexcept;
  [[nodiscard]] static std::uint8_t same_way(const entry& from, std::size_t way,
                                             const entry& in) noexcept;
  [[nodiscard]] std::uint8_t way_of_like(const entry& made) const noexcept;
  void put_off_slow_ways(entry& made) const noexcept;
  static bool learn(entry&) noexcept;
  static bool find_trial(entry&) noexcept;
  bool add_neighbors(entry&);
  bool plan_trial(entry&) noexcept;
  [[nodiscard]] static std::uint32_t calls_of_trial(const entry&, std::size_t way) noexcept;
  static bool next_is_direct(const entry&) noexcept;
  void charge(entry&) const noexcept;
  [[nodiscard]] static std::uint32_t window_of_trial(const entry&) noexcept;
  [[nodiscard]] bool goes_on_with_trial(entry&) const noexcept;
  [[nodiscard]] static float expected_loss(const entry&, std::size_t way) noexcept;
  [[nodiscard]] static bool may_try(const entry&, std::size_t way) noexcept;
  [[nodiscard]] static std::uint32_t calls_until_it_may(const entry&) noexcept;
  static bool may_settle(entry&) noexcept;
  void note_review(const learnt_summary&) noexcept;
  [[nodiscard]] std::uint32_t stretched(std::uint32_t window, std::uint32_t reviews) const noexcept;

  std::function<ways_of_shape(const call_shape&)> ways_of_;
  std::function<neighbors(const call_shape&, const tuned_algorithm&)> neighbors_of_;
  std::vector<entry> entries_;
  std::array<timed, most_told> timed_{};
  std::size_t timed_count_ = 0;
  std::uint32_t number_ = 1;  // of the window
  call_shape last_shape_;
  plan last_;  // of that one
  std::uint32_t window_ = trial_window;
  std::uint32_t steady_window_ = least_window;
  // How many calls take as long as a review; none where that is not known.
  std::uint64_t review_took_ = 0;  // nanoseconds
  double calls_a_review_ = 0;
};

}  // namespace peal::direct
