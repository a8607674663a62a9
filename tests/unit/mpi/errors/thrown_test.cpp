#include "mpi/errors/thrown.hpp"

#include <gtest/gtest.h>

#include <new>
#include <peal/error.hpp>
#include <stdexcept>

#include "mpi/support/place.hpp"

namespace {

using peal::mpi::failure;

template <class Thrown>
failure told_of(const Thrown& thrown) {
  try {
    throw thrown;
  } catch (...) {
    return peal::mpi::what_was_thrown();
  }
}

TEST(thrown, failures_are_told_as_they_are) {
  const failure told = told_of(failure{MPI_ERR_COUNT, "count is -1"});
  EXPECT_EQ(told.error_class, MPI_ERR_COUNT);
  EXPECT_EQ(told.what, "count is -1");
}

TEST(thrown, errors_of_peal_have_the_class_of_their_code) {
  const failure told = told_of(peal::error{peal::errc::truncated, "too long for its buffer"});
  EXPECT_EQ(told.error_class, MPI_ERR_TRUNCATE);
  EXPECT_NE(told.what.find("too long for its buffer"), std::string::npos);
}

TEST(thrown, the_place_of_the_library_is_not_told_and_that_of_a_program_is) {
  const peal::error own{peal::errc::truncated, "too long", -1, peal::mpi::place};
  EXPECT_EQ(told_of(own).what.find("too long"), 0U);
  EXPECT_NE(told_of(peal::error{peal::errc::truncated, "too long"}).what.find("thrown_test.cpp"),
            std::string::npos);
}

TEST(thrown, other_exceptions_have_the_class_that_fits_best) {
  EXPECT_EQ(told_of(std::bad_alloc{}).error_class, MPI_ERR_NO_MEM);
  EXPECT_EQ(told_of(std::runtime_error{"why"}).error_class, MPI_ERR_OTHER);
  EXPECT_EQ(told_of(std::runtime_error{"why"}).what, "why");
  EXPECT_EQ(told_of(std::system_error{std::make_error_code(std::errc::io_error)}).error_class,
            MPI_ERR_OTHER);
  EXPECT_EQ(told_of(7).error_class, MPI_ERR_OTHER);
}

}  // namespace
