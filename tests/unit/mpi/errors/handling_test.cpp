#include "mpi/errors/handling.hpp"

#include <gtest/gtest.h>

#include <cstdarg>
#include <string>

#include "../support/modelled_objects.hpp"
#include "mpi/errors/errhandler.hpp"
#include "mpi/errors/error_codes.hpp"
#include "mpi/support/function.hpp"

namespace {

using namespace peal::mpi;

std::string last_sentence;
void note_sentence(MPI_Comm*, int* code, ...) {
  std::va_list rest;
  va_start(rest, code);
  last_sentence = va_arg(rest, const char*);
  va_end(rest);
}

struct called {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Session session = MPI_SESSION_NULL;
  int code = MPI_SUCCESS;
  int times = 0;
};
called last;

void note_comm(MPI_Comm* comm, int* code, ...) { last = {*comm, {}, *code, last.times + 1}; }
void note_session(MPI_Session* session, int* code, ...) {
  last = {{}, *session, *code, last.times + 1};
}

int failing(MPI_Comm comm, int error_class) {
  return run("MPI_Send", comm, [=] { fail(error_class, "count", -1, "it must not be negative"); });
}

class handling : public testing::Test {
 protected:
  handling() { last = {}; }
  ~handling() override {
    release_errhandler(of_comm_);
    release_errhandler(of_session_);
  }
  modelled_objects objects_;
  const MPI_Errhandler of_comm_ = make_errhandler(&note_comm);
  const MPI_Errhandler of_session_ = make_errhandler(&note_session);
};
using handling_death = handling;

TEST_F(handling, a_function_that_does_what_it_should_calls_no_handler) {
  objects_.other.errhandler = of_comm_;
  EXPECT_EQ(run("MPI_Send", objects_.other_handle, [] {}), MPI_SUCCESS);
  EXPECT_EQ(last.times, 0);
}

TEST_F(handling, the_code_is_given_where_errors_return) {
  objects_.other.errhandler = MPI_ERRORS_RETURN;
  EXPECT_EQ(failing(objects_.other_handle, MPI_ERR_COUNT), MPI_ERR_COUNT);
}

TEST_F(handling, the_handler_of_the_communicator_is_called_once_with_its_handle_and_the_code) {
  objects_.other.errhandler = of_comm_;
  EXPECT_EQ(failing(objects_.other_handle, MPI_ERR_COUNT), MPI_ERR_COUNT);
  EXPECT_EQ(last.comm, objects_.other_handle);
  EXPECT_EQ(last.code, MPI_ERR_COUNT);
  EXPECT_EQ(last.times, 1);
}

TEST_F(handling, a_function_of_the_program_is_told_what_is_wrong_in_which_function) {
  const MPI_Errhandler handler = make_errhandler(&note_sentence);
  objects_.other.errhandler = handler;
  (void)failing(objects_.other_handle, MPI_ERR_COUNT);
  EXPECT_EQ(last_sentence, "MPI_Send: MPI_ERR_COUNT: count is -1: it must not be negative");
  release_errhandler(handler);
}

TEST_F(handling, errors_without_a_communicator_are_those_of_self) {
  objects_.self.errhandler = of_comm_;
  for (const MPI_Comm none : {MPI_COMM_NULL, reinterpret_cast<MPI_Comm>(0x9999)}) {
    last = {};
    EXPECT_EQ(failing(none, MPI_ERR_COMM), MPI_ERR_COMM);
    EXPECT_EQ(last.comm, MPI_COMM_SELF);
    EXPECT_EQ(last.times, 1);
  }
}

TEST_F(handling,
       errors_without_a_communicator_are_those_of_world_where_self_has_its_first_handler) {
  objects_.self.errhandler = MPI_ERRORS_ARE_FATAL;
  objects_.world.errhandler = of_comm_;
  EXPECT_EQ(failing(MPI_COMM_NULL, MPI_ERR_COMM), MPI_ERR_COMM);
  EXPECT_EQ(last.comm, MPI_COMM_WORLD);
  objects_.self.errhandler = MPI_ERRORS_RETURN;
  EXPECT_EQ(failing(MPI_COMM_NULL, MPI_ERR_COMM), MPI_ERR_COMM);
  EXPECT_EQ(last.times, 1);
}

TEST_F(handling, the_handler_of_a_session_is_called_with_its_handle) {
  objects_.session.errhandler = of_session_;
  const auto body = [] { fail(MPI_ERR_ARG, "why"); };
  EXPECT_EQ(run("MPI_Session_get_info", objects_.session_handle, body), MPI_ERR_ARG);
  EXPECT_EQ(last.session, objects_.session_handle);
  EXPECT_EQ(last.times, 1);
  objects_.self.errhandler = of_comm_;
  EXPECT_EQ(run("MPI_Session_get_info", MPI_SESSION_NULL, body), MPI_ERR_ARG);
  EXPECT_EQ(last.comm, MPI_COMM_SELF) << "for what is no session";
}

TEST_F(handling, whatever_is_thrown_becomes_a_code) {
  EXPECT_EQ(run("MPI_Send", [] { throw std::bad_alloc{}; }), MPI_ERR_NO_MEM);
  EXPECT_EQ(run("MPI_Send", [] { throw 3; }), MPI_ERR_OTHER);
}

TEST_F(handling_death, fatal_errors_say_who_and_why_and_end_the_process) {
  for (const MPI_Errhandler each : {MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT}) {
    objects_.other.errhandler = each;
    EXPECT_EXIT(failing(objects_.other_handle, MPI_ERR_COUNT), testing::ExitedWithCode(1),
                "^peal: MPI_Send: MPI_ERR_COUNT: count is -1: it must not be negative\n$");
  }
}

TEST_F(handling_death, a_code_of_the_program_never_becomes_a_good_exit) {
  const int added = add_error_class();
  objects_.other.errhandler = MPI_ERRORS_ARE_FATAL;
  for (const int code : {added, 256, 16384})
    EXPECT_EXIT(failing(objects_.other_handle, code), testing::ExitedWithCode(1), "error code");
  remove_error_class(added);
}

TEST_F(handling_death, a_handler_that_is_gone_is_fatal) {
  objects_.other.errhandler = MPI_ERRHANDLER_NULL;
  EXPECT_EXIT(failing(objects_.other_handle, MPI_ERR_COUNT), testing::ExitedWithCode(1),
              "MPI_ERR_COUNT");
}

TEST(handling_without_mpi_death, errors_before_the_start_are_fatal) {
  EXPECT_EXIT(failing(MPI_COMM_SELF, MPI_ERR_COUNT), testing::ExitedWithCode(1), "MPI_ERR_COUNT");
}

}  // namespace
