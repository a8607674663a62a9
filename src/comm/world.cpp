// The communicator of all ranks: start_world of peal/detail/environment.hpp.
#include "peal/detail/environment.hpp"

#include "peal/communicator.hpp"

namespace peal::detail {

world_of_job start_world(const job_options& options, const location& where) {
  static const communicator* world = nullptr;  // so that what is never destroyed is no leak
  world = new communicator{start_job(options, where)};
  return {world, world};
}

}  // namespace peal::detail
