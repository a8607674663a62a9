// traffic [seed] [rounds] [messages]: random messages between all ranks, round by round;
// exchange.hpp says what a round is.
#include "../exchange.hpp"

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  const auto seed = static_cast<std::uint64_t>(argc > 1 ? std::atoll(argv[1]) : 1);
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 10;
  // messages a rank sends in a round, about
  const auto budget = static_cast<std::size_t>(argc > 3 ? std::atoi(argv[3]) : 400);
  const auto most = std::max<std::size_t>(2, 2 * budget / static_cast<std::size_t>(world.size()));

  const peal::communicator turns[] = {world.dup(), world.dup()};
  for (int number = 0; number < rounds; ++number) {
    try {
      traffic::exchange{turns[number % 2], seed, number, most}.run();
    } catch (const std::exception& e) {
      job::fail("round " + std::to_string(number) + ": " + e.what());
    }
  }
  return 0;
}
