// sample: the program that the design of the API opens with, as it stands there.
#include <algorithm>
#include <iostream>
#include <peal/peal.hpp>

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  const int right = (world.rank() + 1) % world.size();
  // the request owns the vector until wait() gives it back
  auto sent = world.isend(std::vector{world.rank()}, right);
  const auto left = world.recv<std::vector<int>>();  // any source, any tag, size from the message
  const int top = world.allreduce(left.front(), [](int a, int b) { return std::max(a, b); });
  if (world.rank() == 0) std::cout << top << '\n';
  sent.wait();
}
