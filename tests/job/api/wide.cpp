// Integers wider than 64 bits, which are arithmetic types where the compiler's extensions are on
// (-std=gnu++20, as this file is compiled).
#include <functional>
#include <vector>

#include "../support.hpp"

namespace {

__extension__ using wide = __int128;
__extension__ using unsigned_wide = unsigned __int128;
static_assert(std::is_integral_v<wide>, "this file is for the compiler's extensions");

// More than 64 bits hold, and another for each rank and place.
wide value(int rank, int at) { return (wide{1} << 100) + (wide{rank + 1} << 64) * (at + 1) - at; }

void sums(const peal::communicator& world) {
  const int n = world.size();
  std::vector<wide> given, expected;
  for (int at = 0; at < 5; ++at) {
    given.push_back(value(world.rank(), at));
    expected.push_back(0);
    for (int rank = 0; rank < n; ++rank) expected.back() += value(rank, at);
  }
  job::check(world.allreduce(given) == expected, "sum of a vector");
  job::check(world.allreduce(given.front()) == expected.front(), "sum of a value");
  std::vector<wide> into(5);
  world.allreduce(given, peal::into(into));
  job::check(into == expected, "sum into a vector");
  job::check(world.iallreduce(given).wait() == expected, "sum later");
  auto plan = world.allreduce_plan(given);
  const auto planned = plan.start().wait();
  job::check(std::vector<wide>(planned.begin(), planned.end()) == expected, "sum by a plan");
}

void other_operations(const peal::communicator& world) {
  const int n = world.size();
  job::check(world.allreduce(value(world.rank(), 0), peal::max) == value(n - 1, 0), "largest");
  job::check(world.allreduce(-value(world.rank(), 0), peal::min) == -value(n - 1, 0), "smallest");
  const auto bit = unsigned_wide{1} << (127 - world.rank());
  unsigned_wide all = 0;
  for (int rank = 0; rank < n; ++rank) all |= unsigned_wide{1} << (127 - rank);
  job::check(world.allreduce(bit, std::bit_or<>{}) == all, "bits");
  wide below = 0;
  for (int rank = 0; rank <= world.rank(); ++rank) below += value(rank, 2);
  job::check(world.scan(value(world.rank(), 2)) == below, "scan");
}

void messages(const peal::communicator& world) {
  const int n = world.size();
  job::check(
      world.sendrecv<wide>(value(world.rank(), 1), (world.rank() + 1) % n,
                           (world.rank() + n - 1) % n) == value((world.rank() + n - 1) % n, 1),
      "message");
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {job::part{"sums", sums}, job::part{"others", other_operations},
                         job::part{"messages", messages}});
}
