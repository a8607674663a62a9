// narrowed: two ranks with a core each spin for each other; given one core together they yield
// instead; given two again they spin.
#include <sched.h>

#include <chrono>

#include "../support.hpp"

namespace {

using namespace std::chrono_literals;
constexpr peal::tag data{1};

cpu_set_t cores_of_this_process() {
  cpu_set_t set;
  job::equal(sched_getaffinity(0, sizeof set, &set), 0, "sched_getaffinity");
  return set;
}

int first_of(const cpu_set_t& set) {
  int first = 0;
  while (!CPU_ISSET(first, &set)) ++first;
  return first;
}

void exchange(const peal::communicator& world, int rounds) {
  const int other = world.rank() ^ 1;
  for (int round = 0; round < rounds; ++round) {
    if (world.rank() == 0) world.send(round, other, data);
    job::equal(world.recv<int>(other, data), round, "ping-pong");
    // The other rank's wait is long enough to be counted.
    for (const auto end = std::chrono::steady_clock::now() + 5us;
         std::chrono::steady_clock::now() < end;) {
    }
    if (world.rank() == 1) world.send(round, other, data);
  }
}

/// Messages until the waits of both ranks raise `one` and leave `other` alone, 300 messages long. A
/// rank hears of its new cores within about 100 ms of waits.
void until(const peal::communicator& world, const char* one, const char* other,
           const std::string& what) {
  const auto limit = std::chrono::steady_clock::now() + 60s;
  for (bool seen = false; !seen;) {
    auto before = peal::counters(world);
    const auto ones = before[one], others = before[other];
    exchange(world, 300);
    auto after = peal::counters(world);
    const bool mine = after[one] > ones && after[other] == others;
    seen = world.allreduce(mine ? 1 : 0, peal::min) == 1;
    const bool late =
        world.allreduce(std::chrono::steady_clock::now() > limit ? 1 : 0, peal::max) == 1;
    job::check(seen || !late, what);
  }
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  cpu_set_t mine = cores_of_this_process();
  const auto firsts = world.allgather(first_of(mine));
  cpu_set_t apart;
  CPU_ZERO(&apart);
  if (firsts[0] != firsts[1]) {
    apart = mine;  // bound by the launcher
  } else {
    int core = firsts[0];
    for (int skip = world.rank(); skip > 0; --skip) do
        ++core;
      while (core < CPU_SETSIZE && !CPU_ISSET(core, &mine));
    if (world.allreduce(core, peal::max) >= CPU_SETSIZE) job::skip("needs two cores");
    CPU_SET(core, &apart);
  }
  cpu_set_t together;
  CPU_ZERO(&together);
  CPU_SET(firsts[0], &together);
  const auto take = [&](const cpu_set_t& set) {
    job::equal(sched_setaffinity(0, sizeof set, &set), 0, "sched_setaffinity");
    world.barrier();
  };
  take(apart);
  until(world, "wait.spins", "wait.yields", "two ranks with a core each do not spin, or yield");
  for (int round = 0; round < 2; ++round) {
    take(together);
    until(world, "wait.yields", "wait.spins", "two ranks on one core do not yield, or spin");
    take(apart);
    until(world, "wait.spins", "wait.yields",
          "two ranks that are given a core each again do not spin, or yield");
  }
  job::equal(peal::counters(world)["wait.missed"], 0U, "wake-ups lost");
  return 0;
}
