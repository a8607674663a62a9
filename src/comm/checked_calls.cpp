#include "comm/checked_calls.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "comm/roll_call.hpp"
#include "peal/error.hpp"

namespace peal {

checked_calls::checked_calls(messaging& messages, collectives& together, collective_state& plain, const team& of, roll_call* missing)
    : messages_{messages},
      together_{together},
      plain_{plain},
      comparing_{of.context() + 1, of},
      comparisons_{together_, comparing_},
      missing_{missing} {
  if (missing_) missing_->add(*this);
}

checked_calls::~checked_calls() {
  if (missing_) missing_->remove(*this);
}

const checked_calls::waiting* checked_calls::oldest() noexcept {
  const auto first = std::ranges::find_if(waiting_, [](const call* each) { return !each->compared; });
  if (first == waiting_.end()) return nullptr;
  oldest_ = {(*first)->number, (*first)->since, &(*first)->mine.lowest};
  return &oldest_;
}

operation& checked_calls::start(const collective_call& what, const detail::location& where, bool blocks) noexcept {
  return compare(new call{this, nullptr, what, {}, nullptr, nullptr, where, {}, {}, blocks, false, {}});
}

operation& checked_calls::start(const collective_call& what, prepared_collective& ready, const detail::location& where) noexcept {
  return compare(new call{this, nullptr, what, {}, nullptr, &ready, where, {}, {}, false, false, {}});
}

operation& checked_calls::start(const collective_call& first, const detail::second_step& step, two_steps& by,
                                const detail::location& where) noexcept {
  return compare(new call{this, nullptr, first, step, &by, nullptr, where, {}, {}, false, false, {}});
}

operation& checked_calls::compare(call* started) noexcept {
  operation& whole = messages_.make_operation();
  started->whole = &whole;
  started->number = ++count_;
  started->since = std::chrono::steady_clock::now();
  started->mine.lowest = call_record::of(comparing_.rank(), comparing_.size(), started->what, started->by != nullptr, started->where);
  started->mine.lowest.blocks = started->blocks;
  waiting_.push_back(started);
  collective_call with;
  with.kind = detail::collective::allreduce;
  with.send = &started->mine;
  with.receive = &started->all;
  with.bytes = with.element_size = sizeof(comparison);
  with.op.combine = comparison::join;
  operation& comparing = together_.start(comparisons_, with, {&checked_calls::compared, started});
  // The hook is not called for what is over already; relaxed, here and below: the lock is held.
  if (comparing.finished.load(std::memory_order_relaxed)) compared(started, comparing);
  return whole;
}

void checked_calls::compared(void* context, operation& over) noexcept {
  call& of = *static_cast<call*>(context);
  checked_calls& self = *of.in;
  of.error = over.result.error;
  self.messages_.release(over);
  of.compared = true;
  if (!of.error && of.all.differs) of.error = errc::mismatch;
  self.start_what_may();
}

void checked_calls::start_what_may() noexcept {
  while (!waiting_.empty() && waiting_.front()->compared) {
    call* const next = waiting_.front();
    waiting_.pop_front();
    if (next->error) {
      const std::unique_ptr<call> of{next};
      finish_wrong(*of);
      continue;
    }
    operation& started = next->by      ? next->by->start(next->what, next->step)
                         : next->ready ? next->ready->start()
                                       : together_.start(plain_, next->what);
    if (started.finished.load(std::memory_order_relaxed)) ended(next, started);
    else started.hook = {&checked_calls::ended, next};
  }
}

void checked_calls::finish_wrong(call& of) noexcept {
  if (of.error == errc::mismatch) {
    const call_record& mine = of.mine.lowest;
    const call_record& other = of.all.other_than(mine);
    together_.keep_exception(*of.whole, std::make_exception_ptr(error{errc::mismatch, mismatch_text(mine, other), other.rank, of.where}));
  }
  messages_.finish(*of.whole, {.error = of.error});
}

void checked_calls::ended(void* context, operation& over) noexcept {
  const std::unique_ptr<call> of{static_cast<call*>(context)};
  checked_calls& self = *of->in;
  const outcome became = over.result;
  if (became.error == errc::operation_failed) self.together_.keep_exception(*of->whole, self.together_.take_exception(over));
  self.messages_.release(over);
  self.messages_.finish(*of->whole, became);
}

}  // namespace peal
