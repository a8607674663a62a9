// What the headers bring along, and what the one for messages alone is enough for.
#include <peal/point_to_point.hpp>

#if defined _GLIBCXX_BITSET || defined _GLIBCXX_CHRONO || defined _GLIBCXX_COMPLEX || \
    defined _GLIBCXX_FUNCTIONAL || defined _GLIBCXX_MAP || defined _GLIBCXX_MEMORY || \
    defined _GLIBCXX_MUTEX || defined _GLIBCXX_RANGES || defined _GLIBCXX_SSTREAM ||  \
    defined _GLIBCXX_UNORDERED_MAP
#define PEAL_TEST_LARGE_HEADER
#endif
#ifdef _GLIBCXX_ALGORITHM
#define PEAL_TEST_ALGORITHM
#endif

// case: peal/point_to_point.hpp includes no large header of the standard library
// compiles
#if defined PEAL_TEST_LARGE_HEADER || defined PEAL_TEST_ALGORITHM
#error "one of them is included"
#endif

// case: peal/peal.hpp includes no large header of the standard library but algorithm
// compiles
#include <peal/peal.hpp>
#if defined _GLIBCXX_BITSET || defined _GLIBCXX_CHRONO || defined _GLIBCXX_COMPLEX || \
    defined _GLIBCXX_FUNCTIONAL || defined _GLIBCXX_MAP || defined _GLIBCXX_MEMORY || \
    defined _GLIBCXX_MUTEX || defined _GLIBCXX_RANGES || defined _GLIBCXX_SSTREAM ||  \
    defined _GLIBCXX_UNORDERED_MAP
#error "one of them is included"
#endif

// case: headers of the standard library may come behind those of peal
// compiles
#include <bitset>
#include <chrono>
#include <complex>
#include <functional>
#include <peal/peal.hpp>
#include <ranges>
static_assert(peal::fixed<std::complex<double>> && peal::fixed<std::bitset<9>> &&
              peal::fixed<std::chrono::milliseconds>);
std::complex<double> sum(const peal::communicator& world, std::complex<double> mine) {
  peal::request<int> coming = world.irecv<int>();
  (void)coming.wait_for(std::chrono::milliseconds{1});
  return world.allreduce(mine, std::plus<>{});
}

// case: messages of all kinds with peal/point_to_point.hpp alone
// compiles
struct point {
  int index;
  double at[3];
};
enum class kind { values = 1 };
int main(int argc, char** argv) {
  peal::environment env{argc, argv, {peal::thread_level::multiple}};
  const peal::basic_communicator& world = env.basic_world();
  const int next = (world.rank() + 1) % world.size();
  auto sent = world.isend(std::vector<point>(3), next, kind::values);
  std::vector<point> got(3);
  const peal::status known = world.irecv_into(got, peal::any_source, kind::values).wait();
  world.ssend(std::string{"text"}, peal::proc_null);
  std::vector<peal::request<>> both;
  both.push_back(world.isend(got, known.source));
  peal::wait_all(both);
  auto length =
      world.irecv<std::string>(next).then([](const std::string& text) { return text.size(); });
  if (auto taken = world.improbe()) (void)std::move(*taken).recv<std::vector<point>>();
  const peal::basic_communicator own = world.dup();
  const auto half = own.split(own.rank() % 2);
  try {
    return static_cast<int>(length.wait() + sent.wait().size() +
                            world.sendrecv<int>(1, next, next) + half->size());
  } catch (const peal::error& e) {
    peal::abort(1, e.what());
  }
}

// case: the world with its collectives needs the header of those
// error: incomplete type 'const class peal::communicator'|incomplete type 'const peal::communicator'
int first(const peal::environment& env) { return env.world().allreduce(1); }

// case: with all of peal the same communicator has its collectives too
// compiles
#include <peal/peal.hpp>
static_assert(std::is_base_of_v<peal::basic_communicator, peal::communicator>);
void send(const peal::basic_communicator& over) { over.send(1, 0); }
int first(const peal::environment& env) {
  send(env.world());
  return env.world().allreduce(1) + env.basic_world().size();
}
