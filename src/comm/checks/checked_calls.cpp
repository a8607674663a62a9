#include "comm/checks/checked_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "comm/checks/stall_report.hpp"
#include "comm/end/absences.hpp"
#include "peal/error.hpp"

namespace peal {

namespace {

// Marks what names a start of a plan: behind it 31 bits of the plan and 32 of the start.
constexpr std::uint64_t of_a_plan = std::uint64_t{1} << 63;

collective_call comparison_of(const comparison& mine, comparison& all) noexcept {
  collective_call with;
  with.kind = detail::collective::allreduce;
  with.send = &mine;
  with.receive = &all;
  with.bytes = with.element_size = sizeof(comparison);
  with.op.combine = comparison::join;
  return with;
}

}  // namespace

checked_calls::checked_calls(messaging& messages, collectives& collectives, collective_state& plain,
                             const team& of, stall_report* report)
    : messages_{messages},
      collectives_{collectives},
      plain_{plain},
      comparing_{of.context() + 1, of},
      comparisons_{collectives_, comparing_},
      stall_report_{report} {
  if (stall_report_) stall_report_->add(*this);
}

checked_calls::~checked_calls() {
  if (stall_report_) stall_report_->remove(*this);
}

const checked_calls::waiting* checked_calls::oldest() noexcept {
  const auto first =
      std::ranges::find_if(waiting_, [](const call* each) { return !each->compared; });
  const call* found = first == waiting_.end() ? nullptr : *first;
  for (const checked_plan* each : plans_)
    if (const call* started = each->under_way_;
        started && (!found || started->since < found->since))
      found = started;
  if (!found) return nullptr;
  oldest_ = {found->number, found->since, &found->mine.lowest};
  return &oldest_;
}

bool checked_calls::has_made(std::uint64_t number) const noexcept {
  if ((number & of_a_plan) == 0) return count_ >= number;
  return std::ranges::any_of(plans_, [number](const checked_plan* each) {
    return each->name() >> 32 == number >> 32 && each->name() >= number;
  });
}

std::string checked_calls::text_of(std::uint64_t number) {
  if ((number & of_a_plan) == 0) return fmt::format("the communicator's collective {}", number);
  return fmt::format("start {} of the communicator's plan {}", number & 0xffffffff,
                     ((number & ~of_a_plan) >> 32) + 1);
}

operation& checked_calls::start(const collective_call& what, const detail::location& where,
                                bool blocks) noexcept {
  return compare(new call{
      this, nullptr, what, {}, nullptr, nullptr, nullptr, where, {}, {}, blocks, false, {}});
}

operation& checked_calls::start(const collective_call& first, const detail::second_step& step,
                                two_steps& by, const detail::location& where) noexcept {
  return compare(
      new call{this, nullptr, first, step, &by, nullptr, nullptr, where, {}, {}, false, false, {}});
}

operation& checked_calls::begin(call* started) noexcept {
  started->whole = &messages_.make_operation();
  started->since = std::chrono::steady_clock::now();
  started->mine.lowest = call_record::of(comparing_.rank(), comparing_.size(), started->what,
                                         started->by != nullptr, started->where);
  started->mine.lowest.blocks = started->blocks;
  return *started->whole;
}

operation& checked_calls::compare(call* started) noexcept {
  operation& whole = begin(started);
  started->number = ++count_;
  waiting_.push_back(started);
  operation& comparing =
      collectives_.start(comparisons_, comparison_of(started->mine, started->all),
                         {&checked_calls::compared, started});
  // The hook is not called for what is over already; relaxed, here and below: the lock is held.
  if (comparing.finished.load(std::memory_order_relaxed)) compared(started, comparing);
  return whole;
}

void checked_calls::stay_out(absences& others) noexcept {
  ++count_;
  others.stay_out(comparisons_);
}

void checked_calls::stay_out_of_plan(absences& others, std::uint32_t number) noexcept {
  others.tell(comparing_,
              {.context = comparing_.collective_context(), .number = number, .made_ready = true});
}

void checked_calls::compared(void* context, operation& over) noexcept {
  call& of = *static_cast<call*>(context);
  checked_calls& self = *of.in;
  of.error = over.result.error;
  of.absent = over.result.source;
  self.messages_.release(over);
  of.compared = true;
  if (of.plan) {
    of.plan->under_way_ = nullptr;
    of.all = of.plan->all_;
  }
  if (!of.error && of.all.differs) of.error = errc::mismatch;
  if (of.plan) self.start_or_end(&of);
  else self.start_ready();
}

void checked_calls::start_ready() noexcept {
  while (!waiting_.empty() && waiting_.front()->compared) {
    call* const next = waiting_.front();
    waiting_.pop_front();
    start_or_end(next);
  }
}

void checked_calls::start_or_end(call* next) noexcept {
  if (next->error) {
    const std::unique_ptr<call> of{next};
    finish_wrong(*of);
    return;
  }
  operation& started = next->by      ? next->by->start(next->what, next->step)
                       : next->ready ? next->ready->start()
                                     : collectives_.start(plain_, next->what);
  if (started.finished.load(std::memory_order_relaxed)) ended(next, started);
  else started.hook = {&checked_calls::ended, next};
}

void checked_calls::finish_wrong(call& of) noexcept {
  if (of.error == errc::mismatch) {
    const call_record& mine = of.mine.lowest;
    const call_record& other = of.all.other_than(mine);
    collectives_.keep_exception(
        *of.whole, std::make_exception_ptr(
                       error{errc::mismatch, mismatch_text(mine, other), other.rank, of.where}));
  }
  messages_.finish(*of.whole, {.source = of.absent, .error = of.error});
}

void checked_calls::ended(void* context, operation& over) noexcept {
  const std::unique_ptr<call> of{static_cast<call*>(context)};
  checked_calls& self = *of->in;
  const outcome became = over.result;
  if (became.error == errc::operation_failed)
    self.collectives_.keep_exception(*of->whole, self.collectives_.take_exception(over));
  self.messages_.release(over);
  self.messages_.finish(*of->whole, became);
}

checked_plan::checked_plan(checked_calls& in, std::uint32_t number)
    : in_{in},
      number_{number},
      comparing_{in.collectives_, in.comparisons_, comparison_of(mine_, all_), number} {
  in_.plans_.push_back(this);
}

checked_plan::~checked_plan() { std::erase(in_.plans_, this); }

std::uint64_t checked_plan::name() const noexcept {
  return of_a_plan | std::uint64_t{number_} << 32 | starts_;
}

operation& checked_plan::start(const collective_call& what, prepared_collective& ready,
                               const detail::location& where) noexcept {
  auto* const started = new checked_calls::call{&in_,  nullptr, what, {},    nullptr, &ready, this,
                                                where, {},      {},   false, false,   {}};
  operation& whole = in_.begin(started);
  mine_ = started->mine;
  ++starts_;
  started->number = name();
  under_way_ = started;
  operation& comparing = comparing_.start({&checked_calls::compared, started});
  if (comparing.finished.load(std::memory_order_relaxed))
    checked_calls::compared(started, comparing);
  return whole;
}

}  // namespace peal
