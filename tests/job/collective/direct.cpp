// direct PART...: blocking collectives that go past messages, in random order among messages and
// nonblocking ones; a thousand communicators; operations that throw; sleepers. `expected` and
// `unexpected` say whether any should have gone directly. on_one_core: all ranks share the first
// core. `death` stands alone: the last rank dies, and nobody waits for it for ever.
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "../support.hpp"

namespace {

using peal::communicator;
using word = std::uint32_t;

word given(int rank, std::uint64_t call, std::size_t i) {
  return static_cast<word>(job::random{call * 1000 + static_cast<std::uint64_t>(rank)}.next()) +
         static_cast<word>(i);
}
std::vector<word> input(int rank, std::uint64_t call, std::size_t count, std::size_t from = 0) {
  std::vector<word> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = given(rank, call, from + i);
  return made;
}
std::vector<word> sum(int last, std::uint64_t call, std::size_t count, std::size_t from = 0) {
  std::vector<word> made(count);
  for (int rank = 0; rank <= last; ++rank)
    for (std::size_t i = 0; i < count; ++i) made[i] += given(rank, call, from + i);
  return made;
}
template <class T>
std::vector<T> joined(std::vector<T> one, const std::vector<T>& two) {
  one.insert(one.end(), two.begin(), two.end());
  return one;
}

/// One blocking collective, the same on every rank, and a look at its result.
void one_call(const communicator& in, job::random& same, std::uint64_t call) {
  const int size = in.size(), rank = in.rank(),
            root = static_cast<int>(same.below(static_cast<std::size_t>(size)));
  const auto ranks = static_cast<std::size_t>(size), own = static_cast<std::size_t>(rank);
  const std::size_t kind = same.below(11);
  // A number, what goes in one piece, and what goes in several.
  const std::size_t longest = (job::sanitized() ? 80'000 : 240'000) / (ranks + 2);
  const std::size_t n = 1 + same.below(!same.one_in(4) ? 14 : same.one_in(8) ? longest : 3000);
  const auto mine = input(rank, call, n);
  const std::string what = "collective " + std::to_string(kind) + ", call " + std::to_string(call) +
                           ", " + std::to_string(n);
  std::vector<word> all;
  for (int each = 0; each < size; ++each) all = joined(all, input(each, call, n));
  switch (kind) {
    case 0: in.barrier(); break;
    case 1: {
      auto buffer = rank == root ? mine : std::vector<word>(n);
      in.bcast(peal::in_place(buffer), root);
      job::check(buffer == input(root, call, n), what);
      break;
    }
    case 2: {
      const auto got = in.reduce(mine, root);
      if (rank == root) job::check(got == sum(size - 1, call, n), what);
      break;
    }
    case 3: job::check(in.allreduce(mine) == sum(size - 1, call, n), what); break;
    case 4: {
      std::vector<word> into(rank == root ? n * ranks : 0);
      in.gather(mine, peal::into(into), root);
      if (rank == root) job::check(into == all, what);
      break;
    }
    case 5: {
      std::vector<word> into(n);
      in.scatter(rank == root ? input(root, call, n * ranks) : std::vector<word>{},
                 peal::into(into), root);
      job::check(into == input(root, call, n, own * n), what);
      break;
    }
    case 6: {
      std::vector<word> into(n * ranks);
      in.allgather(mine, peal::into(into));
      job::check(into == all, what);
      break;
    }
    case 7: {
      std::vector<word> expected;
      for (int each = 0; each < size; ++each)
        expected = joined(expected, input(each, call, n, own * n));
      job::check(in.alltoall(input(rank, call, n * ranks)) == expected, what);
      break;
    }
    case 8:
      job::check(
          in.reduce_scatter_block(input(rank, call, n * ranks)) == sum(size - 1, call, n, own * n),
          what);
      break;
    case 9: job::check(in.scan(mine) == sum(rank, call, n), what); break;
    case 10:
      if (const auto got = in.exscan(mine); rank != 0)
        job::check(got == sum(rank - 1, call, n), what);
      break;
  }
}

// Blocking ones back to back, now and then with messages and nonblocking ones under way.
void mix(const communicator& world) {
  const auto copy = world.dup();
  job::random same{static_cast<std::uint64_t>(world.size())};
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();
  const std::uint64_t calls = job::sanitized() ? 300 : 1000;
  for (std::uint64_t call = 0; call < calls; ++call) {
    const communicator& in = same.one_in(3) ? copy : world;
    if (!same.one_in(6)) {
      one_call(in, same, call);
      continue;
    }
    const std::size_t bytes = same.one_in(3) ? same.below(100'000) : same.below(100);
    auto sent = in.isend(job::bytes_of(bytes, call), right);
    auto total = in.iallreduce(std::vector<word>(bytes / 4 + 1, 1));
    auto text = in.ibcast(std::to_string(call), static_cast<int>(call) % in.size());
    auto all = in.ibarrier();
    for (int i = 0; i < 3; ++i)
      one_call(in, same, call * 7919 + static_cast<std::uint64_t>(i) + 1'000'000);
    const auto got = in.recv<std::vector<std::byte>>(left);
    job::check(got.size() == bytes && job::holds(got, call), "a message amid collectives");
    job::equal(text.wait(), std::to_string(call), "a nonblocking one amid others");
    job::check(total.wait() == std::vector<word>(bytes / 4 + 1, static_cast<word>(in.size())),
               "a nonblocking sum amid others");
    all.wait();
    sent.wait();
  }
}

void expected(const communicator& world) {
  world.barrier();
  const auto before = peal::counters(world)["direct.calls"];
  for (int i = 0; i < 10; ++i) job::equal(world.allreduce(1), world.size(), "a sum");
  if (world.size() > 1)
    job::equal(peal::counters(world)["direct.calls"] - before, 10U, "collectives past messages");
}

// gather, scatter and bcast are named.
void named(const communicator& world) {
  world.barrier();
  const auto before = peal::counters(world)["direct.calls"];
  const int size = world.size(), rank = world.rank();
  constexpr std::size_t n = std::size_t{2} << 20;  // bytes
  for (std::uint64_t call = 0; call != 3; ++call) {
    const int root = static_cast<int>(call) % size;
    const auto of = [&](int from) {
      return job::bytes_of(n, call * 31 + static_cast<unsigned>(from));
    };
    const auto all = world.gather(of(rank), root);
    if (all)
      for (int from = 0; from != size; ++from) {
        const auto first = all->begin() + static_cast<std::ptrdiff_t>(n) * from;
        const auto wanted = of(from);
        job::check(std::equal(wanted.begin(), wanted.end(), first), "a long gather");
      }
    std::vector<std::byte> part(n), whole(n);
    world.scatter(all ? *all : std::vector<std::byte>{}, peal::into(part), root);
    job::check(part == of(rank), "a long scatter");
    if (rank == root) whole = of(root);
    world.bcast(peal::in_place(whole), root);
    job::check(whole == of(root), "a long bcast");
  }
  job::equal(peal::counters(world)["direct.calls"] - before, 9U, "collectives past messages");
}

void unexpected(const communicator& world) {
  for (int i = 0; i < 10; ++i) job::equal(world.allreduce(1), world.size(), "a sum");
  job::equal(peal::counters(world)["direct.calls"], 0U, "collectives past messages");
}

// A thousand at a time: what all of them take is bounded, and what is over comes back.
void many(const communicator& world) {
  const int count = job::sanitized() ? 200 : 1000;
  std::vector<communicator> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(world.dup());
    job::equal(all.back().allreduce(i), i * world.size(), "a sum in one of many");
    const std::vector<int> longer(3000, i);  // there is no room for all of these
    if (i % 4 == 0)
      job::equal(all.back().allreduce(longer).back(), i * world.size(),
                 "a longer sum in one of many");
  }
  for (int i = 0; i < count; ++i)
    job::equal(all[static_cast<std::size_t>(i)].allreduce(1), world.size(),
               "a sum in one of a thousand");
}

// More than fit at a time, one after the other.
void one_after_the_other(const communicator& world) {
  const int count = job::sanitized() ? 400 : 5000;
  for (int i = 0; i < count; ++i) {
    const auto copy = world.dup();
    job::equal(copy.allreduce(i % 100), i % 100 * world.size(), "a sum in a short-lived one");
  }
}

void parts(const communicator& world) {
  const auto half = world.split(world.rank() % 2, -world.rank());
  job::random same{half->size() * 2 + static_cast<std::uint64_t>(world.rank() % 2)};
  for (std::uint64_t call = 0; call < 200; ++call) one_call(*half, same, call);
  const auto alone = world.split(world.rank(), 0);
  for (std::uint64_t call = 0; call < 20; ++call) one_call(*alone, same, call);
}

void throws(const communicator& world) {
  for (int bad = 0; bad < world.size(); ++bad) {
    const auto add = [&](int a, int b) {
      if (world.rank() == bad) throw std::runtime_error{"not today"};
      return a + b;
    };
    bool threw = false;
    try {
      job::equal(world.allreduce(1, add), world.size(), "a sum whose operation throws elsewhere");
    } catch (const std::runtime_error& e) {
      threw = std::string{e.what()} == "not today";
    }
    job::equal(threw, world.rank() == bad && world.size() > 1, "whether the operation threw");
    job::equal(world.allreduce(2), 2 * world.size(), "the sum after that");
  }
}

// Where calls go by groups some ranks join for others, which have an error when that throws.
void throws_by_groups(const communicator& world) {
  const int last = world.size() - 1;
  for (const int bad : {0, 1, last / 2, last}) {
    bool joined = false, threw = false;
    const auto add = [&](int a, int b) {
      joined = world.rank() == bad;
      if (joined) throw std::runtime_error{"not today"};
      return a + b;
    };
    try {
      job::equal(world.allreduce(1, add), world.size(), "a sum whose operation throws elsewhere");
    } catch (const std::runtime_error& e) {
      const auto* const error = dynamic_cast<const peal::error*>(&e);
      threw = error == nullptr && std::string{e.what()} == "not today";
      job::check(threw || (error != nullptr && error->code() == peal::errc::operation_failed),
                 e.what());
    }
    job::equal(threw, joined, "whether the operation threw");
    job::check(joined || world.rank() != 0 || bad != 0, "rank 0 joins what its group gives");
    job::equal(world.allreduce(2), 2 * world.size(), "the sum after that");
  }
}

// A continuation that runs while a collective waits may run one of another communicator.
void continuations(const communicator& world) {
  const auto copy = world.dup();
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();
  for (int i = 0; i < 100; ++i) {
    world.send(i, right, peal::tag{5});  // first, since what has come already goes on at once
    auto after =
        world.irecv<int>(left, peal::tag{5}).then([&](int got) { return got + copy.allreduce(1); });
    for (int k = 0; k < i % 4; ++k) job::equal(world.allreduce(k), k * world.size(), "the sum");
    job::equal(after.wait(), i + world.size(), "the sum in a continuation");
  }
}

// Or one of the same: each rank has its own message before the barrier begins, so its continuation
// runs in the barrier, or behind it, and the order of the collectives is the same for all.
void nested(const communicator& world) {
  for (int i = 0; i < 60; ++i) {
    const auto more = [&](int got) {
      const std::vector<int> values(static_cast<std::size_t>(i % 2 == 0   ? 1
                                                             : i % 4 == 1 ? 300
                                                                          : 20'000),
                                    got);
      return world.allreduce(values, [](int a, int b) { return a + b; }).back();
    };
    auto after = world.irecv<int>(world.rank(), peal::tag{5}).then(more);
    auto sent = world.isend(i, world.rank(), peal::tag{5});
    if (i % world.size() == world.rank()) usleep(200);  // so that the others wait
    if (i % 3 == 0) world.barrier();
    else if (i % 3 == 1) job::equal(world.allreduce(i), i * world.size(), "the sum outside");
    else
      job::equal(world.allreduce(std::vector<int>(20'000, i)).back(), i * world.size(),
                 "the long sum outside");
    job::equal(after.wait(), i * world.size(), "the sum in a continuation");
    sent.wait();
  }
}

// Or it may wait for what another rank sends only when the collective in whose wait it runs is over
// there.
void behind(const communicator& world) {
  if (world.size() == 1) return;
  for (int i = 0; i < 40; ++i) {
    const int waiting = i % world.size(), sending = (i + 1) % world.size();
    const auto more = [&](int got) { return got + world.recv<int>(sending, peal::tag{6}); };
    std::optional<peal::request<int>> after;
    std::optional<peal::request<>> sent;
    if (world.rank() == waiting) {
      after = world.irecv<int>(waiting, peal::tag{5}).then(more);
      sent = world.isend(i, waiting, peal::tag{5});
    } else {
      usleep(200);  // so that it waits
    }
    const std::vector<int> ones(i % 2 == 0 ? 1 : 60'000, 1);
    job::equal(world.allreduce(ones).back(), world.size(), "the sum outside");
    if (world.rank() == sending) world.send(i, waiting, peal::tag{6});
    if (after) job::equal(after->wait(), 2 * i, "what came behind it");
    if (sent) sent->wait();
  }
}

// Buffers of ranks that the others see, all of them or some, used again at once.
void open(const communicator& world) {
  const auto ranks = static_cast<std::size_t>(world.size());
  job::random same{ranks};
  const std::size_t most = 240'000 / ranks;
  std::vector<word, peal::allocator<word>> seen_send(most * ranks), seen_receive(most * ranks);
  std::vector<word> own_send(most * ranks), own_receive(most * ranks);
  for (std::uint64_t call = 0; call < (job::sanitized() ? 20 : 60); ++call) {
    const std::size_t n = 1 + same.below(most), sees = same.below(3), which = same.below(1 << 16);
    const int root = static_cast<int>(same.below(ranks));
    const bool shows = sees == 0 || (sees == 1 && (which >> world.rank() & 1) != 0);
    const std::span<word> send = shows ? std::span<word>{seen_send} : own_send,
                          receive = shows ? std::span<word>{seen_receive} : own_receive;
    const auto value = static_cast<word>(call + 1);
    std::fill_n(send.begin(), n * ranks, value);
    std::fill_n(receive.begin(), n * ranks, world.rank() == root ? value : 0);
    const std::size_t kind = same.below(5);
    std::size_t taken = n;
    word expected = value;
    const auto most_of = [](word a, word b) { return std::max(a, b); };
    switch (kind) {
      case 0: world.bcast(peal::in_place(receive.first(n)), root); break;
      case 1: world.allgather(send.first(n), peal::into(receive.first(taken = n * ranks))); break;
      case 2:
        world.alltoall(send.first(n * ranks), peal::into(receive.first(taken = n * ranks)));
        break;
      case 3:
        world.reduce_scatter_block(send.first(n * ranks), peal::into(receive.first(n)), most_of);
        break;
      case 4:
        world.allreduce(send.first(n), peal::into(receive.first(n)));
        expected = value * static_cast<word>(ranks);
        break;
    }
    job::check(
        std::all_of(receive.begin(), receive.begin() + static_cast<std::ptrdiff_t>(taken),
                    [&](word got) { return got == expected; }),
        "collective " + std::to_string(kind) + " of open buffers, call " + std::to_string(call));
    std::fill_n(send.begin(), n * ranks, 0xffffffff);
    std::fill_n(receive.begin(), n * ranks, 0xffffffff);
  }
}

// The same where the communicator has just been made, so that the ranks agree on the way in which
// it goes while continuations run, and three deep: `second` can run only when the call in `first`
// has been made, since it is this rank's own message that it waits for.
void nested_at_first(const communicator& world) {
  const int size = world.size(), rank = world.rank();
  for (int i = 0; i < 40; ++i) {
    const auto copy = world.dup();
    const auto second = [&](int got) { return copy.allreduce(got + 2); };
    const auto first = [&](int got) {
      auto after = world.irecv<int>(rank, peal::tag{6}).then(second);
      auto sent = world.isend(i, rank, peal::tag{6});
      auto others = copy.iallreduce(std::vector<int>(2000, i));
      const int told = copy.bcast(rank == 0 ? got + 1 : 0, 0);
      job::equal(after.wait(), (i + 2) * size, "the sum innermost");
      job::check(others.wait() == std::vector<int>(2000, i * size), "the sum that does not block");
      sent.wait();
      return told;
    };
    auto after = world.irecv<int>(rank, peal::tag{5}).then(first);
    auto sent = world.isend(i, rank, peal::tag{5});
    if (i % size == rank) usleep(2000);  // so that the others wait
    if (i % 3 == 0) copy.barrier();
    else job::equal(copy.allreduce(i), i * size, "the sum outside");
    job::equal(after.wait(), i + 1, "what was broadcast in a continuation");
    sent.wait();
  }
}

// Who waits for a flag takes part in what others wait for.
void progress(const communicator& world) {
  const auto large = job::bytes_of(3'000'000, 4);
  for (int i = 0; i < 5; ++i) {
    if (world.rank() == 0) {
      // ends when it is received
      for (int to = 1; to < world.size(); ++to) world.send(large, to, peal::tag{6});
      world.barrier();
    } else {
      auto got = world.irecv<std::vector<std::byte>>(0, peal::tag{6});
      world.barrier();
      job::check(got.wait() == large, "a message received in a barrier");
    }
  }
}

// A rank that comes late finds the others asleep.
void sleepers(const communicator& world) {
  for (int i = 0; i < 6; ++i) {
    if (world.rank() == i % world.size()) usleep(30'000);
    job::equal(world.allreduce(i), i * world.size(), "a sum with a late one");
    if (world.rank() == 0) usleep(20'000);
    int value = world.rank() == 0 ? i : -1;
    value = world.bcast(value, 0);
    job::equal(value, i, "a late root");
  }
  job::equal(peal::counters(world)["wait.missed"], 0U, "wake-ups lost");
}

// The step in which an operation throws wakes the rank above as any other does. The one that threw
// is away for longer than a sleep lasts.
void sleepers_above_one_that_throws(const communicator& world) {
  if (world.size() < 3) return;
  const std::vector<int> mine(8'000, 1);
  const auto add = [&](int a, int b) {
    if (world.rank() == 1) throw std::runtime_error{"not today"};
    return a + b;
  };
  world.barrier();
  (void)world.scan(mine);  // the first long call tells where its block is
  if (world.rank() == 1) usleep(50'000);
  try {
    (void)world.scan(mine, add);
    job::check(world.rank() == 0, "what an operation threw below is no result");
  } catch (const std::runtime_error&) {
    job::check(world.rank() != 0, "nothing is spoilt below");
  }
  if (world.rank() == 1) usleep(1'300'000);
  job::equal(peal::counters(world)["wait.missed"], 0U, "wake-ups lost");
}

/// Until the news has come, then it ends for good.
void death(const communicator& world) {
  const int dead = world.size() - 1;
  for (int i = 0; i < 100; ++i) (void)world.allreduce(i);
  if (world.rank() == dead) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  job::random same{3};
  try {
    for (int i = 0;; ++i) {
      if (same.one_in(3)) world.barrier();
      else if (same.one_in(2)) (void)world.allreduce(std::vector<int>(40'000, i));
      else (void)world.bcast(i, dead);
    }
  } catch (const peal::error& e) {
    job::check(e.code() == peal::errc::peer_failed, e.what());
  }
  job::throws(peal::errc::peer_failed, [&] { (void)world.allreduce(1); });
}

}  // namespace

int main(int argc, char** argv) {
  if (std::any_of(argv, argv + argc,
                  [](const char* each) { return std::string{each} == "on_one_core"; })) {
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) == 0)
      for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
        if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
    job::check(sched_setaffinity(0, sizeof one, &one) == 0, "one core");
  }
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
      {job::part{"unexpected", unexpected}, job::part{"mix", mix}, job::part{"expected", expected},
       job::part{"named", named}, job::part{"many", many},
       job::part{"one_after_the_other", one_after_the_other}, job::part{"parts", parts},
       job::part{"throws", throws}, job::part{"throws_by_groups", throws_by_groups},
       job::part{"continuations", continuations}, job::part{"nested", nested},
       job::part{"nested_at_first", nested_at_first}, job::part{"behind", behind},
       job::part{"open", open}, job::part{"progress", progress}, job::part{"sleepers", sleepers},
       job::part{"sleepers_above_one_that_throws", sleepers_above_one_that_throws}});
}
