// reported [datagrams]: rank 2 is cut off, and rank 0 gives it up. Rank 1 has nothing to send to
// it, and its own turn to look comes in ten minutes. It hears of rank 0's finding through PMIx, and
// looks: its connection to rank 2 breaks. It does not believe rank 0, though: once the network is
// mended the two go on, while ranks 0 and 2 stay apart. With `datagrams` rank 1 has no connection
// to rank 2, so it cannot tell, and says so.
//
// VERBS_DOUBLE_NODES=3: the network of the double does what the ranks tell it.
#include <cstdio>
#include <fstream>

#include "../support.hpp"

namespace {

using peal::errc;
constexpr peal::tag data{1}, news{2}, never{3};

void exchange(const peal::communicator& world, int peer, std::size_t size) {
  auto sent =
      world.isend(job::bytes_of(size, static_cast<std::uint64_t>(world.rank())), peer, data);
  job::check(
      job::holds(world.recv<std::vector<std::byte>>(peer, data), static_cast<std::uint64_t>(peer)),
      "a message");
  sent.wait();
}

}  // namespace

int main(int argc, char** argv) {
  const bool datagrams = argc > 1 && std::string{argv[1]} == "datagrams";
  const char* const folder = std::getenv("TMPDIR");
  const char* const number = std::getenv("PMIX_RANK");
  job::check(folder && number, "under pealrun");
  const std::string network = std::string{folder} + "/network";
  setenv("VERBS_DOUBLE_CONTROL", network.c_str(), 1);
  setenv("PEAL_VERBS_TIMEOUT", std::string{number} == "0" ? "0.5" : "600", 1);
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  job::equal(world.size(), 3, "ranks");
  const auto does = [&](const char* what) {
    std::ofstream{network, std::ios::app} << what << '\n';
  };

  for (int peer = 0; peer < world.size(); ++peer)
    if (peer != world.rank()) exchange(world, peer, 100);
  if (datagrams && world.rank() != 1)  // over a connection
    exchange(world, 2 - world.rank(), 300'000);
  if (world.rank() == 0) {
    for (const int peer : {1, 2}) (void)world.recv<int>(peer, news);
    does("cut 2/0/1");
    const peal::error gone =
        job::throws(errc::peer_failed, [&] { (void)world.recv<int>(2, never); });
    job::equal(gone.peer(), 2, "the peer of the error");
    (void)world.recv<int>(1, news);
    does("mend 2/0/1");
    (void)world.recv<int>(1, news);
    job::throws(errc::peer_failed, [&] { world.send(1, 2, data); });
    std::remove(network.c_str());
    return 0;
  }
  world.send(1, 0, news);
  if (world.rank() == 1) {
    const char* const sign = datagrams ? "verbs.doubts" : "verbs.interruptions";
    while (peal::counters(world)[sign] == 0) (void)world.iprobe(0, never);
    world.send(1, 0, news);
  }
  exchange(world, 3 - world.rank(), 100);
  if (world.rank() == 2) {
    job::throws(errc::peer_failed, [&] { (void)world.recv<int>(0, never); });
    world.send(1, 1, news);
  } else {
    (void)world.recv<int>(2, news);
    world.send(1, 0, news);
  }
  return 0;
}
