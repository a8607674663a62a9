// Between neighbours: every rank sends to all its destinations and receives from all its sources in
// one round.
#include <vector>

#include "collective/algorithms.hpp"

namespace peal::algorithms {

namespace {

// Messages of a pair match in the order in which they are sent and received, so of two destinations
// that are paired the second is served first: what goes up must meet the receive from below, which
// comes first.
template <class Outgoing>
void exchange(const problem& p, schedule& s, const Outgoing& outgoing) {
  const detail::neighborhood& near = *p.near;
  std::vector<slice> own;  // to itself, in the order in which they would be sent
  for (std::size_t k = 0; k != near.destinations.size(); ++k) {
    const std::size_t at = near.paired ? k ^ 1 : k;
    const int to = near.destinations[at];
    if (to == p.rank) own.push_back(outgoing(static_cast<int>(at)));
    else if (to >= 0) s.send(to, outgoing(static_cast<int>(at)));
  }
  auto next = own.begin();
  for (std::size_t at = 0; at != near.sources.size(); ++at) {
    const int from = near.sources[at];
    const slice into = p.receive.of(place::receive, static_cast<int>(at));
    if (from == p.rank) s.copy(*next++, into);
    else if (from >= 0) s.receive(from, into);
  }
  s.end_round();
}

}  // namespace

void neighbor_allgather(const problem& p, schedule& s) {
  exchange(p, s, [&p](int) { return slice{place::send, 0, p.bytes}; });
}

void neighbor_alltoall(const problem& p, schedule& s) {
  exchange(p, s, [&p](int at) { return p.send.of(place::send, at); });
}

}  // namespace peal::algorithms
