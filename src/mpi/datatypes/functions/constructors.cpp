// The constructors of include/mpi/datatypes.h that make a type of others.

#include "mpi/datatypes/constructors/constructors.hpp"
#include "mpi/datatypes/functions/arguments.hpp"
#include "mpi/support/function.hpp"

namespace peal::mpi {

namespace {

const definition_pointer& shared_of(MPI_Datatype type, const char* argument = "oldtype") {
  return datatype_of(type, argument).shared;
}

template <class Count>
void contiguous(Count count, MPI_Datatype old, MPI_Datatype* made) {
  need_place(made, "newtype");
  *made = add_datatype(make_contiguous(form_of<Count>, count, shared_of(old)));
}

template <class Count>
void vector(Count count, Count length, Count stride, MPI_Datatype old, MPI_Datatype* made) {
  need_place(made, "newtype");
  *made = add_datatype(make_vector(form_of<Count>, count, length, stride, shared_of(old)));
}

template <class Count, class Stride>
void hvector(Count count, Count length, Stride stride, MPI_Datatype old, MPI_Datatype* made) {
  need_place(made, "newtype");
  *made = add_datatype(make_hvector(form_of<Count>, count, length, stride, shared_of(old)));
}

template <class Count, class Displacement>
void indexed(decltype(make_indexed) make, Count count, const Count* lengths,
             const Displacement* displacements, MPI_Datatype old, MPI_Datatype* made) {
  need_place(made, "newtype");
  *made =
      add_datatype(make(form_of<Count>, list_of(lengths, count, "array_of_blocklengths"),
                        list_of(displacements, count, "array_of_displacements"), shared_of(old)));
}

template <class Count, class Displacement>
void indexed_block(decltype(make_indexed_block) make, Count count, Count length,
                   const Displacement* displacements, MPI_Datatype old, MPI_Datatype* made) {
  need_place(made, "newtype");
  *made =
      add_datatype(make(form_of<Count>, length,
                        list_of(displacements, count, "array_of_displacements"), shared_of(old)));
}

template <class Count, class Displacement>
void structure(Count count, const Count* lengths, const Displacement* displacements,
               const MPI_Datatype* types, MPI_Datatype* made) {
  need_place(made, "newtype");
  std::vector<definition_pointer> members;
  for (const MPI_Datatype each : span_of(types, count, "array_of_types"))
    members.push_back(shared_of(each, "array_of_types"));
  *made = add_datatype(make_struct(form_of<Count>, list_of(lengths, count, "array_of_blocklengths"),
                                   list_of(displacements, count, "array_of_displacements"),
                                   std::move(members)));
}

void resized(form made_by, MPI_Datatype old, std::int64_t lower, std::int64_t extent,
             MPI_Datatype* made) {
  need_place(made, "newtype");
  *made = add_datatype(make_resized(made_by, lower, extent, shared_of(old)));
}

}  // namespace

PEAL_MPI_FUNCTION(int, Type_contiguous, int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_contiguous", [&] { contiguous(count, oldtype, newtype); });
}
PEAL_MPI_FUNCTION(int, Type_contiguous_c, MPI_Count count, MPI_Datatype oldtype,
                  MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_contiguous_c", [&] { contiguous(count, oldtype, newtype); });
}
PEAL_MPI_FUNCTION(int, Type_vector, int count, int blocklength, int stride, MPI_Datatype oldtype,
                  MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_vector",
                    [&] { vector(count, blocklength, stride, oldtype, newtype); });
}
PEAL_MPI_FUNCTION(int, Type_vector_c, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                  MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_vector_c",
                    [&] { vector(count, blocklength, stride, oldtype, newtype); });
}
PEAL_MPI_FUNCTION(int, Type_create_hvector, int count, int blocklength, MPI_Aint stride,
                  MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_hvector",
                    [&] { hvector(count, blocklength, stride, oldtype, newtype); });
}
PEAL_MPI_FUNCTION(int, Type_create_hvector_c, MPI_Count count, MPI_Count blocklength,
                  MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_hvector_c",
                    [&] { hvector(count, blocklength, stride, oldtype, newtype); });
}
PEAL_MPI_FUNCTION(int, Type_indexed, int count, const int array_of_blocklengths[],
                  const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_indexed", [&] {
    indexed(make_indexed, count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
  });
}
PEAL_MPI_FUNCTION(int, Type_indexed_c, MPI_Count count, const MPI_Count array_of_blocklengths[],
                  const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                  MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_indexed_c", [&] {
    indexed(make_indexed, count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
  });
}
PEAL_MPI_FUNCTION(int, Type_create_hindexed, int count, const int array_of_blocklengths[],
                  const MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                  MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_hindexed", [&] {
    indexed(make_hindexed, count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
  });
}
PEAL_MPI_FUNCTION(int, Type_create_hindexed_c, MPI_Count count,
                  const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[],
                  MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_hindexed_c", [&] {
    indexed(make_hindexed, count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
  });
}
PEAL_MPI_FUNCTION(int, Type_create_indexed_block, int count, int blocklength,
                  const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_indexed_block", [&] {
    indexed_block(make_indexed_block, count, blocklength, array_of_displacements, oldtype, newtype);
  });
}
PEAL_MPI_FUNCTION(int, Type_create_indexed_block_c, MPI_Count count, MPI_Count blocklength,
                  const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                  MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_indexed_block_c", [&] {
    indexed_block(make_indexed_block, count, blocklength, array_of_displacements, oldtype, newtype);
  });
}
PEAL_MPI_FUNCTION(int, Type_create_hindexed_block, int count, int blocklength,
                  const MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                  MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_hindexed_block", [&] {
    indexed_block(make_hindexed_block, count, blocklength, array_of_displacements, oldtype,
                  newtype);
  });
}
PEAL_MPI_FUNCTION(int, Type_create_hindexed_block_c, MPI_Count count, MPI_Count blocklength,
                  const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                  MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_hindexed_block_c", [&] {
    indexed_block(make_hindexed_block, count, blocklength, array_of_displacements, oldtype,
                  newtype);
  });
}
PEAL_MPI_FUNCTION(int, Type_create_struct, int count, const int array_of_blocklengths[],
                  const MPI_Aint array_of_displacements[], const MPI_Datatype array_of_types[],
                  MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_struct", [&] {
    structure(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
  });
}
PEAL_MPI_FUNCTION(int, Type_create_struct_c, MPI_Count count,
                  const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[],
                  const MPI_Datatype array_of_types[], MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_struct_c", [&] {
    structure(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
  });
}
PEAL_MPI_FUNCTION(int, Type_create_resized, MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                  MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_resized",
                    [&] { resized(form::small, oldtype, lb, extent, newtype); });
}
PEAL_MPI_FUNCTION(int, Type_create_resized_c, MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
                  MPI_Datatype* newtype) {
  return run_in_job("MPI_Type_create_resized_c",
                    [&] { resized(form::large, oldtype, lb, extent, newtype); });
}

}  // namespace peal::mpi
