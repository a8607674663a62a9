#include "mpi/support/failure.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace peal::mpi;

template <class Body>
failure thrown_by(const Body& body) {
  try {
    body();
  } catch (const failure& thrown) {
    return thrown;
  }
  return {MPI_SUCCESS, {}};
}

TEST(failure, a_sentence_has_the_argument_its_value_and_why) {
  const failure thrown = thrown_by([] { need(false, MPI_ERR_COUNT, "count", -1, "it is not"); });
  EXPECT_EQ(thrown.error_class, MPI_ERR_COUNT);
  EXPECT_EQ(thrown.what, "count is -1: it is not");
  EXPECT_EQ(thrown_by([] { need(true, MPI_ERR_COUNT, "count", 1, "it is not"); }).what, "");
}

TEST(failure, a_null_pointer_is_told_with_the_name_of_its_argument) {
  const failure thrown = thrown_by([] { need_place(nullptr, "flag"); });
  EXPECT_EQ(thrown.error_class, MPI_ERR_ARG);
  EXPECT_EQ(thrown.what, "flag is a null pointer");
}

TEST(failure, handles_are_told_by_their_name_or_by_their_number) {
  const auto told = [](const void* handle) {
    return thrown_by([=] {
             fail_handle(MPI_ERR_COMM, "comm", handle, MPI_COMM_NULL, "MPI_COMM_NULL",
                         "communicator");
           })
        .what;
  };
  EXPECT_EQ(told(MPI_COMM_NULL), "comm is MPI_COMM_NULL");
  EXPECT_EQ(told(MPI_SUM), "comm is 0x21: it is no communicator, or one that was freed");
}

TEST(failure, a_sentence_gets_the_name_that_the_function_has_for_the_argument) {
  const auto told = [](const char* sentence) {
    return thrown_by([=] {
             with_names({{"count", "sendcount"}, {"buf", "sendbuf"}},
                        [=] { fail(MPI_ERR_ARG, sentence); });
           })
        .what;
  };
  EXPECT_EQ(told("count is -1"), "sendcount is -1");
  EXPECT_EQ(told("buf is a null pointer"), "sendbuf is a null pointer");
  // Words that only begin so, and those behind the first one, stay.
  EXPECT_EQ(told("counts is a null pointer"), "counts is a null pointer");
  EXPECT_EQ(told("dest is no count"), "dest is no count");
  EXPECT_EQ(told("count"), "sendcount");
  EXPECT_EQ(told(""), "");
}

TEST(failure, what_a_body_gives_goes_through_the_names) {
  int there = 1;
  int& given = with_names({{"count", "sendcount"}}, [&]() -> int& { return there; });
  EXPECT_EQ(&given, &there);
}

}  // namespace
