#include "mpi/errors/error_codes.hpp"

#include <gtest/gtest.h>

#include "../support/failures.hpp"

namespace {

using namespace peal::mpi;

TEST(error_codes, of_the_standard_are_their_own_classes) {
  for (int each = MPI_SUCCESS; each <= MPI_ERR_ABI; ++each) EXPECT_EQ(class_of_code(each), each);
  EXPECT_EQ(text_of_code(MPI_ERR_COUNT).substr(0, 15), "MPI_ERR_COUNT: ");
  EXPECT_EQ(class_thrown_by([] { (void)class_of_code(-1); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown_by([] { (void)class_of_code(900); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown_by([] { (void)text_of_code(1 << 30); }), MPI_ERR_ARG);
}

TEST(error_codes, are_added_above_those_of_the_standard_and_belong_to_classes) {
  const int error_class = add_error_class();
  EXPECT_GT(error_class, static_cast<int>(MPI_ERR_LASTCODE));
  EXPECT_EQ(last_used_code(), error_class);
  const int own = add_error_code(error_class), standard = add_error_code(MPI_ERR_IO);
  EXPECT_EQ(class_of_code(error_class), error_class);
  EXPECT_EQ(class_of_code(own), error_class);
  EXPECT_EQ(class_of_code(standard), MPI_ERR_IO);
  EXPECT_EQ(last_used_code(), standard);
  EXPECT_EQ(class_thrown_by([=] { (void)add_error_code(own); }), MPI_ERR_ARG) << "no class";
  EXPECT_EQ(class_thrown_by([] { (void)add_error_code(900); }), MPI_ERR_ARG);

  EXPECT_EQ(class_thrown_by([=] { remove_error_class(error_class); }), MPI_ERR_ARG)
      << "it has a code";
  EXPECT_EQ(class_thrown_by([=] { remove_error_class(own); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown_by([=] { remove_error_code(error_class); }), MPI_ERR_ARG);
  remove_error_code(own);
  remove_error_code(standard);
  remove_error_class(error_class);
  for (const int gone : {own, standard, error_class})
    EXPECT_EQ(class_thrown_by([=] { (void)class_of_code(gone); }), MPI_ERR_ARG);
  EXPECT_EQ(last_used_code(), standard) << "numbers are not given twice";
}

TEST(error_codes, have_the_strings_that_the_program_gives_them) {
  const int error_class = add_error_class(), code = add_error_code(error_class);
  EXPECT_EQ(text_of_code(code), "") << "no string was given";
  EXPECT_EQ(class_thrown_by([=] { remove_error_string(code); }), MPI_ERR_ARG);
  add_error_string(code, "first");
  add_error_string(code, "second");
  EXPECT_EQ(text_of_code(code), "second");
  EXPECT_EQ(text_of_code(error_class), "");
  add_error_string(code, std::string(2000, 'x'));
  EXPECT_EQ(text_of_code(code), std::string(MPI_MAX_ERROR_STRING - 1, 'x'));
  EXPECT_EQ(class_thrown_by([=] { remove_error_code(code); }), MPI_ERR_ARG) << "it has a string";
  remove_error_string(code);
  EXPECT_EQ(text_of_code(code), "");
  remove_error_code(code);
  add_error_string(error_class, "class");
  EXPECT_EQ(class_thrown_by([=] { remove_error_class(error_class); }), MPI_ERR_ARG)
      << "it has a string";
  remove_error_string(error_class);
  remove_error_class(error_class);
}

TEST(error_codes, of_the_standard_cannot_be_changed) {
  EXPECT_EQ(class_thrown_by([] { add_error_string(MPI_ERR_COUNT, "mine"); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown_by([] { remove_error_string(MPI_ERR_COUNT); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown_by([] { remove_error_code(MPI_ERR_COUNT); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown_by([] { remove_error_class(MPI_ERR_COUNT); }), MPI_ERR_ARG);
}

}  // namespace
