// hello: every rank says who it is, in order.
//
//     pealrun -n 4 ./hello
#include <iostream>
#include <peal/peal.hpp>
#include <string>

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  const std::string greeting =
      "hello from rank " + std::to_string(world.rank()) + " of " + std::to_string(world.size());

  // Lines of several processes mix on one terminal, so rank 0 writes all of them. A string is sent
  // as it is; its length comes with it.
  if (world.rank() != 0) {
    world.send(greeting, 0);
    return 0;
  }
  std::cout << greeting << '\n';
  for (int source = 1; source < world.size(); ++source)
    std::cout << world.recv<std::string>(source) << '\n';
  return 0;
}
