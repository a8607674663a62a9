#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <string>

#include "../support/modelled_objects.hpp"

namespace {

class error_code_calls : public testing::Test {
 protected:
  peal::mpi::modelled_objects objects_;
  std::array<char, MPI_MAX_ERROR_STRING> text_{};
  int length_ = 0;
};

TEST_F(error_code_calls, tell_the_sentence_of_a_class_and_its_length) {
  for (int each = MPI_SUCCESS; each <= MPI_ERR_ABI; ++each) {
    EXPECT_EQ(MPI_Error_string(each, text_.data(), &length_), MPI_SUCCESS);
    EXPECT_GT(length_, 10);
    EXPECT_EQ(std::string{text_.data()}.size(), static_cast<std::size_t>(length_));
  }
  EXPECT_EQ(MPI_Error_string(-1, text_.data(), &length_), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Error_string(1, nullptr, &length_), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Error_string(1, text_.data(), nullptr), MPI_ERR_ARG);
}

TEST_F(error_code_calls, add_and_remove_what_is_the_programs_own) {
  int error_class = 0, code = 0, found = 0;
  ASSERT_EQ(MPI_Add_error_class(&error_class), MPI_SUCCESS);
  ASSERT_EQ(MPI_Add_error_code(error_class, &code), MPI_SUCCESS);
  EXPECT_EQ(MPI_Add_error_string(code, "too hot"), MPI_SUCCESS);
  EXPECT_EQ(MPI_Error_class(code, &found), MPI_SUCCESS);
  EXPECT_EQ(found, error_class);
  EXPECT_EQ(MPI_Error_string(code, text_.data(), &length_), MPI_SUCCESS);
  EXPECT_STREQ(text_.data(), "too hot");
  EXPECT_EQ(length_, 7);
  EXPECT_EQ(MPI_Error_string(error_class, text_.data(), &length_), MPI_SUCCESS);
  EXPECT_STREQ(text_.data(), "");
  EXPECT_EQ(length_, 0);
  EXPECT_EQ(MPI_Remove_error_class(error_class), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Remove_error_string(code), MPI_SUCCESS);
  EXPECT_EQ(MPI_Remove_error_code(code), MPI_SUCCESS);
  EXPECT_EQ(MPI_Remove_error_class(error_class), MPI_SUCCESS);
  EXPECT_EQ(MPI_Error_class(code, &found), MPI_ERR_ARG);
}

TEST_F(error_code_calls, refuse_null_pointers) {
  EXPECT_EQ(MPI_Add_error_class(nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Add_error_code(MPI_ERR_IO, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Add_error_string(MPI_ERR_IO, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Error_class(MPI_ERR_IO, nullptr), MPI_ERR_ARG);
}

}  // namespace
