// peal/data/op.hpp
// Operations of reductions.
//
// std::plus, multiplies, logical_and, logical_or, bit_and, bit_or, bit_xor and peal::min, max,
// logical_xor are recognised and run in the library's kernels for arithmetic types. Any other
// function object works too; it is taken as associative, and as commutative only when made by
// op<commute::yes>.
//
// Threads  an operation is called by the thread that makes progress, with PEAL_ASYNC=1 also by
//          peal's own one, and with peal's lock held: it must not call peal.
// Errors   what it throws on this rank the call rethrows; ranks whose result depends on it get
//          errc::operation_failed.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include <peal/data/datatype.hpp>
#include <peal/detail/core.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal {

/// Whether the operands of an operation may be swapped.
enum class commute : bool {
  no,  ///< they are combined in rank order
  yes  ///< they are combined in any order
};

namespace detail {

struct min_of {
  template <class T>
    requires requires(const T& a, const T& b) {
      { b < a } -> std::convertible_to<bool>;
    }
  constexpr T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct max_of {
  template <class T>
    requires requires(const T& a, const T& b) {
      { a < b } -> std::convertible_to<bool>;
    }
  constexpr T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct logical_xor_of {
  template <class T>
    requires std::convertible_to<const T&, bool>
  constexpr bool operator()(const T& a, const T& b) const {
    return static_cast<bool>(a) != static_cast<bool>(b);
  }
};

template <commute Commutes, class F>
struct declared_operation {
  F function;
  template <class A, class B>
    requires std::invocable<F&, A, B>
  constexpr decltype(auto) operator()(A&& a, B&& b) {
    return detail::invoke(function, std::forward<A>(a), std::forward<B>(b));
  }
};

template <class Op>
inline constexpr bool is_commutative = false;
template <class F>
inline constexpr bool is_commutative<declared_operation<commute::yes, F>> = true;

template <class Op>
inline constexpr builtin builtin_of = builtin::none;
template <class T>
inline constexpr builtin builtin_of<std::plus<T>> = builtin::sum;
template <class T>
inline constexpr builtin builtin_of<std::multiplies<T>> = builtin::prod;
template <class T>
inline constexpr builtin builtin_of<std::logical_and<T>> = builtin::land;
template <class T>
inline constexpr builtin builtin_of<std::logical_or<T>> = builtin::lor;
template <class T>
inline constexpr builtin builtin_of<std::bit_and<T>> = builtin::band;
template <class T>
inline constexpr builtin builtin_of<std::bit_or<T>> = builtin::bor;
template <class T>
inline constexpr builtin builtin_of<std::bit_xor<T>> = builtin::bxor;
template <>
inline constexpr builtin builtin_of<min_of> = builtin::min;
template <>
inline constexpr builtin builtin_of<max_of> = builtin::max;
template <>
inline constexpr builtin builtin_of<logical_xor_of> = builtin::lxor;

// The type named in std::plus<T>: plus<int> on doubles is not the kernel's sum of doubles.
template <class Op, class T>
inline constexpr bool works_on = true;
template <template <class> class Op, class Named, class T>
inline constexpr bool works_on<Op<Named>, T> = std::is_void_v<Named> || std::is_same_v<Named, T>;

template <class T>
consteval bool has_kernel(builtin kind) {
  if (kind == builtin::none || scalar_of<T>() == scalar::opaque) return false;
  if (kind == builtin::sum || kind == builtin::prod) return true;
  if (is_complex<T>::value) return false;
  return std::is_integral_v<T> || kind == builtin::min || kind == builtin::max;
}

// On bool the C++ operators come down to these; the kernels then need no case of their own.
consteval builtin on_bool(builtin kind) {
  switch (kind) {
    case builtin::sum:
    case builtin::max:
    case builtin::bor: return builtin::lor;
    case builtin::prod:
    case builtin::min:
    case builtin::band: return builtin::land;
    case builtin::bxor: return builtin::lxor;
    default: return kind;
  }
}

template <class T, class Op>
reduction reduction_of(Op& op) noexcept {
  constexpr builtin kind = works_on<Op, T> ? builtin_of<Op> : builtin::none;
  if constexpr (has_kernel<T>(kind)) {
    return {std::is_same_v<T, bool> ? on_bool(kind) : kind, true, nullptr, nullptr};
  } else {
    constexpr auto combine = [](void* context, const void* in, void* inout, std::size_t count) {
      Op& op = *static_cast<Op*>(context);
      const T* lower = static_cast<const T*>(in);
      T* higher = static_cast<T*>(inout);
      for (std::size_t i = 0; i < count; ++i) {
        const T made = static_cast<T>(detail::invoke(op, lower[i], std::as_const(higher[i])));
        // T need not be assignable
        std::memcpy(static_cast<void*>(higher + i), std::addressof(made), sizeof(T));
      }
    };
    void* const context = const_cast<std::remove_const_t<Op>*>(std::addressof(op));
    return {builtin::none, is_commutative<Op>, combine, context, type_of<Op>()};
  }
}

}  // namespace detail

/// @{
/// Operations for reductions, beside std::plus and its like.
inline constexpr detail::min_of min{};
inline constexpr detail::max_of max{};
inline constexpr detail::logical_xor_of logical_xor{};
/// @}

/// Says of a function object whether its operands may be swapped. Captures live as long as the
/// operation.
template <commute Commutes, class F>
constexpr auto op(F&& function) {
  return detail::declared_operation<Commutes, std::decay_t<F>>{std::forward<F>(function)};
}

}  // namespace peal
