// lanes PART...: communicators of different lanes are apart, and yet no rank leaves in one what it
// owes there while it waits in another.
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../support.hpp"

using namespace std::chrono_literals;
using peal::communicator;
using peal::tag;

namespace {

constexpr std::size_t large = std::size_t{4} << 20;

class team_of_threads {
 public:
  template <class F>
  void add(F run) {
    all_.emplace_back([run = std::move(run)] {
      try {
        run();
      } catch (const std::exception& e) {
        job::fail(std::string{"a thread: "} + e.what());
      }
    });
  }
  void join() {
    for (auto& each : all_) each.join();
    all_.clear();
  }
  ~team_of_threads() { join(); }

 private:
  std::vector<std::thread> all_;
};

std::vector<communicator> copies_of(const communicator& world, int count) {
  std::vector<communicator> made;
  for (int i = 0; i < count; ++i) made.push_back(world.dup());
  return made;
}

/// The number in the argument that the runner gives.
std::size_t lanes_expected() {
  const char* text = std::getenv("PEAL_LANES");
  return text == nullptr ? 1 : static_cast<std::size_t>(std::atoi(text));
}

void counted(const communicator& world) {
  job::equal(peal::counters(world)["lanes"], lanes_expected() > 1 ? lanes_expected() : 0,
             "the lanes that the job says it has");
}

/// A function of a reduction runs with its lane's lock held. Here it waits for a thread that has
/// messages in another lane: one lane, and that thread would wait for the lock for ever. They are
/// messages to itself, since the other ranks' functions may wait for this one.
void apart(const communicator& world) {
  const auto own = copies_of(world, 2);
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> inside{false}, came{false};
    team_of_threads threads;
    threads.add([&] {
      while (!inside) std::this_thread::yield();
      for (int i = 0; i < 100; ++i) {
        auto sent = own[1].isend(i, world.rank(), tag{round});
        job::equal(own[1].recv<int>(world.rank(), tag{round}), i,
                   "a message beside a function that does not return");
        sent.wait();
      }
      came = true;
    });
    const int sum = own[0].allreduce(1, [&](int a, int b) {
      inside = true;
      while (!came) std::this_thread::yield();
      return a + b;
    });
    inside = true;  // where this rank had nothing to add
    threads.join();
    job::equal(sum, world.size(), "a sum whose function waits");
  }
}

