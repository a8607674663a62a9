// tests/launcher/hanging/hanging_rank.cpp
// Ten ways in which ranks wait for ever, as programs have them. The argument says which one.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <peal/peal.hpp>
#include <string>
#include <vector>

namespace {

using peal::communicator;
using peal::tag;

// Each waits for the next one to send first.
void recv_cycle(const communicator& world) {
  const int next = (world.rank() + 1) % world.size();
  (void)world.recv<int>(next, tag{3});
}

// Rank 1 takes part in the first barrier only.
void missing_collective(const communicator& world) {
  world.barrier();
  if (world.rank() != 1) world.barrier();
  else (void)world.recv<int>(0, tag{5});
}

void mismatched_tag(const communicator& world) {
  if (world.rank() == 1) world.send(1, 0, tag{8});
  if (world.rank() == 0) (void)world.recv<int>(1, tag{7});
  if (world.rank() == 1) (void)world.recv<int>(0, tag{9});
}

void mismatched_communicator(const communicator& world) {
  const communicator other = world.dup();
  if (world.rank() == 1) other.send(1, 0, tag{7});
  if (world.rank() == 0) (void)world.recv<int>(1, tag{7});
  if (world.rank() == 1) (void)world.recv<int>(0, tag{9});
}

// Rank 0 is to get three messages, and rank 1 sends two.
void wrong_count(const communicator& world) {
  if (world.rank() == 0) {
    for (int each = 0; each != 3; ++each) (void)world.recv<int>(1, tag{4});
    world.send(0, 1, tag{6});
  } else if (world.rank() == 1) {
    for (int each = 0; each != 2; ++each) world.send(each, 0, tag{4});
    (void)world.recv<int>(0, tag{6});
  }
}

// Rank 2 dies (with --on-failure notify), and rank 0 waits on for what rank 2 was to send.
void exited_rank(const communicator& world) {
  world.barrier();
  if (world.rank() == 2) std::raise(SIGKILL);
  if (world.rank() == 1) (void)world.recv<int>(0, tag{2});
  if (world.rank() == 0) try {
      (void)world.recv<int>(peal::any_source, tag{1});
    } catch (const peal::error&) {
      (void)world.recv<int>(peal::any_source, tag{1});
    }
}

volatile bool computing = true;

[[gnu::noinline]] void compute_for_ever() {
  while (computing) {
  }
}

void computing_rank(const communicator& world) {
  if (world.rank() == 1) compute_for_ever();
  world.barrier();
}

// Rank 1 asks for a message that nobody sends, again and again.
void polling_rank(const communicator& world) {
  if (world.rank() == 1) {
    peal::request<int> never = world.irecv<int>(0, tag{1});
    while (!never.test()) {
    }
  }
  world.barrier();
}

// Too long to be sent unasked, and rank 1 asks for something else.
void lost_isend(const communicator& world) {
  if (world.rank() == 0) world.isend(std::vector<double>(1 << 18), 1, tag{11}).wait();
  if (world.rank() == 1) (void)world.recv<std::vector<double>>(0, tag{12});
}

void probe_in_vain(const communicator& world) {
  if (world.rank() == 0) (void)world.probe(1, tag{13});
  world.barrier();
}

void crossed_collectives(const communicator& world) {
  const communicator left = world.dup(), right = world.dup();
  const bool other_way = world.rank() == 1;
  (other_way ? right : left).barrier();
  (other_way ? left : right).barrier();
}

const std::map<std::string, std::function<void(const communicator&)>> ways{
    {"recv_cycle", recv_cycle},
    {"missing_collective", missing_collective},
    {"mismatched_tag", mismatched_tag},
    {"mismatched_communicator", mismatched_communicator},
    {"wrong_count", wrong_count},
    {"exited_rank", exited_rank},
    {"computing_rank", computing_rank},
    {"polling_rank", polling_rank},
    {"lost_isend", lost_isend},
    {"probe_in_vain", probe_in_vain},
    {"crossed_collectives", crossed_collectives},
};

}  // namespace

int main(int count, char** words) {
  if (count < 2 || !ways.contains(words[1])) return 2;
  peal::environment env{count, words};
  try {
    ways.at(words[1])(env.world());
  } catch (const peal::error& problem) {
    std::fprintf(stderr, "rank %d: %s\n", env.world().rank(), problem.what());
    return 1;
  }
}
