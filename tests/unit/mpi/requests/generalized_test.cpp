#include "mpi/requests/generalized.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "../support/failures.hpp"
#include "../support/modelled_objects.hpp"
#include "mpi/requests/request.hpp"

namespace {

using namespace peal::mpi;

struct noted {
  int queries = 0, frees = 0, cancels = 0, complete = -1;
  int code_of_query = MPI_SUCCESS, code_of_free = MPI_SUCCESS;
};
noted& of(void* state) { return *static_cast<noted*>(state); }

int query(void* state, MPI_Status* status) {
  ++of(state).queries;
  status->MPI_TAG = 12;
  return of(state).code_of_query;
}
int end(void* state) {
  ++of(state).frees;
  return of(state).code_of_free;
}
int withdraw(void* state, int complete) {
  ++of(state).cancels;
  of(state).complete = complete;
  return MPI_ERR_OTHER;
}

class generalized : public testing::Test {
 protected:
  MPI_Request start() { return start_generalized({query, end, withdraw, &noted_}); }
  modelled_objects objects_;
  noted noted_;
};

TEST_F(generalized, ends_with_the_codes_of_its_functions) {
  using codes = std::array<int, 3>;
  for (const auto& [of_query, of_free, expected] :
       {codes{MPI_SUCCESS, MPI_SUCCESS, MPI_SUCCESS}, codes{MPI_SUCCESS, MPI_ERR_IO, MPI_ERR_IO},
        codes{MPI_ERR_ARG, MPI_ERR_IO, MPI_ERR_ARG}}) {
    noted_ = {};
    noted_.code_of_query = of_query;
    noted_.code_of_free = of_free;
    MPI_Request request = start();
    EXPECT_FALSE(request_of(request).is_done());
    EXPECT_EQ(complete_generalized(request), MPI_SUCCESS);
    EXPECT_TRUE(request_of(request).is_done());
    MPI_Status status;
    EXPECT_EQ(MPI_Wait(&request, &status), expected);
    EXPECT_EQ(status.MPI_TAG, 12);
    EXPECT_EQ(noted_.queries, 1);
    EXPECT_EQ(noted_.frees, 1) << "also where the query has failed";
    EXPECT_EQ(request, MPI_REQUEST_NULL);
  }
}

TEST_F(generalized, that_is_freed_early_ends_when_it_is_complete) {
  MPI_Request request = start();
  const MPI_Request copy = request;
  EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  EXPECT_EQ(noted_.frees, 0);
  noted_.code_of_free = MPI_ERR_IO;
  EXPECT_EQ(complete_generalized(copy), MPI_ERR_IO);
  EXPECT_EQ(noted_.frees, 1);
  EXPECT_EQ(noted_.queries, 0);
  EXPECT_EQ(class_thrown_by([&] { complete_generalized(copy); }), MPI_ERR_REQUEST);
}

TEST_F(generalized, that_is_complete_and_freed_gives_the_code_of_its_end) {
  MPI_Request request = start();
  complete_generalized(request);
  noted_.code_of_free = MPI_ERR_IO;
  EXPECT_EQ(MPI_Request_free(&request), MPI_ERR_IO);
  EXPECT_EQ(noted_.frees, 1);
  EXPECT_EQ(noted_.queries, 0);
}

TEST_F(generalized, is_cancelled_by_its_function_which_may_refuse) {
  MPI_Request request = start();
  EXPECT_EQ(MPI_Cancel(&request), MPI_ERR_OTHER);
  EXPECT_EQ(noted_.complete, 0);
  complete_generalized(request);
  EXPECT_EQ(MPI_Cancel(&request), MPI_ERR_OTHER);
  EXPECT_EQ(noted_.complete, 1);
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(noted_.queries, 1) << "also where nobody wants the status";
}

TEST_F(generalized, may_be_completed_by_one_thread_and_freed_by_another) {
  for (int round = 0; round != 200; ++round) {
    noted_ = {};
    MPI_Request request = start();
    const MPI_Request copy = request;
    std::thread other{[copy] { (void)complete_generalized(copy); }};
    EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    other.join();
    ASSERT_EQ(noted_.frees, 1);
  }
}

TEST_F(generalized, other_requests_cannot_be_completed) {
  EXPECT_EQ(class_thrown_by([] { complete_generalized(MPI_REQUEST_NULL); }), MPI_ERR_REQUEST);
  EXPECT_EQ(MPI_Grequest_start(nullptr, end, withdraw, nullptr, nullptr), MPI_ERR_ARG);
}

}  // namespace
