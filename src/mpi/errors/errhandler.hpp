// mpi/errors/errhandler.hpp
// Error handlers, and how many hold each.
//
// Layer    mpi/errors.
// Threads  any, if a handler is not freed while another thread is given it.
// Errors   a failure, MPI_ERR_ERRHANDLER.
#pragma once

#include <mpi.h>

#include <atomic>
#include <variant>

#include "mpi/support/handle_table.hpp"

namespace peal::mpi {

struct errhandler {
  /// What the predefined ones do.
  enum class ending { fatal, abort, give_code };
  using kind = std::variant<ending, MPI_Comm_errhandler_function*, MPI_Win_errhandler_function*,
                            MPI_File_errhandler_function*, MPI_Session_errhandler_function*>;

  explicit errhandler(kind given) noexcept : action{given} {}

  const kind action;
  /// The handle that the program has, and the objects that it was given to. Of a predefined one
  /// nobody counts.
  std::atomic<int> uses{1};
};

using errhandler_table = handle_table<MPI_Errhandler, errhandler, handle_kind::errhandler>;
[[nodiscard]] errhandler_table& errhandlers();

/// Fails for MPI_ERRHANDLER_NULL and for whatever is no error handler.
[[nodiscard]] errhandler& errhandler_of(MPI_Errhandler handle);
/// `Function`: MPI_Comm_errhandler_function, or that of another kind of object.
template <class Function>
[[nodiscard]] MPI_Errhandler make_errhandler(Function* function) {
  return errhandlers().add(std::make_unique<errhandler>(errhandler::kind{function}));
}

/// One more that holds it: an object, or a program that has asked for it. Fails as errhandler_of.
MPI_Errhandler share_errhandler(MPI_Errhandler handle);
/// One less; the last one ends it. What is no handler is left alone.
void release_errhandler(MPI_Errhandler handle) noexcept;

/// Whether an error ends the job. What is no handler, as after its end, is taken for
/// MPI_ERRORS_ARE_FATAL.
[[nodiscard]] bool ends_job(MPI_Errhandler handle) noexcept;

/// Gives an object, which errors have such a function for, another error handler. Fails for one
/// that was made for another kind of object.
template <class Function>
void replace_errhandler(MPI_Errhandler& held, MPI_Errhandler by);

/// Of MPI_FILE_NULL, which every file begins with.
[[nodiscard]] MPI_Errhandler& file_errhandler() noexcept;

}  // namespace peal::mpi