/// Many communicators, many threads, two to each communicator.
void traffic(const communicator& world) {
  constexpr int threads = 6, each_has = 3;
  const auto all = copies_of(world, threads * each_has / 2);
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();
  const int rounds = job::sanitized() ? 30 : 200;
  team_of_threads core_sharing;
  for (int thread = 0; thread < threads; ++thread)
    core_sharing.add([&, thread] {
      for (int i = 0; i < rounds; ++i)
        for (int which = 0; which < each_has; ++which) {
          const auto& mine = all[static_cast<std::size_t>((thread / 2) * each_has + which)];
          const auto bytes = static_cast<std::size_t>(i % 10 == 9 ? 100'000 : i % 7 * 300);
          const auto key = static_cast<std::uint64_t>(i * 100 + thread * 10 + which);
          auto sent = mine.isend(job::bytes_of(bytes, key), right, tag{thread});
          const auto got = mine.recv<std::vector<std::byte>>(left, tag{thread});
          job::check(got.size() == bytes && job::holds(got, key),
                     "a message of a thread in one of many communicators");
          sent.wait();
          if (i % 20 == 0 && thread % 2 == 0)
            job::equal(mine.allreduce(1), world.size(), "a sum of a thread");
        }
    });
}

/// What a rank does until the peer, who first wants large messages over the other communicator done
/// with, sends it a word.
using patience = std::function<void(const communicator& here)>;

/// Rank 0 owes progress in `there`, and is to be found in `here`.
void owe(const communicator& here, const communicator& there, std::chrono::milliseconds late,
         const patience& wait) {
  const int partner = here.rank() ^ 1;
  if (partner >= here.size()) return;
  if (here.rank() % 2 == 0) {
    const auto mine = job::bytes_of(large, 1);
    std::vector<std::byte> theirs(large);
    auto out = there.isend(mine, partner);
    auto in = there.irecv_into(theirs, partner);
    wait(here);
    out.wait();
    in.wait();
    job::check(job::holds(theirs, 2), "what came while this rank waited elsewhere");
  } else {
    std::this_thread::sleep_for(late);
    job::check(job::holds(there.recv<std::vector<std::byte>>(partner), 1),
               "what a rank sent that waits elsewhere");
    there.send(job::bytes_of(large, 2), partner);
    here.send(7, partner);
  }
}

void word_from_partner(const communicator& here) {
  job::equal(here.recv<int>(here.rank() ^ 1), 7, "a word");
}

void owed(const communicator& world) {
  const auto own = copies_of(world, 4);
  for (const auto late : {0ms, 50ms})
    for (const auto& here : own)
      for (const auto& there : own) owe(here, there, late, word_from_partner);
}

/// Whoever tests, probes, or asks for any progress, is as good as who waits.
void owed_by_lookers(const communicator& world) {
  const auto own = copies_of(world, 2);
  const auto both_ways = [&](const patience& wait) {
    owe(own[0], own[1], 5ms, wait);
    owe(own[1], own[0], 5ms, wait);
  };
  both_ways([](const communicator& here) {
    auto word = here.irecv<int>(here.rank() ^ 1);
    while (!word.ready()) {
    }
    job::equal(word.wait(), 7, "a word tested for");
  });
  both_ways([](const communicator& here) {
    auto found = here.improbe(here.rank() ^ 1);
    while (!found) found = here.improbe(here.rank() ^ 1);
    job::equal(std::move(*found).recv<int>(), 7, "a word probed for");
  });
  both_ways([](const communicator& here) {
    peal::completion_queue queue;
    queue.add(here.irecv<int>(here.rank() ^ 1),
              [](int word) { job::equal(word, 7, "a word polled for"); });
    while (!queue.empty()) queue.poll();
  });
}

/// One thread sleeps in a lane all the while; another comes and goes in others, and leaves large
/// messages there.
void left_behind(const communicator& world) {
  const auto own = copies_of(world, 4);
  const int partner = world.rank() ^ 1;
  if (partner >= world.size()) return;
  for (int round = 0; round < 8; ++round) {
    const auto& here = own[static_cast<std::size_t>(round % 4)];
    const auto& there = own[static_cast<std::size_t>((round + 1) % 4)];
    if (world.rank() % 2 == 0) {
      team_of_threads threads;
      threads.add([&] { word_from_partner(here); });
      std::this_thread::sleep_for(round % 2 == 0 ? 20ms : 0ms);  // asleep by then, or not
      const auto mine = job::bytes_of(large, 1);
      std::vector<std::byte> theirs(large);
      job::equal(there.recv<int>(partner), 3, "the word after which the thread leaves");
      auto out = there.isend(mine, partner);
      auto in = there.irecv_into(theirs, partner);
      threads.join();  // not within peal: only the other thread is
      out.wait();
      in.wait();
      job::check(job::holds(theirs, 2), "what came for a thread that had left");
    } else {
      std::this_thread::sleep_for(round % 3 == 0 ? 30ms : 0ms);
      there.send(3, partner);
      std::this_thread::sleep_for(round % 4 < 2 ? 30ms : 0ms);
      job::check(job::holds(there.recv<std::vector<std::byte>>(partner), 1),
                 "what a thread sent that has left");
      there.send(job::bytes_of(large, 2), partner);
      here.send(7, partner);
    }
  }
}

/// Waits for several requests, each over another communicator.
void any(const communicator& world) {
  const auto own = copies_of(world, 4);
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();
  const int rounds = job::sanitized() ? 10 : 40;
  for (int round = 0; round < rounds; ++round) {
    std::vector<peal::request<int>> words;
    for (const auto& each : own) words.push_back(each.irecv<int>(left));
    const auto first = static_cast<std::size_t>(round % 4);
    world.barrier();
    if (round % 4 == 0) std::this_thread::sleep_for(10ms);  // the neighbour sleeps by then
    own[first].send(100 + round, right);
    const auto over = peal::wait_any(words);
    job::check(over == first, "the one request that can have ended");
    job::equal(words[first].wait(), 100 + round, "its value");
    world.barrier();
    for (std::size_t i = 0; i < own.size(); ++i)
      if (i != first) own[i].send(static_cast<int>(i), right);
    for (std::size_t i = 0; i < own.size(); ++i)
      if (i == first) words[i] = own[i].irecv<int>(left, tag{9});
    own[first].send(-1, right, tag{9});
    const auto values = peal::wait_all(words);
    for (std::size_t i = 0; i < own.size(); ++i)
      job::equal(values[i], i == first ? -1 : static_cast<int>(i), "a value of them all");
  }
  // Each thread has requests in every lane.
  team_of_threads threads;
  for (int thread = 0; thread < 3; ++thread)
    threads.add([&, thread] {
      for (int round = 0; round < rounds; ++round) {
        peal::completion_queue queue;
        int handled = 0;
        for (const auto& each : own)
          queue.add(each.irecv<int>(left, tag{thread}), [&](int word) { handled += word; });
        std::vector<peal::request<int>> sent;
        for (const auto& each : own) sent.push_back(each.isend(1, right, tag{thread}));
        while (!queue.empty()) queue.wait();
        (void)peal::wait_all(sent);
        job::equal(handled, 4, "words of a queue");
      }
    });
  threads.join();
}

/// A loop of the program's own hears of every lane.
void events(const communicator& world) {
  const auto own = copies_of(world, 4);
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();
  for (int round = 0; round < 20; ++round) {
    const auto& each = own[static_cast<std::size_t>(round % 4)];
    peal::completion_queue queue;
    bool came = false;
    queue.add(each.irecv<int>(left), [&](int word) {
      job::equal(word, round, "a word that a loop waited for");
      came = true;
    });
    team_of_threads other;
    other.add([&] {
      if (round % 2 == 0) std::this_thread::sleep_for(5ms);
      each.send(round, right);
    });
    while (!came) {
      if (queue.arm()) {
        pollfd one{queue.event_fd(), POLLIN, 0};
        job::check(::poll(&one, 1, 20'000) == 1, "a loop slept on although a message had come");
      }
      queue.poll();
    }
  }
}

/// No sleep may have been ended by the timer that stands behind lost wake-ups.
void none_missed(const communicator& world) {
  job::equal(peal::counters(world)["wait.missed"], 0U, "wake-ups lost");
}

/// The last rank dies while threads of the others wait for it in every lane. Started with
/// --on-failure notify.
int death(int argc, char** argv) {
  peal::environment env{argc, argv, {.threads = peal::thread_level::multiple}};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  const auto own = copies_of(world, 5);
  const int dead = world.size() - 1;
  world.barrier();
  if (world.rank() == dead) {
    std::this_thread::sleep_for(30ms);
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  team_of_threads threads;
  for (const auto& each : own)
    threads.add([&] {
      const auto error = job::throws(peal::errc::peer_failed, [&] { (void)each.recv<int>(dead); });
      job::equal(error.peer(), dead, "the peer of the error");
    });
  threads.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string{argv[1]} == "death") return death(argc, argv);
  return job::run_parts(argc, argv,
                        {{"counted", counted},
                         {"apart", apart},
                         {"traffic", traffic},
                         {"owed", owed},
                         {"owed_by_lookers", owed_by_lookers},
                         {"left_behind", left_behind},
                         {"any", any},
                         {"events", events},
                         {"none_missed", none_missed}},
                        {.threads = peal::thread_level::multiple});
}
