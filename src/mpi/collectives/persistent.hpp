// mpi/collectives/persistent.hpp
// Collectives that are made once and started as often as wanted: peal's, made ready, with what MPI
// does before and after each start. Peal builds the schedule once, and matches what ranks make in
// the order in which they make it, so they may start several in any order.
//
// Layer    mpi/collectives.
// Threads  one at a time for each request; different requests any.
// Errors   as work.hpp says; a rank that is refused its arguments takes no part in any start.
#pragma once

#include "mpi/collectives/work.hpp"
#include "mpi/info/info.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

/// An inactive request for work that is filled in.
[[nodiscard]] MPI_Request hand_out_prepared(std::unique_ptr<work> filled, MPI_Comm comm);

/// A persistent form: `fill(work)` says what is to be done. One that is refused counts all the
/// same, so that later ones match those of the other ranks.
template <class Fill>
MPI_Request prepare_work(const MPI_Request* request, detail::collective kind, MPI_Comm comm,
                         MPI_Info info, const Fill& fill) {
  auto made = std::make_unique<work>(kind, comm);
  made->fill_in(detail::call_form::plan, [&] {
    need_place(request, "request");
    (void)hints_of(info);  // peal knows of none
    fill(*made);
  });
  return hand_out_prepared(std::move(made), comm);
}

}  // namespace peal::mpi
