// The kernels of the builtin reductions, for every type and operation and every set of vector
// instructions that this processor has. What is expected is computed here, so products are not
// fused with sums here either, as the compiler may where the processor can.
#if defined(__clang__)
#pragma clang fp contract(off)
#else
#pragma GCC optimize("fp-contract=off")
#endif
#include "collective/kernels/reduction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "collective/kernels/kernels.hpp"

namespace {

using namespace peal;
using detail::builtin;
using detail::scalar;

constexpr std::array operations{builtin::sum,  builtin::prod, builtin::min,  builtin::max,
                                builtin::land, builtin::lor,  builtin::lxor, builtin::band,
                                builtin::bor,  builtin::bxor};

std::vector<const kernels::table*> tables() {
  std::vector<const kernels::table*> usable{&kernels::baseline()};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) usable.push_back(&kernels::avx2());
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    usable.push_back(&kernels::avx512());
#endif
  return usable;
}

template <class T>
struct named;
#define PEAL_NAMED(type, value)                 \
  template <>                                   \
  struct named<type> {                          \
    static constexpr scalar is = scalar::value; \
  }
PEAL_NAMED(std::int8_t, i8);
PEAL_NAMED(std::int16_t, i16);
PEAL_NAMED(std::int32_t, i32);
PEAL_NAMED(std::int64_t, i64);
PEAL_NAMED(std::uint8_t, u8);
PEAL_NAMED(std::uint16_t, u16);
PEAL_NAMED(std::uint32_t, u32);
PEAL_NAMED(std::uint64_t, u64);
PEAL_NAMED(float, f32);
PEAL_NAMED(double, f64);
PEAL_NAMED(long double, f80);
PEAL_NAMED(std::complex<float>, c64);
PEAL_NAMED(std::complex<double>, c128);
PEAL_NAMED(bool, boolean);
#undef PEAL_NAMED

template <class T>
constexpr bool is_complex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

// What C++ itself says, one element at a time; sets `known` to false where the operation has no
// meaning.
template <class T>
T expected(builtin operation, T a, T b, bool& known) {
  if constexpr (is_complex<T>) {
    if (operation == builtin::sum) return a + b;
    if (operation == builtin::prod)
      return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  } else {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      // Integers wrap around.
      const auto wide_a = static_cast<std::uint64_t>(a);
      const auto wide_b = static_cast<std::uint64_t>(b);
      if (operation == builtin::sum) return static_cast<T>(wide_a + wide_b);
      if (operation == builtin::prod) return static_cast<T>(wide_a * wide_b);
    } else {
      if (operation == builtin::sum) return static_cast<T>(a + b);
      if (operation == builtin::prod) return static_cast<T>(a * b);
    }
    if (operation == builtin::min) return std::min(a, b);
    if (operation == builtin::max) return std::max(a, b);
    if constexpr (std::is_integral_v<T>) {
      if (operation == builtin::land) return static_cast<T>(a && b);
      if (operation == builtin::lor) return static_cast<T>(a || b);
      if (operation == builtin::lxor) return static_cast<T>(!a != !b);
      if (operation == builtin::band) return static_cast<T>(a & b);
      if (operation == builtin::bor) return static_cast<T>(a | b);
      if (operation == builtin::bxor) return static_cast<T>(a ^ b);
    }
  }
  known = false;
  return {};
}

template <class T>
T random_value(std::mt19937& random) {
  if constexpr (std::is_same_v<T, bool>) return random() % 2 == 0;
  else if constexpr (is_complex<T>)
    return {static_cast<typename T::value_type>(random()) / 1000,
            -static_cast<typename T::value_type>(random()) / 777};
  else if constexpr (std::is_floating_point_v<T>)
    return (static_cast<T>(random()) - T{2147483648}) / 1000;
  else return random() % 4 == 0 ? T{0} : static_cast<T>(std::uint64_t{random()} << 32 | random());
}

template <class T>
class kernel_of : public testing::Test {};
using types = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                             std::uint16_t, std::uint32_t, std::uint64_t, float, double,
                             long double, std::complex<float>, std::complex<double>, bool>;
TYPED_TEST_SUITE(kernel_of, types);

