// peal/detail/collectives/forms.hpp
// The three ways to make a collective call of what a file of peal/collectives has made of its
// arguments: at once, later, as a plan.
//
// Whatever is refused to one rank alone (thrown while its arguments are made ready) that rank tells
// the others first: it takes no part, and no rank waits for it.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <peal/detail/collectives/work.hpp>
#include <peal/detail/core.hpp>
#include <peal/detail/owner.hpp>
#include <peal/detail/plan_body.hpp>
#include <peal/detail/request_body.hpp>
#include <peal/plan.hpp>
#include <peal/requests/request.hpp>

namespace peal::detail {

/// `second(call)` describes the second call and says whether there is one; it throws only what it
/// throws on every rank. `make_room(call)` then finds memory for what arrives, which may fail on
/// one rank alone.
template <class Work>
concept two_steps = requires(Work& work, collective_call& call) {
  { work.second(call) } -> std::same_as<bool>;
  work.make_room(call);
};

template <when When, class Work>
inline constexpr call_form form_of = When == when::planned ? call_form::plan
                                     : two_steps<Work>     ? call_form::steps
                                     : When == when::later ? call_form::messages
                                                           : call_form::blocking;

/// What `make` returns. Where it throws, on this rank alone, the other ranks are told first.
/// Inlined as everything here that a blocking call goes through: calls of functions would take
/// longer than what they do for a small one.
template <class Make>
[[gnu::always_inline]] inline decltype(auto) or_no_part(const caller& by, call_form form,
                                                        Make&& make) {
  try {
    return make();
  } catch (...) {
    take_no_part(by.in, form, by.where);
    throw;
  }
}

template <two_steps Work>
second_step second_step_of(Work& work) noexcept {
  return {[](void* context, collective_call& call, std::error_code& error) noexcept {
            Work& of = *static_cast<Work*>(context);
            bool more = false;
            try {
              more = of.second(call);
              of.make_room(call);
            } catch (const peal::error& e) {
              error = e.code();
            } catch (...) {
              error = make_error_code(errc::no_space);
            }
            return more;
          },
          &work};
}

template <class Work>
operation* start_work(communicator_state& in, Work& work, const location& where) {
  if constexpr (two_steps<Work>)
    return start_collective(in, work.first(), second_step_of(work), where);
  else return start_collective(in, work.first(), where);
}

/// Ends an operation, whatever happens on the way.
class operation_holder {
 public:
  explicit operation_holder(operation* it) noexcept : it_{it} {}
  ~operation_holder() { drop(it_); }
  operation_holder(const operation_holder&) = delete;
  operation_holder& operator=(const operation_holder&) = delete;
  operation& operator*() const noexcept { return *it_; }

 private:
  operation* it_;
};

template <class Work>
using value_of = decltype(std::declval<Work&>().take(std::declval<const location&>()));
template <class Work>
using view_of = decltype(std::declval<Work&>().view());

// ---- now
template <class Work, class Make>
[[gnu::always_inline]] inline value_of<Work> run_work(const caller& by, const Make& make) {
  constexpr call_form form = form_of<when::now, Work>;
  Work work = or_no_part(by, form, make);
  or_no_part(by, form, [&] { work.refresh(by.where); });
  if constexpr (two_steps<Work>) {
    const operation_holder under_way{start_work(by.in, work, by.where)};
    wait(*under_way);
    if (result_of(*under_way).error) raise(*under_way);
  } else {
    run_collective(by.in, work.first(), by.where);
  }
  try {
    return work.take(by.where);
  } catch (const error& e) {
    rethrow_decode_error(e, -1, by.where);
  }
}

// ---- later
template <class Work>
class collective_body final : public body<value_of<Work>> {
  using value = value_of<Work>;

 public:
  template <class Make>
  explicit collective_body(const Make& make, const location& where) : work_(make()) {
    work_.refresh(where);
  }
  void start(const caller& by) { this->op = start_work(by.in, work_, by.where); }

  value take(std::error_code* error) override {
    if (failed(*this->op, error)) return nothing_of<value>();
    const location& where = origin_of(*this->op);
    try {
      return work_.take(where);
    } catch (const peal::error& e) {
      if (!error) rethrow_decode_error(e, -1, where);
      *error = e.code();
      return nothing_of<value>();
    }
  }

 private:
  Work work_;
};

/// Nothing is left to be done when the operation has ended, so the request needs no memory of its
/// own.
template <class Work>
concept ends_by_itself = requires(const Work& work) {
  { work.is_over_with_its_operation() } -> std::same_as<bool>;
};

template <class Work, class Make>
request<value_of<Work>> begin_work(const caller& by, const Make& make) {
  constexpr call_form form = form_of<when::later, Work>;
  if constexpr (ends_by_itself<Work>) {
    Work work = or_no_part(by, form, make);
    if (work.is_over_with_its_operation()) [[likely]]
      return request<>{start_collective(by.in, work.first(), by.where)};
  }
  auto made =
      or_no_part(by, form, [&] { return make_owner<collective_body<Work>>(make, by.where); });
  made->start(by);
  return request<value_of<Work>>{made.release()};
}

// ---- planned
template <class Work>
class collective_plan final : public plan_body<view_of<Work>> {
 public:
  template <class Make>
  explicit collective_plan(const Make& make) : work_(make()) {}
  void make_ready(const caller& by) {
    if constexpr (two_steps<Work>) this->prepare(by.in, measured(by), by.where);
    else this->prepare(by.in, work_.first(), by.where);
  }

 private:
  /// Ranks tell their lengths to each other while the plan is made.
  collective_call measured(const caller& by) {
    return or_no_part(by, call_form::plan, [&] {
      run_collective(by.in, work_.first(), by.where);
      collective_call call;
      work_.second(call);
      work_.make_room(call);
      return call;
    });
  }
  void refresh(const location& where) override { work_.refresh(where); }
  view_of<Work> value() override { return work_.view(); }

  Work work_;
};

template <class Work, class Make>
plan<view_of<Work>> plan_work(const caller& by, const Make& make) {
  const auto planned = [&] { return new collective_plan<Work>{make}; };
  collective_plan<Work>* const body = or_no_part(by, call_form::plan, [&] {
    // A rank that is refused the plan takes no part in the exchange of lengths either.
    if constexpr (two_steps<Work>) return or_no_part(by, call_form::blocking, planned);
    else return planned();
  });
  plan<view_of<Work>> made{body};  // gives the body back where that cannot be made ready
  body->make_ready(by);
  return made;
}

/// `make` gives what is to be done; it throws what this rank is refused.
template <when When, class Make>
[[gnu::always_inline]] inline auto perform(const caller& by, const Make& make) {
  using work = std::invoke_result_t<const Make&>;
  if constexpr (When == when::now) return run_work<work>(by, make);
  else if constexpr (When == when::later) return begin_work<work>(by, make);
  else return plan_work<work>(by, make);
}

}  // namespace peal::detail
