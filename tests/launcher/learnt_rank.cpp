// tests/launcher/learnt_rank.cpp
// Ranks that learn how collectives and large messages go, on the world and then on a duplicate,
// and stand still so that peal-info can be asked: after each line that rank 0 prints, until it
// reads one. Behind the first line the duplicate is given up.
#include <cstdio>
#include <optional>
#include <peal/peal.hpp>
#include <vector>

namespace {

void stand_still(const peal::communicator& world, const char* line) {
  if (world.rank() == 0) {
    std::puts(line);
    std::fflush(stdout);
    while (const int letter = std::getchar())
      if (letter == '\n' || letter == EOF) break;
  }
  world.barrier();
}

void make_calls(const peal::communicator& in, int count) {
  const std::vector<int> mine(2048, in.rank());  // 8 KiB
  for (int i = 0; i != count; ++i) (void)in.allreduce(mine);
}

}  // namespace

int main(int count, char** words) {
  peal::environment env{count, words};
  const peal::communicator& world = env.world();
  make_calls(world, 300);
  std::vector<int> payload(16'384);  // 64 KiB
  for (int i = 0; i != 100 && world.rank() < 2; ++i) {
    if (world.rank() == 0) world.send(payload, 1);
    else world.recv_into(payload, 0);
  }
  std::optional<peal::communicator> copy{world.dup()};
  make_calls(*copy, 15);  // one review
  stand_still(world, "learnt");
  copy.reset();
  stand_still(world, "given up");
}
