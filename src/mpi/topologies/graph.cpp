#include "mpi/topologies/graph.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

graph::graph(std::span<const int> index, std::span<const int> edges)
    : index_(index.begin(), index.end()), edges_(edges.begin(), edges.end()) {
  int before = 0;
  for (const int each : index_) {
    need(each >= before, MPI_ERR_ARG, "an element of index", each,
         "it must be no less than the one before it, and not negative");
    before = each;
  }
  for (const int each : edges_)
    need(each >= 0 && each < nodes(), MPI_ERR_ARG, "an element of edges", each,
         "the graph has no such node");
}

std::span<const int> graph::neighbors(int rank) const {
  need(rank >= 0 && rank < nodes(), MPI_ERR_RANK, "rank", rank, "the graph has no such rank");
  const auto node = static_cast<std::size_t>(rank);
  const auto first = static_cast<std::size_t>(node == 0 ? 0 : index_[node - 1]);
  return std::span{edges_}.subspan(first, static_cast<std::size_t>(index_[node]) - first);
}

bool graph::is_symmetric() const {
  std::vector<std::pair<int, int>> there, back;
  for (int node = 0; node != nodes(); ++node)
    for (const int each : neighbors(node)) {
      there.emplace_back(node, each);
      back.emplace_back(each, node);
    }
  std::ranges::sort(there);
  std::ranges::sort(back);
  return there == back;
}

}  // namespace peal::mpi
