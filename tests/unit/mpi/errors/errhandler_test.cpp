#include "mpi/errors/errhandler.hpp"

#include <gtest/gtest.h>

#include "../support/failures.hpp"

namespace {

using namespace peal::mpi;

void nothing(MPI_Comm*, int*, ...) {}
void nothing_of_session(MPI_Session*, int*, ...) {}

TEST(errhandler, lives_as_long_as_something_holds_it) {
  const MPI_Errhandler made = make_errhandler(&nothing);
  EXPECT_EQ(share_errhandler(made), made);
  release_errhandler(made);
  EXPECT_EQ(class_thrown_by([=] { (void)errhandler_of(made); }), MPI_SUCCESS);
  release_errhandler(made);
  EXPECT_EQ(class_thrown_by([=] { (void)errhandler_of(made); }), MPI_ERR_ERRHANDLER);
  release_errhandler(made);
  EXPECT_EQ(class_thrown_by([=] { share_errhandler(made); }), MPI_ERR_ERRHANDLER);
}

TEST(errhandler, predefined_ones_outlive_everything) {
  for (const MPI_Errhandler each : {MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN}) {
    for (int times = 0; times != 3; ++times) release_errhandler(each);
    EXPECT_EQ(share_errhandler(each), each);
  }
}

TEST(errhandler, ends_the_job_unless_it_gives_a_code_or_is_the_programs) {
  EXPECT_TRUE(ends_job(MPI_ERRORS_ARE_FATAL));
  EXPECT_TRUE(ends_job(MPI_ERRORS_ABORT));
  EXPECT_FALSE(ends_job(MPI_ERRORS_RETURN));
  const MPI_Errhandler made = make_errhandler(&nothing);
  EXPECT_FALSE(ends_job(made));
  release_errhandler(made);
  EXPECT_TRUE(ends_job(made)) << "what is no handler is taken for MPI_ERRORS_ARE_FATAL";
}

TEST(errhandler, an_object_takes_what_was_made_for_its_kind) {
  const MPI_Errhandler of_comm = make_errhandler(&nothing);
  const MPI_Errhandler of_session = make_errhandler(&nothing_of_session);
  MPI_Errhandler held = MPI_ERRORS_ARE_FATAL;
  const auto replace = [&held](MPI_Errhandler by) {
    replace_errhandler<MPI_Comm_errhandler_function>(held, by);
  };
  EXPECT_EQ(class_thrown_by([&] { replace(of_session); }), MPI_ERR_ERRHANDLER);
  EXPECT_EQ(class_thrown_by([&] { replace(MPI_ERRHANDLER_NULL); }), MPI_ERR_ERRHANDLER);
  EXPECT_EQ(class_thrown_by([&] { replace(MPI_Errhandler{}); }), MPI_ERR_ERRHANDLER);
  EXPECT_EQ(held, MPI_ERRORS_ARE_FATAL);
  replace(of_comm);
  EXPECT_EQ(held, of_comm);
  release_errhandler(of_comm);  // the program's; the object has it still
  replace(of_comm);
  EXPECT_EQ(class_thrown_by([=] { (void)errhandler_of(of_comm); }), MPI_SUCCESS);
  replace(MPI_ERRORS_RETURN);
  EXPECT_EQ(class_thrown_by([=] { (void)errhandler_of(of_comm); }), MPI_ERR_ERRHANDLER);
  release_errhandler(of_session);
}

}  // namespace
