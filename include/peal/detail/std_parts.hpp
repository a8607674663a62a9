// peal/detail/std_parts.hpp
// What peal needs of the larger headers of the standard library, without the rest of them:
// <functional>, <ranges>, <complex>, <chrono> and <bitset> together take as long to compile as peal
// itself.
//
// With libstdc++ these are the inner headers that <string>, <span> and the like include anyway, and
// declarations of templates of which peal needs no more than the name. Other libraries, and
// libstdc++'s debug mode, put their templates elsewhere: there it is all of the headers.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#if defined __GLIBCXX__ && !defined _GLIBCXX_DEBUG && !_GLIBCXX_INLINE_VERSION && \
    __has_include(<bits/stl_function.h>) && \
    __has_include(<bits/ranges_base.h>)
#include <bits/ranges_base.h>
#include <bits/stl_function.h>

// As in the library's own headers, else -fvisibility=hidden would hide what programs make of these
// types.
// clang-format off
namespace std _GLIBCXX_VISIBILITY(default) {
template <typename>
class complex;
template <size_t>
class bitset;
namespace chrono {
template <typename, typename>
class duration;
template <typename, typename>
class time_point;
}  // namespace chrono
}  // namespace std
// clang-format on
#else
#include <bitset>
#include <chrono>
#include <complex>
#include <functional>
#include <ranges>
#endif

namespace peal::detail {

/// std::invoke: as a call, and where that has no meaning (pointers to members) as std::apply does
/// it.
template <class F, class... Args>
  requires std::invocable<F, Args...>
constexpr decltype(auto) invoke(F&& function, Args&&... args) {
  if constexpr (std::is_member_pointer_v<std::remove_cvref_t<F>>) {
    return std::apply(std::forward<F>(function),
                      std::forward_as_tuple(std::forward<Args>(args)...));
  } else {
    return std::forward<F>(function)(std::forward<Args>(args)...);
  }
}

}  // namespace peal::detail
