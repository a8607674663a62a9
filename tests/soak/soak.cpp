// soak SEED SECONDS [threads]: random traffic, random collectives, communicators, cancelled and
// synchronous messages, plans, continuations and coroutines, round by round, all checked, for so
// long at least; with "threads" in several threads too. At the end nothing may have grown
// (accounts.hpp).
//
//   SEED     the same seed makes the same rounds with the same number of ranks
//   SECONDS  0: one round, whatever grows
#include <chrono>

#include "accounts.hpp"
#include "calls.hpp"

namespace {

constexpr int over = -1;

/// The slices of the time, by rank 0's clock, which all ranks go by. One lasts longer where that is
/// too short for some rounds: caches take rounds to fill, not seconds.
class slices {
 public:
  explicit slices(double seconds) : seconds_{seconds} {}

  /// The slice of the next round, or that the time is over.
  int next(const peal::communicator& world) {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin_;
    if (rounds_ >= least_rounds &&
        gone.count() >= seconds_ / soak::accounts::slices * (slice_ + 1)) {
      ++slice_;
      rounds_ = 0;
    }
    ++rounds_;
    return world.bcast(slice_ < static_cast<int>(soak::accounts::slices) ? slice_ : over, 0);
  }

 private:
  static constexpr std::size_t least_rounds = 25;
  double seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  int slice_ = 0;
  std::size_t rounds_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const auto seed = static_cast<std::uint64_t>(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1);
  const double seconds = argc > 2 ? std::strtod(argv[2], nullptr) : 0;
  const bool threads = argc > 3 && std::string{argv[3]} == "threads";
  peal::environment env{
      argc, argv, {.threads = threads ? peal::thread_level::multiple : peal::thread_level::single}};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  std::vector<random_collectives::kind> kinds;
  for (const auto& table : {random_collectives::moves(), random_collectives::reductions(),
                            random_collectives::in_buffers()})
    kinds.insert(kinds.end(), table.begin(), table.end());

  job::random r{seed};
  soak::accounts accounts;
  slices time_slices{seconds};
  std::size_t round = 0;
  try {
    for (int slice; (slice = time_slices.next(world)) != over; ++round) {
      soak::exchanged(world, r, 40);
      soak::collected(world, r, kinds, 20);
      soak::synchronous(world, r);
      soak::cancelled(world, r);
      soak::followed(world, r);
      soak::planned(world, r);
      if (threads) soak::threaded(world, r, kinds);
      world.barrier();
      accounts.note(static_cast<std::size_t>(slice));
      if (seconds <= 0) return 0;
    }
  } catch (const std::exception& e) {
    job::fail("round " + std::to_string(round) + ": " + e.what());
  }
  std::printf("rank %d: %s\n", world.rank(), accounts.told().c_str());
  std::fflush(stdout);
  const auto grown = accounts.grown();
  job::check(grown.empty(), "what has grown: " + grown);
  return 0;
}
