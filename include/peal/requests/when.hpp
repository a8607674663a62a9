// peal/requests/when.hpp
// One request for several: it ends when all of them have, or when the first one has.
//
// Threads  as for the requests.
// Errors   when_all ends with the first error. when_any has none: that is left to the request that
//          has ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <peal/requests/request.hpp>
#include <peal/requests/wait.hpp>

namespace peal {

namespace detail {

/// Calls another hook when it has itself been called a number of times.
class countdown final : public hook {
 public:
  countdown(std::size_t calls, hook& then) noexcept : left_{calls}, then_{&then} { then.take(); }

 private:
  ~countdown() override {
    if (then_) then_->give_back();
  }
  void fire() override {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) call(std::exchange(then_, nullptr));
  }
  std::atomic<std::size_t> left_;
  hook* then_;
};

template <class Derived, class R>
class all_body : public body<R> {
 public:
  operation* pending() noexcept override {
    operation* found = nullptr;
    self().for_each([&](auto& each) {
      if (!found && each.valid()) found = each.pending();
    });
    return found;
  }
  bool settled() noexcept override {
    bool all = true;
    self().for_each([&](auto& each) { all = all && (!each.valid() || each.is_over()); });
    return all;
  }
  bool cancel_all() override {
    bool any = false;
    self().for_each([&](auto& each) { any = (each.valid() && each.cancel()) || any; });
    return any;
  }
  void subscribe(hook& to) override {
    std::size_t count = 1;
    self().for_each([&](auto& each) { count += each.valid(); });
    auto* counter = new countdown{count, to};
    // The requests may be taken by the hook as soon as the last of them is counted: that is this
    // call's own.
    self().for_each([&](auto& each) {
      if (each.valid()) each.subscribe(*counter);
    });
    hook::call(counter);
  }
  status status_now() noexcept override { return {}; }
  void abandon() noexcept override { delete this; }

 private:
  Derived& self() noexcept { return static_cast<Derived&>(*this); }
};

template <class... T>
class tuple_body final : public all_body<tuple_body<T...>, std::tuple<held_value<T>...>> {
 public:
  explicit tuple_body(request<T>&&... requests) : requests_{std::move(requests)...} {}
  template <class Visitor>
  void for_each(const Visitor& visit) {
    std::apply([&](auto&... each) { (visit(each), ...); }, requests_);
  }
  std::tuple<held_value<T>...> take(std::error_code* error) override {
    try {
      return std::apply([](auto&... each) { return wait_all(each...); }, requests_);
    } catch (const std::system_error& e) {
      if (!error) throw;
      *error = e.code();
      return nothing_of<std::tuple<held_value<T>...>>();
    }
  }

 private:
  std::tuple<request<T>...> requests_;
};

template <class T>
using all_values = std::conditional_t<std::is_void_v<T>, void, std::vector<held_value<T>>>;

template <class T>
class range_body final : public all_body<range_body<T>, all_values<T>> {
 public:
  explicit range_body(std::vector<request<T>>&& requests) : requests_{std::move(requests)} {}
  template <class Visitor>
  void for_each(const Visitor& visit) {
    for (auto& each : requests_) visit(each);
  }
  all_values<T> take(std::error_code* error) override {
    try {
      return wait_all(requests_);
    } catch (const std::system_error& e) {
      if (!error) throw;
      *error = e.code();
      return nothing_of<all_values<T>>();
    }
  }

 private:
  std::vector<request<T>> requests_;
};

}  // namespace detail

/// One request for all of them; its value is a tuple, std::monostate for a request without a value.
template <class... T>
request<std::tuple<detail::held_value<T>...>> when_all(request<T>&&... requests) {
  return request<std::tuple<detail::held_value<T>...>>{
      new detail::tuple_body<T...>{std::move(requests)...}};
}

/// One request for all of them; its value is a vector of theirs, or none.
template <class T>
request<detail::all_values<T>> when_all(std::vector<request<T>>&& requests) {
  return request<detail::all_values<T>>{new detail::range_body<T>{std::move(requests)}};
}

/// What when_any gives: the requests, and which of them has ended, whose wait() returns or throws
/// at once; none where all are empty. Requests: a vector or tuple of them.
template <class Requests>
struct any_ended {
  /// Of the request that has ended.
  std::optional<std::size_t> index;
  /// All requests, as they were given.
  Requests requests;
};

namespace detail {

/// Calls another hook once, when it has been called itself and is armed.
class first_of final : public hook {
 public:
  explicit first_of(hook& then) noexcept : then_{&then} { then.take(); }
  void arm() { pass_on(armed, fired); }
  /// Nothing will call it, so arm() does.
  void nothing_to_wait_for() noexcept { stage_.fetch_or(fired, std::memory_order_relaxed); }

 private:
  static constexpr std::uint8_t armed = 1, fired = 2;

  ~first_of() override {
    if (then_) then_->give_back();
  }
  void fire() override { pass_on(fired, armed); }
  void pass_on(std::uint8_t now, std::uint8_t before) {
    // acq_rel: the one that comes second sees what the other thread has written.
    if (stage_.fetch_or(now, std::memory_order_acq_rel) == before)
      call(std::exchange(then_, nullptr));
  }
  std::atomic<std::uint8_t> stage_{0};
  hook* then_;
};

template <class Requests>
class any_body final : public body<any_ended<Requests>> {
 public:
  explicit any_body(Requests&& requests) : requests_{std::move(requests)} {}

  // There is none that must finish.
  operation* pending() noexcept override { return nullptr; }
  bool settled() noexcept override {
    const auto all = each();
    return search<decltype(all)>{all}.look();
  }
  bool cancel_all() override {
    bool any = false;
    each()([&](auto& request) {
      any = (request.valid() && request.cancel()) || any;
      return false;
    });
    return any;
  }
  void subscribe(hook& to) override {
    auto* const first = new first_of{to};
    bool none = true;
    each()([&](auto& request) {
      if (request.valid()) request.subscribe(*first);
      none = none && !request.valid();
      return false;
    });
    if (none) first->nothing_to_wait_for();
    // What `to` calls may take the requests at once, so nothing of this is touched afterwards.
    first->arm();
    first->give_back();
  }
  status status_now() noexcept override { return {}; }
  any_ended<Requests> take(std::error_code* error) override {
    std::optional<std::size_t> over;
    {
      const auto all = each();
      search<decltype(all)> found{all};
      if (!found.look()) {
        if (!error)
          fail(errc::not_started, "the peal::environment ended before any of these requests", -1,
               location::current());
        *error = errc::not_started;
      }
      over = found.found();
    }
    return {over, std::move(requests_)};
  }
  void abandon() noexcept override { delete this; }

 private:
  auto each() noexcept {
    if constexpr (std::ranges::range<Requests>) return each_of_range(requests_);
    else return std::apply([](auto&... all) { return each_of(all...); }, requests_);
  }

  Requests requests_;
};

}  // namespace detail

/// @{
/// One request, which ends when any of these does, and gives all of them back:
///     auto [index, requests] = peal::when_any(std::move(coming)).wait();
template <class... T>
request<any_ended<std::tuple<request<T>...>>> when_any(request<T>&&... requests) {
  using all = std::tuple<request<T>...>;
  return request<any_ended<all>>{new detail::any_body<all>{all{std::move(requests)...}}};
}
template <class T>
request<any_ended<std::vector<request<T>>>> when_any(std::vector<request<T>>&& requests) {
  using all = std::vector<request<T>>;
  return request<any_ended<all>>{new detail::any_body<all>{std::move(requests)}};
}
/// @}

}  // namespace peal
