// communicators [part ...]: dup and split, many of them, with traffic in several at once.
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "support.hpp"

namespace {

using peal::communicator;

void copies(const communicator& world) {
  const auto copy = world.dup();
  job::equal(copy.rank(), world.rank(), "rank in a dup");
  job::equal(copy.size(), world.size(), "size of a dup");
  // The same tags in both, received in the other order: they do not mix.
  const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
  for (int i = 0; i < 50; ++i) {
    auto a = world.isend(std::vector{i}, right), b = copy.isend(std::vector{-i}, right);
    job::equal(copy.recv<std::vector<int>>(peal::any_source, peal::any_tag).at(0), -i, "a message of the dup");
    job::equal(world.recv<std::vector<int>>(left).at(0), i, "a message of the world");
    a.wait();
    b.wait();
  }
}

void parts(const communicator& world) {
  // Odd and even ranks, in reversed order.
  const auto half = world.split(world.rank() % 2, -world.rank());
  job::check(half.has_value(), "a rank with a colour gets a communicator");
  const int expected_size = world.rank() % 2 == 0 ? (world.size() + 1) / 2 : world.size() / 2;
  job::equal(half->size(), expected_size, "size of a part");
  job::equal(half->rank(), expected_size - 1 - world.rank() / 2, "rank in a part, by key");
  int sum = 0;
  for (int rank = world.rank() % 2; rank < world.size(); rank += 2) sum += rank;
  // The halves do different numbers of collectives, at the same time.
  for (int i = 0; i < 20 + world.rank() % 2 * 30; ++i) job::equal(half->allreduce(world.rank()), sum, "a sum in a part");
  const auto order = half->allgather(world.rank());
  for (std::size_t i = 1; i < order.size(); ++i) job::check(order[i] < order[i - 1], "the order in a part");

  // Only some are asked in.
  const auto some = world.split(world.rank() < 2 ? std::optional{7} : std::nullopt);
  job::equal(some.has_value(), world.rank() < 2, "who has no colour gets none");
  if (some) job::equal(some->allreduce(1), std::min(2, world.size()), "size of what some made");

  const auto node = world.split(peal::locality::node);
  job::equal(world.allreduce(node.rank() == 0 ? node.size() : 0), world.size(), "every rank is on one node");
  if (std::getenv("SLURM_NNODES") == nullptr) job::equal(node.size(), world.size(), "without Slurm all ranks are on one node");
  int here = 0;
  for (int rank = 0; rank < world.size(); ++rank) here += world.same_node(rank);
  job::equal(here, node.size(), "same_node");

  // A part of a part, and messages by its ranks.
  const auto quarter = half->split(half->rank() / 2);
  const int partner = quarter->size() - 1 - quarter->rank();
  job::equal(quarter->sendrecv<int>(world.rank(), partner, partner), quarter->allgather(world.rank()).at(static_cast<std::size_t>(partner)),
             "a message in a part of a part");
}

// Made and given back in different orders on the ranks, with traffic in all that are alive.
void storm(const communicator& world) {
  const int rounds = world.size() > 8 ? 20 : 60;
  std::vector<std::pair<int, communicator>> alive;
  job::random shared{42};
  for (int i = 0; i < rounds; ++i) {
    const auto kind = shared.below(3);
    const communicator& from = alive.empty() || shared.one_in(2) ? world : alive[shared.below(alive.size())].second;
    // Which communicators live is the same everywhere, since every split has a colour for all.
    auto made = kind == 0 ? from.dup()
                          : *from.split(from.rank() % static_cast<int>(kind + 1), static_cast<int>(shared.below(10)) * from.rank() % 3);
    alive.emplace_back(i, std::move(made));
    for (const auto& [number, in] : alive) {
      const int right = (in.rank() + 1) % in.size(), left = (in.rank() + in.size() - 1) % in.size();
      auto sent = in.isend(std::vector{number * 1000 + in.rank()}, right, peal::tag{3});
      job::equal(in.recv<std::vector<int>>(peal::any_source, peal::any_tag).at(0), number * 1000 + left,
                 "a message in one of many communicators");
      sent.wait();
    }
    job::equal(alive.back().second.allreduce(1), alive.back().second.size(), "a collective in the newest");
    if (alive.size() > 8) alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(shared.below(alive.size())));
  }
}

void handles(const communicator& world) {
  auto one = world.dup();
  auto two = std::move(one);
  job::equal(two.allreduce(1), world.size(), "a communicator that was moved");
  job::throws(peal::errc::invalid_argument, [&] { one.barrier(); });  // NOLINT: used after the move on purpose
  one = std::move(two);
  one.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {job::part{"copies", copies}, job::part{"parts", parts}, job::part{"storm", storm}, job::part{"handles", handles}});
}
