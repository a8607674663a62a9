// random_collectives [seed] [scenes] [steps] [trace] [collective ...]: random collectives on random
// communicators, blocking and nonblocking, many at a time, ended in another order on each rank, all
// checked against what a loop over the ranks' data gives.
//
//   seed        a number; 0: another one each time. It is printed, and gives the same calls again
//   with the same number of ranks.
//   trace       each rank says on stderr what it starts
//   collective  only these, as the tables name them; of all others nothing is called
//
// scene.hpp says what a scene is.
#include <chrono>
#include <string_view>

#include "scene.hpp"

int main(int argc, char** argv) {
  using namespace random_collectives;
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  auto seed = static_cast<std::uint64_t>(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1);
  if (seed == 0)
    seed = world.bcast(
        static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count() %
                                   1'000'000'000),
        0);
  const int scenes = argc > 2 ? std::atoi(argv[2]) : 3;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 60;

  std::vector<kind> kinds;
  bool trace = false;
  const auto take = [&kinds](std::string_view name) {
    for (const auto& table : {moves(), reductions(), in_buffers()})
      for (const auto& each : table)
        if (name.empty() || name == each.name) kinds.push_back(each);
  };
  for (int i = 4; i < argc; ++i) {
    if (std::string_view{argv[i]} == "trace") trace = true;
    else take(argv[i]);
  }
  if (kinds.empty()) take("");

  if (world.rank() == 0) {
    std::printf("seed %llu, %d ranks, %d scenes of %d steps\n",
                static_cast<unsigned long long>(seed), world.size(), scenes, steps);
    std::fflush(stdout);
  }
  job::random shared{seed}, own{seed * 1009 + static_cast<std::uint64_t>(world.rank()) + 1};
  for (int number = 0; number < scenes; ++number) {
    try {
      scene{world, shared, own, kinds, trace}.run(static_cast<std::size_t>(steps));
    } catch (const std::exception& e) {
      job::fail("scene " + std::to_string(number) + ": " + e.what());
    }
  }
  return 0;
}
