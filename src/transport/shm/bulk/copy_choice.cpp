#include "transport/shm/bulk/copy_choice.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

namespace peal::shm {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;  // rates order nothing

/// Measured payloads after which a way is known. Fewer do for one that is clearly slower.
constexpr std::uint16_t enough = 9;
/// Payloads that go the usual way before another one is tried: a program that sends few goes as it
/// always did.
constexpr std::uint16_t usual_first = 16;
/// Payloads before the next thought.
constexpr std::uint16_t batch = 16;
/// Of a trial, in a row: of a way that is not known; of one that looks fast after these.
constexpr std::uint16_t first_trial = 2, whole_trial = 10;
/// Payloads of a way that is not known, at a time, while none can be measured: a ring is made
/// first.
constexpr std::uint16_t longest_unmeasured = 32;
/// Measured payloads that say something about a way that is in use.
constexpr std::uint8_t few = 3;
/// A trial ends when even its quickest payload took so many times as long as is usual, and the last
/// one was not quicker than the one before it: the first ones find nothing in the caches.
constexpr float slower_enough = 1.25F, far_slower = 4, quicker_than_before = 0.93F;
/// At most so many payloads of a trial that gets quicker and quicker.
constexpr std::uint8_t longest_warming = 8;
/// One in so many is measured of a way that is known: two looks at the clock take 50 ns. Three of
/// a batch, at odd distances: what comes round every other payload must not hit all of them.
constexpr std::uint16_t measured_one_in = 7;
/// Payloads between trials: at first, and when nothing changes.
constexpr std::uint32_t first_period = 128, last_period = 384;
/// A trial of a slow way is put off for so many times what it costs. With what it takes out of the
/// caches that is a hundredth of the time.
constexpr float dearest = 150;
/// A way that was not measured in so many payloads is left for later: something else is always
/// under way.
constexpr std::uint16_t most_tries = 256;
/// By how much another way must be faster to be taken. Less is noise.
constexpr float margin = 0.97F;
/// What is a change of the best way's own rate.
constexpr float much = 1.5F;

/// A process that goes a way for which others go another one finds it slow, since caches hold what
/// the others do: 1 MiB and its answer between far caches takes 95 ns a KiB where one side goes by
/// the ring, and 49 where both do (EPYC family 26). So all processes of a node try a way together,
/// and take it together. Their mode is one word: the number of the change, the stage, and 1 + the
/// way.
constexpr std::uint32_t mode_change = 256, mode_stage = 16;

constexpr std::size_t index(way of) { return static_cast<std::size_t>(of); }

}  // namespace

copy_choice::possible copy_choice::ways_of(std::size_t cell) noexcept {
  const bool has_large = longest_alone << cell % copy_rates::classes >= longest_in_usual_pieces;
  switch (static_cast<buffers>(cell / copy_rates::classes / spans)) {
    case buffers::separate: return {{true, true, true, has_large}, way::staged};
    case buffers::absorbed: return {{true, false, true, has_large}, way::staged};
    default: return {{true, true, false, false}, way::together};
  }
}

float copy_choice::rate(std::size_t cell, std::size_t way) const noexcept {
  return rates_->cells[cell].rate[way].load(relaxed);
}

bool copy_choice::known(std::size_t cell, std::size_t way) const noexcept {
  return rates_->cells[cell].seen[way].load(relaxed) >= enough;
}

copy_choice::answer copy_choice::choose(buffers between, span apart, std::size_t bytes) noexcept {
  const auto length = static_cast<std::size_t>(
      std::clamp<int>(std::bit_width((bytes - 1) / longest_alone) - 1, 0, copy_rates::classes - 1));
  const std::size_t at =
      (static_cast<std::size_t>(between) * spans + static_cast<std::size_t>(apart)) *
          copy_rates::classes +
      length;
  cell& here = cells_[at];
  const auto cell_at = static_cast<std::uint16_t>(at);
  if (!here.begun) [[unlikely]]
    begin(at);
  if (const std::uint32_t mode = rates_->cells[at].mode.load(relaxed); mode != here.mode)
    follow(at, mode);
  if (here.left == 0) {
    // What a trial decides waits for the end of its payloads, however many others begin meanwhile.
    if (here.under_way > 0) return {here.best, cell_at, false, false, false};
    rethink(at);
  }
  --here.left;
  const bool on_trial = here.now != stage::in_use;
  here.under_way += on_trial ? 1 : 0;
  samples& taken = here.taken[index(here.current)];
  if (taken.tried < most_tries) ++taken.tried;
  const bool measure =
      on_trial || here.left % measured_one_in == 0 || !known(at, index(here.current));
  return {here.current, cell_at, measure, on_trial, here.settled && !on_trial};
}

