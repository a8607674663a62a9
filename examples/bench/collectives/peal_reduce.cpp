// peal_reduce: time of a sum of floats over all ranks at rank 0, with a barrier (not counted) after
// each; as osu_reduce.
#include "../common/collective.hpp"

namespace {

double loop(const peal::communicator& world, std::span<std::byte> sent,
            std::span<std::byte> received, int n) {
  const auto from = bench::given_floats(sent);
  const auto into = bench::floats(received);
  return bench::apart(world, n, [&] { world.reduce(from, peal::into(into), 0); });
}

bool check(const peal::communicator& world, std::span<std::byte> sent,
           std::span<std::byte> received, std::size_t) {
  bool good = true;
  for (std::size_t message = 0; message < 4; ++message) {
    const int root = static_cast<int>(message) % world.size();
    bench::fill_numbers(bench::floats(sent), world.rank(), message);
    bench::fill(received, world.rank(), -1);
    world.reduce(bench::given_floats(sent), peal::into(bench::floats(received)), root);
    if (world.rank() == root)
      good = bench::hold_sums(bench::given_floats(received), world.size(), message) && good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_collective(argc, argv,
                               {"Reduce Latency Test", bench::blocks::one, bench::blocks::one, loop,
                                check, sizeof(float), true});
}
