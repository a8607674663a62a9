#include "measure.hpp"

#include <sched.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <thread>

#include "collective/kernels/reduction.hpp"
#include "peal/peal.hpp"

namespace peal::info {

namespace {

using clock = std::chrono::steady_clock;

constexpr int repeats = 7;  // whose median counts: a core is taken away now and then
constexpr tag talk{1};
constexpr std::size_t longest = 4 << 20;

double ns_since(clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(clock::now() - begin).count();
}

double median_of(const std::function<double()>& once) {
  once();
  std::array<double, repeats> found{};
  for (double& each : found) each = once();
  std::ranges::nth_element(found, found.begin() + repeats / 2);
  return found[repeats / 2];
}

/// Two ranks, of which the first one has the clock. Both make the same calls.
class pair_of_ranks {
 public:
  pair_of_ranks(const communicator& world, int other)
      : world_{world}, other_{world.rank() == 0 ? other : 0}, first_{world.rank() == 0} {}

  /// One way, in nanoseconds.
  double latency(std::size_t bytes, int times) {
    return median_of([&] {
      const auto begin = clock::now();
      for (int i = 0; i < times; ++i) {
        if (first_) give(bytes);
        take(bytes);
        if (!first_) give(bytes);
      }
      return ns_since(begin) / times / 2;
    });
  }

  /// A message of 8 bytes among many that follow each other.
  double one_of_many(int times) {
    constexpr int window = 64;
    return median_of([&] {
      const auto begin = clock::now();
      for (int i = 0; i < times; ++i) {
        for (int k = 0; k < window; ++k)
          if (first_) give(8);
          else take(8);
        if (first_) take(0);
        else give(0);
      }
      return ns_since(begin) / times / window;
    });
  }

  /// What the call takes that sends one alone.
  double post(int times) {
    return median_of([&] {
      double sum = 0;
      for (int i = 0; i < times; ++i) {
        if (first_) {
          const auto begin = clock::now();
          give(8);
          sum += ns_since(begin);
        }
        take(8);
        if (!first_) give(8);
      }
      return sum / times;
    });
  }

  /// Nanoseconds a byte of a read from the other's memory past it; nothing where that is forbidden.
  std::optional<double> direct_byte(std::size_t bytes, int times) {
    const std::array mine{static_cast<std::uintptr_t>(::getpid()),
                          reinterpret_cast<std::uintptr_t>(buffer_.data())};
    std::array<std::uintptr_t, 2> theirs{};
    if (!first_) {
      world_.send(mine, other_, talk);
      take(0);  // until the other has read
      return std::nullopt;
    }
    world_.recv_into(theirs, other_, talk);
    bool good = true;
    const double found = median_of([&] {
      const auto begin = clock::now();
      for (int i = 0; i < times; ++i) {
        iovec into{buffer_.data(), bytes}, from{reinterpret_cast<void*>(theirs[1]), bytes};
        good = ::process_vm_readv(static_cast<pid_t>(theirs[0]), &into, 1, &from, 1, 0) ==
                   static_cast<ssize_t>(bytes) &&
               good;
      }
      return ns_since(begin) / times / static_cast<double>(bytes);
    });
    give(0);
    return good ? std::optional{found} : std::nullopt;
  }

  /// Whether the two may run at the same time.
  bool side_by_side() {
    cpu_set_t mine, theirs;
    CPU_ZERO(&mine);
    ::sched_getaffinity(0, sizeof mine, &mine);
    world_.send(std::as_bytes(std::span{&mine, 1}), other_, talk);
    world_.recv_into(std::as_writable_bytes(std::span{&theirs, 1}), other_, talk);
    CPU_OR(&mine, &mine, &theirs);
    return CPU_COUNT(&mine) > 1;
  }

 private:
  void give(std::size_t bytes) {
    world_.send(std::span<const std::byte>{buffer_.data(), bytes}, other_, talk);
  }
  void take(std::size_t bytes) { world_.recv_into(std::span{buffer_.data(), bytes}, other_, talk); }

