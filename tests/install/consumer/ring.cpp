// Another project's program: sends a word around the ring of all ranks and prints what came back.
#include <iostream>
#include <peal/peal.hpp>
#include <string>

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();
  std::string word = world.rank() == 0 ? "round" : "";
  if (world.rank() != 0) word = world.recv<std::string>(left);
  world.send(word + '.', right);
  if (world.rank() == 0) std::cout << world.recv<std::string>(left) << std::endl;
}