bool copy_choice::to_learn(std::size_t cell, std::size_t way) const noexcept {
  return ways_of(cell).may[way] && !known(cell, way) && cells_[cell].taken[way].tried < most_tries;
}

void copy_choice::note(std::uint16_t at, way how, std::size_t bytes,
                       std::uint64_t nanoseconds) noexcept {
  samples& taken = cells_[at].taken[index(how)];
  const float kib = static_cast<float>(bytes) / 1024;
  taken.tried = 0;
  taken.rate[taken.count++] = static_cast<float>(nanoseconds) / kib;
  auto& seen = rates_->cells[at].seen[index(how)];
  if (const std::uint16_t before = seen.load(relaxed); before < enough)
    seen.store(static_cast<std::uint16_t>(before + 1), relaxed);
  if (taken.count == most_samples) publish(at, index(how));
}

/// The mean, since a stream moves by fits and starts, but without the slowest quarter, so that an
/// interruption decides nothing.
void copy_choice::publish(std::size_t cell, std::size_t way) noexcept {
  samples& taken = cells_[cell].taken[way];
  const auto first = taken.rate.begin(), last = first + taken.count;
  std::sort(first, last);
  const int quick = taken.count - (taken.count + 1) / 4;
  const float mean = std::accumulate(first, first + quick, 0.0F) / static_cast<float>(quick);
  auto& shared = rates_->cells[cell].rate[way];
  const float before = shared.load(relaxed);
  // Nothing makes payloads look faster than they are, so a way that got fast counts at once.
  const bool tried = cells_[cell].now == stage::whole_trial && way == index(cells_[cell].current);
  const bool anew = before == 0 || tried || !known(cell, way) || mean * much < before;
  shared.store(anew ? mean : (before + mean) / 2, relaxed);
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

void copy_choice::begin(std::size_t at) noexcept {
  cell& here = cells_[at];
  here.begun = true;
  here.current = here.best = ways_of(at).usual;
  here.left = usual_first;
  here.period = first_period;
  // Not all at one time.
  for (std::size_t each = 0; each < ways; ++each)
    put_off(at, each, first_period * static_cast<std::uint32_t>(each + 1));
}

/// As a process of the node has decided.
void copy_choice::follow(std::size_t at, std::uint32_t mode) noexcept {
  cell& here = cells_[at];
  here.mode = mode;
  here.now = static_cast<stage>(mode / mode_stage % (mode_change / mode_stage));
  here.current = static_cast<way>(mode % mode_stage - 1);
  // What was measured before was measured while the others went another way.
  if (here.now != stage::whole_trial)
    for (samples& each : here.taken) each.count = 0;
  switch (here.now) {
    case stage::in_use:
      here.best = here.current;
      here.left = batch;
      break;
    case stage::trial:
      here.left = here.given =
          here.streams || !known(at, index(here.current)) ? first_trial : std::uint16_t{1};
      put_off(at, index(here.current), here.period);
      break;
    case stage::whole_trial: here.left = whole_trial; break;
  }
}

/// For all processes; unless another one has decided something else meanwhile.
void copy_choice::propose(std::size_t at, stage next, std::size_t which) noexcept {
  std::uint32_t seen = cells_[at].mode;
  const std::uint32_t mode = (seen / mode_change + 1) * mode_change +
                             static_cast<std::uint32_t>(next) * mode_stage +
                             static_cast<std::uint32_t>(which) + 1;
  const bool agreed = rates_->cells[at].mode.compare_exchange_strong(seen, mode, relaxed, relaxed);
  follow(at, agreed ? mode : seen);
}

void copy_choice::rethink(std::size_t at) noexcept {
  const possible all = ways_of(at);
  cell& here = cells_[at];
  here.settled = true;
  for (std::size_t each = 0; each < ways; ++each)
    if (to_learn(at, each)) here.settled = false;
  const bool was_trial = here.now != stage::in_use;
  if (was_trial && go_on_with_trial(at)) return;
  for (std::size_t each = 0; each < ways; ++each)
    if (here.taken[each].count >= few) publish(at, each);
  const way best = best_of(at, all);
  const float now = rate(at, index(best));
  if (here.at_trial == 0 || here.at_trial > much * now) here.at_trial = now;
  if (now > much * here.at_trial) {
    here.at_trial = now;
    here.period = first_period;
    for (samples& each : here.taken) each.until_trial = std::min(each.until_trial, first_period);
  }
  if (best == here.best && begin_trial(at, all)) return;
  if (was_trial || best != here.best) return propose(at, stage::in_use, index(best));
  here.left = batch;
  for (samples& each : here.taken)
    each.until_trial -= std::min(each.until_trial, std::uint32_t{batch});
}

/// A trial whose quickest payload is slow ends early: nothing makes payloads look faster than they
/// are. One that looks fast gets as many payloads as a mean needs. The first payload behind
/// others that went another way is not measured, so a trial may have to be longer.
bool copy_choice::go_on_with_trial(std::size_t at) noexcept {
  cell& here = cells_[at];
  const std::size_t tried = index(here.current);
  samples& taken = here.taken[tried];
  const float best = rate(at, index(here.best));
  if (here.now == stage::whole_trial || here.best == here.current || best == 0) return false;
  const auto give = [&](std::uint16_t payloads) {
    here.left = here.given = payloads;
    return true;
  };
  const bool is_known = known(at, tried);
  if (taken.count == 0 && !is_known && taken.tried < most_tries)
    return give(std::min<std::uint16_t>(2 * here.given, longest_unmeasured));
  if (taken.count == 0) return !std::exchange(here.streams, true) && give(first_trial);
  if (here.given == 1) here.streams = false;
  const auto measured = std::span{taken.rate}.first(taken.count);
  const float quickest = *std::ranges::min_element(measured);
  if (quickest <= (is_known ? margin : slower_enough) * best) {
    propose(at, stage::whole_trial, tried);
    return true;
  }
  const bool warms = taken.count < 2 ||
                     measured[taken.count - 1] < quicker_than_before * measured[taken.count - 2];
  if (is_known && warms && taken.count < longest_warming && quickest < far_slower * best)
    return give(1);
  rates_->cells[at].seen[tried].store(enough, relaxed);
  rates_->cells[at].rate[tried].store(quickest, relaxed);
  put_off(at, tried, is_known ? here.period : first_period);
  // The first payloads of a way are no measure of it: pages and code are new.
  if (!is_known && quickest < far_slower * best)
    taken.until_trial = std::min(taken.until_trial, 2 * first_period);
  taken.count = 0;
  return false;
}

/// The next trial of that way, not before so many payloads.
void copy_choice::put_off(std::size_t at, std::size_t which, std::uint32_t least) noexcept {
  cell& here = cells_[at];
  const float best = rate(at, index(here.best));
  const float slower = best > 0 ? rate(at, which) / best : 1;
  // Two payloads, where others go before it, and a stream that comes to rest twice.
  const float cost = (std::max(slower - 1, 0.0F) * first_trial + 1) * dearest;
  here.taken[which].until_trial = std::max(least, static_cast<std::uint32_t>(std::min(cost, 1e6F)));
}

/// Ways that are not known come first, one after the other: the best one, with which they will be
/// compared, before the others. Then each in turn, now and then.
bool copy_choice::begin_trial(std::size_t at, const possible& all) noexcept {
  cell& here = cells_[at];
  if (to_learn(at, index(here.best))) return false;
  for (std::size_t each = 0; each < ways; ++each) {
    if (!to_learn(at, each)) continue;
    propose(at, stage::trial, each);
    return true;
  }
  for (std::size_t turn = 0; turn < ways; ++turn) {
    const std::size_t each = here.next_trial++ % ways;
    if (!all.may[each] || each == index(here.best) || here.taken[each].until_trial > 0) continue;
    here.period = std::min(here.period * 2, last_period);
    propose(at, stage::trial, each);
    return true;
  }
  return false;
}

}  // namespace peal::shm
