// What a program asks of its surroundings: versions, names, times and memory.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <string_view>

#include "mpi/environment/world.hpp"
#include "mpi/support/cut.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/support/place.hpp"
#include "peal/detail/core.hpp"
#include "peal/version.hpp"

using namespace peal::mpi;

namespace {

void tell(std::string_view what, std::size_t room, char* into, int* length) {
  *length = static_cast<int>(copy_cut(what, into, room));
}

}  // namespace

PEAL_MPI_FUNCTION(int, Get_version, int* version, int* subversion) {
  return run("MPI_Get_version", [&] {
    need_place(version, "version");
    need_place(subversion, "subversion");
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
  });
}

PEAL_MPI_FUNCTION(int, Get_library_version, char* version, int* resultlen) {
  return run("MPI_Get_library_version", [&] {
    need_place(version, "version");
    need_place(resultlen, "resultlen");
    tell(fmt::format("peal {}.{}.{}", PEAL_VERSION_MAJOR, PEAL_VERSION_MINOR, PEAL_VERSION_PATCH),
         MPI_MAX_LIBRARY_VERSION_STRING, version, resultlen);
  });
}

PEAL_MPI_FUNCTION(int, Get_processor_name, char* name, int* resultlen) {
  return run_in_job("MPI_Get_processor_name", [&] {
    need_place(name, "name");
    need_place(resultlen, "resultlen");
    std::array<char, MPI_MAX_PROCESSOR_NAME> found{};
    if (::gethostname(found.data(), found.size() - 1) != 0)
      fail(MPI_ERR_OTHER, "the system does not tell the name of this host");
    tell(found.data(), found.size(), name, resultlen);
  });
}

PEAL_MPI_FUNCTION(double, Wtime, void) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

PEAL_MPI_FUNCTION(double, Wtick, void) {
  using period = std::chrono::steady_clock::period;
  return static_cast<double>(period::num) / static_cast<double>(period::den);
}

PEAL_MPI_FUNCTION(int, Pcontrol, const int level, ...) {
  (void)level;  // for tools, which stand in for it
  return MPI_SUCCESS;
}
