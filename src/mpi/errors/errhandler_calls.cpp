// Error handlers of a program, and the objects that it gives them to.
#include "mpi/communicators/communicator.hpp"
#include "mpi/environment/session.hpp"
#include "mpi/errors/errhandler.hpp"
#include "mpi/errors/error_codes.hpp"
#include "mpi/errors/handling.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

namespace {

template <class Function>
int create(const char* name, const char* argument, Function* function, MPI_Errhandler* errhandler) {
  return run(name, [&] {
    need_place(reinterpret_cast<const void*>(function), argument);
    need_place(errhandler, "errhandler");
    *errhandler = make_errhandler(function);
  });
}

}  // namespace

PEAL_MPI_FUNCTION(int, Comm_create_errhandler, MPI_Comm_errhandler_function* comm_errhandler_fn,
                  MPI_Errhandler* errhandler) {
  return create("MPI_Comm_create_errhandler", "comm_errhandler_fn", comm_errhandler_fn, errhandler);
}
PEAL_MPI_FUNCTION(int, Win_create_errhandler, MPI_Win_errhandler_function* win_errhandler_fn,
                  MPI_Errhandler* errhandler) {
  return create("MPI_Win_create_errhandler", "win_errhandler_fn", win_errhandler_fn, errhandler);
}
PEAL_MPI_FUNCTION(int, File_create_errhandler, MPI_File_errhandler_function* file_errhandler_fn,
                  MPI_Errhandler* errhandler) {
  return create("MPI_File_create_errhandler", "file_errhandler_fn", file_errhandler_fn, errhandler);
}
PEAL_MPI_FUNCTION(int, Session_create_errhandler,
                  MPI_Session_errhandler_function* session_errhandler_fn,
                  MPI_Errhandler* errhandler) {
  return create("MPI_Session_create_errhandler", "session_errhandler_fn", session_errhandler_fn,
                errhandler);
}

PEAL_MPI_FUNCTION(int, Errhandler_free, MPI_Errhandler* errhandler) {
  return run("MPI_Errhandler_free", [&] {
    need_place(errhandler, "errhandler");
    (void)errhandler_of(*errhandler);
    // Predefined ones, too: a program that asks for the handler of an object must free what it got.
    release_errhandler(*errhandler);
    *errhandler = MPI_ERRHANDLER_NULL;
  });
}

PEAL_MPI_FUNCTION(int, Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler errhandler) {
  return run("MPI_Comm_set_errhandler", comm, [&] {
    replace_errhandler<MPI_Comm_errhandler_function>(communicator_to_be(comm).errhandler,
                                                     errhandler);
  });
}

PEAL_MPI_FUNCTION(int, Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler* errhandler) {
  return run("MPI_Comm_get_errhandler", comm, [&] {
    const communicator& of = communicator_to_be(comm);
    need_place(errhandler, "errhandler");
    *errhandler = share_errhandler(of.errhandler);
  });
}

PEAL_MPI_FUNCTION(int, Comm_call_errhandler, MPI_Comm comm, int errorcode) {
  return run("MPI_Comm_call_errhandler", comm, [&] {
    const communicator& of = communicator_of(comm);
    handle_error("MPI_Comm_call_errhandler", comm, of.errhandler, failure_of_code(errorcode));
  });
}

PEAL_MPI_FUNCTION(int, Session_set_errhandler, MPI_Session session, MPI_Errhandler errhandler) {
  return run("MPI_Session_set_errhandler", session, [&] {
    replace_errhandler<MPI_Session_errhandler_function>(session_of(session).errhandler, errhandler);
  });
}

PEAL_MPI_FUNCTION(int, Session_get_errhandler, MPI_Session session, MPI_Errhandler* errhandler) {
  return run("MPI_Session_get_errhandler", session, [&] {
    const peal::mpi::session& of = session_of(session);
    need_place(errhandler, "errhandler");
    *errhandler = share_errhandler(of.errhandler);
  });
}

PEAL_MPI_FUNCTION(int, Session_call_errhandler, MPI_Session session, int errorcode) {
  return run("MPI_Session_call_errhandler", session, [&] {
    const peal::mpi::session& of = session_of(session);
    handle_error("MPI_Session_call_errhandler", session, of.errhandler, failure_of_code(errorcode));
  });
}
