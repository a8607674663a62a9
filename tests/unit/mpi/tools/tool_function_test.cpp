#include "mpi/tools/tool_function.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>

#include "mpi/support/failure.hpp"

namespace {

using namespace peal::mpi;

TEST(tool_function, is_refused_until_the_first_start_and_after_the_last_end) {
  int calls = 0;
  const auto call = [&] { return run_tool([&] { ++calls; }); };
  EXPECT_EQ(call(), MPI_T_ERR_NOT_INITIALIZED);
  int provided = 0;
  ASSERT_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
  ASSERT_EQ(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
  EXPECT_EQ(call(), MPI_SUCCESS);
  EXPECT_EQ(MPI_T_finalize(), MPI_SUCCESS);
  EXPECT_EQ(call(), MPI_SUCCESS);
  EXPECT_EQ(MPI_T_finalize(), MPI_SUCCESS);
  EXPECT_EQ(call(), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_EQ(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_EQ(calls, 2);
}

TEST(tool_function, returns_the_code_of_what_is_thrown) {
  int provided = 0;
  ASSERT_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
  EXPECT_EQ(run_tool([] { fail(MPI_T_ERR_INVALID_ITEM, "no such item"); }), MPI_T_ERR_INVALID_ITEM);
  EXPECT_EQ(run_tool([] { throw std::bad_alloc{}; }), MPI_T_ERR_MEMORY);
  EXPECT_EQ(run_tool([] { throw std::runtime_error{"?"}; }), MPI_T_ERR_INVALID);
  EXPECT_EQ(run_tool([] { need_index(-1, 3); }), MPI_T_ERR_INVALID_INDEX);
  EXPECT_EQ(run_tool([] { need_index(3, 3); }), MPI_T_ERR_INVALID_INDEX);
  EXPECT_EQ(run_tool([] { need_index(2, 3); }), MPI_SUCCESS);
  EXPECT_EQ(run_tool([] { need_argument(nullptr); }), MPI_T_ERR_INVALID);
  EXPECT_EQ(MPI_T_finalize(), MPI_SUCCESS);
}

TEST(tool_function, text_is_cut_to_the_room_and_its_length_told) {
  std::array<char, 8> room{};
  int length = 8;
  tell_text(room.data(), &length, "shm");
  EXPECT_STREQ(room.data(), "shm");
  EXPECT_EQ(length, 4);
  length = 3;
  tell_text(room.data(), &length, "verbs");
  EXPECT_STREQ(room.data(), "ve");
  EXPECT_EQ(length, 3);
  length = 0;
  tell_text(room.data(), &length, "verbs");
  EXPECT_STREQ(room.data(), "ve") << "there was no room";
  EXPECT_EQ(length, 6);
  length = 2;
  tell_text(nullptr, &length, "verbs");
  EXPECT_EQ(length, 6);
  tell_text(room.data(), nullptr, "verbs");
  EXPECT_STREQ(room.data(), "ve") << "nobody said how much room there is";
}

TEST(tool_function, no_more_indices_are_told_than_there_is_room_for) {
  std::array<int, 4> room{-1, -1, -1, -1};
  tell_indices(2, room.data(), {7, 8, 9});
  EXPECT_EQ(room, (std::array<int, 4>{7, 8, -1, -1}));
  tell_indices(4, room.data(), {5});
  EXPECT_EQ(room, (std::array<int, 4>{5, 8, -1, -1}));
  tell_indices(0, nullptr, {5});
  EXPECT_THROW(tell_indices(1, nullptr, {5}), failure);
}

}  // namespace
