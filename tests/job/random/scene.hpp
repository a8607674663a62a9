// A scene of random collectives: communicators are made, used, and given back; many calls are under
// way at a time, and ended in another order on each rank.
//
// All ranks draw the same steps from one stream of random numbers. What a step does not say, where
// memory lies and what is waited for when, each rank draws from a stream of its own.
#pragma once

#include "turn.hpp"

namespace random_collectives {

inline constexpr std::size_t most_under_way = 12, most_groups = 7;

// Around what messages, boxes and algorithms change at, more often small than large.
inline std::size_t drawn_bytes(job::random& r) {
  constexpr std::size_t edges[] = {40, 256, 1024, 3072, 4096, 8192, 16'384, 32'768, 65'536};
  const auto sort = r.below(32);
  if (sort < 2) return 0;
  if (sort < 14) return r.below(100);
  if (sort < 22) return r.below(2000);
  if (sort < 27) return edges[r.below(std::size(edges))] + r.below(33) - 16;
  if (sort < 31) return r.below(30'000);
  return r.below(400'000);
}

class scene {
 public:
  scene(const peal::communicator& world, job::random& shared, job::random& own,
        std::span<const kind> kinds, bool trace)
      : shared_{shared}, own_{own}, kinds_{kinds}, trace_{trace} {
    groups_.reserve(most_groups);  // turns keep pointers
    groups_.push_back({world.dup(), shared.next(), {}});
  }

  void run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) {
      if (shared_.one_in(8) && groups_.size() < most_groups) make_group();
      take_step(i);
      while (!under_way_.empty() && (under_way_.size() > most_under_way || own_.one_in(3)))
        finish_one();
    }
    while (!under_way_.empty()) finish_one();
    for (auto& each : groups_)
      if (each.in) compare_barriers(each);
  }

 private:
  // Parts of an earlier one, of which a rank may have none. The numbers are the same for all,
  // whether they take part or not.
  void make_group() {
    const group& from = groups_[shared_.below(groups_.size())];
    const auto sort = shared_.below(4);
    const std::uint64_t noise = shared_.next();
    groups_.push_back({std::nullopt, from.key + noise, {}});
    if (!from.in) return;
    auto& made = groups_.back();
    const auto mine = noise ^ static_cast<std::uint64_t>(from.in->rank()) * 0x9e3779b97f4a7c15U;
    if (sort == 0) made.in = from.in->dup();
    else if (sort == 1) made.in = from.in->split(0, -from.in->rank());
    else {
      const std::uint64_t color = job::random{mine}.below(2 + noise % 2);
      const bool outside = sort == 3 && color == 0;
      made.in = from.in->split(outside ? std::nullopt : std::optional{static_cast<int>(color)},
                               static_cast<int>(mine % 5));
      made.key += color * 0xd1b54a32d192ed03U;
    }
  }

  void take_step(std::size_t number) {
    const auto& what = kinds_[shared_.below(kinds_.size())];
    auto& on = groups_[shared_.below(groups_.size())];
    step drawn;
    drawn.number = number;
    drawn.bytes = drawn_bytes(shared_);
    for (auto* each : {&drawn.key, &drawn.root, &drawn.form, &drawn.type}) *each = shared_.next();
    if (!on.in) return;
    turn mine{drawn, what.name, on, own_};
    if (trace_)
      std::fprintf(stderr, "rank %d: step %zu: %s of %zu bytes, as rank %d of %d, under way: %zu\n",
                   job::my_rank(), number, what.name, drawn.bytes, mine.rank(), mine.size(),
                   under_way_.size());
    if (auto made = what.start(mine)) under_way_.push_back(std::move(made));
  }

  void finish_one() {
    const auto which =
        under_way_.begin() + static_cast<std::ptrdiff_t>(own_.below(under_way_.size()));
    const auto ended = std::move(*which);
    under_way_.erase(which);
    ended->finish();
  }

  // Nobody left before all had come. Within a node the ranks have one clock.
  void compare_barriers(const group& of) {
    for (int rank = 0; rank < of.in->size(); ++rank)
      if (!of.in->same_node(rank)) return;
    for (const auto& each : of.barriers) {
      const auto last_came = of.in->allreduce(each.came, peal::max);
      const auto first_left = of.in->allreduce(each.left, peal::min);
      job::check(last_came <= first_left, "a rank left a barrier before another one came");
    }
  }

  job::random& shared_;
  job::random& own_;
  std::span<const kind> kinds_;
  bool trace_;
  std::vector<group> groups_;
  std::vector<started> under_way_;  // gone before the groups are
};

}  // namespace random_collectives
