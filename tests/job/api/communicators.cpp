// Communicators: copies and parts, with traffic in all of them at the same time.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../support.hpp"

using peal::tag;

namespace {

void copies(const peal::communicator& world) {
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();
  const auto second = world.dup();
  job::check(second.rank() == world.rank() && second.size() == world.size(),
             "a copy has the same ranks");
  // The same source and tag, told apart by the communicator.
  second.send(2, right);
  world.send(1, right);
  job::equal(world.recv<int>(left), 1, "a message in the world");
  job::equal(second.recv<int>(left), 2, "a message in the copy");

  // Made while messages and collectives are under way.
  auto coming = world.irecv<int>(left, tag{7});
  auto sum = world.iallreduce(1);
  const auto third = second.dup();
  const auto fourth = world.dup();
  world.send(7, right, tag{7});
  job::equal(third.allreduce(1) + fourth.allreduce(1), 2 * world.size(), "collectives in copies");
  job::equal(coming.wait(), 7, "a message across a dup");
  job::equal(sum.wait(), world.size(), "a collective across a dup");
}

void parts(const peal::communicator& world) {
  const int rank = world.rank(), size = world.size();
  const auto half = world.split(rank % 2, -rank);  // in descending order of ranks
  job::check(half.has_value(), "with a colour");
  const int members = (size - rank % 2 + 1) / 2;
  job::equal(half->size(), members, "ranks of a colour");
  const std::vector<int> who = half->allgather(rank);
  job::equal(who[static_cast<std::size_t>(half->rank())], rank, "own place");
  for (int i = 0; i + 1 < members; ++i)
    job::check(who[static_cast<std::size_t>(i)] == who[static_cast<std::size_t>(i + 1)] + 2,
               "ordered by key");

  const auto some = world.split(rank == 0 ? std::nullopt : std::optional{5});
  job::equal(some.has_value(), rank != 0, "without a colour there is none");
  if (some) job::equal(some->allreduce(1), size - 1, "the others");

  // Colours and keys of 64 bits, which the lower 32 do not tell apart.
  const auto alone = world.split((1L << 32) * (rank + 1));
  job::equal(alone->size(), 1, "ranks of a long colour");
  const auto turned = world.split(0, (1L << 32) * (size - rank));
  job::equal(turned->rank(), size - 1 - rank, "place by a long key");

  const auto node = world.split(peal::locality::node);
  for (int r = 0; r < node.size(); ++r) job::check(node.same_node(r), "a node's ranks are on it");
  job::check(world.same_node(rank), "one is with oneself");
  job::throws(peal::errc::invalid_rank, [&] { (void)world.same_node(size); });

  // Parts of parts, and messages in each.
  const auto quarter = half->split(half->rank() % 2);
  const int right = (quarter->rank() + 1) % quarter->size();
  quarter->send(rank, right);
  (void)quarter->recv<int>();
  // A wildcard sees only its own communicator.
  world.send(1, rank, tag{3});
  job::check(!quarter->improbe() && !half->improbe(),
             "a message of the world is not seen elsewhere");
  job::equal(world.recv<int>(rank, tag{3}), 1, "but there");
}

void many(const peal::communicator& world) {
  const int right = (world.rank() + 1) % world.size();
  for (int round = 0; round < 100; ++round) {
    const auto copy = world.dup();
    copy.send(round, right);
    job::equal(copy.recv<int>(), round, "a short life");
    if (round % 10 == 0)
      job::equal(copy.allgatherv(std::vector<int>{round}).values().size(),
                 static_cast<std::size_t>(world.size()), "gathered there");
  }
  std::vector<peal::communicator> alive;
  for (int i = 0; i < 100; ++i) alive.push_back(world.dup());
  for (int i = 99; i >= 0; --i) alive[static_cast<std::size_t>(i)].send(i, right);
  for (int i = 0; i < 100; ++i)
    job::equal(alive[static_cast<std::size_t>(i)].recv<int>(), i, "each its own message");
}

void lifetimes(const peal::communicator& world) {
  const int right = (world.rank() + 1) % world.size();
  peal::request<int> coming;
  {
    const auto copy = world.dup();
    coming = copy.irecv<int>();
    copy.send(4, right);
  }
  job::equal(coming.wait(), 4, "a request outlives its communicator");
  auto first = world.dup();
  auto second = std::move(first);
  job::equal(second.allreduce(1), world.size(), "moved");
  job::throws(peal::errc::invalid_argument, [&] { (void)first.rank(); });
  auto third = world.dup();
  second = std::move(third);
  job::equal(second.allreduce(1), world.size(), "moved by assignment");
  job::throws(peal::errc::invalid_argument, [&] { (void)third.rank(); });
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(
      argc, argv, {{"copies", copies}, {"parts", parts}, {"many", many}, {"lifetimes", lifetimes}});
}