  const communicator& world_;
  int other_;
  bool first_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(longest, std::byte{1});
};

/// Of a vector that stays in the cache, as the pieces of a large reduction do.
double reduce_byte() {
  constexpr std::size_t count = 32 << 10;
  std::vector<float> a(count, 1), b(count, 2), c(count);
  const kernel add = find_kernel(detail::scalar::f32, detail::builtin::sum);
  return median_of([&] {
    constexpr int times = 100;
    const auto begin = clock::now();
    for (int i = 0; i < times; ++i) add(a.data(), b.data(), c.data(), count);
    return ns_since(begin) / times / (count * sizeof(float));
  });
}

/// Two threads that give one hardware thread to each other.
double change_of_ranks() {
  constexpr int times = 2000;
  const auto turn_about = [](int cpu, double& took) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ::sched_setaffinity(0, sizeof one, &one);
    const auto begin = clock::now();
    for (int i = 0; i < times; ++i) ::sched_yield();
    took = ns_since(begin);
  };
  const int cpu = std::max(::sched_getcpu(), 0);
  return median_of([&] {
    double took = 0, others = 0;
    std::thread other{turn_about, cpu, std::ref(others)};
    std::thread own{turn_about, cpu, std::ref(took)};
    own.join();
    other.join();
    return std::max(took, others) / (2 * times);
  });
}

/// Bytes a nanosecond between two lengths, which are far enough apart that noise does not turn the
/// sign.
double rate_of(double bytes, double shorter, double longer, double fallback) {
  return longer > shorter ? bytes / (longer - shorter) : fallback;
}

/// What is wrong.
std::string measure_local(pair_of_ranks pair, cost_parameters& into) {
  if (!pair.side_by_side())
    return "two ranks of this node have one hardware thread between them, so nothing can be "
           "measured";
  const double few = pair.latency(8, 1000), page = pair.latency(4096, 1000),
               two_pages = pair.latency(8192, 300);
  const double quarter = pair.latency(256 << 10, 100), whole = pair.latency(1 << 20, 40);
  const double message = std::min(pair.one_of_many(200), few / 2);
  const auto direct = pair.direct_byte(256 << 10, 40);
  into.local_send_ns = into.local_receive_ns = message;
  into.local_flight_ns = few - 2 * message;
  into.local_copy_rate = rate_of(2 * 4088, few, page, into.local_copy_rate);
  into.local_large_rate = rate_of(768 << 10, quarter, whole, into.local_large_rate);
  into.local_large_ns = two_pages - few - 8192 / into.local_large_rate;
  into.local_direct_rate = direct ? 1 / *direct : into.local_copy_rate / 2;
  return {};
}

void measure_remote(pair_of_ranks pair, cost_parameters& into) {
  const double few = pair.latency(8, 500), middle = pair.latency(64 << 10, 100);
  const double whole = pair.latency(1 << 20, 20), most = pair.latency(longest, 10);
  const double message = std::min(pair.one_of_many(100), few / 2);
  const double alone = std::min(pair.post(500), few - message);
  into.remote_send_ns = into.remote_receive_ns = message;
  into.remote_doorbell_ns = alone - message;
  into.remote_flight_ns = few - alone - message;
  into.remote_rate = rate_of(3 << 20, whole, most, into.remote_rate);
  into.remote_large_ns = middle - few - (64 << 10) / into.remote_rate;
}

}  // namespace

measured measure(const communicator& world, const cost_parameters& before) {
  measured made;
  made.costs = before;
  // Only rank 0 finds out which ranks share its node.
  std::array<int, 2> others{0, 0};
  if (world.rank() == 0)
    for (int rank = world.size() - 1; rank > 0; --rank)
      others[world.same_node(rank) ? 0 : 1] = rank;
  world.bcast(peal::in_place(others), 0);
  const auto takes_part = [&](int other) {
    return other > 0 && (world.rank() == 0 || world.rank() == other);
  };
  if (takes_part(others[0])) made.problem = measure_local({world, others[0]}, made.costs);
  world.barrier();
  if (takes_part(others[1])) measure_remote({world, others[1]}, made.costs);
  world.barrier();
  made.local = others[0] > 0;
  made.remote = others[1] > 0;
  if (world.rank() != 0) return made;
  made.costs.reduce_rate = 1 / std::max(reduce_byte(), 1e-6);
  made.costs.switch_ns = change_of_ranks();
  // Noise may have made a difference negative.
  for (const cost_field& each : cost_fields()) {
    double& value = made.costs.*each.value;
    value = std::clamp(value, each.least, each.most);
  }
  return made;
}

}  // namespace peal::info
