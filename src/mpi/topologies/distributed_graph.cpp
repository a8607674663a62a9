#include "mpi/topologies/distributed_graph.hpp"

#include <cstddef>

#include "mpi/support/place.hpp"

namespace peal::mpi {

namespace {

/// What a rank is told of an edge of its own.
struct half_edge {
  int other;
  int weight;
};
/// How many edges one rank tells another one.
struct edge_counts {
  int leaving = 0;
  int ending = 0;
};

void exchange(detail::communicator_state& among, detail::collective_call& call) {
  call.kind = detail::collective::alltoall;
  detail::run_collective(among, call, place);
}

std::vector<std::size_t> bytes_of(const std::vector<edge_counts>& counts) {
  std::vector<std::size_t> bytes;
  for (const edge_counts& each : counts)
    bytes.push_back(sizeof(half_edge) * static_cast<std::size_t>(each.leaving + each.ending));
  return bytes;
}

/// For each rank those that leave it, then those that end at it.
std::vector<half_edge> in_order_of_ranks(std::span<const edge> known,
                                         const std::vector<edge_counts>& counts) {
  struct places {
    std::size_t leaving, ending;
  };
  std::vector<places> next;
  std::size_t all = 0;
  for (const edge_counts& each : counts) {
    next.push_back({all, all + static_cast<std::size_t>(each.leaving)});
    all += static_cast<std::size_t>(each.leaving + each.ending);
  }
  std::vector<half_edge> made(all + 1);  // one more: what is empty has no memory
  for (const edge& each : known) {
    made[next[static_cast<std::size_t>(each.from)].leaving++] = {each.to, each.weight};
    made[next[static_cast<std::size_t>(each.to)].ending++] = {each.from, each.weight};
  }
  return made;
}

}  // namespace

distributed_graph share_out(detail::communicator_state& among, std::span<const edge> known,
                            bool weighted) {
  const auto size = static_cast<std::size_t>(detail::size_of(among));
  std::vector<edge_counts> outgoing(size), incoming(size);
  for (const edge& each : known) {
    ++outgoing[static_cast<std::size_t>(each.from)].leaving;
    ++outgoing[static_cast<std::size_t>(each.to)].ending;
  }
  detail::collective_call counting;
  counting.send = outgoing.data();
  counting.receive = incoming.data();
  counting.bytes = sizeof(edge_counts);
  exchange(among, counting);

  const std::vector<std::size_t> sent_bytes = bytes_of(outgoing), bytes = bytes_of(incoming);
  const std::vector<half_edge> sent = in_order_of_ranks(known, outgoing);
  std::size_t all = 1;
  for (const std::size_t each : bytes) all += each / sizeof(half_edge);
  std::vector<half_edge> told(all);
  detail::collective_call telling;
  telling.varying = true;
  telling.send = sent.data();
  telling.receive = told.data();
  telling.send_bytes = sent_bytes.data();
  telling.receive_bytes = bytes.data();
  exchange(among, telling);

  distributed_graph made;
  made.weighted = weighted;
  const half_edge* next = told.data();
  const auto take = [&](int count, std::vector<int>& ranks, std::vector<int>& weights) {
    for (; count != 0; --count, ++next) {
      ranks.push_back(next->other);
      if (weighted) weights.push_back(next->weight);
    }
  };
  for (const edge_counts& each : incoming) {
    take(each.leaving, made.destinations, made.destination_weights);
    take(each.ending, made.sources, made.source_weights);
  }
  return made;
}

}  // namespace peal::mpi
