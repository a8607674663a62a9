// sleepers PART...: ranks that wait sleep, and no wake-up is lost: at the end of each part the
// counter wait.missed is 0. `death` and `fatal` stand alone: the last rank dies; every device tells
// that it gave a queue pair up (with tests/lab/poor_device preloaded, POOR_DEVICE=fatal=40).
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "../support.hpp"

namespace {

using namespace std::chrono_literals;
using peal::communicator;
constexpr peal::tag data{1}, word{2};

void none_missed(const communicator& world) {
  const auto counted = peal::counters(world);
  job::equal(counted["wait.missed"], 0U, "wake-ups lost");
  // Some are found at a second look: what comes at that moment, and where the system's barriers
  // leave cores out.
  job::check(counted["wait.late"] * 2 <= counted["wait.sleeps"] + 20,
             std::to_string(counted["wait.late"]) + " wake-ups came late");
}

double seconds_of_processor() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void pause_for(std::chrono::nanoseconds time) {
  const timespec left{time.count() / 1'000'000'000, time.count() % 1'000'000'000};
  nanosleep(&left, nullptr);
}

// Everyone waits for rank 0, who sleeps outside of peal for a second, and uses next to no processor
// time: less than 1 % of a core, 5 % under a sanitizer. In one of three silences: an emulated
// processor counts the translation of code that runs for the first time, and what its host takes
// away while the rank runs; a wait that does not sleep shows in each.
void idle(const communicator& world) {
  double least = 1;
  for (int silence = 0; silence < 3; ++silence) {
    world.barrier();
    if (world.rank() == 0) {
      pause_for(1s);
      for (int to = 1; to < world.size(); ++to) world.send(to, to, word);
    } else {
      const double before = seconds_of_processor();
      job::equal(world.recv<int>(0, word), world.rank(), "the message after the silence");
      least = std::min(least, seconds_of_processor() - before);
    }
  }
  if (world.rank() != 0) {
    job::check(least < (job::sanitized() ? 0.05 : 0.01),
               "each wait of 1 s used " + std::to_string(least) + " s of processor time or more");
    job::check(peal::counters(world)["wait.sleeps"] > 0, "a rank that waits for long sleeps");
  }
  none_missed(world);
}

// Ping-pongs with pauses of about the time that arming takes, so that messages come at any moment
// of it; both sides sleep at times.
void pauses_of(const communicator& world, int rounds) {
  const int other = world.rank() ^ 1;
  job::random random{static_cast<std::uint64_t>(world.rank()) + 7};
  if (other < world.size()) {
    for (int round = 0; round < rounds; ++round) {
      if (world.rank() % 2 == 0) world.send(round, other, data);
      job::equal(world.recv<int>(other, data), round, "ping-pong");
      const auto pause = std::chrono::nanoseconds{random.below(60'000)};
      if (random.one_in(4)) pause_for(pause);
      else
        for (const auto end = std::chrono::steady_clock::now() + pause;
             std::chrono::steady_clock::now() < end;) {
        }
      if (world.rank() % 2 == 1) world.send(round, other, data);
    }
  }
  world.barrier();
  none_missed(world);
}

// Pauses in which a sleeper has had its second look: what comes then without a ring is missed.
void long_pauses(const communicator& world) {
  for (int round = 0; round < 200; ++round) {
    if (world.rank() == 0) {
      pause_for(5ms);
      for (int to = 1; to < world.size(); ++to) world.send(round, to, data);
    } else {
      job::equal(world.recv<int>(0, data), round, "a message after a pause");
    }
  }
  world.barrier();
  none_missed(world);
}

void pauses(const communicator& world) { pauses_of(world, job::sanitized() ? 1000 : 4000); }
void many_pauses(const communicator& world) { pauses_of(world, 100'000); }
void a_million_pauses(const communicator& world) { pauses_of(world, 1'000'000); }

// In a child the allocator of AddressSanitizer is as the other threads left it at the fork: where
// one of them was in it, the look for leaks at the end would wait for ever.
bool is_child = false;

// Children that share the descriptors, and end as programs do.
void children(const communicator& world) {
  for (int round = 0; round < 10; ++round) {
    world.barrier();
    const pid_t child = fork();
    if (child == 0) {
      is_child = true;
      pause_for(20ms);
      std::exit(0);
    }
    for (int each = 0; each < 20; ++each) {
      if (world.rank() == 0) {
        pause_for(2ms);
        for (int to = 1; to < world.size(); ++to) world.send(each, to, data);
      } else {
        job::equal(world.recv<int>(0, data), each, "a message beside a child");
      }
    }
    int status = 0;
    waitpid(child, &status, 0);
    job::equal(status, 0, "the end of a child");
  }
  none_missed(world);
}

// A sender who waits for room while the receiver looks away, and a receiver who waits for a sender
// who does.
void room(const communicator& world) {
  const std::vector<std::byte> payload = job::bytes_of(3000, 5);
  for (int round = 0; round < 4; ++round) {
    if (world.rank() == 0) {
      for (int from = 1; from < world.size(); ++from) {
        pause_for(30ms);
        for (int each = 0; each < 600; ++each) {
          if (each % 200 == 100) pause_for(3ms);
          const auto got = world.recv<std::vector<std::byte>>(from, data);
          job::check(job::holds(got, 5) && got.size() == 3000, "a message that waited for room");
        }
      }
    } else {
      for (int each = 0; each < 600; ++each) world.send(payload, 0, data);
    }
    world.barrier();
  }
  none_missed(world);
}

// Large messages whose other side comes late, in turn.
void large(const communicator& world) {
  const int next = (world.rank() + 1) % world.size(),
            before = (world.rank() + world.size() - 1) % world.size();
  for (int round = 0; round < 6; ++round)
    for (const std::size_t bytes :
         {std::size_t{20'000}, std::size_t{200'000}, std::size_t{5'000'000}}) {
      if (world.rank() == round % world.size()) pause_for(10ms);
      auto sent = world.isend(job::bytes_of(bytes, bytes + static_cast<std::size_t>(world.rank())),
                              next, data);
      if (world.rank() == (round + 1) % world.size()) pause_for(10ms);
      const auto got = world.recv<std::vector<std::byte>>(before, data);
      job::check(got.size() == bytes && job::holds(got, bytes + static_cast<std::size_t>(before)),
                 "a large message");
      sent.wait();
    }
  world.barrier();
  none_missed(world);
}

// Each thread waits for messages of its own; some for messages of another thread of this process.
void threads(const communicator& world) {
  constexpr int count = 4;
  const int rounds = job::sanitized() ? 100 : 400;
  const int other = world.rank() ^ 1;
  const auto talk = [&](int mine) {
    job::random random{static_cast<std::uint64_t>(world.rank() * count + mine)};
    const peal::tag own{10 + mine}, partners{10 + (mine ^ 1)};
    for (int round = 0; round < rounds; ++round) {
      if (random.one_in(8)) pause_for(std::chrono::microseconds{random.below(300)});
      if (mine >= 2) {  // within the process
        auto sent = world.isend(round, world.rank(), partners);
        job::equal(world.recv<int>(world.rank(), own), round, "a message between threads");
        sent.wait();
      } else if (other < world.size()) {
        if (world.rank() % 2 == 0) world.send(round, other, own);
        job::equal(world.recv<int>(other, own), round, "a message to a thread");
        if (world.rank() % 2 == 1) world.send(round, other, own);
      }
    }
  };
  std::vector<std::thread> all;
  for (int mine = 0; mine < count; ++mine) all.emplace_back(talk, mine);
  for (std::thread& each : all) each.join();
  world.barrier();
  none_missed(world);
}

// Threads that are blocked in receives sleep on while another thread exchanges messages: no more
// wake-ups than that thread's own, and those of one that sleeps on the descriptors.
void blocked(const communicator& world) {
  constexpr int count = 8;
  const int rounds = job::sanitized() ? 500 : 3000;
  const int other = world.rank() ^ 1;
  const auto tag_of = [](int mine) { return peal::tag{100 + mine}; };
  std::vector<std::thread> asleep;
  for (int mine = 0; mine < count && other < world.size(); ++mine)
    asleep.emplace_back([&, mine] {
      job::equal(world.recv<int>(other, tag_of(mine)), mine, "a message at the end");
    });
  pause_for(50ms);
  world.barrier();
  const auto before = peal::counters(world)["wait.wakeups"];
  if (other < world.size())
    for (int round = 0; round < rounds; ++round) {
      if (world.rank() % 2 == 0) world.send(round, other, data);
      job::equal(world.recv<int>(other, data), round, "ping-pong");
      if (world.rank() % 2 == 1) world.send(round, other, data);
    }
  const auto wakeups = peal::counters(world)["wait.wakeups"] - before;
  job::check(wakeups < 3 * static_cast<std::uint64_t>(rounds),
             std::to_string(wakeups) + " wake-ups in " + std::to_string(rounds) + " rounds");
  world.barrier();
  for (int mine = 0; mine < count && other < world.size(); ++mine)
    world.send(mine, other, tag_of(mine));
  for (std::thread& each : asleep) each.join();
  none_missed(world);
}

// The last rank is killed while the others sleep in a receive from it.
void death(const communicator& world) {
  world.barrier();
  const int dead = world.size() - 1;
  if (world.rank() == dead) {
    pause_for(500ms);
    kill(getpid(), SIGKILL);
  }
  const auto thrown =
      job::throws(peal::errc::peer_failed, [&] { (void)world.recv<int>(dead, word); });
  job::equal(thrown.peer(), dead, "who failed");
  none_missed(world);
}

// The connection is made again, once the news has been read, and what the two wait for comes.
void fatal(const communicator& world) {
  const int other = world.rank() ^ 1;
  const auto exchange = [&](int what) {
    world.send(what, other, data);
    return world.recv<int>(other, data);
  };
  for (int round = 0; round < 100; ++round) job::equal(exchange(round), round, "a message");
  bool both = false;
  for (int round = 0; round < 100 && !both; ++round) {
    std::this_thread::sleep_for(100ms);
    const int own = peal::counters(world)["verbs.reconnections"] > 0 ? 1 : 0;
    both = exchange(own) + own == 2;
  }
  job::check(both, "no connection was made again");
}

}  // namespace

// LeakSanitizer asks this at the end of a process.
extern "C" [[gnu::visibility("default")]] int __lsan_is_turned_off();  // NOLINT: its name
int __lsan_is_turned_off() { return is_child ? 1 : 0; }

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "death" || first == "fatal") {
    peal::environment env{argc, argv};
    job::my_rank() = env.world().rank();
    (first == "death" ? death : fatal)(env.world());
    return 0;
  }
  const bool threaded = first.empty() || first == "threads" || first == "blocked";
  std::vector<job::part> parts{
      {"idle", idle},   {"pauses", pauses},   {"long_pauses", long_pauses}, {"room", room},
      {"large", large}, {"threads", threads}, {"blocked", blocked}};
  // Not without being named.
  if (first == "children") parts.push_back({"children", children});
  if (first == "many_pauses") parts.push_back({"many_pauses", many_pauses});
  if (first == "a_million_pauses") parts.push_back({"a_million_pauses", a_million_pauses});
  return job::run_parts(
      argc, argv, parts,
      {.threads = threaded ? peal::thread_level::multiple : peal::thread_level::single});
}
