#include "mpi/errors/handling.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <variant>

#include "mpi/communicators/communicator.hpp"
#include "mpi/environment/session.hpp"
#include "mpi/environment/world.hpp"
#include "mpi/errors/errhandler.hpp"
#include "mpi/errors/thrown.hpp"
#include "mpi/support/function.hpp"
#include "peal/detail/core.hpp"

namespace peal::mpi {

namespace {

template <class Owner>
struct function_of;
template <>
struct function_of<MPI_Comm> {
  using type = MPI_Comm_errhandler_function*;
};
template <>
struct function_of<MPI_Session> {
  using type = MPI_Session_errhandler_function*;
};
template <>
struct function_of<MPI_File> {
  using type = MPI_File_errhandler_function*;
};

std::optional<MPI_Errhandler> errhandler_held_by(MPI_Comm comm) noexcept {
  try {
    return communicator_of(comm).errhandler;
  } catch (...) {
    return std::nullopt;
  }
}
std::optional<MPI_Errhandler> errhandler_held_by(MPI_Session session) noexcept {
  try {
    return session_of(session).errhandler;
  } catch (...) {
    return std::nullopt;
  }
}

std::string name_of_code(int code) {
  const char* const name = name_of_class(code);
  return name != nullptr ? name : fmt::format("error code {}", code);
}

/// "rank 3: ", or nothing while there is no MPI_COMM_WORLD, as within MPI_Finalize.
std::string rank_text() noexcept {
  try {
    return fmt::format("rank {}: ", world_rank());
  } catch (...) {
    return {};
  }
}

/// What belongs to no object that has an error handler: up to MPI 3.1 it was handled as an error on
/// MPI_COMM_WORLD, since then as one on MPI_COMM_SELF. Programs from before set the handler of
/// MPI_COMM_WORLD alone.
int handle_without_owner(const char* function, const failure& what) noexcept {
  // Before the start and after the end there is neither.
  for (const MPI_Comm each : {MPI_COMM_SELF, MPI_COMM_WORLD}) {
    const auto handler = errhandler_held_by(each);
    if (handler && *handler != MPI_ERRORS_ARE_FATAL)
      return handle_error(function, each, *handler, what);
  }
  end_with_error(function, what);
}

/// Nothing, where there is no memory for it.
std::string text_of(const char* function, const failure& what) noexcept {
  try {
    return fmt::format("{}: {}: {}", function, name_of_code(what.error_class), what.what);
  } catch (...) {
    return {};
  }
}

}  // namespace

void end_with_error(const char* function, const failure& what) noexcept {
  const bool in_job = detail::job_running();
  const std::string why = text_of(function, what);
  const std::string line = fmt::format("peal: {}{}\n", in_job ? rank_text() : "", why);
  // One write, so that lines of several ranks do not mix. Nothing is left to be done if it fails.
  (void)!write(STDERR_FILENO, line.data(), line.size());
  if (in_job) detail::abort_job(1, why.c_str());
  _exit(1);
}

template <class Owner>
int handle_error(const char* function, Owner owner, MPI_Errhandler handler,
                 const failure& what) noexcept {
  if (const errhandler* const found = errhandlers().find(handler)) {
    if (found->action == errhandler::kind{errhandler::ending::give_code}) return what.error_class;
    if (const auto* const called = std::get_if<typename function_of<Owner>::type>(&found->action)) {
      int code = what.error_class;
      // What a library gives besides is its own affair: here the sentence that would be printed.
      (*called)(&owner, &code, text_of(function, what).c_str());
      return code;
    }
  }
  end_with_error(function, what);
}

template int handle_error(const char*, MPI_Comm, MPI_Errhandler, const failure&) noexcept;
template int handle_error(const char*, MPI_Session, MPI_Errhandler, const failure&) noexcept;
template int handle_error(const char*, MPI_File, MPI_Errhandler, const failure&) noexcept;

template <class Owner>
int raised_with(const char* function, Owner none, MPI_Errhandler handler) noexcept {
  const failure what = what_was_thrown();
  return errhandlers().find(handler) != nullptr ? handle_error(function, none, handler, what)
                                                : handle_without_owner(function, what);
}

template int raised_with(const char*, MPI_Comm, MPI_Errhandler) noexcept;
template int raised_with(const char*, MPI_Session, MPI_Errhandler) noexcept;

int raised(const char* function, MPI_Comm comm) noexcept {
  const failure what = what_was_thrown();
  if (const auto handler = errhandler_held_by(comm))
    return handle_error(function, comm, *handler, what);
  return handle_without_owner(function, what);
}

int raised(const char* function, MPI_Session session) noexcept {
  const failure what = what_was_thrown();
  if (const auto handler = errhandler_held_by(session))
    return handle_error(function, session, *handler, what);
  return handle_without_owner(function, what);
}

// There are no files, so all belongs to MPI_FILE_NULL.
int raised(const char* function, MPI_File file) noexcept {
  (void)file;
  return handle_error(function, MPI_FILE_NULL, file_errhandler(), what_was_thrown());
}

}  // namespace peal::mpi
