// peal/requests/wait.hpp
// Waiting for several requests.
//
// Threads  as for the requests.
// Errors   wait_all waits for all of them, then throws the first error. wait_any and wait_some
//          throw none: that is left to the requests.
#pragma once

#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <peal/detail/std_parts.hpp>
#include <peal/requests/request.hpp>

namespace peal {

namespace detail {
template <class T>
struct is_request : std::false_type {};
template <class T>
struct is_request<request<T>> : std::true_type {};

template <class T>
using held_value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
held_value<T> take_held(request<T>& from) {
  if constexpr (std::is_void_v<T>) {
    if (from.valid()) from.wait();
    return {};
  } else {
    return from.wait();
  }
}

/// Nothing where it failed; then `first` holds the first error.
template <class T>
std::optional<held_value<T>> take_or_note(request<T>& from, std::exception_ptr& first) {
  try {
    return std::optional<held_value<T>>{take_held(from)};
  } catch (...) {
    if (!first) first = std::current_exception();
    return std::nullopt;
  }
}
}  // namespace detail

/// A vector, array or other range of requests.
template <class Range>
concept request_range = std::ranges::forward_range<Range> &&
                        detail::is_request<std::ranges::range_value_t<Range>>::value;

/// The values, in the order of the requests (void: none). Empty requests are passed over when they
/// have no value.
template <request_range Range>
auto wait_all(Range&& requests,
              const std::source_location& where = std::source_location::current()) {
  using value = typename std::ranges::range_value_t<Range>::value_type;
  for (auto& each : requests)
    if (each.valid()) each.wait_for_end();
  std::exception_ptr first;
  std::vector<detail::held_value<value>> values;
  for (auto& each : requests) {
    if (std::is_void_v<value> && !each.valid()) continue;
    try {
      if constexpr (std::is_void_v<value>) each.wait(where);
      else values.push_back(each.wait(where));
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
  if constexpr (!std::is_void_v<value>) return values;
}

/// The values as a tuple, std::monostate for a request without one. Empty requests are passed over
/// when they have no value.
template <class... Request>
  requires(detail::is_request<std::remove_cvref_t<Request>>::value && ...)
auto wait_all(Request&&... requests)
    -> std::tuple<detail::held_value<typename std::remove_cvref_t<Request>::value_type>...> {
  ((requests.valid() && requests.wait_for_end()), ...);
  std::exception_ptr first;
  std::tuple<
      std::optional<detail::held_value<typename std::remove_cvref_t<Request>::value_type>>...>
      all{detail::take_or_note(requests, first)...};
  if (first) std::rethrow_exception(first);
  return std::apply(
      [](auto&... each) {
        return std::tuple<detail::held_value<typename std::remove_cvref_t<Request>::value_type>...>{
            *std::move(each)...};
      },
      all);
}

namespace detail {

/// Looks for one that has ended, again and again. `each(visit)` calls visit(request) for all of
/// them, until it returns true.
template <class Each>
class search {
 public:
  explicit search(const Each& each) noexcept : each_{each} {}
  /// Whether there is nothing to be waited for: one has ended, or all are empty.
  bool look() {
    std::size_t at = 0;
    bool any = false;
    each_([&](auto& request) {
      any = any || request.valid();
      if (request.valid() && request.is_over()) over_ = at;
      ++at;
      return over_.has_value();
    });
    return over_ || !any;
  }
  /// False: the time is over.
  bool wait(time_point until) {
    return look() ||
           wait_until([](void* all) { return static_cast<search*>(all)->look(); }, this, until);
  }
  [[nodiscard]] std::optional<std::size_t> found() const noexcept { return over_; }

 private:
  const Each& each_;
  std::optional<std::size_t> over_;
};

template <class Each>
std::optional<std::size_t> search_any(const Each& each, time_point until,
                                      const std::source_location& where) {
  search<Each> found{each};
  if (!found.wait(until) && until == never)
    fail(errc::not_started, "the peal::environment ended before any of these requests", -1, where);
  return found.found();
}

template <class Range>
auto each_of_range(Range& requests) {
  return [&requests](const auto& visit) {
    for (auto& each : requests)
      if (visit(each)) return;
  };
}
template <class... T>
auto each_of(request<T>&... requests) {
  return [&requests...](const auto& visit) { static_cast<void>((visit(requests) || ...)); };
}

template <class Rep, class Period>
time_point time_after(std::chrono::duration<Rep, Period> time) noexcept {
  return detail::time_after(static_cast<long double>(time.count()) * Period::num / Period::den);
}

}  // namespace detail

/// The index of one that has ended, which remains for the caller to wait for; nothing when all are
/// empty.
template <request_range Range>
std::optional<std::size_t> wait_any(
    Range&& requests, const std::source_location& where = std::source_location::current()) {
  return detail::search_any(detail::each_of_range(requests), detail::never, where);
}
/// The same of requests that differ in type, in the order in which they are named.
template <class... T>
std::optional<std::size_t> wait_any(request<T>&... requests) {
  return detail::search_any(detail::each_of(requests...), detail::never,
                            std::source_location::current());
}
/// @{
/// The same, or nothing when the time is over.
template <class Rep, class Period, request_range Range>
std::optional<std::size_t> wait_any_for(std::chrono::duration<Rep, Period> time, Range&& requests) {
  return detail::search_any(detail::each_of_range(requests), detail::time_after(time),
                            std::source_location::current());
}
template <class Rep, class Period, class... T>
std::optional<std::size_t> wait_any_for(std::chrono::duration<Rep, Period> time,
                                        request<T>&... requests) {
  return detail::search_any(detail::each_of(requests...), detail::time_after(time),
                            std::source_location::current());
}
/// @}

/// @{
/// Whether all have ended, so that wait_all would return at once; makes some progress if not. Empty
/// requests are passed over.
template <request_range Range>
bool test_all(Range&& requests) {
  const auto all_over = [&] {
    for (auto& each : requests)
      if (each.valid() && !each.is_over()) return false;
    return true;
  };
  if (all_over()) return true;
  detail::progress();
  return all_over();
}
template <class... T>
bool test_all(request<T>&... requests) {
  const auto all_over = [&] { return ((!requests.valid() || requests.is_over()) && ...); };
  if (all_over()) return true;
  detail::progress();
  return all_over();
}
/// @}

/// The indices of all that have ended, one at least; empty when all requests are.
template <request_range Range>
std::vector<std::size_t> wait_some(
    Range&& requests, const std::source_location& where = std::source_location::current()) {
  std::vector<std::size_t> over;
  if (!wait_any(requests, where)) return over;
  std::size_t at = 0;
  for (auto& each : requests) {
    if (each.valid() && each.is_over()) over.push_back(at);
    ++at;
  }
  return over;
}

}  // namespace peal
