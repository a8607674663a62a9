#include "mpi/operations/kernels.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>

namespace peal::mpi {

namespace {

template <class Value, class Index>
struct value_and_index {
  Value value;
  Index index;
};

template <class Value, class Index, bool Least>
void locate(const void* in, void* inout, std::size_t count) {
  using element = value_and_index<Value, Index>;
  const auto* const from = static_cast<const element*>(in);
  auto* const into = static_cast<element*>(inout);
  for (std::size_t i = 0; i != count; ++i) {
    const bool better = Least ? from[i].value < into[i].value : into[i].value < from[i].value;
    if (better) into[i] = from[i];
    else if (from[i].value == into[i].value) into[i].index = std::min(from[i].index, into[i].index);
  }
}

template <class Value, class Index>
joining::kernel locating(bool least) noexcept {
  return least ? &locate<Value, Index, true> : &locate<Value, Index, false>;
}

template <class Index>
joining::kernel locating_by(const basic_type& value, bool least) noexcept {
  using detail::scalar;
  switch (value.scalar) {
    case scalar::i16: return locating<short, Index>(least);
    case scalar::i32: return locating<std::int32_t, Index>(least);
    case scalar::i64: return locating<std::int64_t, Index>(least);
    case scalar::f32: return locating<float, Index>(least);
    case scalar::f64: return locating<double, Index>(least);
    case scalar::f80: return locating<long double, Index>(least);
    default: return nullptr;
  }
}

template <class Number, class Join>
void join_all(const void* in, void* inout, std::size_t count) {
  const auto* const from = static_cast<const Number*>(in);
  auto* const into = static_cast<Number*>(inout);
  for (std::size_t i = 0; i != count; ++i) into[i] = static_cast<Number>(Join{}(from[i], into[i]));
}

struct least {
  template <class Number>
  Number operator()(const Number& a, const Number& b) const {
    return b < a ? b : a;
  }
};
struct most {
  template <class Number>
  Number operator()(const Number& a, const Number& b) const {
    return a < b ? b : a;
  }
};
struct either {
  template <class Number>
  bool operator()(const Number& a, const Number& b) const {
    return a != Number{} || b != Number{};
  }
};
struct both {
  template <class Number>
  bool operator()(const Number& a, const Number& b) const {
    return a != Number{} && b != Number{};
  }
};
struct one_of_both {
  template <class Number>
  bool operator()(const Number& a, const Number& b) const {
    return (a != Number{}) != (b != Number{});
  }
};

template <class Number>
joining::kernel arithmetic(detail::builtin kind) noexcept {
  switch (kind) {
    case detail::builtin::sum: return &join_all<Number, std::plus<>>;
    case detail::builtin::prod: return &join_all<Number, std::multiplies<>>;
    default: return nullptr;
  }
}
template <class Number>
joining::kernel ordered(detail::builtin kind) noexcept {
  switch (kind) {
    case detail::builtin::min: return &join_all<Number, least>;
    case detail::builtin::max: return &join_all<Number, most>;
    default: return arithmetic<Number>(kind);
  }
}
template <class Number>
joining::kernel logical_of(detail::builtin kind) noexcept {
  switch (kind) {
    case detail::builtin::land: return &join_all<Number, both>;
    case detail::builtin::lor: return &join_all<Number, either>;
    case detail::builtin::lxor: return &join_all<Number, one_of_both>;
    default: return nullptr;
  }
}
template <class Number>
joining::kernel whole(detail::builtin kind) noexcept {
  switch (kind) {
    case detail::builtin::band: return &join_all<Number, std::bit_and<>>;
    case detail::builtin::bor: return &join_all<Number, std::bit_or<>>;
    case detail::builtin::bxor: return &join_all<Number, std::bit_xor<>>;
    case detail::builtin::min:
    case detail::builtin::max:
    case detail::builtin::sum:
    case detail::builtin::prod: return ordered<Number>(kind);
    default: return logical_of<Number>(kind);
  }
}

}  // namespace

joining::kernel pair_kernel(MPI_Op op, const value_index& pair) noexcept {
  if (op != MPI_MINLOC && op != MPI_MAXLOC) return nullptr;
  const bool least = op == MPI_MINLOC;
  // The pairs of Fortran have an index of the value's own type.
  if (pair.index->known == domain::floating)
    return pair.value->scalar == detail::scalar::f32 ? locating<float, float>(least)
                                                     : locating<double, double>(least);
  return pair.index->size == 4 ? locating_by<std::int32_t>(*pair.value, least)
                               : locating_by<std::int64_t>(*pair.value, least);
}

joining::kernel number_kernel(detail::builtin kind, const basic_type& type) noexcept {
  switch (type.known) {
    case domain::floating: return type.size == 16 ? ordered<quad>(kind) : nullptr;
    case domain::complex:
      return type.size == 32 ? arithmetic<std::complex<long double>>(kind) : nullptr;
    case domain::integer: return type.size == 16 ? whole<wide_integer>(kind) : nullptr;
    case domain::logical:
      switch (type.size) {
        case 1: return logical_of<std::int8_t>(kind);
        case 2: return logical_of<std::int16_t>(kind);
        case 4: return logical_of<std::int32_t>(kind);
        case 8: return logical_of<std::int64_t>(kind);
        default: return logical_of<wide_integer>(kind);
      }
    default: return nullptr;
  }
}

}  // namespace peal::mpi
