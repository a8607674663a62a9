// peal_wakeup: rank 1 is blocked in a receive, rank 0 is idle outside of peal for a while and sends; how long until rank 1 has the message?
// In turn with the same over a FIFO between the same two processes, which is what a wake-up costs here at least. Both on one node, since
// one clock times both sides; over which transport does not matter.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "common.hpp"

namespace {

constexpr peal::tag word{1}, name{2}, result{3};

double seconds_of_processor() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
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
      std::string pattern = (std::filesystem::temp_directory_path() / "peal-wakeup-XXXXXX").string();
      if (mkdtemp(pattern.data()) != nullptr) folder = pattern;
      const std::string path = folder + "/fifo";
      // Open for both directions, it waits for nobody.
      if (!folder.empty() && mkfifo(path.c_str(), 0600) == 0) file_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
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
    return took[std::min(took.size() - 1, static_cast<std::size_t>(part * static_cast<double>(took.size())))] * 1e6;
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

/// Rank 1's median and 99 % over peal and over the FIFO, its share of a core while it waited in both, and whether all that came was right.
using row = std::array<double, 7>;

/// Rank 0 has the row in the end, and rank 1.
row measure(const peal::communicator& world, const fifo& bare, double idle, int rounds) {
  row found{};
  world.barrier();
  if (world.rank() == 0) {
    for (std::int64_t round = 0; round < rounds; ++round) {
      pause_for(idle);
      world.send(stamped{now(), 2 * round}, 1, word);
      pause_for(idle);
      bare.send({now(), 2 * round + 1});
    }
    found = world.recv<row>(1, result);
  } else if (world.rank() == 1) {
    seen ours, theirs;
    bool good = true;
    ours.took.reserve(static_cast<std::size_t>(rounds));
    theirs.took.reserve(static_cast<std::size_t>(rounds));
    for (std::int64_t round = 0; round < rounds; ++round) {
      good = ours.note(2 * round, [&] { return world.recv<stamped>(0, word); }) && good;
      good = theirs.note(2 * round + 1, [&] { return bare.receive(); }) && good;
    }
    for (seen* each : {&ours, &theirs}) std::sort(each->took.begin(), each->took.end());
    found = {ours.microseconds(0.5), ours.microseconds(0.99), theirs.microseconds(0.5), theirs.microseconds(0.99),
             ours.share(),           theirs.share(),          good ? 1.0 : 0.0};
    world.send(found, 0, result);
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  int code = 0;
  using enum bench::has;
  const bench::options defaults{.iterations = 0, .warm_up = 20, .rates = {0.1, 10, 100, 1000}, .seconds = 5};
  const auto options = bench::parse(argc, argv, world, "Wake-up Test", defaults, {rates, csv}, code);
  if (!options) return code;
  if (!bench::enough_ranks(world, 2, false)) return 2;
  fifo bare;
  if (!bare.open(world)) {
    if (world.rank() == 0) std::fputs("peal_wakeup: ranks 0 and 1 cannot open one FIFO: do they run on one node?\n", stderr);
    return 2;
  }
  const char* policy = std::getenv("PEAL_WAIT");
  const std::string title = std::string{"Wake-up Test, PEAL_WAIT="} + (policy == nullptr ? "adaptive" : policy);
  bench::table table{world,
                     *options,
                     title,
                     true,
                     {"Median(us)", "99%(us)", "FIFO median(us)", "FIFO 99%(us)", "Ratio", "CPU(%)", "FIFO CPU(%)", "Messages"},
                     "",
                     "Idle(us)"};
  int exit_code = 0;
  (void)measure(world, bare, 1e-3, options->warm_up);
  for (const double rate : options->rates) {
    const int rounds = options->iterations > 0 ? options->iterations : std::max(1, static_cast<int>(rate * options->seconds));
    const auto [median, high, bare_median, bare_high, share, bare_share, good] = measure(world, bare, 1 / rate, rounds);
    if (world.rank() != 0) continue;
    if (good == 0) exit_code = 1;
    table.row(
        static_cast<std::size_t>(1e6 / rate + 0.5),
        {median, high, bare_median, bare_high, bare_median > 0 ? median / bare_median : 0, share, bare_share, static_cast<double>(rounds)},
        0, 0, 0, good != 0);
  }
  return exit_code;
}
