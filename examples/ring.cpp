// ring: a list travels once around all ranks, and each adds itself.
//
//     pealrun -n 4 ./ring
#include <iostream>
#include <peal/point_to_point.hpp>  // messages alone, which compiles faster than all of peal
#include <utility>
#include <vector>

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const peal::basic_communicator& world = env.basic_world();
  const int right = (world.rank() + 1) % world.size();
  const int left = (world.rank() + world.size() - 1) % world.size();

  std::vector<int> visited;
  if (world.rank() == 0) {
    visited.push_back(0);
    // Nonblocking: with one rank, right is rank 0 itself. The request owns the list until it has
    // been sent.
    auto sent = world.isend(std::move(visited), right);
    visited = world.recv<std::vector<int>>(left);
    sent.wait();
    for (const int rank : visited) std::cout << rank << " -> ";
    std::cout << "0\n";
  } else {
    // as long as it is: the length comes with the message
    visited = world.recv<std::vector<int>>(left);
    visited.push_back(world.rank());
    world.send(visited, right);
  }
  return 0;
}
