// What the benchmarks share; see common.hpp.
#include "common.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

namespace bench {
namespace {

// 4096, 64K, 1M, 2G: powers of 1024, as in peal's variables.
std::size_t bytes_of(const std::string& text) {
  std::size_t used = 0;
  std::size_t value = 0;
  try {
    if (text.empty() || text[0] < '0' || text[0] > '9') throw std::invalid_argument{text};
    value = std::stoull(text, &used);
  } catch (const std::exception&) {
    throw CLI::ValidationError{"-m", "\"" + text + "\" is no size; write 4096, 64K, 1M or 2G"};
  }
  const std::string unit = text.substr(used);
  const int shift = unit.empty()                 ? 0
                    : unit == "K" || unit == "k" ? 10
                    : unit == "M" || unit == "m" ? 20
                    : unit == "G" || unit == "g" ? 30
                                                 : -1;
  if (shift < 0 || value > (SIZE_MAX >> shift))
    throw CLI::ValidationError{"-m", "\"" + text + "\" is no size; write 4096, 64K, 1M or 2G"};
  return value << shift;
}

// "max", "min:max", "min:" or ":max".
void read_range(const std::string& text, options& o) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) {
    o.max_bytes = bytes_of(text);
    o.min_bytes = std::min(o.min_bytes, o.max_bytes);
  } else {
    if (colon > 0) o.min_bytes = bytes_of(text.substr(0, colon));
    if (colon + 1 < text.size()) o.max_bytes = bytes_of(text.substr(colon + 1));
  }
  if (o.min_bytes > o.max_bytes)
    throw CLI::ValidationError{"-m", "\"" + text + "\": the least is more than the most"};
}

