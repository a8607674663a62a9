// comm/communicator_state.hpp
// A communicator below the API: a team, the state of its collectives, and how many operations still
// need it.
//
// Layer    comm.
// Threads  under the lock of its lane's engine; rank, size and peers are constant.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/cache_line.hpp"
#include "collective/collectives.hpp"
#include "collective/direct/channel.hpp"
#include "comm/calls/two_steps.hpp"
#include "comm/checks/checked_calls.hpp"
#include "p2p/team.hpp"
#include "peal/detail/core.hpp"

namespace peal {
class lane;
}

namespace peal::detail {

/// On cache lines of its own, since threads write to theirs at the same time.
/// A team first of all, so that an operation's `members` leads back here.
struct alignas(cache_line) communicator_state : team {
  /// `like`: of a communicator with the same peers, null where there is none.
  communicator_state(const team& members, lane& in, const collective_state* like = nullptr);

  lane& home;  // under whose lock everything below is
  collective_state collective;
  direct::channel direct;  // for the blocking ones of these that can go past messages
  std::unique_ptr<neighborhood> neighbors;  // of one made by with_neighbors
  std::unique_ptr<two_steps> stepped;       // from the first collective on that needs it
  // Where PEAL_CHECK=1 and there are other ranks to compare calls with.
  std::unique_ptr<checked_calls> checked;
  std::size_t operations = 0;  // given to the user and not given back
  bool released = false;       // the user has no handle any more; it goes with its last operation
};

}  // namespace peal::detail
