// The constructors of include/mpi/datatypes.h for parts of arrays.

#include "mpi/datatypes/constructors/arrays.hpp"
#include "mpi/datatypes/functions/arguments.hpp"
#include "mpi/support/function.hpp"

namespace peal::mpi {

namespace {

void need_dimensions(int dimensions) {
  need(dimensions > 0, MPI_ERR_ARG, "ndims", dimensions, "an array has at least one dimension");
}

template <class Count>
void subarray(int dimensions, const Count* sizes, const Count* subsizes, const Count* starts,
              int order, MPI_Datatype old, MPI_Datatype* made) {
  need_place(made, "newtype");
  need_dimensions(dimensions);
  *made = add_datatype(make_subarray(form_of<Count>, list_of(sizes, dimensions, "array_of_sizes"),
                                     list_of(subsizes, dimensions, "array_of_subsizes"),
                                     list_of(starts, dimensions, "array_of_starts"), order,
                                     datatype_of(old, "oldtype").shared));
}

template <class Count>
void darray(int dimensions, const Count* sizes, distribution how, MPI_Datatype old,
            MPI_Datatype* made) {
  need_place(made, "newtype");
  const std::vector<std::int64_t> all = list_of(sizes, dimensions, "array_of_gsizes");
  how.sizes = all;
  *made = add_datatype(make_darray(form_of<Count>, how, datatype_of(old, "oldtype").shared));
}

/// But for the sizes.
distribution distribution_of(int size, int rank, int dimensions, const int* kinds,
                             const int* arguments, const int* processes, int order) {
  need_dimensions(dimensions);
  return {size,
          rank,
          {},
          span_of(kinds, dimensions, "array_of_distribs"),
          span_of(arguments, dimensions, "array_of_dargs"),
          span_of(processes, dimensions, "array_of_psizes"),
          order};
}

}  // namespace

PEAL_MPI_FUNCTION(int, Type_create_subarray, int ndims, const int array_of_sizes[],
                  const int array_of_subsizes[], const int array_of_starts[], int order,
                  MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_subarray", [&] {
    subarray(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype);
  });
}
PEAL_MPI_FUNCTION(int, Type_create_subarray_c, int ndims, const MPI_Count array_of_sizes[],
                  const MPI_Count array_of_subsizes[], const MPI_Count array_of_starts[], int order,
                  MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_subarray_c", [&] {
    subarray(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype);
  });
}
PEAL_MPI_FUNCTION(int, Type_create_darray, int size, int rank, int ndims,
                  const int array_of_gsizes[], const int array_of_distribs[],
                  const int array_of_dargs[], const int array_of_psizes[], int order,
                  MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_darray", [&] {
    darray(ndims, array_of_gsizes,
           distribution_of(size, rank, ndims, array_of_distribs, array_of_dargs, array_of_psizes,
                           order),
           oldtype, newtype);
  });
}
PEAL_MPI_FUNCTION(int, Type_create_darray_c, int size, int rank, int ndims,
                  const MPI_Count array_of_gsizes[], const int array_of_distribs[],
                  const int array_of_dargs[], const int array_of_psizes[], int order,
                  MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_darray_c", [&] {
    darray(ndims, array_of_gsizes,
           distribution_of(size, rank, ndims, array_of_distribs, array_of_dargs, array_of_psizes,
                           order),
           oldtype, newtype);
  });
}

}  // namespace peal::mpi
