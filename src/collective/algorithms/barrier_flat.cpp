// Barrier in one round: everyone tells everyone. size² messages, but nobody waits for a message that somebody else must first receive,
// which is what costs when ranks outnumber cores: each link of a chain is a switch of processes there.
#include "collective/algorithms.hpp"

namespace peal::algorithms {

void barrier_flat(const problem& p, schedule& s) {
  for (int k = 1; k < p.size; ++k) s.signal(p.wrapped(p.rank + k));
  for (int k = 1; k < p.size; ++k) s.await(p.wrapped(p.rank - k));
  s.end_round();
}

}  // namespace peal::algorithms
