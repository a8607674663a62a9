// The buffer for buffered sends.
#include <cstring>

#include "mpi/point_to_point/buffered.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Buffer_attach, void* buffer, int size) {
  return run("MPI_Buffer_attach", [&] { attach_buffer(buffer, size); });
}

PEAL_MPI_FUNCTION(int, Buffer_detach, void* buffer_addr, int* size) {
  return run("MPI_Buffer_detach", [&] {
    need_place(buffer_addr, "buffer_addr");
    need_place(size, "size");
    const attached_memory was = detach_buffer();
    std::memcpy(buffer_addr, &was.memory, sizeof was.memory);
    *size = static_cast<int>(was.bytes);
  });
}

PEAL_MPI_FUNCTION(int, Buffer_attach_c, void* buffer, MPI_Count size) {
  return run("MPI_Buffer_attach_c", [&] { attach_buffer(buffer, size); });
}

PEAL_MPI_FUNCTION(int, Buffer_detach_c, void* buffer_addr, MPI_Count* size) {
  return run("MPI_Buffer_detach_c", [&] {
    need_place(buffer_addr, "buffer_addr");
    need_place(size, "size");
    const attached_memory was = detach_buffer();
    std::memcpy(buffer_addr, &was.memory, sizeof was.memory);
    *size = static_cast<MPI_Count>(was.bytes);
  });
}

PEAL_MPI_FUNCTION(int, Buffer_flush, void) {
  return run("MPI_Buffer_flush", [] { flush_buffer(); });
}
