// unreachable: rank 1 is cut off from all others while every rank waits in a receive (the network
// does it, some time after the start). Each of them finds out by itself that it does not reach rank
// 1, or rank 1 them; and what rank 1 thinks of the others, whose network is sound, harms nobody:
// they go on together.
#include "../support.hpp"

namespace {

using peal::errc;
constexpr peal::tag data{1}, never{2};
constexpr int cut_off = 1;

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  const auto exchange = [&](int peer) {
    auto sent = world.isend(world.rank(), peer, data);
    job::equal(world.recv<int>(peer, data), peer, "a message");
    sent.wait();
  };
  const auto is_unreachable = [&](int peer) {
    try {
      (void)world.recv<int>(peer, never);
      job::fail("a receive from one that was cut off ended well");
    } catch (const peal::error& e) {
      job::check(e.code() == errc::peer_failed, e.what());
      job::equal(e.peer(), peer, "the peer of the error");
    }
  };
  for (int peer = 0; peer < world.size(); ++peer)
    if (peer != world.rank()) exchange(peer);
  for (int peer = 0; peer < world.size(); ++peer)
    if (peer != world.rank() && (peer == cut_off || world.rank() == cut_off)) is_unreachable(peer);
  if (world.rank() == cut_off) return 0;
  for (int peer = 0; peer < world.size(); ++peer)
    if (peer != world.rank() && peer != cut_off) exchange(peer);
  return 0;
}
