// What the benchmarks share: the options and columns of the OSU micro-benchmarks, buffers, timing,
// and the check of the payload.
//
// Units    bytes; seconds inside, microseconds and MB/s (10^6 bytes) in the tables.
// Errors   a wrong command line is told by rank 0 and ends the program with exit code 2.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <peal/peal.hpp>
#include <span>
#include <string>
#include <vector>

#include "progress.hpp"

namespace bench {

/// What to measure. A program gives its defaults, the command line changes them.
struct options {
  std::size_t min_bytes = 1;
  std::size_t max_bytes = 4 << 20;
  int iterations = 10000;  // up to `large`
  int warm_up = 200;
  int large_iterations = 1000;  // above
  int large_warm_up = 10;
  int window = 64;        // messages under way at once, where the benchmark has windows
  bool validate = false;  // -c: check what arrives, in a pass of its own
  bool full = false;      // -f: the least and the most as well
  bool shared = false;    // --buffer shared: memory that the ranks of a node can reach directly
  bool csv = false;       // --csv: for programs to read
  std::vector<double> rates{10, 100, 1000, 10000, 100000};  // a second
  double seconds = 3;  // for each of them, unless -i says how many
  std::vector<int> threads{1, 2, 4};
  std::string computes = "both";  // --computes: which side of a message
  double times = 1;               // --times: how long, by the operation alone
  std::string verbs = {};         // --verbs: a device to compare with
  std::size_t step = 2;           // --step: each size so many times the one before
  // --budget: seconds for each size, by which the iterations are chosen; 0: as many as asked for
  double budget = 0;
  bool with_barrier = false;  // --with-barrier: what is behind each call counts as well

  /// Into how many parts a run is cut to tell its slowest and its fastest part.
  [[nodiscard]] int parts() const { return full ? 20 : 1; }

  /// Longer messages get the smaller counts, as in the OSU benchmarks.
  static constexpr std::size_t large = 8192;
  [[nodiscard]] int iterations_for(std::size_t bytes) const {
    return bytes > large ? large_iterations : iterations;
  }
  [[nodiscard]] int warm_up_for(std::size_t bytes) const {
    return bytes > large ? large_warm_up : warm_up;
  }
};

/// The defaults of the collectives.
inline const options of_collectives{.max_bytes = 1 << 20,
                                    .iterations = 1000,
                                    .warm_up = 200,
                                    .large_iterations = 100,
                                    .large_warm_up = 10};

// which options make sense for a program
enum class has {
  sizes,
  window,
  buffer,
  full,
  rates,
  threads,
  csv,
  sides,
  times,
  verbs,
  budget,
  barrier
};

/// Reads the command line. `title` is what the benchmark is called ("Latency Test"). Nothing when
/// the program is to end at once, with `code`.
std::optional<options> parse(int argc, char** argv, const peal::communicator& world,
                             const std::string& title, options defaults,
                             std::initializer_list<has> features, int& code);

/// Whether the number of ranks will do; rank 0 says so if not.
bool enough_ranks(const peal::communicator& world, int least, bool even);

/// The sizes asked for: 0 or the least, then doubling, or as --step says.
std::vector<std::size_t> sizes(const options&);

/// Touched memory from the heap (page-aligned) or from peal::allocate.
class buffer {
 public:
  buffer(const options&, std::size_t bytes);
  [[nodiscard]] std::span<std::byte> first(std::size_t bytes) const { return {data_, bytes}; }
  [[nodiscard]] std::span<float> floats(std::size_t bytes) const {
    return {reinterpret_cast<float*>(data_), bytes / sizeof(float)};
  }

 private:
  std::shared_ptr<void> owner_;
  std::byte* data_ = nullptr;
};

/// Bytes that tell the sender, the message and the place: fill, and compare.
void fill(std::span<std::byte>, int rank, int message);
bool holds(std::span<const std::byte>, int rank, int message);

/// Whether it is so on every rank.
bool all(const peal::communicator& world, bool mine);

/// Seconds an iteration: on average, and the least and the most of some parts of the run (or of the
/// ranks).
struct timing {
  double mean = 0, least = 0, most = 0;
};

using clock = std::chrono::steady_clock;
inline double since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// Times `loop(n)`, which does n iterations. With `parts` > 1 the run is cut into so many, each
/// timed by itself.
template <class Loop>
timing measure(int iterations, int parts, Loop&& loop) {
  timing result{.mean = 0, .least = 1e300, .most = 0};
  if (parts > iterations) parts = iterations;
  for (int part = 0, done = 0; part < parts; ++part) {
    const int n = (iterations - done) / (parts - part);
    const auto start = clock::now();
    loop(n);
    const double seconds = since(start);
    done += n;
    result.mean += seconds;
    result.least = std::min(result.least, seconds / n);
    result.most = std::max(result.most, seconds / n);
  }
  result.mean /= iterations;
  return result;
}

/// Mean, least and most of what the ranks have measured; on every rank.
timing over_ranks(const peal::communicator& world, double mine);

/// Prints OSU's tables, on rank 0.
class table {
 public:
  /// `columns` name what the rows hold, besides the size (or what else `first` says); -f and -c add
  /// theirs. `unit` stands in their names.
  table(const peal::communicator& world, const options&, const std::string& title, bool size_column,
        std::vector<std::string> columns, const std::string& unit,
        const std::string& first = "Size");

  /// `valid`: what the check said, when there was one.
  void row(std::size_t first, const std::vector<double>& values, double least, double most,
           int iterations, bool valid);
  /// The program's exit code: 1 when a check failed.
  [[nodiscard]] int end() const { return failed_ ? 1 : 0; }

 private:
  progress progress_;
  bool prints_, size_column_, full_, validate_, csv_;
  bool failed_ = false;
};

}  // namespace bench
