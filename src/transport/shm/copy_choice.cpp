#include "transport/shm/copy_choice.hpp"

#include <algorithm>
#include <bit>

namespace peal::shm {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;  // rates order nothing

/// KiB after which a way is known: a ring is slow in its first lap, in which the receiver's pages
/// of it are mapped. AMD EPYC 9004: 220 ns a KiB, later 90.
constexpr std::uint32_t enough_kib = 4096;
/// One payload counts for so many at most, so that it takes six.
constexpr std::uint32_t most_kib = enough_kib / 6 + 1;
/// Payloads that go the usual way before another one is tried: a program that sends few goes as it
/// always did.
constexpr std::uint16_t usual_first = 16;
/// Payloads before the next thought.
constexpr std::uint16_t batch = 16;
/// Of a trial, in a row; of one of a way that is known to be slower.
constexpr std::uint16_t trial = 9, brief_trial = 3;
constexpr float far_slower = 4, slower_enough = 2;
/// Payloads between trials: at first, and when nothing changes.
constexpr std::uint32_t first_period = 64, last_period = 384;
/// A trial of a slow way is put off until it costs a fiftieth of the time.
constexpr float dearest = 50;
/// A way that was not measured in so many payloads is left for later: something else is always
/// under way.
constexpr std::uint16_t most_tries = 256;
/// By how much another way must be faster to be taken. Less is noise.
constexpr float margin = 0.97F;
/// What is a change of the best way's own rate.
constexpr float much = 1.5F;

constexpr std::size_t index(way of) { return static_cast<std::size_t>(of); }

}  // namespace

copy_choice::possible copy_choice::ways_of(std::size_t cell) noexcept {
  const std::size_t length = cell % copy_rates::classes;
  const bool is_short = shortest << length < usually_alone;
  if (cell / copy_rates::classes / spans != static_cast<std::size_t>(buffers::separate))
    return {{true, !is_short, false}, is_short ? way::alone : way::together};
  return {{true, !is_short, true}, is_short ? way::alone : way::staged};
}

float copy_choice::rate(std::size_t cell, std::size_t way) const noexcept {
  return rates_->cells[cell].rate[way].load(relaxed);
}

bool copy_choice::known(std::size_t cell, std::size_t way) const noexcept {
  return rates_->cells[cell].seen[way].load(relaxed) >= enough_kib;
}

copy_choice::answer copy_choice::choose(buffers between, span apart, std::size_t bytes) noexcept {
  const auto length =
      std::min<std::size_t>(std::bit_width(bytes / shortest) - 1, copy_rates::classes - 1);
  const std::size_t at =
      (static_cast<std::size_t>(between) * spans + static_cast<std::size_t>(apart)) *
          copy_rates::classes +
      length;
  cell& here = cells_[at];
  if (here.left == 0) rethink(at);
  --here.left;
  samples& taken = here.taken[index(here.current)];
  if (taken.tried < most_tries) ++taken.tried;
  // Two looks at the clock are no more than a fiftieth of what a longer payload takes.
  const bool measure = bytes >= usually_alone || here.on_trial || here.left % 4 == 0 ||
                       !known(at, index(here.current));
  return {here.current, static_cast<std::uint16_t>(at), measure};
}

void copy_choice::note(const answer& of, std::size_t bytes, std::uint64_t nanoseconds) noexcept {
  samples& taken = cells_[of.cell].taken[index(of.how)];
  const float kib = static_cast<float>(bytes) / 1024;
  taken.tried = 0;
  taken.rate[taken.count++] = static_cast<float>(nanoseconds) / kib;
  auto& seen = rates_->cells[of.cell].seen[index(of.how)];
  if (const std::uint32_t before = seen.load(relaxed); before < enough_kib)
    seen.store(before + std::min(static_cast<std::uint32_t>(kib), most_kib), relaxed);
  if (taken.count == most_samples) publish(of.cell, index(of.how));
}

