#include "mpi/communicators/hints.hpp"

#include <gtest/gtest.h>

#include "unit/mpi/support/failures.hpp"

namespace {

using namespace peal::mpi;

TEST(hints, assertions_of_the_standard_are_taken_and_nothing_else) {
  communicator of;
  info given;
  given.set("mpi_assert_exact_length", "true");
  given.set("something", "true");
  const MPI_Info handle = handle_of(given);
  set_hints(of, hints_in(handle));
  ASSERT_NE(of.hints.find("mpi_assert_exact_length"), nullptr);
  EXPECT_EQ(*of.hints.find("mpi_assert_exact_length"), "true");
  EXPECT_EQ(of.hints.size(), 1);
  infos().remove(handle);
}

TEST(hints, those_that_are_not_named_again_stay) {
  communicator of;
  of.hints.set("mpi_assert_exact_length", "true");
  info given;
  given.set("mpi_assert_no_any_source", "false");
  const MPI_Info handle = handle_of(given);
  set_hints(of, hints_in(handle));
  set_hints(of, hints_in(MPI_INFO_NULL));
  EXPECT_EQ(of.hints.size(), 2);
  infos().remove(handle);
}

TEST(hints, an_assertion_that_is_neither_true_nor_false_is_refused) {
  info given;
  given.set("mpi_assert_no_any_tag", "true");
  given.set("mpi_assert_exact_length", "perhaps");
  const MPI_Info handle = handle_of(given);
  EXPECT_EQ(class_thrown_by([&] { (void)hints_in(handle); }), MPI_ERR_INFO_VALUE);
  infos().remove(handle);
}

TEST(hints, named_tags_are_wanted_where_it_is_asserted_that_no_receive_takes_any) {
  info given;
  EXPECT_FALSE(wants_named_tags(given));
  given.set("mpi_assert_no_any_tag", "false");
  EXPECT_FALSE(wants_named_tags(given));
  given.set("mpi_assert_no_any_tag", "true");
  EXPECT_TRUE(wants_named_tags(given));
}

}  // namespace
