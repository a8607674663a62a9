#include "mpi/info/env_info.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>

namespace {

using namespace peal::mpi;

TEST(env_info, tells_how_this_program_was_started) {
  const info& here = env_info();
  ASSERT_NE(here.find("command"), nullptr);
  EXPECT_NE(here.find("command")->find("mpi_test"), std::string::npos);
  ASSERT_NE(here.find("argv"), nullptr);
  ASSERT_NE(here.find("wdir"), nullptr);
  EXPECT_TRUE(std::filesystem::is_directory(*here.find("wdir")));
  ASSERT_NE(here.find("host"), nullptr);
  EXPECT_FALSE(here.find("host")->empty());
  ASSERT_NE(here.find("arch"), nullptr);
}

TEST(env_info, takes_command_and_arguments_that_are_given) {
  std::string program = "solve", first = "-n", second = "12";
  const std::array<char*, 3> arguments{program.data(), first.data(), second.data()};
  const info made = env_info_for(arguments);
  EXPECT_EQ(*made.find("command"), "solve");
  EXPECT_EQ(*made.find("argv"), "-n 12");
  EXPECT_EQ(*made.find("host"), *env_info().find("host"));
  EXPECT_EQ(*env_info_for(std::span{arguments}.first(1)).find("argv"), "");
  EXPECT_EQ(*env_info_for({}).find("command"), *env_info().find("command"));
}

TEST(env_info, is_made_for_arguments_without_what_the_start_adds) {
  env_info().set("maxprocs", "7");
  EXPECT_EQ(env_info_for({}).find("maxprocs"), nullptr);
  EXPECT_EQ(*env_info().find("maxprocs"), "7");
}

TEST(env_info, arguments_longer_than_a_value_are_cut) {
  std::string program = "solve", longest(5000, 'x');
  const std::array<char*, 2> arguments{program.data(), longest.data()};
  EXPECT_EQ(env_info_for(arguments).find("argv")->size(), std::size_t{MPI_MAX_INFO_VAL - 1});
}

TEST(env_info, levels_of_threads_have_names) {
  EXPECT_STREQ(name_of_thread_level(MPI_THREAD_SINGLE), "MPI_THREAD_SINGLE");
  EXPECT_STREQ(name_of_thread_level(MPI_THREAD_FUNNELED), "MPI_THREAD_FUNNELED");
  EXPECT_STREQ(name_of_thread_level(MPI_THREAD_SERIALIZED), "MPI_THREAD_SERIALIZED");
  EXPECT_STREQ(name_of_thread_level(MPI_THREAD_MULTIPLE), "MPI_THREAD_MULTIPLE");
  EXPECT_EQ(name_of_thread_level(7), nullptr);
}

}  // namespace
