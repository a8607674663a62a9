// shortage: a rank that has no memory for what a collective of unknown lengths brings. It throws
// no_space, who lacks its part learns of it, and the collectives behind it meet as they should.
#include <cstdlib>
#include <new>
#include <vector>

#include "../support.hpp"

namespace {

// This process is refused more than so much at a time.
std::size_t most = ~std::size_t{0};

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = bytes > most ? nullptr : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using numbers = std::vector<int>;

constexpr std::size_t a_megabyte = (1 << 20) / sizeof(int);

// One collective, in which rank `poor` has no memory for more than a quarter of a megabyte. The
// first `wanting` ranks want so much.
template <class Call>
void short_of_memory(const peal::communicator& world, int poor, const char* what, int wanting,
                     const Call& call) {
  const bool lacks = world.rank() == poor && poor < wanting;
  std::error_code became;
  if (lacks) most = 1 << 18;
  try {
    call();
  } catch (const peal::error& e) {
    became = e.code();
  }
  most = ~std::size_t{0};
  if (lacks) job::equal(became, peal::make_error_code(peal::errc::no_space), what);
  else
    job::check(!became || became == peal::errc::operation_failed,
               std::string{what} + ": " + became.message());
  job::equal(world.allreduce(1), world.size(), "the next collective");
  job::equal(world.bcast(numbers(a_megabyte, world.rank() + 7), 0), numbers(a_megabyte, 7),
             "the next one of that kind");
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const peal::communicator& world = env.world();
  job::my_rank() = world.rank();
  const auto ranks = static_cast<std::size_t>(world.size());
  const int rank = world.rank();
  for (int poor = 0; poor != world.size(); ++poor) {
    const numbers block(a_megabyte, rank), fives(a_megabyte, 5);
    // The poor rank gives little, so that its memory suffices for that.
    const std::vector<numbers> parts(ranks, numbers(rank == poor ? 1 : a_megabyte, rank));
    short_of_memory(world, poor, "gatherv", 1, [&] { (void)world.gatherv(block, 0); });
    short_of_memory(world, poor, "allgatherv", world.size(),
                    [&] { job::equal(world.allgatherv(block).size(), ranks, "blocks"); });
    short_of_memory(world, poor, "alltoallv", world.size(),
                    [&] { job::equal(world.alltoallv(parts).size(), ranks, "blocks"); });
    if (poor == 0) continue;  // the root has what is to be moved
    const std::vector<numbers> from_root(rank == 0 ? ranks : 0, fives);
    short_of_memory(world, poor, "scatterv", world.size(),
                    [&] { job::equal(world.scatterv(from_root, 0), fives, "scatterv"); });
    numbers given(rank == 0 ? a_megabyte : 0, 5);
    short_of_memory(world, poor, "bcast", world.size(),
                    [&] { job::equal(world.bcast(std::move(given), 0), fives, "bcast"); });
    numbers given_too(rank == 0 ? a_megabyte : 0, 5);
    short_of_memory(world, poor, "ibcast", world.size(), [&] {
      job::equal(world.ibcast(std::move(given_too), 0).wait(), fives, "ibcast");
    });
  }
}
