// mpi/collectives/between_groups.hpp
// The collectives of intercommunicators: how their arguments become work on the members of both
// groups.
//
// What moves data is an exchange of blocks, most of which are empty: ranks with MPI_PROC_NULL know
// neither the root nor how much there is, so that no collective with a root would do.
//
// Layer    mpi/collectives.
// Units    as work.hpp says.
// Threads  one at a time.
// Errors   as work.hpp says; MPI_ERR_ROOT; MPI_ERR_COMM for scan and exscan.
#pragma once

#include "mpi/collectives/work.hpp"

namespace peal::mpi::between_groups {

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
void fill_join(work& w, const void* from, void* into, std::int64_t count, MPI_Datatype type,
               MPI_Op op);
void fill_join_blocks(work& w, const void* from, void* into, number_array counts,
                      std::int64_t equal, MPI_Datatype type, MPI_Op op);

}  // namespace peal::mpi::between_groups
