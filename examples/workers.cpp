// workers: rank 0 has jobs of very different length and deals them out, one at a time, to whoever
// asks; so nobody waits for the slowest.
//
//     pealrun -n 4 ./workers [jobs]
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <peal/point_to_point.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

enum class say { ready, result, job, enough };  // enumerators are tags: what a message is about

struct result {
  int job;
  long steps;
};

// How often n is halved, or trebled and increased by one, until it is 1.
long steps_from(long n) {
  long steps = 0;
  for (; n > 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

result work_on(int job) {
  result longest{job, 0};
  for (long n = 1; n <= 100L * (job % 7 + 1); ++n)
    longest.steps = std::max(longest.steps, steps_from(job * 1000L + n));
  return longest;
}

std::vector<result> deal_out(const peal::basic_communicator& world, int jobs) {
  std::vector<result> all;
  int next = 0;
  for (int idle = 0; idle < world.size() - 1;) {
    // A probe takes the next message, whatever it is, and tells who sent it and what about, before
    // it is received.
    peal::message asked = world.mprobe();
    const peal::status from = asked.status();
    if (from.tag == peal::tag{say::result}) all.push_back(std::move(asked).recv<result>());
    else (void)std::move(asked).recv<std::string>();  // a name, which says hello
    if (next < jobs) {
      world.send(next++, from.source, say::job);
    } else {
      world.send(0, from.source, say::enough);
      ++idle;
    }
  }
  return all;
}

void work(const peal::basic_communicator& world) {
  world.send("rank " + std::to_string(world.rank()), 0, say::ready);
  for (;;) {
    peal::status known;
    const int job = world.recv<int>(0, peal::any_tag, &known);
    if (known.tag == peal::tag{say::enough}) return;
    world.send(work_on(job), 0, say::result);
  }
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const peal::basic_communicator& world = env.basic_world();
  const int jobs = argc > 1 ? std::atoi(argv[1]) : 200;
  if (world.size() < 2 || jobs < 0) {
    if (world.rank() == 0)
      std::cerr << "usage: pealrun -n RANKS workers [jobs], with two ranks at least\n";
    return 2;
  }
  if (world.rank() != 0) {
    work(world);
    return 0;
  }
  long most = 0;
  const std::vector<result> all = deal_out(world, jobs);
  for (const result& each : all) most = std::max(most, each.steps);
  std::cout << all.size() << " jobs done by " << world.size() - 1
            << " workers; the longest way had " << most << " steps\n";
  return 0;
}
