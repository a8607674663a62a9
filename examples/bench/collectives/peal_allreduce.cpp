// peal_allreduce: time of a sum of floats over all ranks, called back to back, as osu_allreduce.
#include "../common/collective.hpp"

namespace {

double loop(const peal::communicator& world, std::span<std::byte> sent,
            std::span<std::byte> received, int n) {
  const auto from = bench::given_floats(sent);
  const auto into = bench::floats(received);
  return bench::back_to_back(n, [&] { world.allreduce(from, peal::into(into)); });
}

bool check(const peal::communicator& world, std::span<std::byte> sent,
           std::span<std::byte> received, std::size_t) {
  bool good = true;
  for (std::size_t message = 0; message < 4; ++message) {
    bench::fill_numbers(bench::floats(sent), world.rank(), message);
    bench::fill(received, world.rank(), -1);
    world.allreduce(bench::given_floats(sent), peal::into(bench::floats(received)));
    good = bench::hold_sums(bench::given_floats(received), world.size(), message) && good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_collective(argc, argv,
                               {"Allreduce Latency Test", bench::blocks::one, bench::blocks::one,
                                loop, check, sizeof(float)});
}
