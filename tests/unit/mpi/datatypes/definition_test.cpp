#include "mpi/datatypes/definition.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "expect_failure.hpp"
#include "mpi/datatypes/constructors/constructors.hpp"
#include "mpi/datatypes/datatype.hpp"

namespace {

using namespace peal::mpi;

TEST(definition, ends_without_taking_the_stack_however_long_its_ancestry_is) {
  definition_pointer last = datatype_of(MPI_INT).shared;
  for (int each = 0; each != 1'000'000; ++each) last = make_dup(last);
  const std::weak_ptr<const definition> gone = last;
  last.reset();
  EXPECT_TRUE(gone.expired());
}

TEST(definition, is_compiled_once_whoever_asks_first) {
  const definition_pointer made = make_vector(form::small, 10, 1, 2, datatype_of(MPI_INT).shared);
  const plan* seen[4] = {};
  std::vector<std::thread> threads;
  for (auto& each : seen) threads.emplace_back([&] { each = &made->plan(); });
  for (std::thread& each : threads) each.join();
  for (const plan* each : seen) {
    EXPECT_EQ(each, seen[0]);
    EXPECT_EQ(each->size(), 40);
  }
}

TEST(definition, memory_is_needed_where_there_are_bytes) {
  const definition& type = datatype_of(MPI_DOUBLE).type();
  const double data = 0;
  EXPECT_EQ(class_thrown([&] { need_memory(&data, type, 8, "buf"); }), MPI_SUCCESS);
  EXPECT_EQ(class_thrown([&] { need_memory(nullptr, type, 0, "buf"); }), MPI_SUCCESS);
  EXPECT_EQ(class_thrown([&] { need_memory(nullptr, type, 8, "buf"); }), MPI_ERR_BUFFER);
  EXPECT_EQ(class_thrown([&] { need_memory(nullptr, type, 8, "buf", 80); }), MPI_ERR_BUFFER);
  EXPECT_EQ(class_thrown([&] { need_memory(MPI_IN_PLACE, type, 8, "buf"); }), MPI_ERR_BUFFER);
  // From MPI_BOTTOM on displacements are addresses.
  EXPECT_EQ(class_thrown([&] { need_memory(MPI_BOTTOM, type, 8, "buf", 1 << 20); }), MPI_SUCCESS);
}

TEST(definition, tells_bytes_that_can_be_counted_only) {
  const definition& type = datatype_of(MPI_DOUBLE).type();
  EXPECT_EQ(bytes_of(type, 5), 40);
  EXPECT_EQ(class_thrown([&] { (void)bytes_of(type, -1); }), MPI_ERR_COUNT);
  EXPECT_EQ(class_thrown([&] { (void)bytes_of(type, INT64_MAX / 4); }), MPI_ERR_COUNT);
}

}  // namespace
