#include "collective/direct/learnt_ways.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <utility>

namespace peal::direct {

namespace {

// As logarithms to the base of 2.
constexpr float a_little = 0.07F;  // 1.05 times
constexpr float slower = 0.4F;     // 1.3 times

/// Times the median, not as a logarithm.
constexpr float disturbed = 8;

/// The mean of the times but those after which the rank must have been without a core: calls may
/// take long by turns, for instance when a root is as far ahead as it may be. Reorders them.
float usual_of(std::span<float> times) noexcept {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  float sum = 0;
  int count = 0;
  for (const float each : times)
    if (each <= disturbed * *middle) sum += each, ++count;
  return sum / static_cast<float>(count);
}

/// Whether no rank's call is over before all ranks have begun theirs.
constexpr bool waits_for_all(detail::collective kind) noexcept {
  using detail::collective;
  return kind == collective::allreduce || kind == collective::allgather ||
         kind == collective::alltoall || kind == collective::reduce_scatter;
}

constexpr std::uint16_t to_code(const call_shape& of) noexcept {
  return static_cast<std::uint16_t>(0x8000U | static_cast<unsigned>(of.kind) << 8 |
                                    unsigned{of.commutative} << 7 | unsigned{of.in_order} << 6 |
                                    of.length);
}

constexpr call_shape to_shape(std::uint16_t code) noexcept {
  return {static_cast<detail::collective>(code >> 8 & 0x7f), static_cast<std::uint8_t>(code & 0x3f),
          (code >> 7 & 1) != 0, (code >> 6 & 1) != 0};
}

/// Whether the bits of the result depend on the order in which vectors are joined. With two ranks
/// there is one order.
bool depends_on_order(const detail::collective_call& call, int size) noexcept {
  using detail::builtin;
  using detail::scalar;
  if (!detail::is_reduction(call.kind) || size == 2) return false;
  if (call.op.kind == builtin::none) return true;
  if (call.type != scalar::f32 && call.type != scalar::f64 && call.type != scalar::f80)
    return false;
  return call.op.kind == builtin::sum || call.op.kind == builtin::prod;
}

}  // namespace

call_shape shape_of(const detail::collective_call& call, int size, bool any_order) noexcept {
  const bool commutative = !detail::is_reduction(call.kind) ||
                           call.op.kind != detail::builtin::none || call.op.commutative;
  return {call.kind, static_cast<std::uint8_t>(std::bit_width(call.bytes - 1)), commutative,
          !any_order && depends_on_order(call, size)};
}

learnt_ways::learnt_ways(
    std::function<ways_of_shape(const call_shape&)> ways_of,
    std::function<neighbors(const call_shape&, const tuned_algorithm&)> neighbors_of)
    : ways_of_{std::move(ways_of)}, neighbors_of_{std::move(neighbors_of)} {}

learnt_ways::entry* learnt_ways::find(const call_shape& of) noexcept {
  const auto found = std::ranges::find(entries_, of, &entry::of);
  return found == entries_.end() ? nullptr : &*found;
}

/// Null: there are too many, or there is no memory for one more. `now`: the way that its calls have
/// gone up to now.
learnt_ways::entry* learnt_ways::find_or_add(const call_shape& of, std::uint8_t now) noexcept {
  if (entry* const known = find(of)) return known;
  if (entries_.size() == most_shapes) return nullptr;
  entry& made = entries_.emplace_back(made_for(of));
  made.now = made.best = now;
  put_off_slow_ways(made);
  return &made;
}

/// With the first ways; nothing is known of them.
learnt_ways::entry learnt_ways::made_for(const call_shape& of) const {
  entry made;
  made.of = of;
  made.ways.emplace_back();
  const ways_of_shape all = ways_of_(of);
  made.usual = all.usual;
  made.prefers_usual = all.usual_is_short && !waits_for_all(of.kind);
  for (const call_way& each : all.others)
    if (made.ways.size() != first_ways) made.ways.push_back(each);
  made.first = static_cast<std::uint8_t>(made.ways.size());
  return made;
}

/// Of the shapes of which every way has been tried; null: none is like it.
const learnt_ways::entry* learnt_ways::most_like(const call_shape& of) const noexcept {
  const entry* like = nullptr;
  const auto distance = [&](const entry& to) { return std::abs(int{to.of.length} - of.length); };
  for (const entry& each : entries_) {
    call_shape same = each.of;
    same.length = of.length;
    if (same != of || distance(each) > alike ||
        std::ranges::count(std::span{each.measured}.first(each.first), 0) != 0)
      continue;
    if (like == nullptr || distance(each) < distance(*like)) like = &each;
  }
  return like;
}

/// The same way of two shapes: directly, by parts or not, or by that algorithm. 0 also where there
/// is none.
std::uint8_t learnt_ways::same_way(const entry& from, std::size_t way, const entry& in) noexcept {
  const auto what = [](const entry& of, std::size_t at) {
    const call_way& found = at == 0 ? of.usual : of.ways[at];
    return std::tuple{found.directly, found.shares, found.by == nullptr ? nullptr : found.by->how};
  };
  for (std::size_t each = 0; each != in.ways.size(); ++each)
    if (what(in, each) == what(from, way)) return static_cast<std::uint8_t>(each);
  return 0;
}

/// The usual one, unless another one has turned out to be better for the shape most like it. So a
/// program that calls something long only a few times goes no way that was slow for what was
/// shorter.
std::uint8_t learnt_ways::way_of_like(const entry& made) const noexcept {
  const entry* const like = most_like(made.of);
  return like == nullptr || like->best == 0 ? std::uint8_t{0} : same_way(*like, like->best, made);
}

/// Nor does it try them at once. Of something shorter a byte takes longer, and nobody knows how
/// much.
void learnt_ways::put_off_slow_ways(entry& made) const noexcept {
  const entry* const like = most_like(made.of);
  if (like == nullptr || like->of.length > made.of.length) return;
  made.expected = like->cost[like->best];
  for (std::size_t way = 0; way != made.ways.size(); ++way) {
    const std::size_t known = same_way(made, way, *like);
    const float gap = like->cost[known] - like->cost[like->best];
    if (way == made.best || gap < slower || like->measured[known] == 0 ||
        same_way(*like, known, made) != way)
      continue;
    made.cost[way] = gap;
    made.measured[way] = rounds;
    made.gaps |= static_cast<std::uint16_t>(1U << way);
    made.guessed |= made.gaps;
  }
}

void learnt_ways::look_up(const call_shape& of) noexcept {
  std::size_t place = 0;
  while (place != timed_count_ && timed_[place].of != of) ++place;
  last_shape_ = of;
  if (place != timed_count_) {
    last_ = {timed_[place].by, static_cast<std::uint8_t>(place), number_};
    return;
  }
  std::uint8_t way = 0;
  call_way by;
  if (const entry* const known = find(of)) {
    way = known->now;
    by = known->ways[way];
  } else if (!entries_.empty()) {
    const entry made = made_for(of);
    way = way_of_like(made);
    by = made.ways[way];
  }
  last_ = {by, static_cast<std::uint8_t>(place), number_};
  if (place != most_told) timed_[timed_count_++] = {.of = of, .way = way, .by = by};
}

void learnt_ways::took(const plan& of, double nanoseconds_a_byte, bool settled) noexcept {
  timed& mine = timed_[of.place];
  std::size_t at = mine.count;
  if (at != most_times) ++mine.count;
  else if (settled) at = static_cast<std::size_t>(std::bit_width(mine.not_settled())) - 1;
  else return;
  mine.times[at] = static_cast<float>(nanoseconds_a_byte);
  if (settled) mine.settled = static_cast<std::uint16_t>(mine.settled | 1U << at);
}

/// Of a window. Those that are settled count, or all where these are few.
float learnt_ways::timed::cost() noexcept {
  const bool only_settled = is_settled();
  std::size_t counted = 0;
  for (std::size_t each = warming(); each != count; ++each)
    if (!only_settled || (settled >> each & 1) != 0) times[counted++] = times[each];
  return usual_of({times.data(), counted});
}

told_times learnt_ways::tell() noexcept {
  told_times said{};
  for (std::size_t place = 0; place != timed_count_; ++place) {
    timed& each = timed_[place];
    if (each.count == 0) continue;
    const bool settled = each.is_settled();
    said[place] = {to_code(each.of), each.way, settled, std::log2(std::max(each.cost(), 1e-6F))};
  }
  timed_count_ = 0;
  ++number_;
  return said;
}

/// Takes in what the ranks have told. True: another way is the best now.
bool learnt_ways::learn(entry& of) noexcept {
  const float cost = of.heard;
  float& known = of.cost[of.now];
  const auto bit = static_cast<std::uint16_t>(1U << of.now);
  const bool was_guessed = (of.guessed & bit) != 0;
  of.guessed = static_cast<std::uint16_t>(of.guessed & ~bit);
  // Its first calls take longer, and there may be more of those to come.
  const bool still_becomes_faster =
      is_long(of.of) && of.measured[of.now] == 1 && of.now != of.best && cost < known - slower;
  // What disturbs makes calls longer, and never shorter: of the first windows the shortest counts.
  if (of.measured[of.now] == 0 || was_guessed || (of.measured[of.now] < rounds && cost < known))
    known = cost;
  else known += (cost < known ? 0.75F : 0.5F) * (cost - known);
  if (of.measured[of.now] != rounds && !still_becomes_faster) ++of.measured[of.now];
  // The first window goes the best way. Where it takes longer than it should, a byte, others may
  // not.
  for (std::size_t each = 0; of.gaps != 0 && each != of.ways.size(); ++each) {
    if ((of.gaps >> each & 1) == 0) continue;
    of.cost[each] += known;
    if (known > of.expected + slower) of.measured[each] = 0;
  }
  of.gaps = 0;
  const std::uint8_t before = of.best;
  // Of collectives in which some ranks need not wait, what a message leaves to be done behind the
  // call is not in the call's time: where ranks share cores a small bcast by a tree looked 0.9
  // times as long as the direct one, and took 1.25 times as long together with a barrier.
  const auto weighed = [&](std::size_t way) {
    return of.cost[way] + (of.prefers_usual && way != 0 ? slower : 0);
  };
  for (std::size_t each = 0; each != of.ways.size(); ++each)
    if (of.measured[each] != 0 && weighed(each) < weighed(of.best) - a_little)
      of.best = static_cast<std::uint8_t>(each);
  return of.best != before;
}

/// What a review takes beside the calls of a window.
void learnt_ways::note_review(const learnt_summary& said) noexcept {
  if (said.review_took == learnt_summary::not_known || said.window_took == 0) return;
  // What disturbs makes it longer, and never shorter.
  if (review_took_ == 0 || said.review_took < review_took_) review_took_ = said.review_took;
  else review_took_ += (said.review_took - review_took_) / 4;
  calls_a_review_ = static_cast<double>(review_took_) * window_ / said.window_took;
}

std::uint32_t learnt_ways::stretched(std::uint32_t window, std::uint32_t reviews) const noexcept {
  const double least = std::min(calls_a_review_ * reviews, double{longest_window});
  return std::max(window, static_cast<std::uint32_t>(least));
}

int learnt_ways::hear(const learnt_summary& said) noexcept {
  note_review(said);
  for (const learnt_summary::entry& each : said.of_ways) {
    if (each.code == 0) break;
    entry* const of = find_or_add(to_shape(each.shape()), static_cast<std::uint8_t>(each.way()));
    if (of == nullptr || each.way() != of->now) continue;
    of->heard = waits_for_all(of->of.kind) ? each.mean_cost() : each.most_cost();
    of->was_heard = true;
    of->settled = each.unsettled == 0;
  }
  int changed = 0;
  bool active = false;
  std::uint32_t trial = 0;  // calls
  for (entry& each : entries_) {
    if (!std::exchange(each.was_heard, false) || each.ways.size() == 1) {
      if (goes_on_with_trial(each)) trial = std::max(trial, 2 * window_);
      else each.now = each.best;
      continue;
    }
    active = true;
    charge(each);
    if (may_settle(each)) {
      if (each.now != each.best || !each.steady)
        trial = std::max(trial, is_long(each.of) ? long_settling_window : settling_window);
    } else {
      each.news = true;
      each.settling = 0;
      changed += learn(each) ? 1 : 0;
      if (plan_trial(each)) trial = std::max(trial, window_of_trial(each));
      else if (!each.steady && each.waits_for != no_loss)
        trial = std::max(trial, calls_until_it_may(each));
    }
  }
  if (changed != 0) steady_window_ = least_window;
  if (trial != 0) {
    window_ = stretched(trial, reviews_a_trial);
  } else {
    window_ = stretched(steady_window_, reviews_a_window);
    steady_window_ = std::min(2 * steady_window_, active ? most_window : idle_window);
  }
  return changed;
}

std::vector<learnt_ways::known_shape> learnt_ways::known() const {
  return {entries_.begin(), entries_.end()};
}

void learnt_ways::begin_with(std::span<const known_shape> known) {
  for (const known_shape& each : known) {
    entry& made = entries_.emplace_back();
    static_cast<known_shape&>(made) = each;
    made.now = each.best;
    made.news = true;
  }
}

void learnt_ways::fastest_of_messages(std::vector<message_way>& into) const {
  into.clear();
  for (const entry& each : entries_) {
    if (each.of.in_order || std::ranges::count(std::span{each.measured}.first(each.first), 0))
      continue;
    const tuned_algorithm* by = nullptr;
    float least =
        each.usual.by == nullptr ? std::numeric_limits<float>::max() : each.cost[0] - a_little;
    for (std::size_t way = 1; way != each.ways.size(); ++way)
      if (each.ways[way].by != nullptr && each.measured[way] != 0 && each.cost[way] < least) {
        by = each.ways[way].by;
        least = each.cost[way];
      }
    if (by != nullptr) into.push_back({each.of, by});
  }
}

learnt_ways::plan learnt_ways::untimed(const call_shape& of) noexcept {
  if (const entry* const known = find(of)) return {.by = known->ways[known->best]};
  plan made = next(of);
  made.place = most_told;
  return made;
}

call_way learnt_ways::best_of(const call_shape& of) const noexcept {
  const auto found = std::ranges::find(entries_, of, &entry::of);
  return found == entries_.end() ? call_way{} : found->ways[found->best];
}

}  // namespace peal::direct