void add_options(CLI::App& app, options& o, std::initializer_list<has> features) {
  const auto can = [&](has what) {
    return std::find(features.begin(), features.end(), what) != features.end();
  };
  if (can(has::sizes))
    app.add_option_function<std::string>(
           "-m,--message-size", [&o](const std::string& text) { read_range(text, o); },
           "sizes in bytes: max, min: or min:max; 64K and 1M are understood")
        ->type_name("[MIN:]MAX");
  app.add_option_function<int>(
         "-i,--iterations", [&o](int n) { o.iterations = o.large_iterations = n; },
         "how often each size is timed")
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N");
  app.add_option_function<int>(
         "-x,--warmup", [&o](int n) { o.warm_up = o.large_warm_up = n; },
         "how often before that, untimed")
      ->check(CLI::Range(0, 1'000'000'000))
      ->type_name("N");
  if (can(has::window))
    app.add_option("-W,--window-size", o.window, "messages under way at once")
        ->check(CLI::Range(1, 1 << 20))
        ->type_name("N");
  if (can(has::budget)) {
    app.add_option("--step", o.step, "each size so many times the one before")
        ->check(CLI::Range(2, 1 << 20))
        ->type_name("FACTOR");
    app.add_option_function<double>(
           "--budget", [&o](double milliseconds) { o.budget = milliseconds / 1e3; },
           "about how long each size is timed; then -i and -x do not count")
        ->check(CLI::Range(0.1, 1e6))
        ->type_name("MILLISECONDS");
  }
  if (can(has::barrier))
    app.add_flag("--with-barrier", o.with_barrier, "count the barrier behind each call as well");
  if (can(has::sizes))
    app.add_flag("-c,--validation", o.validate,
                 "check what arrives, in a pass of its own before the timing");
  if (can(has::full))
    app.add_flag("-f,--full", o.full, "the least, the most and the iterations as well");
  if (can(has::rates)) {
    app.add_option("--rates", o.rates, "requests a second, one row each")
        ->delimiter(',')
        ->check(CLI::Range(0.1, 1e9))
        ->type_name("N,N,...");
    app.add_option("--time", o.seconds,
                   "seconds for each rate, where -i does not say how many requests")
        ->check(CLI::Range(0.001, 1e6))
        ->type_name("SECONDS");
  }
  if (can(has::threads))
    app.add_option("-t,--threads", o.threads, "threads a rank, one row each")
        ->delimiter(',')
        ->check(CLI::Range(1, 256))
        ->type_name("N,N,...");
  if (can(has::sides))
    app.add_option("--computes", o.computes,
                   "both (each sends one message and receives one), or one side of a message from "
                   "rank 0 to rank 1")
        ->check(CLI::IsMember({"both", "sender", "receiver"}))
        ->type_name("both|sender|receiver");
  if (can(has::times))
    app.add_option("--times", o.times,
                   "how long to compute: so many times as long as the operation alone takes")
        ->check(CLI::Range(0.01, 1000.0))
        ->type_name("FACTOR");
  if (can(has::verbs))
    app.add_option("--verbs", o.verbs,
                   "in turn with a bare queue pair on port 1 of this device as well")
        ->type_name("DEVICE");
  if (can(has::csv))
    app.add_flag("--csv", o.csv, "values separated by commas, for programs to read");
  if (can(has::buffer))
    app.add_option_function<std::string>(
           "--buffer", [&o](const std::string& kind) { o.shared = kind == "shared"; },
           "memory of the messages: heap, or shared (peal::allocate)")
        ->check(CLI::IsMember({"heap", "shared"}))
        ->type_name("heap|shared");
}

}  // namespace

std::optional<options> parse(int argc, char** argv, const peal::communicator& world,
                             const std::string& title, options o,
                             std::initializer_list<has> features, int& code) {
  CLI::App app{"peal " + title + ". Start it with pealrun."};
  add_options(app, o, features);
  code = 0;
  try {
    app.parse(argc, argv);
    return o;
  } catch (const CLI::ParseError& problem) {
    // Every rank comes here; one of them tells.
    if (world.rank() == 0) app.exit(problem, std::cout, std::cerr);
    if (problem.get_exit_code() != 0) code = 2;
    return std::nullopt;
  }
}

bool enough_ranks(const peal::communicator& world, int least, bool even) {
  if (world.size() >= least && !(even && world.size() % 2 != 0)) return true;
  if (world.rank() == 0)
    fmt::print(stderr, "this benchmark needs {} {} ranks (pealrun -n {} ...), not {}\n",
               even ? "an even number of at least" : "at least", least, least, world.size());
  return false;
}

std::vector<std::size_t> sizes(const options& o) {
  std::vector<std::size_t> all;
  for (std::size_t bytes = o.min_bytes; bytes <= o.max_bytes;
       bytes = bytes == 0 ? 1 : bytes * o.step) {
    all.push_back(bytes);
    if (bytes > SIZE_MAX / o.step) break;
  }
  return all;
}

buffer::buffer(const options& o, std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  if (o.shared) {
    auto memory = std::make_shared<decltype(peal::allocate<std::byte>(bytes))>(
        peal::allocate<std::byte>(bytes));
    data_ = memory->data();
    owner_ = std::move(memory);
  } else {
    void* memory = nullptr;
    if (posix_memalign(&memory, 4096, bytes) != 0) throw std::bad_alloc{};
    data_ = static_cast<std::byte*>(memory);
    owner_ = std::shared_ptr<void>{memory, std::free};
  }
  std::memset(data_, 0, bytes);
}

void fill(std::span<std::byte> bytes, int rank, int message) {
  const auto seed = static_cast<std::size_t>(rank) * 131 + static_cast<std::size_t>(message) * 17;
  // The place counts with its high bits too, so that swapped pieces are noticed.
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(seed + i + (i >> 8) * 7 + (i >> 16) * 3);
}

bool holds(std::span<const std::byte> bytes, int rank, int message) {
  std::vector<std::byte> expected(bytes.size());
  fill(expected, rank, message);
  return std::equal(bytes.begin(), bytes.end(), expected.begin());
}

bool all(const peal::communicator& world, bool mine) {
  return world.allreduce(mine ? 1 : 0, peal::min) == 1;
}

timing over_ranks(const peal::communicator& world, double mine) {
  return {.mean = world.allreduce(mine, std::plus<>{}) / world.size(),
          .least = world.allreduce(mine, peal::min),
          .most = world.allreduce(mine, peal::max)};
}

namespace {

// What the rows stand for: the first column says of what kind they are.
std::vector<std::string> row_names(const options& o, bool size_column, const std::string& first) {
  std::vector<std::string> names;
  if (!size_column) {
    names.emplace_back("all ranks");
  } else if (first == "Size") {
    for (const std::size_t each : sizes(o)) names.push_back(fmt::format("{} B", each));
  } else if (first == "Threads") {
    for (const int each : o.threads) names.push_back(fmt::format("{} threads", each));
  } else {
    for (const double each : o.rates) names.push_back(fmt::format("{:g} a second", each));
  }
  return names;
}

}  // namespace

table::table(const peal::communicator& world, const options& o, const std::string& title,
             bool size_column, std::vector<std::string> columns, const std::string& unit,
             const std::string& first)
    : progress_{row_names(o, size_column, first), world.rank() != 0 || o.csv},
      prints_{world.rank() == 0},
      size_column_{size_column},
      full_{o.full},
      validate_{o.validate},
      csv_{o.csv} {
  if (!prints_) return;
  if (full_) {
    columns.push_back("Min " + unit);
    columns.push_back("Max " + unit);
    columns.push_back("Iterations");
  }
  if (validate_) columns.push_back("Validation");
  fmt::print("# peal {}, {} ranks, {} buffers\n", title, world.size(),
             o.shared ? "shared" : "heap");
  std::string line = csv_ ? first : size_column ? fmt::format("{:<10}", "# " + first) : "#";
  for (const auto& column : columns)
    line += fmt::format(fmt::runtime(csv_ ? ",{}" : "{:>20}"), column);
  fmt::print("{}\n", line);
  std::fflush(stdout);
  progress_.begin_step();
}

void table::row(std::size_t first, const std::vector<double>& values, double least, double most,
                int iterations, bool valid) {
  if (validate_ && !valid) failed_ = true;
  if (!prints_) return;
  std::string line = csv_           ? fmt::format("{}", first)
                     : size_column_ ? fmt::format("{:<10}", first)
                                    : " ";
  // Latencies inside a node are fractions of a microsecond: OSU's two decimals would hide what
  // matters.
  const auto field = [this](const std::string& text) {
    return csv_ ? "," + text : fmt::format("{:>20}", text);
  };
  const auto number = [&](double value) {
    return field(fmt::format("{:.{}f}", value, value < 100 ? 4 : 2));
  };
  for (const double value : values) line += number(value);
  if (full_) line += number(least) + number(most) + field(std::to_string(iterations));
  if (validate_) line += field(valid ? "Pass" : "Fail");
  progress_.clear();
  fmt::print("{}\n", line);
  std::fflush(stdout);
  progress_.begin_step();
}

}  // namespace bench
