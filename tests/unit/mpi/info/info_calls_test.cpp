#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <string>

#include "../support/modelled_objects.hpp"

namespace {

class info_calls : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(MPI_Info_create(&info_), MPI_SUCCESS); }
  ~info_calls() override {
    if (info_ != MPI_INFO_NULL) MPI_Info_free(&info_);
  }

  peal::mpi::modelled_objects objects_;
  MPI_Info info_ = MPI_INFO_NULL;
};

TEST_F(info_calls, store_values_and_tell_them) {
  EXPECT_EQ(MPI_Info_set(info_, "file", "data.txt"), MPI_SUCCESS);
  EXPECT_EQ(MPI_Info_set(info_, "soft", "1:4"), MPI_SUCCESS);
  int count = 0, there = 0, length = 0;
  EXPECT_EQ(MPI_Info_get_nkeys(info_, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 2);
  std::array<char, MPI_MAX_INFO_KEY> key{};
  EXPECT_EQ(MPI_Info_get_nthkey(info_, 1, key.data()), MPI_SUCCESS);
  EXPECT_STREQ(key.data(), "soft");
  EXPECT_EQ(MPI_Info_get_nthkey(info_, 2, key.data()), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Info_get_nthkey(info_, -1, key.data()), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Info_get_valuelen(info_, "file", &length, &there), MPI_SUCCESS);
  EXPECT_EQ(there, 1);
  EXPECT_EQ(length, 8);
  EXPECT_EQ(MPI_Info_delete(info_, "file"), MPI_SUCCESS);
  EXPECT_EQ(MPI_Info_delete(info_, "file"), MPI_ERR_INFO_NOKEY);
  EXPECT_EQ(MPI_Info_get_valuelen(info_, "file", &length, &there), MPI_SUCCESS);
  EXPECT_EQ(there, 0);
}

TEST_F(info_calls, a_string_is_cut_to_its_room_and_the_room_needed_is_told) {
  MPI_Info_set(info_, "k", "hello");
  for (const int room : {0, 1, 3, 5, 6, 20}) {
    std::array<char, 32> value;
    value.fill('x');
    int length = room, there = 0;
    EXPECT_EQ(MPI_Info_get_string(info_, "k", &length, value.data(), &there), MPI_SUCCESS);
    EXPECT_EQ(there, 1);
    EXPECT_EQ(length, 6) << "with the byte that ends it";
    if (room == 0) EXPECT_EQ(value[0], 'x');
    else
      EXPECT_EQ(std::string{value.data()},
                std::string{"hello"}.substr(0, static_cast<std::size_t>(room) - 1));
    EXPECT_EQ(value[static_cast<std::size_t>(room)], 'x');
  }
  int length = 0, there = 0;
  EXPECT_EQ(MPI_Info_get_string(info_, "k", &length, nullptr, &there), MPI_SUCCESS);
  EXPECT_EQ(length, 6);
  length = 17;
  EXPECT_EQ(MPI_Info_get_string(info_, "absent", &length, nullptr, &there), MPI_SUCCESS);
  EXPECT_EQ(there, 0);
  EXPECT_EQ(length, 17);
}

TEST_F(info_calls, the_older_function_has_room_for_one_byte_more) {
  MPI_Info_set(info_, "k", "hello");
  std::array<char, 32> value{};
  int there = 0;
  EXPECT_EQ(MPI_Info_get(info_, "k", 3, value.data(), &there), MPI_SUCCESS);
  EXPECT_EQ(there, 1);
  EXPECT_STREQ(value.data(), "hel");
  EXPECT_EQ(MPI_Info_get(info_, "k", 5, value.data(), &there), MPI_SUCCESS);
  EXPECT_STREQ(value.data(), "hello");
  EXPECT_EQ(MPI_Info_get(info_, "absent", 5, value.data(), &there), MPI_SUCCESS);
  EXPECT_EQ(there, 0);
  EXPECT_STREQ(value.data(), "hello") << "what is absent changes nothing";
}

TEST_F(info_calls, a_copy_is_another_object) {
  MPI_Info_set(info_, "k", "1");
  MPI_Info copy = MPI_INFO_NULL;
  ASSERT_EQ(MPI_Info_dup(info_, &copy), MPI_SUCCESS);
  MPI_Info_set(info_, "k", "2");
  std::array<char, 8> value{};
  int length = 8, there = 0;
  EXPECT_EQ(MPI_Info_get_string(copy, "k", &length, value.data(), &there), MPI_SUCCESS);
  EXPECT_STREQ(value.data(), "1");
  EXPECT_EQ(MPI_Info_free(&copy), MPI_SUCCESS);
  EXPECT_EQ(copy, MPI_INFO_NULL);
}

TEST_F(info_calls, wrong_arguments_have_the_classes_of_the_standard) {
  const std::string long_key(MPI_MAX_INFO_KEY, 'k'), long_value(MPI_MAX_INFO_VAL, 'v');
  int number = 0, there = 0;
  EXPECT_EQ(MPI_Info_set(info_, long_key.c_str(), "v"), MPI_ERR_INFO_KEY);
  EXPECT_EQ(MPI_Info_set(info_, "k", long_value.c_str()), MPI_ERR_INFO_VALUE);
  EXPECT_EQ(MPI_Info_set(info_, "", "v"), MPI_ERR_INFO_KEY);
  EXPECT_EQ(MPI_Info_set(info_, nullptr, "v"), MPI_ERR_INFO_KEY);
  EXPECT_EQ(MPI_Info_set(MPI_INFO_NULL, "k", "v"), MPI_ERR_INFO);
  EXPECT_EQ(MPI_Info_get_nkeys(info_, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Info_get_nkeys(info_, &number), MPI_SUCCESS);
  EXPECT_EQ(number, 0) << "nothing was set";
  EXPECT_EQ(MPI_Info_get_valuelen(info_, long_key.c_str(), &number, &there), MPI_ERR_INFO_KEY);
  number = -1;
  EXPECT_EQ(MPI_Info_get_string(info_, "k", &number, nullptr, &there), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Info_create(nullptr), MPI_ERR_ARG);
}

TEST_F(info_calls, a_freed_object_is_none) {
  MPI_Info copy = info_;
  EXPECT_EQ(MPI_Info_free(&info_), MPI_SUCCESS);
  EXPECT_EQ(info_, MPI_INFO_NULL);
  EXPECT_EQ(MPI_Info_free(&info_), MPI_ERR_INFO);
  EXPECT_EQ(MPI_Info_set(copy, "k", "v"), MPI_ERR_INFO);
}

TEST_F(info_calls, the_environment_is_only_to_be_read) {
  MPI_Info env = MPI_INFO_ENV;
  int count = 0;
  EXPECT_EQ(MPI_Info_get_nkeys(MPI_INFO_ENV, &count), MPI_SUCCESS);
  EXPECT_GT(count, 0);
  EXPECT_EQ(MPI_Info_set(MPI_INFO_ENV, "k", "v"), MPI_ERR_INFO);
  EXPECT_EQ(MPI_Info_delete(MPI_INFO_ENV, "command"), MPI_ERR_INFO);
  EXPECT_EQ(MPI_Info_free(&env), MPI_ERR_INFO);
  EXPECT_EQ(env, MPI_INFO_ENV);
}

TEST_F(info_calls, an_environment_of_ones_own_is_made_of_arguments) {
  std::string program = "solve", first = "fast";
  std::array<char*, 3> arguments{program.data(), first.data(), nullptr};
  MPI_Info env = MPI_INFO_NULL;
  ASSERT_EQ(MPI_Info_create_env(2, arguments.data(), &env), MPI_SUCCESS);
  std::array<char, 16> value{};
  int length = 16, there = 0;
  EXPECT_EQ(MPI_Info_get_string(env, "argv", &length, value.data(), &there), MPI_SUCCESS);
  EXPECT_STREQ(value.data(), "fast");
  EXPECT_EQ(MPI_Info_set(env, "argv", "slow"), MPI_SUCCESS) << "it may be changed";
  EXPECT_EQ(MPI_Info_free(&env), MPI_SUCCESS);
  EXPECT_EQ(MPI_Info_create_env(0, nullptr, &env), MPI_SUCCESS);
  EXPECT_EQ(MPI_Info_free(&env), MPI_SUCCESS);
  EXPECT_EQ(MPI_Info_create_env(-1, nullptr, &env), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Info_create_env(1, nullptr, &env), MPI_ERR_ARG);
  arguments[1] = nullptr;
  EXPECT_EQ(MPI_Info_create_env(2, arguments.data(), &env), MPI_ERR_ARG);
}

}  // namespace
