// peal_pace: requests of rank 0 that rank 1 answers, so many a second: what both use of a core
// meanwhile, and how long an answer takes. Between requests both wait inside peal, so the policy of
// waiting (PEAL_WAIT) is what is measured.
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "common/common.hpp"

namespace {

constexpr peal::tag request{1}, answer{2}, never{3}, result{4};

double seconds_of_processor() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// What one side has seen.
struct side {
  double processor = 0;  // seconds
  int good = 1;
};

/// The number of a request stands at its beginning, and in its answer plus one, as far as there is
/// room.
void stamp(std::span<std::byte> message, std::uint32_t number) {
  std::memcpy(message.data(), &number, std::min(message.size(), sizeof number));
}
bool stamped(std::span<const std::byte> message, std::uint32_t number) {
  return std::memcmp(message.data(), &number, std::min(message.size(), sizeof number)) == 0;
}

side serve(const peal::communicator& world, std::span<std::byte> message, int requests) {
  side mine;
  const double before = seconds_of_processor();
  for (int i = 0; i < requests; ++i) {
    world.recv_into(message, 0, request);
    const auto number = static_cast<std::uint32_t>(i);
    mine.good = mine.good != 0 && stamped(message, number);
    stamp(message, number + 1);
    world.send(message, 0, answer);
  }
  mine.processor = seconds_of_processor() - before;
  return mine;
}

struct run {
  side client, server;
  double seconds = 0;
  std::vector<double> took;  // each answer, sorted
};

run ask(const peal::communicator& world, std::span<std::byte> message, double rate, int requests) {
  run seen;
  seen.took.reserve(static_cast<std::size_t>(requests));
  auto silence = world.irecv<int>(1, never);
  const double before = seconds_of_processor();
  const auto start = bench::clock::now();
  for (int i = 0; i < requests; ++i) {
    const auto due = start + std::chrono::duration_cast<bench::clock::duration>(
                                 std::chrono::duration<double>(i / rate));
    if (const auto now = bench::clock::now(); due > now) (void)silence.wait_for(due - now);
    const auto number = static_cast<std::uint32_t>(i);
    stamp(message, number);
    const auto sent = bench::clock::now();
    world.send(message, 1, request);
    world.recv_into(message, 1, answer);
    seen.took.push_back(bench::since(sent));
    seen.client.good = seen.client.good != 0 && stamped(message, number + 1);
  }
  // The last request has its pause too.
  const auto end = start + std::chrono::duration_cast<bench::clock::duration>(
                               std::chrono::duration<double>(requests / rate));
  if (const auto now = bench::clock::now(); end > now) (void)silence.wait_for(end - now);
  seen.seconds = bench::since(start);
  seen.client.processor = seconds_of_processor() - before;
  silence.cancel();
  std::sort(seen.took.begin(), seen.took.end());
  return seen;
}

/// In both directions, the whole payload.
bool check(const peal::communicator& world, std::span<std::byte> buffer) {
  bool good = true;
  for (int message = 0; message < 4; ++message) {
    if (world.rank() == 0) {
      bench::fill(buffer, 0, message);
      world.send(buffer, 1, request);
      world.recv_into(buffer, 1, answer);
      good = bench::holds(buffer, 1, message) && good;
    } else if (world.rank() == 1) {
      world.recv_into(buffer, 0, request);
      good = bench::holds(buffer, 0, message) && good;
      bench::fill(buffer, 1, message);
      world.send(buffer, 0, answer);
    }
  }
  return good;
}

double microseconds(const std::vector<double>& sorted, double part) {
  return sorted[std::min(sorted.size() - 1,
                         static_cast<std::size_t>(part * static_cast<double>(sorted.size())))] *
         1e6;
}

/// Rank 0 has all that the table wants to know.
run measure(const peal::communicator& world, std::span<std::byte> message, double rate,
            int requests) {
  run seen;
  world.barrier();
  if (world.rank() == 0) {
    seen = ask(world, message, rate, requests);
    const auto of_server = world.recv<std::array<double, 2>>(1, result);
    seen.server = {of_server[0], of_server[1] != 0};
  } else if (world.rank() == 1) {
    const side mine = serve(world, message, requests);
    world.send(std::array{mine.processor, static_cast<double>(mine.good)}, 0, result);
  }
  return seen;
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  int code = 0;
  using enum bench::has;
  const bench::options defaults{.min_bytes = 8,
                                .max_bytes = 8,
                                .iterations = 0,
                                .warm_up = 20,
                                .large_iterations = 0,
                                .large_warm_up = 20};
  const auto options =
      bench::parse(argc, argv, world, "Pace Test", defaults, {sizes, buffer, rates, csv}, code);
  if (!options) return code;
  if (!bench::enough_ranks(world, 2, false)) return 2;

  const bench::buffer memory{*options, options->max_bytes};
  const char* policy = std::getenv("PEAL_WAIT");
  int exit_code = 0;
  for (const std::size_t bytes : bench::sizes(*options)) {
    const std::string title = "Pace Test, " + std::to_string(bytes) +
                              " bytes, PEAL_WAIT=" + (policy == nullptr ? "adaptive" : policy);
    bench::table table{
        world,
        *options,
        title,
        true,
        {"Requests/s", "Client CPU(%)", "Server CPU(%)", "Median(us)", "99%(us)", "Requests"},
        "",
        "Rate"};
    const auto message = memory.first(bytes);
    const bool checked = !options->validate || bench::all(world, check(world, message));
    for (const double rate : options->rates) {
      const int requests = options->iterations > 0
                               ? options->iterations
                               : std::max(1, static_cast<int>(rate * options->seconds));
      (void)measure(world, message, std::max(rate, 1000.0), options->warm_up);
      const run seen = measure(world, message, rate, requests);
      if (world.rank() != 0) continue;
      const bool good = checked && seen.client.good != 0 && seen.server.good != 0;
      if (!good) exit_code = 1;
      const auto share = [&](const side& of) { return 100 * of.processor / seen.seconds; };
      table.row(static_cast<std::size_t>(rate),
                {requests / seen.seconds, share(seen.client), share(seen.server),
                 microseconds(seen.took, 0.5), microseconds(seen.took, 0.99),
                 static_cast<double>(requests)},
                0, 0, 0, good);
    }
  }
  return exit_code;
}
