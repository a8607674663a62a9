#include "transport/verbs/endpoint/pair_choice.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace peal::verbs {

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
/// Takes 0.3 ms on a link of 100 Gbit/s: long against a message, short against what a trial of a
/// number that is too small may cost.
constexpr std::uint64_t window = 4 * mib;
/// Beyond what is under way when the number changes.
constexpr std::uint64_t to_settle = mib / 2;
/// Between trials of numbers that were tried before: then a trial, of 30 MiB, costs little even
/// where it is slow.
constexpr std::uint64_t longest_period = 8192 * mib;
constexpr std::uint64_t soon = 2 * mib;

constexpr double gain = 0.9;      // more queue pairs take state in the adapter's cache
constexpr double as_fast = 1.03;  // what is saved with fewer
constexpr double within_noise = 1.1;
constexpr double far_slower = 1.5;
/// A peer that has not made its queue pairs by then will not.
constexpr std::uint8_t most_spoilt = 16;

}  // namespace

void pair_choice::look(std::uint64_t now, std::uint64_t under_way) noexcept {
  if (stage_ == stage::in_use) {
    begin_trial(under_way);
  } else if (stage_ == stage::settling) {
    stage_ = stage::measuring;
    goal_ = window;
  } else {
    const double took = static_cast<double>(spent_ + (under_way > 0 ? now - since_ : 0)) /
                        static_cast<double>(bytes_);
    auto& of = taken_ % 2 == 0 ? with_best_ : with_candidate_;
    of[taken_++ / 2] = took;
    spoilt_ = 0;
    if (taken_ == 2 && with_candidate_[0] > far_slower * with_best_[0]) end_trial(false);
    else if (taken_ == 2 * rounds) end_trial(is_better());
    else settle(taken_ % 2 == 0 ? best_ : candidate_, under_way);
  }
  bytes_ = 0;
  spent_ = 0;
  since_ = now;
}

bool pair_choice::is_better() const noexcept {
  const double before = std::accumulate(with_best_.begin(), with_best_.end(), 0.0),
               after = std::accumulate(with_candidate_.begin(), with_candidate_.end(), 0.0);
  const bool fewer = candidate_ < best_;
  if (after > before * (fewer ? as_fast : gain)) return false;
  for (std::size_t each = 0; each < rounds; ++each)
    if (with_candidate_[each] > with_best_[each] * (fewer ? within_noise : 1)) return false;
  return true;
}

void pair_choice::settle(unsigned count, std::uint64_t under_way) noexcept {
  stage_ = stage::settling;
  now_ = count;
  goal_ = under_way + to_settle;
}

/// Those above the best one that were not tried come first; then the others in turn.
unsigned pair_choice::next_candidate() noexcept {
  for (unsigned each = best_ * 2; each <= most_; each *= 2)
    if (untried_ & 1u << std::countr_zero(each)) return each;
  for (int turn = 0; turn < 4; ++turn) {
    const unsigned each = 1u << next_++ % 4;
    if (each != best_ && each <= most_) return each;
  }
  return best_;
}

void pair_choice::begin_trial(std::uint64_t under_way) noexcept {
  candidate_ = next_candidate();
  taken_ = spoilt_ = 0;
  if (candidate_ == best_) goal_ = longest_period;
  else settle(best_, under_way);
}

void pair_choice::end_trial(bool changes) noexcept {
  const unsigned bit = 1u << std::countr_zero(std::bit_floor(candidate_));
  // A number that was tried before and is another one now: one of both was noise, perhaps.
  if (changes && (untried_ & bit) == 0) period_ *= 2;
  untried_ &= ~bit;
  if (changes) best_ = candidate_, ++changes_;
  now_ = best_;
  stage_ = stage::in_use;
  bool more = false;
  for (unsigned each = best_ * 2; each <= most_; each *= 2)
    more = more || (untried_ & 1u << std::countr_zero(each)) != 0;
  goal_ = soon;
  if (more) return;
  goal_ = period_;
  period_ = std::min(period_ * 2, longest_period);
}

void pair_choice::spoil() noexcept {
  if (stage_ == stage::in_use) return;
  bytes_ = 0;
  if (++spoilt_ > most_spoilt) end_trial(false);
  else settle(now_, 0);
}

}  // namespace peal::verbs
