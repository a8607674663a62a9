// Which way the calls of a channel go, and what is told of it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

#include "collective/direct/channel.hpp"

namespace peal::direct {

namespace {

/// So many payloads of a call outweigh one that is not settled. A long call has many, and so one
/// that tries another way now and then.
constexpr std::uint64_t payloads_an_unsettled = 8;

/// The longest call of that shape.
detail::collective_call call_of(const call_shape& shape) noexcept {
  detail::collective_call call;
  call.kind = shape.kind;
  call.bytes = longest_of(shape);
  call.op.commutative = shape.commutative;
  return call;
}

}  // namespace

/// Those of the usual one's bits.
ways_of_shape channel::ways_of(const call_shape& shape) const {
  const detail::collective_call call = call_of(shape);
  const bool usually_direct = takes(call);
  ways_of_shape found;
  found.usual_is_short = usually_direct && fits(call, size_);
  std::vector<call_way>& ways = found.others;
  // What is joined by groups is joined in another order than by any message.
  if (groups_ && usually_direct && shape.in_order) return found;
  const auto by_messages =
      collectives_.alternatives(plain_, shape.kind, call.bytes, shape.commutative);
  const auto keeps_bits = [&](const tuned_algorithm* each) {
    return !shape.in_order || each->how->gives_same_bits(size_, each->radix);
  };
  // The algorithm that messages usually take is among those of the list, if it is not the usual way
  // itself.
  const bool shares = usually_shares(call);
  if (usually_direct) {
    found.usual = {.directly = true, .shares = shares};
    if (is_long(call) && long_call::may_do_otherwise(call, size_, in_->oversubscribed))
      ways.push_back({.directly = true, .shares = !shares});
  } else {
    found.usual = {.by = by_messages.taken};
    if (!keeps_bits(found.usual.by)) return found;
    if (kinds_ != 0 && !groups_) ways.push_back({.directly = true, .shares = shares});
  }
  for (const tuned_algorithm* each : by_messages.all) {
    // By trees of another radix it may have other bits.
    if (!keeps_bits(each)) each = &kept({each->how, 2, each->cut});
    if (each != found.usual.by && keeps_bits(each)) ways.push_back({.by = each});
  }
  return found;
}

channel::decision channel::decide_by_time(const detail::collective_call& call) noexcept {
  if ((learnt_kinds_ >> static_cast<unsigned>(call.kind) & 1) == 0 || !long_call::serves(call))
    return {.directly = takes(call)};
  const call_shape shape = shape_of(call, size_, in_->learn == learn_mode::any);
  decision made{.plan = review_due() ? learnt_->untimed(shape) : learnt_->next(shape)};
  made.directly = made.plan.by.directly || (made.plan.by.by == nullptr && takes(call));
  made.by = made.plan.by.by;
  if (learnt_->times(made.plan)) {
    made.payloads = payloads();
    made.began = now_in_nanoseconds();
  }
  return made;
}

const tuned_algorithm* channel::find_settled(const detail::collective_call& call) const noexcept {
  if (!long_call::serves(call)) return nullptr;
  const call_shape shape = shape_of(call, size_, in_->learn == learn_mode::any);
  const auto found = std::ranges::find(settled_, shape, &learnt_ways::message_way::of);
  return found == settled_.end() ? nullptr : found->by;
}

void channel::note_time(const decision& by, const detail::collective_call& call) noexcept {
  // A call that was made while this one waited may have ended the window.
  if (!learnt_ || !learnt_->times(by.plan)) return;
  const auto took = static_cast<double>(now_in_nanoseconds() - by.began);
  const payload_counts now = payloads();
  const bool settled =
      now.unsettled - by.payloads.unsettled <= (now.all - by.payloads.all) / payloads_an_unsettled;
  learnt_->took(by.plan, took / static_cast<double>(call.bytes), settled);
}

std::vector<learnt_ways::known_shape> channel::known() {
  await_review();
  // After a failure a review may be under way still.
  if (!learnt_ || failed_.load(std::memory_order_relaxed)) return {};
  return learnt_->known();
}

/// For peal-info. Threads of two communicators may come here at a time.
void channel::publish() noexcept {
  if (in_->node == nullptr) return;
  const std::lock_guard<std::mutex> guard{in_->publishing};
  learnt_->visit_news([this](const learnt_ways::known_shape& each) {
    learnt_facts facts{.context = members_.context(),
                       .ranks = static_cast<std::uint32_t>(size_),
                       .kind = static_cast<std::uint8_t>(each.of.kind),
                       .length = each.of.length,
                       .commutative = each.of.commutative,
                       .in_order = each.of.in_order,
                       .ways = static_cast<std::uint8_t>(each.ways.size()),
                       .best = each.best};
    for (std::size_t way = 0; way != each.ways.size(); ++way) {
      const call_way& by = way == 0 ? each.usual : each.ways[way];
      const tuned_algorithm* const as = by.by;
      facts.way[way] = by.shares ? learnt_facts::directly_by_parts
                       : as == nullptr
                           ? learnt_facts::directly
                           : static_cast<std::uint8_t>(as->how - all_algorithms().data());
      if (as != nullptr) {
        facts.radix[way] = static_cast<std::uint8_t>(as->radix);
        facts.piece[way] = static_cast<std::uint8_t>(std::bit_width(as->cut.bytes / 2));
      }
      if (each.measured[way] != 0) facts.cost[way] = std::exp2(each.cost[way]);
    }
    in_->node->learnt().put(facts, number_of_algorithms());
    published_ = true;
  });
}

}  // namespace peal::direct
