// hybrid: processes and threads. Every thread of a rank adds up slices of the integral of 4 / (1 +
// x^2) from 0 to 1, and passes its sum round the ring of the threads with its number on the other
// ranks, over a communicator of its own, so that threads do not meet.
//
//     pealrun -n 2 --threads 2 ./hybrid [slices]
#include <omp.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numbers>
#include <peal/peal.hpp>
#include <vector>

int main(int argc, char** argv) {
  peal::environment env{argc, argv, {.threads = peal::thread_level::multiple}};
  const auto& world = env.world();
  const long slices = argc > 1 ? std::atol(argv[1]) : 10'000'000L;
  if (slices < 1) {
    if (world.rank() == 0) std::cerr << "usage: hybrid [slices], at least 1\n";
    return 2;
  }

  // As many threads as every rank can run, a communicator for each number.
  const int threads = world.allreduce(omp_get_max_threads(), peal::min);
  std::vector<peal::communicator> rings;
  for (int each = 0; each < threads; ++each) rings.push_back(world.dup());

  const double width = 1.0 / static_cast<double>(slices);
  double pi = 0;
#pragma omp parallel num_threads(threads) reduction(+ : pi)
  {
    const auto& ring = rings[static_cast<std::size_t>(omp_get_thread_num())];
    const int right = (ring.rank() + 1) % ring.size(),
              left = (ring.rank() + ring.size() - 1) % ring.size();
    double mine = 0;
    for (long i = ring.rank() * threads + omp_get_thread_num(); i < slices;
         i += static_cast<long>(ring.size()) * threads) {
      const double x = (static_cast<double>(i) + 0.5) * width;
      mine += 4.0 / (1.0 + x * x) * width;
    }
    double passing = mine;
    for (int step = 1; step < ring.size(); ++step) {
      passing = ring.sendrecv<double>(passing, right, left);
      mine += passing;
    }
    pi += mine;
  }

  if (world.rank() == 0)
    std::cout << "pi is about " << pi << " by " << world.size() << " ranks of " << threads
              << " threads, " << (std::abs(pi - std::numbers::pi) < 1e-6 ? "right" : "wrong")
              << " to 6 digits\n";
  return 0;
}
