#include <gtest/gtest.h>
#include <mpi.h>

#include "../support/modelled_objects.hpp"

namespace {

int code_seen = MPI_SUCCESS;
MPI_File file_seen = nullptr;
void note_file(MPI_File* file, int* code, ...) {
  file_seen = *file;
  code_seen = *code;
}
void note_comm(MPI_Comm*, int*, ...) {}

class absent_errhandler_calls : public testing::Test {
 protected:
  ~absent_errhandler_calls() override { MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN); }
  peal::mpi::modelled_objects objects_;
  MPI_Errhandler made_ = MPI_ERRHANDLER_NULL, told_ = MPI_ERRHANDLER_NULL;
};

TEST_F(absent_errhandler_calls, errors_of_files_are_returned_at_first) {
  EXPECT_EQ(MPI_File_get_errhandler(MPI_FILE_NULL, &told_), MPI_SUCCESS);
  EXPECT_EQ(told_, MPI_ERRORS_RETURN);
  EXPECT_EQ(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_get_errhandler(MPI_FILE_NULL, nullptr), MPI_ERR_ARG);
}

TEST_F(absent_errhandler_calls, the_handler_of_no_file_is_that_of_all_errors_of_files) {
  ASSERT_EQ(MPI_File_create_errhandler(note_file, &made_), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_set_errhandler(MPI_FILE_NULL, made_), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_get_errhandler(MPI_FILE_NULL, &told_), MPI_SUCCESS);
  EXPECT_EQ(told_, made_);
  MPI_Errhandler_free(&told_);
  MPI_Errhandler_free(&made_);
  EXPECT_EQ(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_NO_SPACE), MPI_SUCCESS);
  EXPECT_EQ(code_seen, MPI_ERR_NO_SPACE);
  EXPECT_EQ(file_seen, MPI_FILE_NULL);
  const auto wrong = reinterpret_cast<MPI_File>(&code_seen);
  EXPECT_EQ(MPI_File_set_errhandler(wrong, MPI_ERRORS_RETURN), MPI_ERR_FILE);
  EXPECT_EQ(code_seen, MPI_ERR_FILE);
}

TEST_F(absent_errhandler_calls, a_handler_of_communicators_is_none_of_files) {
  ASSERT_EQ(MPI_Comm_create_errhandler(note_comm, &made_), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_set_errhandler(MPI_FILE_NULL, made_), MPI_ERR_ERRHANDLER);
  MPI_Errhandler_free(&made_);
}

TEST_F(absent_errhandler_calls, there_is_no_window) {
  EXPECT_EQ(MPI_Win_set_errhandler(MPI_WIN_NULL, MPI_ERRORS_RETURN), MPI_ERR_WIN);
  EXPECT_EQ(MPI_Win_get_errhandler(MPI_WIN_NULL, &told_), MPI_ERR_WIN);
  EXPECT_EQ(MPI_Win_call_errhandler(MPI_WIN_NULL, MPI_ERR_IO), MPI_ERR_WIN);
}

}  // namespace
