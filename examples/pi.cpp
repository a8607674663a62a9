// pi: the integral of 4 / (1 + x^2) from 0 to 1 by the midpoint rule, its slices dealt out to the
// ranks.
//
//     pealrun -n 4 ./pi [slices]
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <numbers>
#include <peal/peal.hpp>

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();

  // Rank 0 reads the command line and tells the others.
  const long slices =
      world.bcast(world.rank() == 0 && argc > 1 ? std::atol(argv[1]) : 10'000'000L, 0);
  if (slices < 1) {
    if (world.rank() == 0) std::cerr << "usage: pi [slices], at least 1\n";
    return 2;
  }

  const double width = 1.0 / static_cast<double>(slices);
  double mine = 0;
  for (long i = world.rank(); i < slices; i += world.size()) {
    const double x = (static_cast<double>(i) + 0.5) * width;
    mine += 4.0 / (1.0 + x * x);
  }
  const double pi = world.allreduce(mine * width);  // plus, unless told otherwise

  if (world.rank() == 0)
    std::cout << std::setprecision(12) << "pi is about " << pi << ", off by "
              << std::setprecision(1) << std::scientific << std::abs(pi - std::numbers::pi) << '\n';
  return 0;
}
