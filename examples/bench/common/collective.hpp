// What the benchmarks of collectives share: from a loop and a check to the table.
//
// Units    bytes; seconds.
#pragma once

#include "common.hpp"

namespace bench {

/// How many blocks of the size that is measured a rank gives, or gets.
enum class blocks { one, each };  // each: one for every rank

struct collective {
  const char* title;  // "Gather Latency Test"
  blocks sends, receives;
  /// Makes n calls and says how long they took; back_to_back and apart help.
  double (*loop)(const peal::communicator&, std::span<std::byte> sent,
                 std::span<std::byte> received, int n);
  /// Whether what comes is right.
  bool (*check)(const peal::communicator&, std::span<std::byte> sent, std::span<std::byte> received,
                std::size_t bytes);
  std::size_t least = 1;  // the smallest size
  bool is_apart = false;  // the loop is `apart`
};

/// Whether `apart` counts its barriers.
inline bool counts_barriers = false;

/// How often to make the call: as the options say, or so often that it takes the time given. Some
/// calls are made on the way.
template <class Loop>
int planned(const peal::communicator& world, const options& o, std::size_t bytes,
            const Loop& loop) {
  if (o.budget <= 0) {
    loop(o.warm_up_for(bytes));
    return o.iterations_for(bytes);
  }
  // A library may find out in the first calls which way is the fastest one.
  constexpr int most_warm_up = 100, most = 1 << 20;
  const auto timed = [&](int n) {
    const auto start = clock::now();
    loop(n);
    return world.allreduce(since(start), peal::max);
  };
  double warm_up = 0;
  for (int n = 0; n != most_warm_up && warm_up < 16 * o.budget; ++n) warm_up += timed(1);
  for (int n = 1;; n *= 4) {
    const double took = timed(n);
    if (took < o.budget / 8 && n < most) continue;
    return static_cast<int>(std::clamp(n * o.budget / took, 1.0, static_cast<double>(most)));
  }
}

/// main of such a program.
int run_collective(int argc, char** argv, const collective&);

/// n calls, one behind the other.
template <class Call>
double back_to_back(int n, const Call& call) {
  const auto start = clock::now();
  for (int i = 0; i < n; ++i) call();
  return since(start);
}

/// With a barrier after each, so that no rank runs ahead; it is counted with --with-barrier alone.
template <class Call>
double apart(const peal::communicator& world, int n, const Call& call) {
  double seconds = 0;
  for (int i = 0; i < n; ++i) {
    const auto start = clock::now();
    call();
    if (!counts_barriers) seconds += since(start);
    world.barrier();
    if (counts_barriers) seconds += since(start);
  }
  return seconds;
}

/// The same memory as floats.
inline std::span<float> floats(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}
inline std::span<const float> given_floats(std::span<std::byte> bytes) { return floats(bytes); }

/// Small whole numbers of a rank, which it can sum exactly with others' in any order: element `at`
/// of message `message` of rank `rank`.
inline float number(int rank, std::size_t at, std::size_t message) {
  return static_cast<float>((at + message) % 1000 + static_cast<std::size_t>(rank));
}
void fill_numbers(std::span<float>, int rank, std::size_t message);
/// Whether these are elements `first`, ... of the sum of what the ranks below `ranks` give.
bool hold_sums(std::span<const float>, int ranks, std::size_t message, std::size_t first = 0);

}  // namespace bench
