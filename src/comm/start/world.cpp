// The communicator of all ranks: start_world of peal/detail/environment.hpp.
#include <cstddef>
#include <new>

#include "peal/communicator.hpp"
#include "peal/detail/environment.hpp"

namespace peal::detail {

world_of_job start_world(const job_options& options, const location& where) {
  // There is one in a process's life, and nothing destroys it.
  alignas(communicator) static std::byte room[sizeof(communicator)];
  const auto* const world = ::new (room) communicator{start_job(options, where)};
  return {world, world};
}

}  // namespace peal::detail
