// peal_reduce_scatter: time of a sum of floats of which each rank gets a block, called back to
// back; the size is a block's.
#include "../common/collective.hpp"

namespace {

double loop(const peal::communicator& world, std::span<std::byte> sent,
            std::span<std::byte> received, int n) {
  const auto from = bench::given_floats(sent);
  const auto into = bench::floats(received);
  return bench::back_to_back(n, [&] { world.reduce_scatter_block(from, peal::into(into)); });
}

bool check(const peal::communicator& world, std::span<std::byte> sent,
           std::span<std::byte> received, std::size_t bytes) {
  bool good = true;
  for (std::size_t message = 0; message < 4; ++message) {
    bench::fill_numbers(bench::floats(sent), world.rank(), message);
    bench::fill(received, world.rank(), -1);
    world.reduce_scatter_block(bench::given_floats(sent), peal::into(bench::floats(received)));
    const std::size_t first = bytes / sizeof(float) * static_cast<std::size_t>(world.rank());
    good = bench::hold_sums(bench::given_floats(received), world.size(), message, first) && good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_collective(argc, argv,
                               {"Reduce_scatter Latency Test", bench::blocks::each,
                                bench::blocks::one, loop, check, sizeof(float)});
}
