// lost_link CUT HEAL: the first and the last rank, on two nodes, exchange messages until rank 0 runs the command CUT, which cuts the link
// between them. What is pending then, on both sides, a receive from a peer to whom nothing is on its way among it, ends with
// errc::peer_failed that names the peer. HEAL mends the link, for the launcher's sake; the two stay apart.
#include <cstdlib>

#include "support.hpp"

namespace {

using peal::errc;
constexpr peal::tag data{1}, never{2};

template <class F>
void ends_with_failure(int peer, const std::string& what, F operation) {
  try {
    operation();
    job::check(false, what + " ended well");
  } catch (const peal::error& e) {
    job::check(e.code() == errc::peer_failed, what + ": " + e.what());
    job::equal(e.peer(), peer, what + ": the peer of the error");
  }
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  if (argc != 3) job::fail("lost_link CUT HEAL");
  const int last = world.size() - 1, peer = last - world.rank();
  if (world.rank() != 0 && world.rank() != last) return 0;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, std::size_t{300'000}}) {
    auto sent = world.isend(job::bytes_of(bytes, static_cast<std::uint64_t>(world.rank())), peer, data);
    const auto got = world.recv<std::vector<std::byte>>(peer, data);
    job::check(got.size() == bytes && job::holds(got, static_cast<std::uint64_t>(peer)), "a message before the cut");
    sent.wait();
  }
  if (world.rank() == 0) job::equal(std::system(argv[1]), 0, "the command that cuts the link");
  if (world.rank() == 0) {
    auto large = world.isend(std::vector<std::byte>(1'000'000), peer, never);
    ends_with_failure(peer, "a receive", [&] { (void)world.recv<int>(peer, data); });
    ends_with_failure(peer, "a large message under way", [&] { large.wait(); });
  } else {
    ends_with_failure(peer, "a receive of one who only waits", [&] { (void)world.recv<int>(peer, data); });
  }
  ends_with_failure(peer, "a message afterwards", [&] { world.send(1, peer, data); });
  if (world.rank() == 0) job::equal(std::system(argv[2]), 0, "the command that mends the link");
  return 0;
}
