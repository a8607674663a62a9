#include "mpi/collectives/group_joining.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace {

using namespace peal::mpi;
namespace detail = peal::detail;

/// An element as one rank makes it, in memory as aligned as the core's.
std::vector<std::byte> element_of(const two_vectors& of, const std::vector<int>& values) {
  std::vector<std::byte> made(of.bytes());
  of.mark(made.data());
  std::memcpy(made.data() + of.own_at(), values.data(), values.size() * sizeof(int));
  return made;
}
std::vector<int> other_of(const two_vectors& of, const std::vector<std::byte>& element) {
  std::vector<int> values(of.vector_bytes() / sizeof(int));
  std::memcpy(values.data(), element.data() + of.other_at(), of.vector_bytes());
  return values;
}

class two_groups : public ::testing::Test {
 protected:
  void join(const std::vector<std::byte>& lower, std::vector<std::byte>& higher) {
    detail::collective_call call;
    first.set(call);
    call.op.combine(call.op.context, lower.data(), higher.data(), 1);
  }

  joining sum{MPI_SUM, MPI_INT};
  two_vectors first{sum, 2, false}, second{sum, 2, true};
};

TEST_F(two_groups, each_group_finds_what_the_other_one_has_joined) {
  std::vector<std::byte> all = element_of(second, {100, 200});
  join(element_of(second, {10, 20}), all);
  join(element_of(first, {1, 2}), all);
  join(element_of(first, {3, 5}), all);
  EXPECT_EQ(other_of(first, all), (std::vector{110, 220}));
  EXPECT_EQ(other_of(second, all), (std::vector{4, 7}));
}

TEST_F(two_groups, what_is_there_already_stays_where_the_lower_ranks_have_nothing_of_it) {
  std::vector<std::byte> all = element_of(first, {1, 2});
  join(element_of(second, {10, 20}), all);
  EXPECT_EQ(other_of(second, all), (std::vector{1, 2}));
  EXPECT_EQ(other_of(first, all), (std::vector{10, 20}));
}

TEST_F(two_groups, the_call_has_one_element_with_both_vectors) {
  detail::collective_call call;
  first.set(call);
  EXPECT_EQ(call.bytes, call.element_size);
  EXPECT_GE(call.bytes, 2 * first.vector_bytes());
  EXPECT_TRUE(call.op.commutative);
  EXPECT_NE(first.own_at(), second.own_at());
  EXPECT_EQ(first.own_at(), second.other_at());
}

void keep_lower(void* in, void* inout, int* count, MPI_Datatype*) {
  std::memcpy(inout, in, static_cast<std::size_t>(*count) * sizeof(int));
}

TEST(gathered_vectors, the_root_joins_them_in_the_order_of_the_ranks) {
  op lower;
  lower.function = &keep_lower;
  lower.commutative = false;
  const MPI_Op handle = ops().add(std::make_unique<op>(lower));
  joining by{handle, MPI_INT};
  std::vector<int> result(2);
  gathered_vectors all{by, committed_datatype_of(MPI_INT).shared, result.data(), 2, 3};
  const std::vector<int> packed{1, 2, 3, 4, 5, 6};
  std::memcpy(all.packed(), packed.data(), packed.size() * sizeof(int));
  all.join();
  EXPECT_EQ(result, (std::vector{1, 2}));
  ops().remove(handle);
}

TEST(gathered_vectors, one_vector_is_the_result) {
  joining by{MPI_SUM, MPI_INT};
  int result = 0;
  gathered_vectors all{by, committed_datatype_of(MPI_INT).shared, &result, 1, 1};
  const int value = 7;
  std::memcpy(all.packed(), &value, sizeof value);
  all.join();
  EXPECT_EQ(result, 7);
}

}  // namespace
