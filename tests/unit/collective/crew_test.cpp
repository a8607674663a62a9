// Long reductions by several threads. This program is linked with an OpenMP runtime, as one that
// uses OpenMP is.
#include "collective/crew.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <complex>
#include <cstring>
#include <thread>
#include <vector>

#include "collective/reduction.hpp"

namespace {

using namespace peal;
using detail::builtin;
using detail::scalar;

/// Two threads, wherever the test runs.
class crew_test : public testing::Test {
 protected:
  void SetUp() override {
    omp_set_num_threads(2);
    crew::set_own(2);
  }
  void TearDown() override {
    omp_set_num_threads(before);
    crew::set_own(1);
  }
  int before = omp_get_max_threads();
};

reduction reduction_of(scalar type, builtin operation, std::size_t element) {
  detail::collective_call call;
  call.type = type;
  call.element_size = element;
  call.op.kind = operation;
  return reduction{call};
}

template <class T>
std::vector<T> values(std::size_t count, unsigned seed) {
  std::vector<T> made(count);
  for (auto& each : made)
    each = static_cast<T>(static_cast<double>(seed = seed * 1664525 + 1013904223) / 7e5);
  return made;
}

template <class T>
void same_bits_as_one_thread(scalar type, builtin operation) {
  for (const std::size_t bytes : {reduction::long_bytes, reduction::long_bytes + sizeof(T),
                                  5 * reduction::long_bytes + 7 * sizeof(T)}) {
    const std::size_t count = bytes / sizeof(T);
    auto lower = values<T>(count, 1), higher = values<T>(count, 2);
    std::vector<T> expected(count), found(count);
    find_kernel(type, operation)(lower.data(), higher.data(), expected.data(), count);
    const auto as_bytes = [](std::vector<T>& of) {
      return reinterpret_cast<std::byte*>(of.data());
    };
    const auto join = reduction_of(type, operation, sizeof(T));
    const auto length = count * sizeof(T);
    join.apply(as_bytes(lower), as_bytes(higher), as_bytes(found), length);
    EXPECT_EQ(std::memcmp(found.data(), expected.data(), length), 0);
    found = higher;
    join.apply(as_bytes(lower), as_bytes(found), as_bytes(found), length);
    EXPECT_EQ(std::memcmp(found.data(), expected.data(), length), 0) << "into the higher";
    join.apply(as_bytes(lower), as_bytes(higher), as_bytes(lower), length);
    EXPECT_EQ(std::memcmp(lower.data(), expected.data(), length), 0) << "into the lower";
  }
}

TEST_F(crew_test, same_bits_as_one_thread) {
  ASSERT_TRUE(crew::there());
  same_bits_as_one_thread<float>(scalar::f32, builtin::sum);
  same_bits_as_one_thread<double>(scalar::f64, builtin::prod);
  same_bits_as_one_thread<std::complex<double>>(scalar::c128, builtin::sum);
  same_bits_as_one_thread<std::int8_t>(scalar::i8, builtin::max);
}

std::atomic<int> inside{0};

// Who takes a piece stays until somebody else has one, so the test ends only if two threads share.
void meets_another(const void*, const void*, void*, std::size_t) {
  static thread_local bool counted = false;
  if (!counted) inside.fetch_add(1);
  counted = true;
  while (inside.load() < 2) std::this_thread::yield();
}

TEST_F(crew_test, two_threads_share_the_pieces) {
  std::vector<std::byte> memory(reduction::long_bytes);
  crew::apply(meets_another, memory.data(), memory.data(), memory.data(), memory.size(), 1);
  EXPECT_EQ(inside.load(), 2);
}

TEST_F(crew_test, no_help_where_the_rank_has_a_core_only) {
  crew::set_own(1);
  if (omp_get_num_places() > 1)
    GTEST_SKIP() << "needs OMP_PLACES to be unset: it says that the rank has more cores";
  EXPECT_FALSE(crew::there());
}

TEST_F(crew_test, no_help_where_the_program_runs_one_thread) {
  omp_set_num_threads(1);
  EXPECT_FALSE(crew::there());
}

TEST_F(crew_test, no_help_for_other_threads) {
  bool there = true;
  std::thread{[&there] { there = crew::there(); }}.join();
  EXPECT_FALSE(there);
}

TEST_F(crew_test, no_help_within_a_part_of_the_programs_own) {
  std::atomic<int> alone{0};
#pragma omp parallel num_threads(2)
  if (!crew::there()) ++alone;
  EXPECT_EQ(alone.load(), 2);
}

}  // namespace
