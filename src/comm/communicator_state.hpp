// comm/communicator_state.hpp
// A communicator below the API: a team, the state of its collectives, and how many operations still
// need it.
//
// Layer    comm.
// Threads  under the lock of its lane's engine; rank, size and peers are constant.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/cache_line.hpp"
#include "collective/collectives.hpp"
#include "collective/direct/channel.hpp"
#include "comm/calls/two_steps.hpp"
#include "comm/checks/checked_calls.hpp"
#include "p2p/team.hpp"
#include "peal/detail/core.hpp"
#include "state/rank_page.hpp"

namespace peal {
class lane;
}

namespace peal::detail {

/// On cache lines of its own, since threads write to theirs at the same time.
/// A team first of all, so that an operation's `members` leads back here.
struct alignas(cache_line) communicator_state : team {
  /// `like`: of a communicator with the same peers, null where there is none. `known`: what one
  /// with the same peers has learnt.
  communicator_state(const team& members, lane& in, const collective_state* like = nullptr,
                     std::span<const direct::learnt_ways::known_shape> known = {});
  ~communicator_state();
  communicator_state(const communicator_state&) = delete;
  communicator_state& operator=(const communicator_state&) = delete;

  /// Where messages with that tag go. Constant once the user has the communicator.
  [[nodiscard]] communicator_state& way_of(int tag) noexcept {
    if (ways.empty()) [[likely]]
      return *this;
    return *ways[spread(static_cast<std::uint32_t>(tag), ways.size())];
  }
  /// The sum of the digits of a tag, in a numeral system of so many digits. So tags that follow
  /// each other go different ways, and so do multiples of a power of two where `over` is one. The
  /// first six digits tell the threads of a program apart.
  static std::size_t spread(std::uint32_t tag, std::size_t over) noexcept {
    if (over == 2) return static_cast<std::size_t>(std::popcount(tag)) % 2;
    const auto base = static_cast<std::uint32_t>(over);
    std::uint32_t sum = 0;
    for (int digit = 0; digit != 6 && tag != 0; ++digit, tag /= base) sum += tag % base;
    return sum % base;
  }

  void set_neighbors(neighborhood near) {
    neighbors = std::make_unique<neighborhood>(std::move(near));
    collective.set_neighbors(*neighbors);
  }

  lane& home;  // under whose lock everything below is
  collective_state collective;
  direct::channel direct;  // for the blocking ones of these that can go past messages
  std::unique_ptr<neighborhood> neighbors;  // of one made by with_neighbors
  std::unique_ptr<two_steps> stepped;       // from the first collective on that needs it
  // Where PEAL_CHECK=1 and there are other ranks to compare calls with.
  std::unique_ptr<checked_calls> checked;
  /// The last blocking call in which a rank is known to take no part, and that rank.
  struct refusal {
    std::uint32_t number = 0;  // in the log of calls
    int rank = -1;
  };
  refusal last_refusal;
  std::uint32_t agreements = 0;  // that this rank has come to
  std::size_t operations = 0;    // given to the user and not given back
  bool released = false;         // the user has no handle any more; it goes with its last operation
  /// Receives and probes name their tag, so messages with different tags never meet.
  bool tags_named = false;
  /// Then, where there are several lanes: this one, and one in each of the others for its messages.
  std::vector<communicator_state*> ways;
  state::communicator_entry* shown = nullptr;  // in the page of this process; null: no room
};

}  // namespace peal::detail
