// peal_scan: time of sums of floats over the ranks up to each, with a barrier (not counted) after
// each; as osu_scan.
#include "../common/collective.hpp"

namespace {

double loop(const peal::communicator& world, std::span<std::byte> sent, std::span<std::byte>,
            int n) {
  // In place, since there is no other form without memory of peal's: the numbers stay 0.
  const auto buffer = bench::floats(sent);
  return bench::apart(world, n, [&] { world.scan(peal::in_place(buffer)); });
}

bool check(const peal::communicator& world, std::span<std::byte> sent, std::span<std::byte>,
           std::size_t) {
  bool good = true;
  for (std::size_t message = 0; message < 4; ++message) {
    bench::fill_numbers(bench::floats(sent), world.rank(), message);
    world.scan(peal::in_place(bench::floats(sent)));
    good = bench::hold_sums(bench::given_floats(sent), world.rank() + 1, message) && good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_collective(argc, argv,
                               {"Scan Latency Test", bench::blocks::one, bench::blocks::one, loop,
                                check, sizeof(float), true});
}
