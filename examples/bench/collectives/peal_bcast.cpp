// peal_bcast: time of a broadcast from rank 0, with a barrier (not counted) after each, so that the
// root does not run ahead; as osu_bcast.
#include "../common/collective.hpp"

namespace {

double loop(const peal::communicator& world, std::span<std::byte>, std::span<std::byte> received,
            int n) {
  return bench::apart(world, n, [&] { world.bcast(peal::in_place(received), 0); });
}

bool check(const peal::communicator& world, std::span<std::byte>, std::span<std::byte> received,
           std::size_t) {
  bool good = true;
  for (int message = 0; message < 4; ++message) {
    const int root = message % world.size();
    bench::fill(received, world.rank(), world.rank() == root ? message : -1);
    world.bcast(peal::in_place(received), root);
    good = bench::holds(received, root, message) && good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_collective(
      argc, argv,
      {"Broadcast Latency Test", bench::blocks::one, bench::blocks::one, loop, check, 1, true});
}
