// peal_wakeup: rank 1 is blocked in a receive, rank 0 is idle outside of peal for a while and
// sends; how long until rank 1 has the message? In turn with the same over a FIFO between the same
// two processes, which is what a wake-up costs here at least, and where a device is named (--verbs)
// over a bare queue pair, which is what it costs over verbs. All on one node, since one clock times
// both sides; over which transport peal's go does not matter.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "common/bare_verbs.hpp"
#include "common/common.hpp"

namespace {

constexpr peal::tag word{1}, name{2}, result{3};

double seconds_of_processor() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void pause_for(double seconds) {
  const auto nanoseconds = static_cast<std::int64_t>(seconds * 1e9);
  timespec left{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  while (nanosleep(&left, &left) != 0) {
  }
}

/// What is sent: when, by the clock that both ranks have, and the how many-th message it is.
struct stamped {
  std::int64_t time;
  std::int64_t number;
};
static_assert(sizeof(stamped) == 16);

std::int64_t now() { return bench::clock::now().time_since_epoch().count(); }

/// A FIFO that both ranks have open, and nobody else.
class fifo {
 public:
  /// Rank 0 makes it, rank 1 opens it. Whether both could.
  bool open(const peal::communicator& world) {
    std::string folder;
    if (world.rank() == 0) {
      std::string pattern =
          (std::filesystem::temp_directory_path() / "peal-wakeup-XXXXXX").string();
      if (mkdtemp(pattern.data()) != nullptr) folder = pattern;
      const std::string path = folder + "/fifo";
      // Open for both directions, it waits for nobody.
      if (!folder.empty() && mkfifo(path.c_str(), 0600) == 0)
        file_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
      world.send(path, 1, name);
    } else if (world.rank() == 1) {
      file_ = ::open(world.recv<std::string>(0, name).c_str(), O_RDWR | O_CLOEXEC);
    }
    const bool good = bench::all(world, world.rank() > 1 || file_ >= 0);
    if (!folder.empty()) {
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
    }
    return good;
  }
  ~fifo() {
    if (file_ >= 0) ::close(file_);
  }
  void send(const stamped& message) const {
    if (::write(file_, &message, sizeof message) != sizeof message) std::abort();
  }
  [[nodiscard]] stamped receive() const {
    stamped message{};
    if (::read(file_, &message, sizeof message) != sizeof message) std::abort();
    return message;
  }

 private:
  int file_ = -1;
};

/// What rank 1 has seen of one way.
struct seen {
  std::vector<double> took;  // seconds, sorted at the end
  double processor = 0;      // seconds
  double waited = 0;

  [[nodiscard]] double microseconds(double part) const {
    if (took.empty()) return 0;
    return took[std::min(took.size() - 1,
                         static_cast<std::size_t>(part * static_cast<double>(took.size())))] *
           1e6;
  }
  [[nodiscard]] double share() const { return waited > 0 ? 100 * processor / waited : 0; }

  template <class Receive>
  bool note(std::int64_t number, Receive&& receive) {
    const double before = seconds_of_processor();
    const auto start = bench::clock::now();
    const stamped got = receive();
    took.push_back(static_cast<double>(now() - got.time) * 1e-9);
    waited += bench::since(start);
    processor += seconds_of_processor() - before;
    return got.number == number;
  }
};

/// The ways in turn: peal, the FIFO, and verbs where a device was named.
constexpr std::size_t most_ways = 3;
/// What rank 1 has found of one way: median and 99 % in microseconds, and its share of a core while
/// it waited.
struct finding {
  double median, high, share;
};
struct row {
  std::array<finding, most_ways> ways;
  int good;  // whether all that came was right
};

/// Rank 0 has the row in the end, and rank 1.
row measure(const peal::communicator& world, const fifo& bare, bench::bare_verbs* verbs,
            double idle, int rounds) {
  const auto ways = static_cast<std::size_t>(verbs == nullptr ? 2 : 3);
  row found{};
  world.barrier();
  if (world.rank() == 0) {
    for (std::int64_t number = 0; number < static_cast<std::int64_t>(ways) * rounds; ++number) {
      pause_for(idle);
      const stamped message{now(), number};
      switch (static_cast<std::size_t>(number) % ways) {
        case 0: world.send(message, 1, word); break;
        case 1: bare.send(message); break;
        default: verbs->send(std::bit_cast<bench::bare_verbs::message>(message));
      }
    }
    found = world.recv<row>(1, result);
  } else if (world.rank() == 1) {
    std::array<seen, most_ways> all;
    for (seen& each : all) each.took.reserve(static_cast<std::size_t>(rounds));
    bool good = true;
    std::int64_t number = 0;
    for (int round = 0; round < rounds; ++round) {
      good = all[0].note(number++, [&] { return world.recv<stamped>(0, word); }) && good;
      good = all[1].note(number++, [&] { return bare.receive(); }) && good;
      if (verbs != nullptr)
        good =
            all[2].note(number++, [&] { return std::bit_cast<stamped>(verbs->receive()); }) && good;
    }
    for (std::size_t way = 0; way < ways; ++way) {
      std::sort(all[way].took.begin(), all[way].took.end());
      found.ways[way] = {all[way].microseconds(0.5), all[way].microseconds(0.99), all[way].share()};
    }
    found.good = good ? 1 : 0;
    world.send(found, 0, result);
  }
  return found;
}

double ratio(const finding& ours, const finding& theirs) {
  return theirs.median > 0 ? ours.median / theirs.median : 0;
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  int code = 0;
  using enum bench::has;
  const bench::options defaults{
      .iterations = 0, .warm_up = 20, .rates = {0.1, 10, 100, 1000}, .seconds = 5};
  const auto options =
      bench::parse(argc, argv, world, "Wake-up Test", defaults, {rates, csv, verbs}, code);
  if (!options) return code;
  if (!bench::enough_ranks(world, 2, false)) return 2;
  fifo bare;
  if (!bare.open(world)) {
    if (world.rank() == 0)
      std::fputs("peal_wakeup: ranks 0 and 1 cannot open one FIFO: do they run on one node?\n",
                 stderr);
    return 2;
  }
  const bool with_verbs = !options->verbs.empty();
  bench::bare_verbs link;
  if (with_verbs) {
    const std::string problem = link.open(world, options->verbs);
    if (world.rank() == 0 && !problem.empty())
      std::fprintf(stderr, "peal_wakeup: %s\n", problem.c_str());
    if (!bench::all(world, problem.empty())) return 2;
  }
  const char* policy = std::getenv("PEAL_WAIT");
  const std::string title =
      std::string{"Wake-up Test, PEAL_WAIT="} + (policy == nullptr ? "adaptive" : policy);
  std::vector<std::string> columns{"Median(us)", "99%(us)", "FIFO median(us)", "FIFO 99%(us)",
                                   "Ratio",      "CPU(%)",  "FIFO CPU(%)",     "Messages"};
  if (with_verbs)
    columns.insert(columns.end(),
                   {"Verbs median(us)", "Verbs 99%(us)", "Ratio to verbs", "Verbs CPU(%)"});
  bench::table table{world, *options, title, true, columns, "", "Idle(us)"};
  int exit_code = 0;
  (void)measure(world, bare, with_verbs ? &link : nullptr, 1e-3, options->warm_up);
  for (const double rate : options->rates) {
    const int rounds = options->iterations > 0
                           ? options->iterations
                           : std::max(1, static_cast<int>(rate * options->seconds));
    const auto [ways, good] = measure(world, bare, with_verbs ? &link : nullptr, 1 / rate, rounds);
    if (world.rank() != 0) continue;
    if (good == 0) exit_code = 1;
    const auto& [ours, theirs, raw] = ways;
    std::vector<double> values{
        ours.median,         ours.high,  theirs.median, theirs.high,
        ratio(ours, theirs), ours.share, theirs.share,  static_cast<double>(rounds)};
    if (with_verbs)
      values.insert(values.end(), {raw.median, raw.high, ratio(ours, raw), raw.share});
    table.row(static_cast<std::size_t>(1e6 / rate + 0.5), values, 0, 0, 0, good != 0);
  }
  return exit_code;
}
