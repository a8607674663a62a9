#include "mpi/tools/control_variables.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>

#include "../support/failures.hpp"

namespace {

using namespace peal::mpi;

int index_of(const std::string& name) {
  const auto all = control_variables();
  for (std::size_t each = 0; each != all.size(); ++each)
    if (all[each].name == name) return static_cast<int>(each);
  ADD_FAILURE() << "there is no " << name;
  return 0;
}

TEST(control_variables, are_changed_in_the_environment_before_the_start) {
  ::unsetenv("PEAL_WAIT");
  int count = 0;
  const MPI_T_cvar_handle handle = bind_control_variable(index_of("PEAL_WAIT"), &count);
  ASSERT_GE(count, 8);
  std::array<char, 512> text{};
  ASSERT_LE(static_cast<std::size_t>(count), text.size());
  read_control_variable(handle, text.data());
  EXPECT_STREQ(text.data(), "adaptive");
  write_control_variable(handle, "poll");
  EXPECT_STREQ(std::getenv("PEAL_WAIT"), "poll");
  read_control_variable(handle, text.data());
  EXPECT_STREQ(text.data(), "poll");
  EXPECT_EQ(class_thrown_by([&] { write_control_variable(handle, "never"); }), MPI_T_ERR_INVALID);
  EXPECT_STREQ(std::getenv("PEAL_WAIT"), "poll") << "what is not allowed changes nothing";
  control_variable_handles().remove(handle);
  EXPECT_EQ(class_thrown_by([&] { read_control_variable(handle, text.data()); }),
            MPI_T_ERR_INVALID_HANDLE);
  ::unsetenv("PEAL_WAIT");
}

TEST(control_variables, that_are_0_or_1_are_integers) {
  ::unsetenv("PEAL_ASYNC");
  int count = 0, value = -1;
  const int index = index_of("PEAL_ASYNC");
  ASSERT_TRUE(is_integer(control_variables()[static_cast<std::size_t>(index)]));
  const MPI_T_cvar_handle handle = bind_control_variable(index, &count);
  EXPECT_EQ(count, 1);
  read_control_variable(handle, &value);
  EXPECT_EQ(value, 0);
  value = 1;
  write_control_variable(handle, &value);
  EXPECT_STREQ(std::getenv("PEAL_ASYNC"), "1");
  value = 2;
  EXPECT_EQ(class_thrown_by([&] { write_control_variable(handle, &value); }), MPI_T_ERR_INVALID);
  read_control_variable(handle, &value);
  EXPECT_EQ(value, 1);
  control_variable_handles().remove(handle);
  ::unsetenv("PEAL_ASYNC");
}

TEST(control_variables, have_no_handle_for_an_index_that_is_none) {
  int count = 0;
  EXPECT_EQ(class_thrown_by([&] { (void)bind_control_variable(-1, &count); }),
            MPI_T_ERR_INVALID_INDEX);
  const int past = static_cast<int>(control_variables().size());
  EXPECT_EQ(class_thrown_by([&] { (void)bind_control_variable(past, &count); }),
            MPI_T_ERR_INVALID_INDEX);
}

}  // namespace
