// absent [part ...]: the last rank comes late to a collective, only when rank 0 has said that it is
// missed; PEAL_CHECK=1.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "../support.hpp"

namespace {

constexpr peal::tag come{1}, there{2};

std::uint64_t said(const peal::communicator& world) {
  return peal::counters(world)["check.reports"];
}

// Ranks 0 ... size - 2 wait in a barrier, rank 0 begins when `others` are where they shall be. As
// the lowest it is the one to say who is missing, and calls `when_said` then.
template <class Call>
void wait_and_say(const peal::communicator& world, int others, const Call& when_said) {
  if (world.rank() != 0) {
    auto waiting = world.ibarrier();
    world.send(1, 0, there);
    waiting.wait();
    return;
  }
  for (int each = 0; each < others; ++each) (void)world.recv<int>(peal::any_source, there);
  const auto before = said(world);
  auto waiting = world.ibarrier();
  while (said(world) == before) job::check(!waiting.ready(), "a barrier without the last rank");
  when_said();
  waiting.wait();
}

bool is_last(const peal::communicator& world) { return world.rank() == world.size() - 1; }

void in_a_receive(const peal::communicator& world) {
  const int last = world.size() - 1;
  if (!is_last(world)) return wait_and_say(world, last - 1, [&] { world.send(1, last, come); });
  (void)world.recv<int>(0, come);
  world.ibarrier().wait();
}

void in_another_collective(const peal::communicator& world) {
  const auto other = world.split(world.rank() == 0 || is_last(world) ? 1 : 0);
  if (!is_last(world))
    return wait_and_say(world, world.size() - 1, [&] {
      job::equal(other->iallreduce(1).wait(), 2, "the sum that the last rank was in");
    });
  auto sum = other->iallreduce(1);
  world.send(1, 0, there);
  job::equal(sum.wait(), 2, "the sum that rank 0 joined late");
  world.ibarrier().wait();
}

void outside(const peal::communicator& world) {
  const auto sign = std::filesystem::temp_directory_path() / "said";
  if (!is_last(world))
    return wait_and_say(world, world.size() - 2, [&] { std::ofstream{sign} << '.'; });
  while (!std::filesystem::exists(sign)) ::usleep(1000);
  world.ibarrier().wait();
  std::filesystem::remove(sign);
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {{"in_a_receive", in_a_receive},
                         {"in_another_collective", in_another_collective},
                         {"outside", outside}});
}
