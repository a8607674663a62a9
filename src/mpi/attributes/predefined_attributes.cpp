#include "mpi/attributes/predefined_attributes.hpp"

#include <atomic>
#include <limits>

#include "mpi/environment/world.hpp"
#include "mpi/errors/error_codes.hpp"

namespace peal::mpi {

namespace {

// Programs get a pointer, which the standard lets them keep, but not write to.
struct value_set {
  int tag_ub = std::numeric_limits<int>::max();
  int host = MPI_PROC_NULL;
  int io = MPI_ANY_SOURCE;  // every process can use the C library's files
  int wtime_is_global = 0;
  int application_number = 0;
  bool application_known = false;
  int last_used_code = MPI_ERR_LASTCODE;
  int universe_size = 0;
};
constinit value_set values;

/// Threads may ask at the same time; nothing else is ordered by it.
int* updated(int& value, int now) noexcept {
  std::atomic_ref<int>{value}.store(now, std::memory_order_relaxed);
  return &value;
}

}  // namespace

std::optional<int*> predefined_attribute(int key) {
  switch (key) {
    case MPI_TAG_UB: return &values.tag_ub;
    case MPI_HOST: return &values.host;
    case MPI_IO: return &values.io;
    case MPI_WTIME_IS_GLOBAL: return &values.wtime_is_global;
    case MPI_APPNUM: return values.application_known ? &values.application_number : nullptr;
    case MPI_LASTUSEDCODE: return updated(values.last_used_code, last_used_code());
    case MPI_UNIVERSE_SIZE: return updated(values.universe_size, world_size());
    default: return std::nullopt;
  }
}

void set_application_number(int number) noexcept {
  values.application_number = number;
  values.application_known = true;
}

}  // namespace peal::mpi
