// unequal NAME FIRST OTHERS [refused]: rank 0 has the variable NAME with the value FIRST, all
// others with OTHERS. They exchange messages of all kinds; with `refused` the environment cannot
// begin, and every rank is told the name and both values.
#include <cstdlib>
#include <string>

#include "../support.hpp"

namespace {

using bytes = std::vector<std::byte>;

/// Each with each, all at once, and then all with all.
void exchange(const peal::communicator& world) {
  for (std::uint64_t round = 0; round < 20; ++round)
    for (const std::size_t size : {std::size_t{0}, std::size_t{40}, std::size_t{5000},
                                   std::size_t{100'000}, std::size_t{1'000'000}}) {
      if (size > 5000 && round > 2) continue;
      std::vector<peal::request<bytes>> sends, receives;
      for (int peer = 0; peer < world.size(); ++peer) {
        if (peer == world.rank()) continue;
        receives.push_back(world.irecv<bytes>(peer, peal::tag{1}));
        sends.push_back(world.isend(job::bytes_of(size, round), peer, peal::tag{1}));
      }
      for (auto& each : receives) {
        const bytes got = each.wait();
        job::check(got.size() == size && job::holds(got, round), "a message");
      }
      for (auto& each : sends) each.wait();
    }
  const int sum = world.allreduce(world.rank(), std::plus<>{});
  job::equal(sum, world.size() * (world.size() - 1) / 2, "the sum of the ranks");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) job::fail("unequal NAME FIRST OTHERS [refused]");
  const char* const rank = std::getenv("PMIX_RANK");
  if (rank == nullptr) job::fail("no PMIX_RANK");
  const std::string name = argv[1], first = argv[2], others = argv[3];
  const bool refused = argc > 4 && std::string{argv[4]} == "refused";
  setenv(name.c_str(), std::string{rank} == "0" ? first.c_str() : others.c_str(), 1);
  try {
    peal::environment env{argc, argv};
    job::my_rank() = env.world().rank();
    if (refused) job::fail("it began");
    exchange(env.world());
  } catch (const peal::error& e) {
    const std::string text = e.what();
    job::check(refused && e.code() == peal::errc::invalid_config, text);
    for (const std::string& part : {name, first, others})
      job::check(text.find(part) != std::string::npos, text + ": names " + part);
  }
  return 0;
}
