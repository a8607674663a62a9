// Building schedules: collects the steps of a round, sorts them by kind, chains the rounds of a
// stream.
#include "collective/schedule.hpp"

#include <algorithm>
#include <cassert>

namespace peal {

namespace {

// Sends come first: the other side waits for them, while a receive that is posted late only waits a
// little in the queue of the unexpected.
int order_of(const step& s) noexcept {
  return std::min(static_cast<int>(s.what), static_cast<int>(step::action::copy));
}

slice moved(slice s, std::size_t offset, std::size_t scratch_offset) noexcept {
  s.offset += s.buffer == place::scratch ? scratch_offset : offset;
  return s;
}

}  // namespace

void schedule::send(int peer, slice from) {
  if (from.bytes != 0) steps_.push_back({.what = step::action::send, .peer = peer, .from = from});
}

void schedule::receive(int peer, slice into) {
  if (into.bytes != 0)
    steps_.push_back({.what = step::action::receive, .peer = peer, .into = into});
}

void schedule::signal(int peer) { steps_.push_back({.what = step::action::send, .peer = peer}); }

void schedule::await(int peer) { steps_.push_back({.what = step::action::receive, .peer = peer}); }

void schedule::copy(slice from, slice into) {
  assert(from.bytes == into.bytes);
  if (from.bytes != 0 && from != into)
    steps_.push_back({.what = step::action::copy, .from = from, .into = into});
}

void schedule::reduce(slice lower, slice higher, slice into, bool final) {
  assert(lower.bytes == higher.bytes && lower.bytes == into.bytes);
  if (into.bytes == 0) return;
  assert(into != lower || higher.buffer == place::scratch);
  steps_.push_back(
      {.what = step::action::reduce, .final = final, .from = lower, .other = higher, .into = into});
}

void schedule::end_round(std::uint32_t stream) {
  assert(stream < max_streams);
  if (open_ == steps_.size()) return;
  const auto begin = steps_.begin() + static_cast<std::ptrdiff_t>(open_);
  // An insertion sort: stable, without memory of its own, and what an algorithm emits is nearly
  // sorted.
  for (auto i = begin; i != steps_.end(); ++i)
    std::rotate(
        std::upper_bound(begin, i, *i,
                         [](const step& a, const step& b) { return order_of(a) < order_of(b); }),
        i, i + 1);
  round r;
  r.first = static_cast<std::uint32_t>(open_);
  r.stream = stream;
  for (auto i = begin; i != steps_.end(); ++i) {
    if (i->what == step::action::send && i != begin && (i - 1)->peer == i->peer) r.repeats = true;
    if (i->what == step::action::send) ++r.sends;
    else if (i->what == step::action::receive) ++r.receives;
    else ++r.locals;
  }
  fuse(r);
  open_ = steps_.size();
  most_messages_ = std::max(most_messages_, std::size_t{r.sends} + r.receives);
  while (first_.size() <= stream) {
    first_.push_back(round::none);
    last_.push_back(round::none);
  }
  const auto index = static_cast<std::uint32_t>(rounds_.size());
  (last_[stream] == round::none ? first_[stream] : rounds_[last_[stream]].next) = index;
  last_[stream] = index;
  rounds_.push_back(r);
}

// Only the plain case: one reduction, of which one operand has just come into scratch, and which
// touches nothing else that is on its way.
void schedule::fuse(const round& r) noexcept {
  if (r.locals != 1) return;
  step& join = steps_[r.first + r.sends + r.receives];
  if (join.what != step::action::reduce) return;
  const auto apart = [](slice a, slice b) {
    return a.buffer != b.buffer || a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
  };
  step* arriving = nullptr;
  for (std::uint32_t i = r.first + r.sends; i != r.first + r.sends + r.receives; ++i) {
    step& each = steps_[i];
    if (each.into.buffer == place::scratch && (each.into == join.from || each.into == join.other) &&
        arriving == nullptr)
      arriving = &each;
    else if (!apart(each.into, join.from) || !apart(each.into, join.other) ||
             !apart(each.into, join.into))
      return;
  }
  if (arriving == nullptr || !apart(arriving->into, join.into) || join.from == join.other) return;
  for (std::uint32_t i = r.first; i != r.first + r.sends; ++i)
    if (!apart(steps_[i].from, join.into)) return;
  join.fused = arriving->fused = true;
  arriving->from_is_lower = arriving->into == join.other;
  arriving->from = arriving->from_is_lower ? join.from : join.other;
  arriving->other = join.into;
  arriving->final = join.final;
}

void schedule::clear() noexcept {
  steps_.clear();
  rounds_.clear();
  first_.clear();
  last_.clear();
  open_ = 0;
  scratch_bytes_ = 0;
  most_messages_ = 0;
}

void schedule::append(const schedule& part, std::uint32_t stream, std::size_t offset,
                      std::size_t scratch_offset) {
  assert(open_ == steps_.size() && part.streams() <= 1);
  for (const round& r : part.rounds_) {
    const auto count = r.sends + r.receives + r.locals;
    for (std::uint32_t i = r.first; i != r.first + count; ++i) {
      step s = part.steps_[i];
      s.from = moved(s.from, offset, scratch_offset);
      s.other = moved(s.other, offset, scratch_offset);
      s.into = moved(s.into, offset, scratch_offset);
      steps_.push_back(s);
    }
    end_round(stream);
  }
  need_scratch(scratch_offset + part.scratch_bytes_);
}

}  // namespace peal