TYPED_TEST(kernel_of, computes_what_cpp_says_in_every_form) {
  using T = TypeParam;
  std::mt19937 random{5};
  for (const kernels::table* table : tables())
    for (const builtin operation : operations)
      for (const std::size_t count : {0, 1, 2, 3, 7, 16, 63, 64, 65, 1000}) {
        const kernel tested = table->at(named<T>::is, operation);
        bool known = true;
        expected(operation, T{}, T{}, known);
        ASSERT_EQ(tested != nullptr, known) << "operation " << static_cast<int>(operation);
        if (!known) continue;
        const std::unique_ptr<T[]> a{new T[count + 1]};
        const std::unique_ptr<T[]> b{new T[count + 1]};
        const std::unique_ptr<T[]> out{new T[count + 1]};
        const auto renew = [&] {
          for (std::size_t i = 0; i != count + 1; ++i) {
            a[i] = random_value<T>(random);
            b[i] = random_value<T>(random);
            out[i] = T{};
          }
        };
        for (T* into : {out.get(), a.get(), b.get()}) {
          renew();
          std::vector<T> wanted;
          for (std::size_t i = 0; i != count; ++i)
            wanted.push_back(expected(operation, a[i], b[i], known));
          const T behind = into[count];
          tested(a.get(), b.get(), into, count);
          for (std::size_t i = 0; i != count; ++i)
            ASSERT_EQ(into[i], wanted[i]) << "operation " << static_cast<int>(operation)
                                          << ", element " << i << " of " << count;
          ASSERT_EQ(into[count], behind) << "wrote behind the end";
        }
      }
}

TEST(kernel, takes_the_lower_ranks_value_when_neither_is_less) {
  // Zeros of both signs are equal, and a NaN compares with nothing: the rule is the same in all
  // vector widths, so all ranks agree.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const kernels::table* table : tables()) {
    for (const builtin operation : {builtin::min, builtin::max}) {
      std::vector<float> a(70);
      std::vector<float> b(70);
      for (std::size_t i = 0; i != a.size(); ++i) {
        a[i] = i % 3 == 0 ? -0.0f : i % 3 == 1 ? nan : 1.0f;
        b[i] = i % 3 == 0 ? 0.0f : i % 3 == 1 ? 1.0f : nan;
      }
      std::vector<float> out(70);
      table->at(scalar::f32, operation)(a.data(), b.data(), out.data(), out.size());
      for (std::size_t i = 0; i != out.size(); ++i)
        ASSERT_EQ(std::memcmp(&out[i], &a[i], sizeof(float)), 0) << i;
    }
  }
}

TEST(kernel, does_not_exist_for_opaque_elements) {
  for (const builtin operation : operations)
    EXPECT_EQ(find_kernel(scalar::opaque, operation), nullptr);
  EXPECT_NE(find_kernel(scalar::f32, builtin::sum), nullptr);
}

// A user's operation that does not commute: text joined, three characters an element, of which the
// last is a count of calls.
struct pair_of_ends {
  char first;
  char last;
  bool operator==(const pair_of_ends&) const = default;
};

void join_ends(void* context, const void* in, void* inout, std::size_t count) {
  ++*static_cast<int*>(context);
  const auto* lower = static_cast<const pair_of_ends*>(in);
  auto* higher = static_cast<pair_of_ends*>(inout);
  for (std::size_t i = 0; i != count; ++i) higher[i] = {lower[i].first, higher[i].last};
}

TEST(user_operation, keeps_the_order_in_every_form) {
  int calls = 0;
  detail::collective_call call;
  call.element_size = sizeof(pair_of_ends);
  call.op.combine = join_ends;
  call.op.context = &calls;
  const reduction join{call};
  ASSERT_TRUE(join.valid());
  for (int form = 0; form != 3; ++form) {
    std::vector<pair_of_ends> lower(9, {'a', 'b'});
    std::vector<pair_of_ends> higher(9, {'c', 'd'});
    std::vector<pair_of_ends> apart(9);
    std::vector<pair_of_ends>& into = form == 0 ? lower : form == 1 ? higher : apart;
    join.apply(reinterpret_cast<std::byte*>(lower.data()),
               reinterpret_cast<std::byte*>(higher.data()),
               reinterpret_cast<std::byte*>(into.data()), 9 * sizeof(pair_of_ends));
    for (const pair_of_ends& each : into) EXPECT_EQ(each, (pair_of_ends{'a', 'd'}));
  }
  EXPECT_EQ(calls, 3);
}

}  // namespace
