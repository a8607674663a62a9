// communicators [part ...]: dup and split, many of them, with traffic in several at once.
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

namespace {

using peal::communicator;

void copies(const communicator& world) {
  const auto copy = world.dup();
  job::equal(copy.rank(), world.rank(), "rank in a dup");
  job::equal(copy.size(), world.size(), "size of a dup");
  // The same tags in both, received in the other order: they do not mix.
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();
  for (int i = 0; i < 50; ++i) {
    auto a = world.isend(std::vector{i}, right), b = copy.isend(std::vector{-i}, right);
    job::equal(copy.recv<std::vector<int>>(peal::any_source, peal::any_tag).at(0), -i,
               "a message of the dup");
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
  for (int i = 0; i < 20 + world.rank() % 2 * 30; ++i)
    job::equal(half->allreduce(world.rank()), sum, "a sum in a part");
  const auto order = half->allgather(world.rank());
  for (std::size_t i = 1; i < order.size(); ++i)
    job::check(order[i] < order[i - 1], "the order in a part");

  // Only some are asked in.
  const auto some = world.split(world.rank() < 2 ? std::optional{7} : std::nullopt);
  job::equal(some.has_value(), world.rank() < 2, "who has no colour gets none");
  if (some) job::equal(some->allreduce(1), std::min(2, world.size()), "size of what some made");

  const auto node = world.split(peal::locality::node);
  job::equal(world.allreduce(node.rank() == 0 ? node.size() : 0), world.size(),
             "every rank is on one node");
  if (std::getenv("SLURM_NNODES") == nullptr)
    job::equal(node.size(), world.size(), "without Slurm all ranks are on one node");
  int here = 0;
  for (int rank = 0; rank < world.size(); ++rank) here += world.same_node(rank);
  job::equal(here, node.size(), "same_node");

  // A part of a part, and messages by its ranks.
  const auto quarter = half->split(half->rank() / 2);
  const int partner = quarter->size() - 1 - quarter->rank();
  job::equal(quarter->sendrecv<int>(world.rank(), partner, partner),
             quarter->allgather(world.rank()).at(static_cast<std::size_t>(partner)),
             "a message in a part of a part");
}

// Made and given back in different orders on the ranks, with traffic in all that are alive.
void storm(const communicator& world) {
  const int rounds = world.size() > 8 ? 20 : 60;
  std::vector<std::pair<int, communicator>> alive;
  job::random shared{42};
  for (int i = 0; i < rounds; ++i) {
    const auto kind = shared.below(3);
    const communicator& from =
        alive.empty() || shared.one_in(2) ? world : alive[shared.below(alive.size())].second;
    // Which communicators live is the same everywhere, since every split has a colour for all.
    auto made = kind == 0 ? from.dup()
                          : *from.split(from.rank() % static_cast<int>(kind + 1),
                                        static_cast<int>(shared.below(10)) * from.rank() % 3);
    alive.emplace_back(i, std::move(made));
    for (const auto& [number, in] : alive) {
      const int right = (in.rank() + 1) % in.size(), left = (in.rank() + in.size() - 1) % in.size();
      auto sent = in.isend(std::vector{number * 1000 + in.rank()}, right, peal::tag{3});
      job::equal(in.recv<std::vector<int>>(peal::any_source, peal::any_tag).at(0),
                 number * 1000 + left, "a message in one of many communicators");
      sent.wait();
    }
    job::equal(alive.back().second.allreduce(1), alive.back().second.size(),
               "a collective in the newest");
    if (alive.size() > 8)
      alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(shared.below(alive.size())));
  }
}

// Far more of them, one after the other, than may be alive at a time, and then one too many.
void again_and_again(const communicator& world) {
  const int right = (world.rank() + 1) % world.size();
  for (int i = 0; i < 100; ++i) {
    const auto copy = world.dup();
    const auto part = world.split(i % 2 == 0 ? world.rank() % 2 : i % 3,
                                  i % 5 == 0 ? -world.rank() : world.rank());
    const auto sent = copy.isend(i, right);
    job::equal(copy.recv<int>(), i, "a message in the newest dup");
    job::equal(part->allgather(i).back(), i, "a collective in the newest part");
  }
}

// Under a sanitizer nothing is counted.
std::size_t heap_in_use() {
#ifdef __GLIBC__
  return mallinfo2().uordblks;
#else
  return 0;
#endif
}

// What a communicator needed goes with it, whatever its collectives were. Pools grow at times of
// their own, by much at once, so of several spans one in which nothing grows will do: what is left
// behind grows in each.
void forgotten(const communicator& world) {
  const auto once = [&world](int i) {
    const auto copy = world.dup();
    copy.barrier();
    job::equal(copy.allgatherv(std::vector{i}).values().back(), i, "gathered in two steps");
    job::equal(copy.allreduce(std::vector<int>(10'000, i)).back(), i * world.size(),
               "a long collective");
  };
  constexpr std::size_t rounds = 80;
  constexpr int spans = 10;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  // As many on every rank, since these are collectives.
  for (int span = 0; span < spans; ++span) {
    const std::size_t before = heap_in_use();
    for (std::size_t i = 0; i < rounds; ++i) once(static_cast<int>(i));
    const std::size_t after = heap_in_use();
    least = std::min(least, after > before ? after - before : 0);
  }
  job::check(least < rounds * 64, "nothing is left of communicators that have gone, but at least " +
                                      std::to_string(least) + " bytes");
}

// Where PEAL_COMMUNICATORS is set. All ranks are told that there is none left, and those that live
// go on.
void too_many(const communicator& world) {
  const char* const most = std::getenv("PEAL_COMMUNICATORS");
  if (most == nullptr) return;
  std::vector<communicator> alive;
  for (int i = 0; i < std::atoi(most); ++i) alive.push_back(world.dup());
  for (int i = 0; i < 3; ++i) job::throws(peal::errc::no_space, [&] { (void)world.dup(); });
  // A part whose first rank has some left is refused too, since others are.
  job::throws(peal::errc::no_space, [&] { (void)world.split(world.rank() == 0 ? 0 : 1); });
  job::equal(world.allreduce(1), world.size(), "a collective after refusals");
  if (world.size() > 1) {
    const auto rest = world.split(world.rank() == 0 ? std::nullopt : std::optional{0});
    job::equal(rest.has_value(), world.rank() != 0, "a part whose first rank has some left");
    if (rest) job::equal(rest->allreduce(1), world.size() - 1, "a collective in it");
  }
  // Rank 0 has given up two that the last rank keeps: those are not given again.
  const bool keeps = world.rank() == world.size() - 1 && world.size() > 1;
  std::vector<communicator> kept;
  for (int i = 0; i < 3; ++i) {
    if (keeps && i < 2) kept.push_back(std::move(alive.front()));
    alive.erase(alive.begin());
  }
  const int left = world.size() > 1 ? 1 : 3;
  for (int i = 0; i < left; ++i) {
    alive.push_back(world.dup());
    job::equal(alive.back().allreduce(1), world.size(),
               "a collective in one whose number was used before");
  }
  job::throws(peal::errc::no_space, [&] { (void)world.dup(); });
  kept.clear();
  for (int i = left; i < 3; ++i) alive.push_back(world.dup());
  job::throws(peal::errc::no_space, [&] { (void)world.dup(); });
  for (const auto& each : alive)
    job::equal(each.allreduce(1), world.size(), "a collective in each");
}

void handles(const communicator& world) {
  auto one = world.dup();
  auto two = std::move(one);
  job::equal(two.allreduce(1), world.size(), "a communicator that was moved");
  job::throws(peal::errc::invalid_argument,
              [&] { one.barrier(); });  // NOLINT: used after the move on purpose
  one = std::move(two);
  one.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(
      argc, argv,
      {job::part{"copies", copies}, job::part{"parts", parts}, job::part{"storm", storm},
       job::part{"handles", handles}, job::part{"again_and_again", again_and_again},
       job::part{"forgotten", forgotten}, job::part{"too_many", too_many}});
}
