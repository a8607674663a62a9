// peal_mt_rate: message rate of several threads a rank, each with a communicator of its own, all
// with one, and all with one that renounces any_tag. One rank: each thread sends to itself; more:
// threads of rank i send to those of rank i + ranks / 2.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <thread>

#include "common/common.hpp"

namespace {

/// One thread's part. `lane` tells its tags apart where threads share a communicator.
class talker {
 public:
  talker(const peal::communicator& over, int lane, const bench::options& o, bool sends,
         bool receives, int partner)
      : over_{over},
        data_{2 * lane},
        done_{2 * lane + 1},
        sends_{sends},
        receives_{receives},
        partner_{partner},
        out_(sends ? static_cast<std::size_t>(o.window) : 0),
        in_(receives ? static_cast<std::size_t>(o.window) : 0),
        from_{o, o.max_bytes},
        into_{o, o.max_bytes * static_cast<std::size_t>(o.window)} {}

  void windows(std::size_t bytes, int n) {
    std::array<std::byte, 4> answer{};
    const auto sent = from_.first(bytes);
    const auto received = into_.first(bytes * in_.size());
    for (int i = 0; i < n; ++i) {
      for (std::size_t each = 0; each < in_.size(); ++each)
        in_[each] = over_.irecv_into(received.subspan(each * bytes, bytes), partner_, data_);
      for (auto& each : out_) each = over_.isend(sent, partner_, data_);
      for (auto& each : out_) each.wait();
      for (auto& each : in_) each.wait();
      if (!sends_) over_.send(answer, partner_, done_);
      if (!receives_) over_.recv_into(answer, partner_, done_);
    }
  }

  /// Whether every message of some windows is the one that was sent to this thread. All threads
  /// take part.
  bool check(std::size_t bytes, int rank, int thread) {
    bool good = true;
    for (int message = 0; message < 4; ++message) {
      bench::fill(from_.first(bytes), rank, 16 * message + thread);
      bench::fill(into_.first(bytes * in_.size()), rank, -1);
      windows(bytes, 1);
      for (std::size_t each = 0; each < in_.size(); ++each)
        good = bench::holds(into_.first(bytes * in_.size()).subspan(each * bytes, bytes), partner_,
                            16 * message + thread) &&
               good;
    }
    return good;
  }

 private:
  const peal::communicator& over_;
  peal::tag data_, done_;
  bool sends_, receives_;
  int partner_;
  std::vector<peal::request<>> out_;
  std::vector<peal::request<peal::status>> in_;
  bench::buffer from_, into_;
};

struct figure {
  double rate = 0;  // messages a second, of all pairs and threads
  bool valid = true;
};

figure measure(const peal::communicator& world, std::vector<talker>& talkers,
               const bench::options& o, std::size_t bytes) {
  const auto threads = static_cast<std::ptrdiff_t>(talkers.size());
  std::barrier together{threads + 1};
  std::atomic<bool> good{true};
  std::vector<std::thread> all;
  for (std::size_t mine = 0; mine < talkers.size(); ++mine)
    all.emplace_back([&, mine] {
      talker& me = talkers[mine];
      if (o.validate && !me.check(bytes, world.rank(), static_cast<int>(mine))) good = false;
      me.windows(bytes, o.warm_up_for(bytes));
      together.arrive_and_wait();  // the ranks meet
      together.arrive_and_wait();
      me.windows(bytes, o.iterations_for(bytes));
      together.arrive_and_wait();
    });
  together.arrive_and_wait();
  world.barrier();
  const auto start = bench::clock::now();
  together.arrive_and_wait();
  together.arrive_and_wait();
  const double slowest = world.allreduce(bench::since(start), peal::max);
  for (std::thread& each : all) each.join();
  const double messages = static_cast<double>(o.window) * o.iterations_for(bytes) *
                          static_cast<double>(threads) *
                          static_cast<double>(std::max(1, world.size() / 2));
  return {messages / slowest, bench::all(world, good)};
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv, {.threads = peal::thread_level::multiple}};
  const auto& world = env.world();
  int code = 0;
  using enum bench::has;
  const std::string title = "Multi-threaded Message Rate Test";
  const bench::options defaults{.min_bytes = 8,
                                .max_bytes = 8,
                                .iterations = 2000,
                                .warm_up = 100,
                                .large_iterations = 100,
                                .large_warm_up = 5};
  const auto options =
      bench::parse(argc, argv, world, title, defaults, {sizes, window, buffer, threads, csv}, code);
  if (!options) return code;
  if (world.size() > 1 && !bench::enough_ranks(world, 2, true)) return 2;

  const bool alone = world.size() == 1, first_half = world.rank() < world.size() / 2;
  const int half = world.size() / 2, partner = alone        ? 0
                                               : first_half ? world.rank() + half
                                                            : world.rank() - half;
  const int most = *std::max_element(options->threads.begin(), options->threads.end());
  std::vector<peal::communicator> own;
  for (int each = 0; each < most; ++each) own.push_back(world.dup());
  const peal::communicator named = world.dup(peal::no_any_tag);
  int exit_code = 0;
  for (const std::size_t bytes : bench::sizes(*options)) {
    bench::table table{world,
                       *options,
                       title + ", " + std::to_string(bytes) + " bytes",
                       true,
                       {"Own comm(M/s)", "Shared comm(M/s)", "no_any_tag(M/s)"},
                       "",
                       "Threads"};
    for (const int count : options->threads) {
      const auto rate = [&](const peal::communicator* shared) {
        std::vector<talker> talkers;
        talkers.reserve(static_cast<std::size_t>(count));
        for (int each = 0; each < count; ++each)
          talkers.emplace_back(shared != nullptr ? *shared : own[static_cast<std::size_t>(each)],
                               shared != nullptr ? each : 0, *options, alone || first_half,
                               alone || !first_half, partner);
        return measure(world, talkers, *options, bytes);
      };
      const figure apart = rate(nullptr), together = rate(&own[0]), by_tag = rate(&named);
      const bool valid = apart.valid && together.valid && by_tag.valid;
      if (!valid) exit_code = 1;
      table.row(static_cast<std::size_t>(count),
                {apart.rate / 1e6, together.rate / 1e6, by_tag.rate / 1e6}, 0, 0, 0, valid);
    }
  }
  return exit_code;
}
