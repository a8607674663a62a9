// Memory that the library gives to a program. What it gave is known, so that nothing else is freed.
#include <cstring>
#include <mutex>
#include <unordered_set>

#include "mpi/info/info.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/support/place.hpp"
#include "peal/detail/core.hpp"

using namespace peal::mpi;

namespace {

struct given_memory {
  std::mutex lock;
  std::unordered_set<void*> all;
};

given_memory& given() noexcept {
  static auto* const only = new given_memory;  // the program may free while static objects go
  return *only;
}

void* give(std::size_t bytes) {
  void* const made = peal::detail::allocate_shared(bytes, place);
  try {
    const std::lock_guard<std::mutex> guard{given().lock};
    given().all.insert(made);
  } catch (...) {
    peal::detail::deallocate_shared(made);
    throw;
  }
  return made;
}

void take_back(void* base) {
  {
    const std::lock_guard<std::mutex> guard{given().lock};
    if (given().all.erase(base) == 0)
      fail(MPI_ERR_BASE, "base is no address that MPI_Alloc_mem has given, or was freed");
  }
  peal::detail::deallocate_shared(base);
}

}  // namespace

PEAL_MPI_FUNCTION(int, Alloc_mem, MPI_Aint size, MPI_Info info, void* baseptr) {
  return run_in_job("MPI_Alloc_mem", [&] {
    need_place(baseptr, "baseptr");
    need(size >= 0, MPI_ERR_ARG, "size", size, "it must not be negative");
    (void)hints_of(info);  // peal knows of none
    void* const made = size == 0 ? nullptr : give(static_cast<std::size_t>(size));
    std::memcpy(baseptr, &made, sizeof made);
  });
}

PEAL_MPI_FUNCTION(int, Free_mem, void* base) {
  return run_in_job("MPI_Free_mem", [&] {
    if (base != nullptr) take_back(base);
  });
}
