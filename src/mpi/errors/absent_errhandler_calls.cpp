// Error handlers of files and windows. Of both there are only the null handles: MPI_FILE_NULL has
// the error handler that files begin with, and MPI_WIN_NULL is no window.
#include "mpi/errors/errhandler.hpp"
#include "mpi/errors/error_codes.hpp"
#include "mpi/errors/handling.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

namespace {

MPI_Errhandler& errhandler_of_file(MPI_File file) {
  if (file != MPI_FILE_NULL) fail(MPI_ERR_FILE, "file is no file");
  return file_errhandler();
}

int no_window(const char* function, MPI_Win win) {
  return run(function, [win] {
    fail(MPI_ERR_WIN, win == MPI_WIN_NULL ? "win is MPI_WIN_NULL" : "win is no window");
  });
}

}  // namespace

PEAL_MPI_FUNCTION(int, File_set_errhandler, MPI_File file, MPI_Errhandler errhandler) {
  return run("MPI_File_set_errhandler", file, [&] {
    replace_errhandler<MPI_File_errhandler_function>(errhandler_of_file(file), errhandler);
  });
}

PEAL_MPI_FUNCTION(int, File_get_errhandler, MPI_File file, MPI_Errhandler* errhandler) {
  return run("MPI_File_get_errhandler", file, [&] {
    const MPI_Errhandler held = errhandler_of_file(file);
    need_place(errhandler, "errhandler");
    *errhandler = share_errhandler(held);
  });
}

PEAL_MPI_FUNCTION(int, File_call_errhandler, MPI_File fh, int errorcode) {
  return run("MPI_File_call_errhandler", fh, [&] {
    handle_error("MPI_File_call_errhandler", fh, errhandler_of_file(fh),
                 failure_of_code(errorcode));
  });
}

PEAL_MPI_FUNCTION(int, Win_set_errhandler, MPI_Win win, MPI_Errhandler) {
  return no_window("MPI_Win_set_errhandler", win);
}

PEAL_MPI_FUNCTION(int, Win_get_errhandler, MPI_Win win, MPI_Errhandler*) {
  return no_window("MPI_Win_get_errhandler", win);
}

PEAL_MPI_FUNCTION(int, Win_call_errhandler, MPI_Win win, int) {
  return no_window("MPI_Win_call_errhandler", win);
}
