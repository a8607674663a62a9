// peal_alltoall: time of an exchange of blocks between all ranks, called back to back, as
// osu_alltoall.
#include "../common/collective.hpp"

namespace {

double loop(const peal::communicator& world, std::span<std::byte> sent,
            std::span<std::byte> received, int n) {
  return bench::back_to_back(n, [&] { world.alltoall(sent, peal::into(received)); });
}

// The block from rank a to rank b is that of message a + b * ranks.
bool check(const peal::communicator& world, std::span<std::byte> sent,
           std::span<std::byte> received, std::size_t bytes) {
  for (int to = 0; to < world.size(); ++to)
    bench::fill(sent.subspan(bytes * static_cast<std::size_t>(to), bytes), world.rank(),
                world.rank() + to * world.size());
  bench::fill(received, world.rank(), -1);
  world.alltoall(sent, peal::into(received));
  bool good = true;
  for (int from = 0; from < world.size(); ++from)
    good = bench::holds(received.subspan(bytes * static_cast<std::size_t>(from), bytes), from,
                        from + world.rank() * world.size()) &&
           good;
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_collective(
      argc, argv, {"Alltoall Latency Test", bench::blocks::each, bench::blocks::each, loop, check});
}