/// The median, so that an interruption decides nothing.
void copy_choice::publish(std::size_t cell, std::size_t way) noexcept {
  samples& taken = cells_[cell].taken[way];
  const auto middle = taken.rate.begin() + taken.count / 2;
  std::nth_element(taken.rate.begin(), middle, taken.rate.begin() + taken.count);
  auto& shared = rates_->cells[cell].rate[way];
  const float before = shared.load(relaxed);
  // Nothing makes payloads look faster than they are, so a way that got fast counts at once.
  const bool anew = before == 0 || !known(cell, way) || *middle * much < before;
  shared.store(anew ? *middle : (before + *middle) / 2, relaxed);
  taken.count = 0;
}

way copy_choice::best_of(std::size_t cell, const possible& all) const noexcept {
  const way before = cells_[cell].best;
  way best = before;
  for (std::size_t each = 0; each < ways; ++each) {
    if (!all.may[each] || !known(cell, each) || rate(cell, each) == 0 ||
        way{static_cast<std::uint8_t>(each)} == before)
      continue;
    if (!known(cell, index(before)) || rate(cell, index(before)) == 0) {
      // Another process has learnt about other ways, or this one is never measured.
      if (best == before || rate(cell, each) < rate(cell, index(best)))
        best = way{static_cast<std::uint8_t>(each)};
    } else if (rate(cell, each) < margin * rate(cell, index(before)) &&
               rate(cell, each) < rate(cell, index(best))) {
      best = way{static_cast<std::uint8_t>(each)};
    }
  }
  return best;
}

void copy_choice::rethink(std::size_t at) noexcept {
  const possible all = ways_of(at);
  cell& here = cells_[at];
  for (std::size_t each = 0; each < ways; ++each)
    if (here.taken[each].count >= brief_trial) publish(at, each);
  if (!here.begun) {
    here.begun = true;
    here.best = all.usual;
    here.period = first_period;
    // Not all at one time.
    for (std::size_t each = 0; each < ways; ++each)
      here.taken[each].until_trial = first_period * static_cast<std::uint32_t>(each + 1);
    here.current = here.best = best_of(at, all);
    here.left = usual_first;
    return;
  }
  here.best = best_of(at, all);
  const float now = rate(at, index(here.best));
  if (here.at_trial == 0 || here.at_trial > much * now) here.at_trial = now;
  if (now > much * here.at_trial) {
    here.at_trial = now;
    here.period = first_period;
    for (samples& each : here.taken) each.until_trial = std::min(each.until_trial, first_period);
  }
  here.on_trial = false;
  if (begin_trial(at, all)) return;
  here.current = here.best;
  here.left = batch;
  for (samples& each : here.taken)
    each.until_trial -= std::min(each.until_trial, std::uint32_t{batch});
}

/// Ways that are not known come first, one after the other; then each in turn, now and then.
bool copy_choice::begin_trial(std::size_t at, const possible& all) noexcept {
  cell& here = cells_[at];
  const float best = rate(at, index(here.best));
  const auto go = [&](std::size_t which, std::uint16_t count) {
    here.current = way{static_cast<std::uint8_t>(which)};
    here.on_trial = true;
    here.left = count;
    return true;
  };
  for (std::size_t each = 0; each < ways; ++each) {
    if (!all.may[each] || known(at, each) || here.taken[each].tried >= most_tries) continue;
    if (each != index(here.best) && best > 0 && rate(at, each) > far_slower * best) {
      // Not worth more payloads now.
      rates_->cells[at].seen[each].store(enough_kib, relaxed);
      continue;
    }
    return go(each, trial);
  }
  for (std::size_t turn = 0; turn < ways; ++turn) {
    const std::size_t each = here.next_trial++ % ways;
    if (!all.may[each] || each == index(here.best) || here.taken[each].until_trial > 0) continue;
    const float slower = best > 0 ? rate(at, each) / best : 1;
    const std::uint16_t count = slower > slower_enough ? brief_trial : trial;
    const float cost = std::max(slower - 1, 0.0F) * static_cast<float>(count) * dearest;
    here.period = std::min(here.period * 2, last_period);
    here.taken[each].until_trial =
        std::max(here.period, static_cast<std::uint32_t>(std::min(cost, 1e6F)));
    return go(each, count);
  }
  return false;
}

}  // namespace peal::shm
