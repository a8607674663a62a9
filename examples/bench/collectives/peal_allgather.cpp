// peal_allgather: time of every rank's block gathered by every rank, called back to back, as
// osu_allgather.
#include "../common/collective.hpp"

namespace {

double loop(const peal::communicator& world, std::span<std::byte> sent,
            std::span<std::byte> received, int n) {
  return bench::back_to_back(n, [&] { world.allgather(sent, peal::into(received)); });
}

bool check(const peal::communicator& world, std::span<std::byte> sent,
           std::span<std::byte> received, std::size_t bytes) {
  bool good = true;
  for (int message = 0; message < 4; ++message) {
    bench::fill(sent, world.rank(), message);
    bench::fill(received, world.rank(), -1);
    world.allgather(sent, peal::into(received));
    for (int from = 0; from < world.size(); ++from)
      good = bench::holds(received.subspan(bytes * static_cast<std::size_t>(from), bytes), from,
                          message) &&
             good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_collective(
      argc, argv, {"Allgather Latency Test", bench::blocks::one, bench::blocks::each, loop, check});
}
