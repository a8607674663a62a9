// peal_scatter: time of blocks of rank 0 for every rank, with a barrier (not counted) after each;
// as osu_scatter.
#include "../common/collective.hpp"

namespace {

double loop(const peal::communicator& world, std::span<std::byte> sent,
            std::span<std::byte> received, int n) {
  return bench::apart(world, n, [&] { world.scatter(sent, peal::into(received), 0); });
}

// The root's block for rank r is that of message r + 4 * message.
bool check(const peal::communicator& world, std::span<std::byte> sent,
           std::span<std::byte> received, std::size_t bytes) {
  bool good = true;
  for (int message = 0; message < 4; ++message) {
    const int root = message % world.size();
    for (int to = 0; to < world.size() && world.rank() == root; ++to)
      bench::fill(sent.subspan(bytes * static_cast<std::size_t>(to), bytes), root,
                  to * 4 + message);
    bench::fill(received, world.rank(), -1);
    world.scatter(sent, peal::into(received), root);
    good = bench::holds(received, root, world.rank() * 4 + message) && good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_collective(
      argc, argv,
      {"Scatter Latency Test", bench::blocks::each, bench::blocks::one, loop, check, 1, true});
}
