// unit/collective/direct/modelled_ranks.hpp
// Ranks that make the same calls on a modelled machine, and decide by what these take.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "collective/direct/learnt_ways.hpp"

namespace peal::direct::modelled {

using detail::collective;

inline constexpr algorithm a_tree{.kind = collective::bcast, .name = "tree", .by_radix = true},
    a_chain{.kind = collective::bcast, .name = "chain", .segmentable = true},
    by_rule{.kind = collective::bcast, .name = "flat"};
inline constexpr tuned_algorithm tree{&a_tree, 2, {}}, chain{&a_chain, 2, {}},
    rule{&by_rule, 2, {}};
inline constexpr call_shape kibibyte{collective::bcast, 10}, mebibyte{collective::bcast, 20};
/// Those of the usual way are over when they end.
inline constexpr call_shape short_bcast{collective::bcast, 9},
    short_alltoall{collective::alltoall, 9};

/// Usual, by the tree, by the chain; mebibytes go directly besides, which is tried first. Barriers
/// have one way. An allreduce goes directly, usually by parts above 16 KiB, or it does the other
/// thing.
inline ways_of_shape ways_of(const call_shape& of) {
  if (of.kind == collective::barrier) return {};
  if (of.kind == collective::allreduce) {
    const bool shares = of.length > 14;
    return {.usual = {.directly = true, .shares = shares},
            .others = {{.directly = true, .shares = !shares}, {.by = &tree}}};
  }
  if (of.length == 20)
    return {.usual = {.by = &rule}, .others = {{.directly = true}, {.by = &tree}, {.by = &chain}}};
  return {.usual = {.directly = true},
          .others = {{.by = &tree}, {.by = &chain}},
          .usual_is_short = of.length == 9};
}

inline std::vector<tuned_algorithm> neighbors_among_64(const call_shape& of,
                                                       const tuned_algorithm& best) {
  return neighbors_of(best, 64, longest_of(of));
}

/// Ranks that make the same calls. `review_took`, `call_took`: nanoseconds, where reviews are
/// messages.
class ranks {
 public:
  explicit ranks(std::size_t count, std::uint32_t review_took = 0, std::uint32_t call_took = 0)
      : review_took_{review_took}, call_took_{call_took} {
    for (std::size_t each = 0; each != count; ++each) ways_.emplace_back(ways_of);
  }
  /// That try other parameters of the fastest algorithm.
  static ranks with_neighbors(std::size_t count) {
    ranks made{0};
    for (std::size_t each = 0; each != count; ++each)
      made.ways_.emplace_back(ways_of, neighbors_among_64);
    return made;
  }
  /// That go on from what other ranks have learnt.
  ranks(std::size_t count, const ranks& from) : review_took_{0}, call_took_{0} {
    for (std::size_t each = 0; each != count; ++each) {
      ways_.emplace_back(ways_of, neighbors_among_64);
      ways_[each].begin_with(from.ways_[each].known());
    }
  }
  /// One call; `cost(rank, way)`. Returns the way, which is the same on all ranks.
  template <class Cost>
  call_way call(const call_shape& of, Cost&& cost) {
    const bool review_due = calls_ == ways_.front().window();
    call_way taken;
    for (std::size_t rank = 0; rank != ways_.size(); ++rank) {
      const learnt_ways::plan plan = review_due ? ways_[rank].untimed(of) : ways_[rank].next(of);
      if (rank == 0) taken = plan.by;
      EXPECT_EQ(plan.by.directly, taken.directly);
      EXPECT_EQ(plan.by.by, taken.by);
      if (ways_[rank].times(plan))
        ways_[rank].took(plan, cost(rank, plan.by), settled(rank, plan.by));
    }
    if (review_due) review();
    else ++calls_;
    return taken;
  }
  /// Whether the messages of a rank do not try ways themselves.
  std::function<bool(std::size_t, const call_way&)> settled = [](auto...) { return true; };
  [[nodiscard]] call_way best_of(const call_shape& of) const { return ways_.front().best_of(of); }
  [[nodiscard]] const learnt_ways& first() const { return ways_.front(); }
  [[nodiscard]] int reviews() const { return reviews_; }
  /// Of the window that lasts.
  [[nodiscard]] std::uint32_t window() const { return ways_.front().window(); }
  /// A rank that was refused the next call.
  void refuse(std::size_t rank) {
    const bool review_due = calls_ == ways_.front().window();
    for (std::size_t each = 0; each != ways_.size(); ++each)
      if (each != rank && !review_due) (void)ways_[each].next(kibibyte);
    if (review_due) review();
    else ++calls_;
  }

 private:
  void review() {
    std::vector<learnt_summary> said;
    for (std::size_t rank = 0; rank != ways_.size(); ++rank) {
      said.emplace_back(ways_[rank].tell());
      if (review_took_ == 0 || reviews_ == 0) continue;
      said.back().review_took = review_took_ + 1000 * static_cast<std::uint32_t>(rank);
      said.back().window_took = calls_ * call_took_;
    }
    const int changed = ways_.front().hear(joined(said));
    // Each rank joins in another order.
    for (std::size_t rank = 1; rank != ways_.size(); ++rank) {
      std::ranges::shuffle(said, random_);
      EXPECT_EQ(ways_[rank].hear(joined(said)), changed);
    }
    for (const learnt_ways& each : ways_) EXPECT_EQ(each.window(), ways_.front().window());
    calls_ = 0;
    ++reviews_;
  }

  [[nodiscard]] learnt_summary joined(const std::vector<learnt_summary>& said) {
    learnt_summary all;
    for (const learnt_summary& each : said) all.join(each);
    return all;
  }

  std::vector<learnt_ways> ways_;
  std::mt19937 random_;
  std::uint32_t review_took_, call_took_;
  std::uint32_t calls_ = 0;
  int reviews_ = 0;
};

inline double fixed(const call_way& way, double usual, double by_tree, double by_chain,
                    double directly) {
  if (way.directly) return directly;
  if (way.by == nullptr) return usual;
  return way.by->how == &a_tree ? by_tree : by_chain;
}

}  // namespace peal::direct::modelled
