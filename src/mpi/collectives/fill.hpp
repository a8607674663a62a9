// mpi/collectives/fill.hpp
// How the arguments of each collective of MPI become work, the same for all its forms.
//
// Layer    mpi/collectives.
// Units    as work.hpp says.
// Threads  one at a time.
// Errors   as work.hpp says; MPI_ERR_BUFFER where MPI_IN_PLACE has no meaning.
#pragma once

#include <utility>

#include "mpi/collectives/work.hpp"
#include "mpi/requests/request.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

void fill_bcast(work& w, const block& data, int root);
void fill_gather(work& w, const block& from, const block& into, int root);
void fill_gatherv(work& w, const block& from, const block_array& into, int root);
void fill_scatter(work& w, const block& from, const block& into, int root);
void fill_scatterv(work& w, const block_array& from, const block& into, int root);
void fill_allgather(work& w, const block& from, const block& into);
void fill_allgatherv(work& w, const block& from, const block_array& into);
void fill_alltoall(work& w, const block& from, const block& into);
void fill_alltoallv(work& w, const block_array& from, const block_array& into);
void fill_reduce(work& w, const void* from, void* into, std::int64_t count, MPI_Datatype type,
                 MPI_Op op, int root);
/// allreduce, scan and exscan.
void fill_join(work& w, const void* from, void* into, std::int64_t count, MPI_Datatype type,
               MPI_Op op);
/// An allreduce of numbers in the program's memory by an operation of the standard, which needs
/// nothing but the call. False: it is another one, or an argument is wrong.
[[nodiscard]] bool try_allreduce_at_once(MPI_Comm comm, const void* from, void* into,
                                         std::int64_t count, MPI_Datatype type, MPI_Op op);
/// Of blocks that are not all alike, `counts`; else of `equal` elements.
void fill_join_blocks(work& w, const void* from, void* into, number_array counts,
                      std::int64_t equal, MPI_Datatype type, MPI_Op op);

/// A request for work that has begun.
[[nodiscard]] MPI_Request hand_out_work(std::unique_ptr<work> begun, MPI_Comm comm);

/// A blocking form: `fill(work)` says what is to be done.
template <class Fill>
void run_work(detail::collective kind, MPI_Comm comm, const Fill& fill) {
  work made{kind, comm};
  made.fill_in(detail::call_form::blocking, [&] { fill(made); });
  made.run();
}

/// A nonblocking form.
template <class Fill>
MPI_Request begin_work(const MPI_Request* request, detail::collective kind, MPI_Comm comm,
                       const Fill& fill) {
  auto made = std::make_unique<work>(kind, comm);
  made->fill_in(detail::call_form::messages, [&] {
    need_place(request, "request");
    fill(*made);
  });
  return hand_out_work(std::move(made), comm);
}

}  // namespace peal::mpi
