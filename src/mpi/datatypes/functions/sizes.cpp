// Sizes, bounds and addresses.

#include "mpi/datatypes/constructors/predefined.hpp"
#include "mpi/datatypes/functions/arguments.hpp"
#include "mpi/support/function.hpp"

namespace peal::mpi {

namespace {

template <class Count>
void size(MPI_Datatype type, Count* size) {
  need_place(size, "size");
  *size = is_missing(type) ? static_cast<Count>(MPI_UNDEFINED)
                           : result_of<Count>(datatype_of(type).type().size());
}

template <class Count>
void extent(MPI_Datatype type, Count* lower, Count* extent) {
  need_place(lower, "lb");
  need_place(extent, "extent");
  const layout& of = datatype_of(type).type().layout();
  *lower = of.lower;
  *extent = of.extent();
}

template <class Count>
void true_extent(MPI_Datatype type, Count* lower, Count* extent) {
  need_place(lower, "true_lb");
  need_place(extent, "true_extent");
  const layout& of = datatype_of(type).type().layout();
  *lower = of.true_lower;
  *extent = of.true_extent();
}

}  // namespace

PEAL_MPI_FUNCTION(int, Type_size, MPI_Datatype datatype, int* size) {
  return run_in_job("MPI_Type_size", [&] { mpi::size(datatype, size); });
}
PEAL_MPI_FUNCTION(int, Type_size_x, MPI_Datatype datatype, MPI_Count* size) {
  return run_in_job("MPI_Type_size_x", [&] { mpi::size(datatype, size); });
}
PEAL_MPI_FUNCTION(int, Type_size_c, MPI_Datatype datatype, MPI_Count* size) {
  return run_in_job("MPI_Type_size_c", [&] { mpi::size(datatype, size); });
}
PEAL_MPI_FUNCTION(int, Type_get_extent, MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  return run_in_job("MPI_Type_get_extent", [&] { mpi::extent(datatype, lb, extent); });
}
PEAL_MPI_FUNCTION(int, Type_get_extent_x, MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return run_in_job("MPI_Type_get_extent_x", [&] { mpi::extent(datatype, lb, extent); });
}
PEAL_MPI_FUNCTION(int, Type_get_extent_c, MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return run_in_job("MPI_Type_get_extent_c", [&] { mpi::extent(datatype, lb, extent); });
}
PEAL_MPI_FUNCTION(int, Type_get_true_extent, MPI_Datatype datatype, MPI_Aint* true_lb,
                  MPI_Aint* true_extent) {
  return run_in_job("MPI_Type_get_true_extent",
                    [&] { mpi::true_extent(datatype, true_lb, true_extent); });
}
PEAL_MPI_FUNCTION(int, Type_get_true_extent_x, MPI_Datatype datatype, MPI_Count* true_lb,
                  MPI_Count* true_extent) {
  return run_in_job("MPI_Type_get_true_extent_x",
                    [&] { mpi::true_extent(datatype, true_lb, true_extent); });
}
PEAL_MPI_FUNCTION(int, Type_get_true_extent_c, MPI_Datatype datatype, MPI_Count* true_lb,
                  MPI_Count* true_extent) {
  return run_in_job("MPI_Type_get_true_extent_c",
                    [&] { mpi::true_extent(datatype, true_lb, true_extent); });
}

PEAL_MPI_FUNCTION(int, Get_address, const void* location, MPI_Aint* address) {
  return run_in_job("MPI_Get_address", [&] {
    need_place(address, "address");
    *address = reinterpret_cast<MPI_Aint>(location);
  });
}

// Addresses are numbers without a sign: sums and differences wrap around.
PEAL_MPI_FUNCTION(MPI_Aint, Aint_add, MPI_Aint base, MPI_Aint disp) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) +
                               static_cast<std::uintptr_t>(disp));
}
PEAL_MPI_FUNCTION(MPI_Aint, Aint_diff, MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) -
                               static_cast<std::uintptr_t>(addr2));
}

}  // namespace peal::mpi
