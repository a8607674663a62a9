// peal_gather: time of every rank's block gathered at rank 0, with a barrier (not counted) after
// each; as osu_gather.
#include "../common/collective.hpp"

namespace {

double loop(const peal::communicator& world, std::span<std::byte> sent,
            std::span<std::byte> received, int n) {
  return bench::apart(world, n, [&] { world.gather(sent, peal::into(received), 0); });
}

bool check(const peal::communicator& world, std::span<std::byte> sent,
           std::span<std::byte> received, std::size_t bytes) {
  bool good = true;
  for (int message = 0; message < 4; ++message) {
    const int root = message % world.size();
    bench::fill(sent, world.rank(), message);
    bench::fill(received, world.rank(), -1);
    world.gather(sent, peal::into(received), root);
    for (int from = 0; from < world.size() && world.rank() == root; ++from)
      good = bench::holds(received.subspan(bytes * static_cast<std::size_t>(from), bytes), from,
                          message) &&
             good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_collective(
      argc, argv,
      {"Gather Latency Test", bench::blocks::one, bench::blocks::each, loop, check, 1, true});
}
