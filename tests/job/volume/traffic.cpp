// traffic [seed] [rounds] [messages] [COMMAND...]: random messages between all ranks, round by
// round; exchange.hpp says what a round is. The commands break the link of a node for a while, or
// one of its cards: command number i is run by rank i (modulo their number) before round 2 + 3 * i,
// or after the last one where that is its number, in the background, so that it hits messages under
// way. Everything arrives all the same.
#include <cstdlib>

#include "../exchange.hpp"

namespace {

/// Whose turn it is before this round runs its command.
void run_command(const peal::communicator& world, int round, int count, char** commands) {
  if (round < 2 || (round - 2) % 3 != 0) return;
  const int which = (round - 2) / 3;
  if (which >= count || which % world.size() != world.rank()) return;
  const auto command = "(" + std::string{commands[which]} + ") &";
  job::equal(std::system(command.c_str()), 0, command);
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  const auto seed = static_cast<std::uint64_t>(argc > 1 ? std::atoll(argv[1]) : 1);
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 10;
  // messages a rank sends in a round, about
  const auto budget = static_cast<std::size_t>(argc > 3 ? std::atoi(argv[3]) : 400);
  const auto most = std::max<std::size_t>(2, 2 * budget / static_cast<std::size_t>(world.size()));

  const int commands = std::max(0, argc - 4);
  if (rounds < 3 * commands - 1) job::fail("too few rounds for all of the commands");

  const peal::communicator turns[] = {world.dup(), world.dup()};
  for (int number = 0; number < rounds; ++number) {
    run_command(world, number, commands, argv + 4);
    try {
      traffic::exchange{turns[number % 2], seed, number, most}.run();
    } catch (const std::exception& e) {
      job::fail("round " + std::to_string(number) + ": " + e.what());
    }
  }
  run_command(world, rounds, commands, argv + 4);
  return 0;
}
