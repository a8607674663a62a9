// Sessions, and the sets of processes that each has.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "mpi/environment/process_set.hpp"
#include "mpi/environment/session.hpp"
#include "mpi/environment/world.hpp"
#include "mpi/errors/errhandler.hpp"
#include "mpi/errors/handling.hpp"
#include "mpi/info/env_info.hpp"
#include "mpi/info/info.hpp"
#include "mpi/point_to_point/send_buffer.hpp"
#include "mpi/support/cut.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

namespace {

/// The level that a program asks for; without a word of it the lowest.
int wanted_threads(MPI_Info info) {
  const peal::mpi::info* const hints = hints_of(info);
  const std::string* const name = hints == nullptr ? nullptr : hints->find("thread_level");
  if (name == nullptr) return MPI_THREAD_SINGLE;
  for (const int level :
       {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE})
    if (*name == name_of_thread_level(level)) return level;
  fail(MPI_ERR_INFO_VALUE, fmt::format("thread_level is {}, which is no level of threads", *name));
}

}  // namespace

PEAL_MPI_FUNCTION(int, Session_init, MPI_Info info, MPI_Errhandler errhandler,
                  MPI_Session* session) {
  return run_with("MPI_Session_init", MPI_SESSION_NULL, errhandler, [&] {
    need_place(session, "session");
    auto made = std::make_unique<peal::mpi::session>();
    const int threads = wanted_threads(info);
    replace_errhandler<MPI_Session_errhandler_function>(made->errhandler, errhandler);
    try {
      made->threads = enter_session(threads);
    } catch (...) {
      release_errhandler(made->errhandler);
      throw;
    }
    (void)own_buffer(made->buffer);  // its communicators take it from here
    *session = sessions().add(std::move(made));
  });
}

PEAL_MPI_FUNCTION(int, Session_finalize, MPI_Session* session) {
  return run("MPI_Session_finalize", session == nullptr ? MPI_SESSION_NULL : *session, [&] {
    need_place(session, "session");
    peal::mpi::session& gone = session_of(*session);
    gone.buffer->flush();
    release_errhandler(gone.errhandler);
    sessions().remove(*session);
    *session = MPI_SESSION_NULL;
    leave_session();
  });
}

PEAL_MPI_FUNCTION(int, Session_get_info, MPI_Session session, MPI_Info* info_used) {
  return run("MPI_Session_get_info", session, [&] {
    const peal::mpi::session& of = session_of(session);
    need_place(info_used, "info_used");
    peal::mpi::info made;
    made.set("thread_level", name_of_thread_level(of.threads));
    made.set("mpi_memory_alloc_kinds", "mpi,system");
    *info_used = handle_of(std::move(made));
  });
}

PEAL_MPI_FUNCTION(int, Session_get_num_psets, MPI_Session session, MPI_Info info,
                  int* npset_names) {
  return run("MPI_Session_get_num_psets", session, [&] {
    (void)session_of(session);
    (void)hints_of(info);
    need_place(npset_names, "npset_names");
    *npset_names = static_cast<int>(process_set_names.size());
  });
}

PEAL_MPI_FUNCTION(int, Session_get_nth_pset, MPI_Session session, MPI_Info info, int n,
                  int* pset_len, char* pset_name) {
  return run("MPI_Session_get_nth_pset", session, [&] {
    (void)session_of(session);
    (void)hints_of(info);
    need(n >= 0 && n < static_cast<int>(process_set_names.size()), MPI_ERR_ARG, "n", n,
         "there is no such process set");
    need_place(pset_len, "pset_len");
    need(*pset_len >= 0, MPI_ERR_ARG, "pset_len", *pset_len, "it must not be negative");
    const std::string_view name = process_set_names[static_cast<std::size_t>(n)];
    if (*pset_len > 0) {
      need_place(pset_name, "pset_name");
      copy_cut(name, pset_name, static_cast<std::size_t>(*pset_len));
    }
    *pset_len = static_cast<int>(name.size()) + 1;
  });
}

PEAL_MPI_FUNCTION(int, Session_get_pset_info, MPI_Session session, const char* pset_name,
                  MPI_Info* info) {
  return run("MPI_Session_get_pset_info", session, [&] {
    (void)session_of(session);
    const process_set of = process_set_of(pset_name);
    need_place(info, "info");
    peal::mpi::info made;
    made.set("mpi_size", std::to_string(of == process_set::world ? world_size() : 1));
    *info = handle_of(std::move(made));
  });
}
