// survive HOW [seed [threads]]: ranks die, started with --on-failure notify or continue, and those
// that live go on together: they hear of it, agree, give communicators up, and make smaller ones.
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../support.hpp"

namespace {

using peal::communicator;
using peal::errc;
constexpr peal::tag data{1}, word{2};

peal::environment* env = nullptr;
std::uint64_t seed = 1;

int last_of(const communicator& world) { return world.size() - 1; }

[[noreturn]] void die(int signal = SIGKILL) {
  kill(getpid(), signal);
  for (;;) pause();
}

void is_sound(const communicator& on) {
  job::equal(on.allreduce(1), on.size(), "a sum of those who live");
  const auto got = on.sendrecv<int>(on.rank(), job::right_of(on), data, job::left_of(on), data);
  job::equal(got, job::left_of(on), "a message in the ring of those who live");
}

// The last rank dies in a barrier; who lives makes a communicator without it, in the old order.
void shrink(const communicator& world) {
  if (world.rank() == last_of(world)) die();
  (void)job::throws(errc::peer_failed, [&] {
    for (;;) world.barrier();
  });
  const auto less = world.shrink();
  job::equal(less.size(), world.size() - 1, "how many live");
  job::equal(less.rank(), world.rank(), "the rank among those who live");
  job::equal(world.failed_ranks(), std::vector<int>{last_of(world)}, "who is known to have failed");
  job::equal(less.failed_ranks(), std::vector<int>{}, "who of the living has failed");
  is_sound(less);
  (void)less.agree();
}

// The first rank dies, which would have coordinated; then the first one of those who are left.
void shrink_twice(const communicator& world) {
  std::optional<communicator> now{world.dup()};
  for (int round = 0; round != 2 && now->size() > 1; ++round) {
    if (now->rank() == 0) die();
    const int rank = now->rank(), size = now->size();
    (void)job::throws(errc::peer_failed, [&] {
      for (;;) now->barrier();
    });
    now = now->shrink();
    job::equal(now->size(), size - 1, "how many live");
    job::equal(now->rank(), rank - 1, "the rank among those who live");
    is_sound(*now);
  }
  (void)now->agree();
}

// Nobody has failed: the old communicator goes on.
void shrink_without_failure(const communicator& world) {
  const auto same = world.shrink();
  job::equal(same.size(), world.size(), "how many live");
  is_sound(same);
  is_sound(world);
  const auto all = world.agree(~(std::uint64_t{1} << world.rank()));
  job::equal(all.flags, ~((std::uint64_t{1} << world.size()) - 1), "the AND of all words");
  job::check(all.failed.empty(), "nobody has failed");
}

// Where a rank waits for another one that lives, and that one has gone to shrink.
void gone_to_shrink(const communicator& world) {
  if (world.rank() == last_of(world)) die();
  if (world.rank() == 0) {
    (void)job::throws(errc::peer_failed, [&] { (void)world.recv<int>(last_of(world), data); });
  } else {
    (void)job::throws(errc::peer_failed, [&] { (void)world.recv<int>(0, word); });
  }
  is_sound(world.shrink());
  (void)world.agree();
}

// In every kind of call that waits for a rank that lives and will not come; a dup goes on.
void revoke_by_hand(const communicator& world) {
  const auto given_up = world.dup();
  const auto lent = job::bytes_of(3'000'000, 1);
  std::vector<std::byte> into(lent.size());
  if (world.rank() == 0) {
    for (int each = 1; each < world.size(); ++each) (void)world.recv<int>(each, word);
    given_up.revoke();
  } else {
    auto pending = given_up.irecv<int>(0, data);
    auto sent = given_up.isend(lent, 0, data);
    auto sum = given_up.iallreduce(1);
    world.send(1, 0, word);
    const std::function<void()> ways[] = {
        [&] { (void)given_up.recv<int>(0, data); },
        [&] { (void)given_up.recv<int>(peal::any_source); },
        [&] { (void)given_up.mprobe(0, data); },
        [&] { given_up.barrier(); },
        [&] { given_up.send(lent, 0, data); },
        [&] { given_up.ssend(1, 0, data); },
        [&] { (void)given_up.dup(); },
    };
    (void)job::throws(errc::peer_failed,
                      ways[static_cast<std::size_t>(world.rank() - 1) % std::size(ways)]);
    (void)job::throws(errc::peer_failed, [&] { (void)pending.wait(); });
    (void)job::throws(errc::peer_failed, [&] { sent.wait(); });
    (void)job::throws(errc::peer_failed, [&] { (void)sum.wait(); });
    for (const auto& each : ways) (void)job::throws(errc::peer_failed, each);
  }
  (void)job::throws(errc::peer_failed, [&] { given_up.barrier(); });
  is_sound(world);
  is_sound(given_up.shrink());
  world.barrier();
}

// What is told of a rank, once and in a call of this thread.
void told(const communicator& world, const std::string& how) {
  const int dead = last_of(world);
  if (world.rank() == dead) {
    world.barrier();
    if (how == "exit") _exit(3);
    if (how == "leave") _exit(0);
    die(SIGTERM);
  }
  std::vector<peal::peer_failure> heard;
  const auto self = pthread_self();
  bool in_other_thread = false;
  env->on_peer_failure([&](const peal::peer_failure& what) {
    in_other_thread = pthread_equal(self, pthread_self()) == 0;
    heard.push_back(what);
  });
  world.barrier();
  (void)job::throws(errc::peer_failed, [&] { (void)world.recv<int>(dead, data); });
  while (heard.empty()) (void)world.iprobe(peal::any_source, word);
  job::equal(heard.size(), std::size_t{1}, "how often it was told");
  job::check(!in_other_thread, "it was told in another thread");
  const peal::peer_failure& what = heard.front();
  job::equal(what.rank, dead, "who has failed");
  const auto expected = how == "exit"    ? std::pair{peal::failure_cause::exit_code, 3}
                        : how == "leave" ? std::pair{peal::failure_cause::left, 0}
                                         : std::pair{peal::failure_cause::signal, SIGTERM};
  job::check(what.why == expected.first && what.code == expected.second, what.text());
  // One that asks later hears of it, too.
  int again = 0;
  env->on_peer_failure([&again](const peal::peer_failure&) { ++again; });
  while (again == 0) (void)world.failed_ranks();
  env->on_peer_failure(nullptr);
}

// With --on-failure continue: traffic tells, and nothing else.
void untold(const communicator& world) {
  if (world.rank() == last_of(world)) die();
  env->on_peer_failure([](const peal::peer_failure& what) { job::fail(what.text()); });
  (void)job::throws(errc::peer_failed, [&] { (void)world.recv<int>(last_of(world), data); });
  is_sound(world.shrink());
  (void)world.agree();
}

// Some call shrink where others call agree.
void mixed(const communicator& world) {
  (void)job::throws(errc::invalid_argument, [&] {
    if (world.rank() == 0) (void)world.agree();
    else (void)world.shrink();
  });
  is_sound(world);
}

// ---- random calls, and random deaths

// The same on all ranks, and checked.
void one_call(const communicator& on, job::random& chance, int number) {
  const std::size_t length = chance.one_in(8) ? chance.below(200'000) : chance.below(300);
  const auto root = static_cast<int>(chance.below(static_cast<std::size_t>(on.size())));
  const auto key = static_cast<std::uint64_t>(chance.next());
  const auto ranks_sum = static_cast<std::size_t>(on.size() * (on.size() - 1) / 2);
  switch (chance.below(9)) {
    case 0: on.barrier(); break;
    case 1: {
      const auto sum =
          on.allreduce(std::vector<std::size_t>(length, static_cast<std::size_t>(on.rank())),
                       std::plus<std::size_t>{});
      job::check(sum == std::vector<std::size_t>(length, ranks_sum), "an allreduce");
      break;
    }
    case 2: {
      std::vector<std::byte> sent =
          on.rank() == root ? job::bytes_of(length, key) : std::vector<std::byte>(length);
      on.bcast(peal::in_place(sent), root);
      job::check(job::holds(sent, key), "a bcast");
      break;
    }
    case 3: {
      auto sent = on.isend(job::bytes_of(length, key + static_cast<std::uint64_t>(on.rank())),
                           job::right_of(on), data);
      const auto got = on.recv<std::vector<std::byte>>(job::left_of(on), data);
      job::check(job::holds(got, key + static_cast<std::uint64_t>(job::left_of(on))), "a ring");
      (void)sent.wait();
      break;
    }
    case 4: {
      // A tag of its own, since a rank may be ahead by one such call.
      const peal::tag own{100 + number};
      if (on.rank() != root) {
        on.send(job::bytes_of(length, key), root, own);
        break;
      }
      for (int each = 1; each < on.size(); ++each)
        job::check(job::holds(on.recv<std::vector<std::byte>>(peal::any_source, own), key),
                   "a message from any rank");
      break;
    }
    case 5: {
      const auto all = on.allgather(on.rank());
      for (int each = 0; each != on.size(); ++each)
        job::equal(all[static_cast<std::size_t>(each)], each, "an allgather");
      break;
    }
    case 6: {
      const auto copy = on.dup();
      job::equal(copy.allreduce(1), on.size(), "a sum in a dup");
      break;
    }
    case 7: {
      const auto part = on.split(on.rank() % 2);
      job::equal(part->allreduce(1), (on.size() + 1 - on.rank() % 2) / 2, "a sum in a part");
      break;
    }
    default: {
      auto sum = on.iallreduce(1);
      job::equal(sum.wait(), on.size(), "a sum that does not block");
    }
  }
}

void chaos(const communicator& world) {
  // Such a number is not enough to see the same again, but the calls are the same.
  if (seed == 0)
    seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  world.bcast(peal::in_place(seed), 0);
  // Each rank but one may die, at some time within the first 400 ms. Nobody else knows who and
  // when.
  job::random plan{seed};
  const auto safe = static_cast<int>(plan.below(static_cast<std::size_t>(world.size())));
  const std::size_t one_of = 1 + plan.below(3);
  std::vector<suseconds_t> at;
  for (int rank = 0; rank != world.size(); ++rank)
    at.push_back(
        rank != safe && plan.one_in(one_of)
            ? static_cast<suseconds_t>(1 + plan.below(job::sanitized() ? 900'000 : 400'000))
            : 0);
  const itimerval later{{0, 0}, {0, at[static_cast<std::size_t>(world.rank())]}};
  setitimer(ITIMER_REAL, &later, nullptr);  // nobody handles the alarm

  constexpr int blocks = 40, calls = 12;
  std::optional<communicator> shrunk;
  std::uint64_t history = 0;
  int generation = 0;
  for (int block = 0; block != blocks;) {
    const communicator& on = shrunk ? *shrunk : world;
    bool good = true;
    try {
      job::random chance{seed * 1000 + static_cast<std::uint64_t>(block)};
      for (int each = 0; each != calls; ++each) one_call(on, chance, each);
    } catch (const peal::error& e) {
      job::check(e.code() == errc::peer_failed, std::string{"chaos: "} + e.what());
      on.revoke();
      good = false;
    }
    const peal::agreement found = on.agree(good ? 1 : 0);
    history = history * 31 + found.flags + found.failed.size() * 7;
    if (found.flags == 1 && found.failed.empty()) {
      ++block;
      continue;
    }
    const int before = on.size();
    shrunk = on.shrink();
    job::check(shrunk->size() < before || found.failed.empty(), "nobody was left out");
    ++generation;
    history = history * 31 + static_cast<std::uint64_t>(shrunk->size());
  }
  // Whoever came here has seen the same.
  const communicator& on = shrunk ? *shrunk : world;
  const std::uint64_t all = on.agree(history).flags, inverse = on.agree(~history).flags;
  job::check(all == history && inverse == ~history,
             "ranks that live have agreed on different things");
  if (on.rank() == 0)
    std::printf("seed %llu: %d of %d ranks live after %d shrinks\n",
                static_cast<unsigned long long>(seed), on.size(), world.size(), generation);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "shrink";
  if (argc > 2) seed = static_cast<std::uint64_t>(std::atoll(argv[2]));
  const bool threads = argc > 3 && std::string{argv[3]} == "threads";
  peal::environment here{
      argc, argv, {threads ? peal::thread_level::multiple : peal::thread_level::single}};
  env = &here;
  const auto& world = here.world();
  job::my_rank() = world.rank();
  const std::pair<const char*, std::function<void(const communicator&)>> ways[] = {
      {"shrink", shrink},
      {"shrink_twice", shrink_twice},
      {"shrink_without_failure", shrink_without_failure},
      {"gone_to_shrink", gone_to_shrink},
      {"revoke_by_hand", revoke_by_hand},
      {"told_of_signal", [](const communicator& on) { told(on, "signal"); }},
      {"told_of_exit", [](const communicator& on) { told(on, "exit"); }},
      {"told_of_leave", [](const communicator& on) { told(on, "leave"); }},
      {"untold", untold},
      {"mixed", mixed},
      {"chaos", chaos},
  };
  for (const auto& [name, way] : ways)
    if (how == name) {
      try {
        way(world);
      } catch (const std::exception& e) {
        job::fail(how + " (seed " + std::to_string(seed) + "): " + e.what());
      }
      return 0;
    }
  job::fail("unknown: " + how);
}
