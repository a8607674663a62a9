// comm/calls/making.hpp
// What the calls share that make communicators: numbers on offer, and the communicator in the end.
//
// Layer    comm.
// Threads  any; an `offers` one at a time.
// Errors   refuse_more throws peal::error, no_space.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "comm/start/job.hpp"
#include "peal/error.hpp"

namespace peal {

/// The numbers that this process has offered in one call, and not given to a communicator; they go
/// back at the end.
class offers {
 public:
  explicit offers(context_pool& of) noexcept : pool_{of} {}
  ~offers() {
    for (const context_pool::offer& each : made_) pool_.give_back(each);
  }
  offers(const offers&) = delete;
  offers& operator=(const offers&) = delete;

  context_pool::offer next() { return made_.emplace_back(pool_.take()); }
  /// The last one is a communicator's now.
  void taken() noexcept { made_.pop_back(); }

 private:
  context_pool& pool_;
  std::vector<context_pool::offer> made_;
};

/// What the first rank says in a dup. `names_tags`: as it wants it.
struct copy_offer {
  context_pool::offer context;
  std::uint32_t names_tags = 0;
};

/// Of a communicator, before the first call by which another one is made of it: continuations of
/// that call may make others on this rank, and later ones on another.
using known_shapes = std::vector<direct::learnt_ways::known_shape>;

inline detail::communicator_state& make_communicator(job& here, const team& members,
                                                     const collective_state* like,
                                                     const known_shapes& known) {
  lane& home = here.lane_of(members.context());
  const std::lock_guard<engine> guard{home.progress};
  auto* const made = new detail::communicator_state(members, home, like, known);
  if (home.living) home.living->made(*made);
  return *made;
}

/// What a copy has besides its number.
inline void copy_neighbors(const detail::communicator_state& from,
                           detail::communicator_state& made) {
  if (!from.neighbors) return;
  const std::lock_guard<engine> guard{made.home.progress};
  made.set_neighbors(*from.neighbors);
}

[[noreturn]] inline void refuse_more_communicators(const detail::location& where) {
  throw error(
      errc::no_space,
      "as many communicators are alive as there may be (PEAL_COMMUNICATORS in peal_environment(7))",
      -1, where);
}

}  // namespace peal
