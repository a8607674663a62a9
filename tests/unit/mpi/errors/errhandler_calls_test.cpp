#include <gtest/gtest.h>
#include <mpi.h>

#include "../support/modelled_objects.hpp"

namespace {

int code_seen = MPI_SUCCESS;
void note_comm(MPI_Comm*, int* code, ...) { code_seen = *code; }
void note_win(MPI_Win*, int* code, ...) { code_seen = *code; }
void note_file(MPI_File*, int* code, ...) { code_seen = *code; }
void note_session(MPI_Session*, int* code, ...) { code_seen = *code; }

class errhandler_calls : public testing::Test {
 protected:
  errhandler_calls() {
    code_seen = MPI_SUCCESS;
    objects_.other.errhandler = MPI_ERRORS_RETURN;
    objects_.session.errhandler = MPI_ERRORS_RETURN;
  }
  peal::mpi::modelled_objects objects_;
  const MPI_Comm comm_ = objects_.other_handle;
  const MPI_Session session_ = objects_.session_handle;
  MPI_Errhandler made_ = MPI_ERRHANDLER_NULL;
};

TEST_F(errhandler_calls, a_communicator_keeps_the_handler_after_the_program_has_freed_it) {
  ASSERT_EQ(MPI_Comm_create_errhandler(note_comm, &made_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_set_errhandler(comm_, made_), MPI_SUCCESS);
  const MPI_Errhandler handle = made_;
  EXPECT_EQ(MPI_Errhandler_free(&made_), MPI_SUCCESS);
  EXPECT_EQ(made_, MPI_ERRHANDLER_NULL);
  EXPECT_EQ(MPI_Comm_call_errhandler(comm_, MPI_ERR_RANK), MPI_SUCCESS);
  EXPECT_EQ(code_seen, MPI_ERR_RANK);
  EXPECT_EQ(MPI_Comm_get_errhandler(comm_, &made_), MPI_SUCCESS);
  EXPECT_EQ(made_, handle);
  EXPECT_EQ(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), MPI_SUCCESS);
  EXPECT_EQ(MPI_Errhandler_free(&made_), MPI_SUCCESS) << "what was asked for must be freed";
  made_ = handle;
  EXPECT_EQ(MPI_Errhandler_free(&made_), MPI_ERR_ERRHANDLER) << "nothing holds it any more";
}

TEST_F(errhandler_calls, predefined_handlers_are_told_and_may_be_freed) {
  EXPECT_EQ(MPI_Comm_get_errhandler(comm_, &made_), MPI_SUCCESS);
  EXPECT_EQ(made_, MPI_ERRORS_RETURN);
  EXPECT_EQ(MPI_Errhandler_free(&made_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_call_errhandler(comm_, MPI_ERR_RANK), MPI_SUCCESS) << "it returns";
}

TEST_F(errhandler_calls, a_session_has_its_own_kind) {
  ASSERT_EQ(MPI_Session_create_errhandler(note_session, &made_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_set_errhandler(comm_, made_), MPI_ERR_ERRHANDLER);
  EXPECT_EQ(MPI_Session_set_errhandler(session_, made_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Session_call_errhandler(session_, MPI_ERR_IO), MPI_SUCCESS);
  EXPECT_EQ(code_seen, MPI_ERR_IO);
  MPI_Errhandler told = MPI_ERRHANDLER_NULL;
  EXPECT_EQ(MPI_Session_get_errhandler(session_, &told), MPI_SUCCESS);
  EXPECT_EQ(told, made_);
  EXPECT_EQ(MPI_Session_set_errhandler(session_, MPI_ERRORS_RETURN), MPI_SUCCESS);
  MPI_Errhandler_free(&told);
  MPI_Errhandler_free(&made_);
}

TEST_F(errhandler_calls, handlers_of_windows_and_files_are_no_handlers_of_communicators) {
  ASSERT_EQ(MPI_Win_create_errhandler(note_win, &made_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_set_errhandler(comm_, made_), MPI_ERR_ERRHANDLER);
  MPI_Errhandler_free(&made_);
  ASSERT_EQ(MPI_File_create_errhandler(note_file, &made_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Session_set_errhandler(session_, made_), MPI_ERR_ERRHANDLER);
  MPI_Errhandler_free(&made_);
}

TEST_F(errhandler_calls, the_program_may_call_the_handler_with_any_code) {
  ASSERT_EQ(MPI_Comm_create_errhandler(note_comm, &made_), MPI_SUCCESS);
  MPI_Comm_set_errhandler(comm_, made_);
  EXPECT_EQ(MPI_Comm_call_errhandler(comm_, 123456), MPI_SUCCESS);
  EXPECT_EQ(code_seen, 123456);
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
  EXPECT_EXIT(MPI_Comm_call_errhandler(comm_, MPI_ERR_IO), testing::ExitedWithCode(1),
              "MPI_Comm_call_errhandler: MPI_ERR_IO: ");
  MPI_Errhandler_free(&made_);
}

TEST_F(errhandler_calls, wrong_arguments_are_refused) {
  EXPECT_EQ(MPI_Comm_create_errhandler(nullptr, &made_), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Comm_create_errhandler(note_comm, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Comm_set_errhandler(comm_, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
  EXPECT_EQ(MPI_Comm_set_errhandler(MPI_COMM_NULL, MPI_ERRORS_RETURN), MPI_ERR_COMM);
  EXPECT_EQ(MPI_Comm_get_errhandler(comm_, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Comm_call_errhandler(MPI_COMM_NULL, MPI_ERR_IO), MPI_ERR_COMM);
  EXPECT_EQ(MPI_Session_set_errhandler(MPI_SESSION_NULL, MPI_ERRORS_RETURN), MPI_ERR_SESSION);
  EXPECT_EQ(MPI_Errhandler_free(nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Errhandler_free(&made_), MPI_ERR_ERRHANDLER);
}

}  // namespace
