// learning PART...: blocking collectives go several ways while the ranks learn which is the fastest
// one, and no result shows it: calls of all kinds and lengths in turn, of several communicators,
// refused to a rank, made by continuations while ranks tell each other what calls took. `tries`,
// `floats`, `joins` and `usual` say whether there was anything to learn. `death` stands alone: the
// last rank dies amid calls.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "../support.hpp"

namespace {

using peal::communicator;
using numbers = std::vector<std::uint64_t>;

std::uint64_t given(int rank, std::uint64_t call, std::size_t i) {
  return (call * 131 + static_cast<std::uint64_t>(rank) * 17 + i) % 100'003;
}

numbers input(int rank, std::uint64_t call, std::size_t count) {
  numbers made(count);
  for (std::size_t i = 0; i != count; ++i) made[i] = given(rank, call, i);
  return made;
}

numbers sum(int ranks, std::uint64_t call, std::size_t first, std::size_t count) {
  numbers made(count);
  for (int rank = 0; rank != ranks; ++rank)
    for (std::size_t i = 0; i != count; ++i) made[i] += given(rank, call, first + i);
  return made;
}

constexpr std::size_t kinds = 8;

/// A call on `count` numbers a rank, and a look at what came.
void one_call(const communicator& in, std::size_t kind, std::size_t count, std::uint64_t call) {
  const int size = in.size(), rank = in.rank(), root = static_cast<int>(call % 3) % size;
  const std::string what = "kind " + std::to_string(kind) + ", call " + std::to_string(call) +
                           ", " + std::to_string(count) + " numbers";
  const auto ranks = static_cast<std::size_t>(size), own = static_cast<std::size_t>(rank);
  const auto of_all = [&](std::size_t each) {
    numbers all;
    for (int from = 0; from != size; ++from) {
      const numbers part = input(from, call, each);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  };
  switch (kind) {
    case 0: {
      numbers buffer = rank == root ? input(root, call, count) : numbers(count);
      in.bcast(peal::in_place(buffer), root);
      return job::check(buffer == input(root, call, count), what);
    }
    case 1: {
      const auto came = in.reduce(input(rank, call, count), root);
      return job::check(rank != root || came == sum(size, call, 0, count), what);
    }
    case 2:
      return job::check(in.allreduce(input(rank, call, count)) == sum(size, call, 0, count), what);
    case 3: {
      const auto came = in.gather(input(rank, call, count), root);
      return job::check(rank != root || came == of_all(count), what);
    }
    case 4: return job::check(in.allgather(input(rank, call, count)) == of_all(count), what);
    case 5: {
      numbers expected;
      for (int from = 0; from != size; ++from)
        for (std::size_t i = 0; i != count; ++i)
          expected.push_back(given(from, call, own * count + i));
      return job::check(in.alltoall(input(rank, call, count * ranks)) == expected, what);
    }
    case 6:
      return job::check(in.reduce_scatter_block(input(rank, call, count * ranks)) ==
                            sum(size, call, own * count, count),
                        what);
    default:
      return job::check(in.scan(input(rank, call, count)) == sum(rank + 1, call, 0, count), what);
  }
}

std::uint64_t counter(const communicator& of, const char* name) { return peal::counters(of)[name]; }

/// Where calls take long because many ranks share few cores, or the machine is emulated.
bool is_slow(const communicator& world) {
  const char* const emulated = std::getenv("LAB_NODE");
  return job::sanitized() || world.size() > 8 || emulated != nullptr;
}

// One length after the other, each long enough to try several ways.
void tries(const communicator& world) {
  const std::uint64_t reviews = counter(world, "direct.reviews");
  std::uint64_t call = 0;
  for (const std::size_t count : {100U, 400U, 3000U, 20'000U})
    for (std::size_t kind = 0; kind != kinds; ++kind)
      for (int round = 0; round != (is_slow(world) || count > 10'000 ? 40 : 130); ++round)
        one_call(world, kind, count, ++call);
  // Where a review takes long there are fewer.
  job::check(counter(world, "direct.reviews") >= reviews + (is_slow(world) ? 5 : 50),
             "ranks tell what calls took");
  job::check(counter(world, "direct.calls") < call, "calls went by messages, too");
}

// Sums whose bits depend on the order go by messages, too, and have the same bits all the time.
void floats(const communicator& world) {
  const std::uint64_t before = counter(world, "direct.calls");
  const auto ranks = static_cast<std::size_t>(world.size());
  std::uint64_t calls = 0;
  for (const std::size_t count : {1000U, 5000U, 30'000U}) {
    job::random own{static_cast<std::uint64_t>(world.rank()) + 1};
    std::vector<float> vector(count * ranks);
    for (float& x : vector)
      x = (static_cast<float>(own.below(1'000'000)) - 5e5F) * (own.one_in(2) ? 1.0F : 1e-6F);
    const std::vector<float> part(vector.begin(),
                                  vector.begin() + static_cast<std::ptrdiff_t>(count));
    const int root = world.size() - 1;
    std::vector<float> whole, share;
    for (int round = 0; round != (is_slow(world) ? 60 : 200); ++round) {
      const auto sum = world.allreduce(part), own_share = world.reduce_scatter_block(vector);
      const auto at_root = world.reduce(part, root);
      if (round == 0) whole = sum, share = own_share;
      job::check(sum == whole && own_share == share, "the bits of a sum");
      if (at_root) job::check(*at_root == whole, "the bits of a sum at the root");
      calls += 3;
    }
  }
  job::check(counter(world, "direct.calls") - before < calls, "sums went by messages, too");
}

// Past messages a rank joins the vectors of all, or a part of them for all. Both are tried, and how
// often its operation is called tells which it was.
void joins(const communicator& world) {
  if (world.size() == 2) return;  // there are no parts
  constexpr std::size_t count = 1000;
  const auto others = static_cast<std::size_t>(world.size()) - 1;
  bool whole = false, parts = false;
  // A window that has begun may be long. All ranks see the same.
  for (std::uint64_t call = 0; call != 20'000 && !(whole && parts); ++call) {
    std::size_t joined = 0;
    const std::uint64_t before = counter(world, "direct.calls");
    const auto add = [&](std::uint64_t one, std::uint64_t other) { return ++joined, one + other; };
    job::check(
        world.allreduce(input(world.rank(), call, count), add) == sum(world.size(), call, 0, count),
        "a sum by a function of the user's");
    if (counter(world, "direct.calls") != before) (joined == others * count ? whole : parts) = true;
  }
  job::check(whole, "a rank joins whole vectors");
  job::check(parts, "a rank joins a part for all");
}

// Nothing is tried.
void usual(const communicator& world) {
  for (std::uint64_t call = 0; call != 400; ++call) one_call(world, call % kinds, 300, call);
  job::equal(counter(world, "direct.reviews"), 0U, "reviews");
}

// All shapes in a random order, with calls that nothing is learnt of between them. Of the world,
// and of copies that begin with what it has learnt by then.
void mix(const communicator& world) {
  auto copy = world.dup();
  std::optional<communicator> part;
  if (world.size() > 2) part = world.split(world.rank() % 2, world.rank());
  job::random same{11}, in_part{12 + static_cast<std::uint64_t>(world.rank() % 2)};
  for (std::uint64_t call = 0; call != (is_slow(world) ? 600U : 2500U); ++call) {
    if (call % 300 == 149) copy = world.dup();
    if (call % 300 == 299) copy = *world.split(1, world.rank());
    const communicator& in = same.one_in(3) ? copy : world;
    if (same.one_in(6)) {
      // By the algorithm that was the fastest so far, on all ranks.
      const std::size_t count = 1 + same.below(same.one_in(4) ? 9000 : 700);
      auto later = in.iallreduce(input(in.rank(), call, count));
      auto all = in.iallgather(input(in.rank(), call, count));
      job::equal(in.allreduce(1), in.size(), "a small one");
      job::check(later.wait() == sum(in.size(), call, 0, count), "one that does not block");
      job::equal(all.wait().size(), count * static_cast<std::size_t>(in.size()), "another one");
    }
    one_call(in, same.below(kinds), 1 + same.below(same.one_in(5) ? 9000 : 700), call);
    if (part) one_call(*part, in_part.below(kinds), 1 + in_part.below(700), call);
  }
}

// A rank gives a root that there is not, now and then; so its calls are not known to it.
void refused(const communicator& world) {
  job::random same{5};
  for (std::uint64_t call = 0; call != (is_slow(world) ? 300U : 1200U); ++call) {
    if (!same.one_in(6)) {
      one_call(world, same.below(kinds), 1 + same.below(1400), call);
      continue;
    }
    const int who = static_cast<int>(same.below(static_cast<std::size_t>(world.size())));
    numbers buffer(1 + same.below(same.one_in(4) ? 9000 : 700));
    const bool reduces = same.one_in(2);
    const auto make = [&](int root) {
      if (reduces) (void)world.reduce(buffer, root);
      else world.bcast(peal::in_place(buffer), root);
    };
    if (world.rank() == who) {
      job::throws(peal::errc::invalid_root, [&] { make(world.size()); });
      continue;
    }
    try {  // whoever depends on that rank has an error, too
      make(who == 0 ? 0 : who - 1);
    } catch (const peal::error&) {
    }
  }
}

// A continuation runs in a wait, whatever the rank waits for there: for the call, or for what the
// ranks tell each other before it.
void continuations(const communicator& world) {
  const int size = world.size();
  for (int i = 0; i != (is_slow(world) ? 150 : 600); ++i) {
    const std::size_t count = i % 3 == 0 ? 5 : i % 3 == 1 ? 200 : 3000;
    const auto more = [&](int got) {
      if (got % 40 == 39) {
        const auto copy = world.dup();
        job::equal(copy.allreduce(numbers(count, 1)).back(), static_cast<std::uint64_t>(size),
                   "the sum of a copy");
      }
      return world.allreduce(numbers(count, static_cast<std::uint64_t>(got))).back();
    };
    auto after = world.irecv<int>(world.rank(), peal::tag{5}).then(more);
    auto sent = world.isend(i, world.rank(), peal::tag{5});
    if (i % (5 * size) == world.rank()) usleep(200);  // so that the others wait
    job::equal(world.allreduce(numbers(count, 1)).back(), static_cast<std::uint64_t>(size),
               "the sum outside");
    job::equal(after.wait(), static_cast<std::uint64_t>(i * size), "the sum in a continuation");
    sent.wait();
  }
}

// The others learn of it, in a call or in what comes before it, and none waits for ever.
void death(const communicator& world) {
  const int last = world.size() - 1;
  job::random own{static_cast<std::uint64_t>(getpid())};
  const std::uint64_t end = own.below(400);
  try {
    for (std::uint64_t call = 0;; ++call) {
      if (world.rank() == last && call == end) kill(getpid(), SIGKILL);
      one_call(world, call % kinds, 100 + call % 3 * 600, call);
    }
  } catch (const peal::error& e) {
    if (e.code() != peal::errc::peer_failed) job::fail(e.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string{argv[1]} == "death") {
    peal::environment env{argc, argv};
    job::my_rank() = env.world().rank();
    try {
      death(env.world());
    } catch (const std::exception& e) {
      job::fail(e.what());
    }
    return 0;
  }
  return job::run_parts(
      argc, argv,
      {job::part{"tries", tries}, job::part{"floats", floats}, job::part{"joins", joins},
       job::part{"usual", usual}, job::part{"mix", mix}, job::part{"refused", refused},
       job::part{"continuations", continuations}});
}
