// tests/launcher/busy_rank.cpp
// A rank of a job that is killed somewhere: it sends, receives and reduces for as many milliseconds
// as its argument says, then takes its leave. "restarted" prints how often the job was started
// again, and its last rank fails in every start but that of the given number. "short" and a number:
// each rank sends the next one so many messages of 8 bytes, then all wait for what nobody sends.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <peal/peal.hpp>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "300";
  const char* const count = std::getenv("PEAL_RESTART");
  peal::environment env{argc, argv};
  const auto& world = env.world();
  if (mode == "restarted") {
    const int start = count != nullptr ? std::atoi(count) : -1;
    if (world.rank() == 0) {
      std::printf("start %d of %s\n", start, std::getenv("PMIX_NAMESPACE"));
      std::fflush(stdout);
    }
    world.barrier();
    if (world.rank() == world.size() - 1 && start != std::atoi(argv[2])) (void)std::raise(SIGKILL);
    world.barrier();
    return 0;
  }
  if (mode == "short") {
    const int next = (world.rank() + 1) % world.size();
    for (int left = std::atoi(argv[2]); left > 0; --left)
      (void)world.sendrecv<std::uint64_t>(std::uint64_t{1}, next, peal::any_source);
    (void)world.recv<int>(next, peal::tag{99});
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{std::stoi(mode)};
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();
  for (bool goes_on = true; goes_on;) {
    const auto got =
        world.sendrecv<std::vector<int>>(std::vector<int>(20'000, world.rank()), right, left);
    if (got != std::vector<int>(20'000, left)) return 9;
    goes_on = world.allreduce(std::chrono::steady_clock::now() < until ? 1 : 0) == world.size();
  }
  return 0;
}
