#include "comm/calls/two_steps.hpp"

#include <memory>

#include "comm/end/absences.hpp"
#include "peal/error.hpp"

namespace peal {

two_steps::two_steps(messaging& messages, collectives& collectives, collective_state& first,
                     const team& of, absences* absent)
    : messages_{messages},
      collectives_{collectives},
      first_{first},
      later_{of.context() + 2, of},
      second_{collectives, later_, &first},
      absent_{absent} {}

operation& two_steps::start(const collective_call& first,
                            const detail::second_step& step) noexcept {
  operation& whole = messages_.make_operation();
  call* const started = new call{this, &whole, step, {}, {}};
  started->number = first_.next_number();
  waiting_.push_back(started);
  operation& measuring = collectives_.start(first_, first, {&two_steps::measured, started});
  // The hook is not called for what is over already; relaxed: the lock is held.
  if (measuring.finished.load(std::memory_order_relaxed)) measured(started, measuring);
  return whole;
}

void two_steps::measured(void* context, operation& first) noexcept {
  call& of = *static_cast<call*>(context);
  of.error = first.result.error;
  of.absent = first.result.source;
  of.in->messages_.release(first);
  of.measured = true;
  if (!of.error) of.has_next = of.step.next(of.step.context, of.next, of.error);
  else if (of.error != errc::peer_failed) of.in->stay_out_of_second(of.number);
  of.in->start_ready();
}

void two_steps::stay_out() noexcept {
  const std::uint32_t number = first_.next_number();
  absent_->stay_out(first_);
  stay_out_of_second(number);
}

void two_steps::stay_out_of_second(std::uint32_t number) noexcept {
  if (absent_ != nullptr)
    absent_->tell(later_, {.context = later_.collective_context(), .number = number});
}

void two_steps::moved(void* context, operation& second) noexcept {
  const std::unique_ptr<call> of{static_cast<call*>(context)};
  outcome became = second.result;
  // What was wrong here is the cause, unless a rank died.
  if (of->error && became.error != errc::peer_failed)
    became = {.source = of->absent, .error = of->error};
  of->in->messages_.release(second);
  of->in->messages_.finish(*of->whole, became);
}

void two_steps::start_ready() noexcept {
  while (!waiting_.empty() && waiting_.front()->measured) {
    call* const next = waiting_.front();
    waiting_.pop_front();
    if (!next->has_next) {
      const std::unique_ptr<call> of{next};
      messages_.finish(*of->whole, {.source = of->absent, .error = of->error});
      continue;
    }
    next->next.spoilt = static_cast<bool>(next->error);
    second_.go_on_with(next->number);
    operation& moving = collectives_.start(second_, next->next, {&two_steps::moved, next});
    // relaxed: the lock is held.
    if (moving.finished.load(std::memory_order_relaxed)) moved(next, moving);
  }
}

}  // namespace peal
