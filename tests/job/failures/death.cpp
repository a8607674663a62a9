// death MOMENT [seed]: one rank is killed while the others depend on it; started with --on-failure
// notify. The survivors get errc::peer_failed for what was pending to the dead, and go on among
// themselves.
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "../support.hpp"

namespace {

using peal::communicator;
using peal::errc;
constexpr peal::tag data{1}, word{2};

[[noreturn]] void die() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

// `operation` has to do with the dead rank: sooner or later it ends with errc::peer_failed.
template <class F>
void ends_with_failure(int dead, const std::string& what, F operation) {
  try {
    for (;;) operation();
  } catch (const peal::error& e) {
    job::check(e.code() == errc::peer_failed, what + ": " + e.what());
    job::equal(e.peer(), dead, what + ": the peer of the error");
  }
}

// The survivors still talk: everyone with everyone.
void survivors_talk(const communicator& world, int dead) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{50'000}, std::size_t{1'000'000}}) {
    std::vector<peal::request<std::vector<std::byte>>> sends;
    for (int to = 0; to < world.size(); ++to)
      if (to != dead)
        sends.push_back(
            world.isend(job::bytes_of(bytes, static_cast<std::uint64_t>(world.rank() * 100 + to)),
                        to, peal::tag{50}));
    for (int from = 0; from < world.size(); ++from) {
      if (from == dead) continue;
      const auto got = world.recv<std::vector<std::byte>>(from, peal::tag{50});
      job::check(got.size() == bytes &&
                     job::holds(got, static_cast<std::uint64_t>(from * 100 + world.rank())),
                 "a message between survivors");
    }
    for (auto& sent : sends) sent.wait();
  }
}

// Blocked in a receive when it happens.
void in_receive(const communicator& world, int dead) {
  if (world.rank() == dead) {
    for (int from = 0; from < world.size(); ++from)
      if (from != dead) (void)world.recv<int>(from, word);
    die();
  }
  auto pending = world.irecv<std::string>(dead, data);
  world.send(1, dead, word);
  ends_with_failure(dead, "a receive", [&] { (void)world.recv<int>(dead, data); });
  std::error_code error;
  (void)pending.wait(error);
  job::check(error == errc::peer_failed, "a pending receive: " + error.message());
}

// What the dead sent before still arrives.
void after_sending(const communicator& world, int dead) {
  if (world.rank() == dead) {
    for (int to = 0; to < world.size(); ++to)
      if (to != dead) world.send(std::string{"last words"}, to, word);
    for (int from = 0; from < world.size(); ++from)
      if (from != dead) (void)world.recv<int>(from, word);
    die();
  }
  auto heard = world.irecv<std::string>(dead, word);
  world.send(1, dead, word);
  job::equal(heard.wait(), std::string{"last words"}, "what the dead sent before");
  ends_with_failure(dead, "a receive", [&] { (void)world.recv<int>(dead, data); });
}

// Large messages that are announced and never fetched, in both directions.
void in_rendezvous(const communicator& world, int dead) {
  const auto large = job::bytes_of(8'000'000, 3);
  if (world.rank() == dead) {
    std::vector<peal::request<>> never;
    for (int to = 0; to < world.size(); ++to)
      if (to != dead) never.push_back(world.isend(large, to, data));
    for (int from = 0; from < world.size(); ++from)
      if (from != dead) (void)world.recv<int>(from, word);
    die();
  }
  auto sent = world.isend(large, dead, data);
  world.send(1, dead, word);
  std::error_code error;
  sent.wait(error);
  job::check(error == errc::peer_failed, "a large send: " + error.message());
  std::vector<std::byte> into(large.size());
  try {
    world.recv_into(into, dead, data);  // its memory may still be there
    job::check(into == large, "a message of the dead is damaged");
  } catch (const peal::error& e) {
    job::check(e.code() == errc::peer_failed, e.what());
  }
}

// One survivor hears of the death and takes its leave; the others look at nothing until it is gone,
// and only then end.
void one_leaves_first(const communicator& world, int dead) {
  if (world.rank() == dead) die();
  if (world.rank() == 0) {
    for (int to = 1; to < dead; ++to) world.send(static_cast<int>(getpid()), to, word);
    ends_with_failure(dead, "a receive", [&] { (void)world.recv<int>(dead, data); });
    return;
  }
  const auto state_of_first = "/proc/" + std::to_string(world.recv<int>(0, word)) + "/stat";
  for (std::string text;;) {
    std::ifstream file{state_of_first};
    if (!std::getline(file, text) || text.find(") Z") != std::string::npos) return;
    std::this_thread::yield();
  }
}

// In the middle of traffic, at a moment that differs from run to run: the one that dies echoes what
// the others send.
void at_random(const communicator& world, int dead, std::uint64_t seed) {
  if (world.rank() == dead) {
    job::random r{seed ^ static_cast<std::uint64_t>(
                             std::chrono::steady_clock::now().time_since_epoch().count())};
    const std::chrono::microseconds later{r.below(100'000)};
    std::thread killer{[later] {
      std::this_thread::sleep_for(later);
      die();
    }};
    for (;;) {
      peal::status got;
      auto message = world.recv<std::vector<std::byte>>(peal::any_source, data, &got);
      // Dropped: it is sent while the next message is waited for.
      auto echo = world.isend(std::move(message), got.source, data);
    }
  }
  job::random sizes{seed + static_cast<std::uint64_t>(world.rank())};
  ends_with_failure(dead, "in the middle of traffic", [&] {
    const auto bytes = sizes.one_in(10) ? sizes.below(2'000'000) : sizes.below(5000);
    const auto sent_data = job::bytes_of(bytes, bytes);
    auto sent = world.isend(sent_data, dead, data);
    const auto got = world.recv<std::vector<std::byte>>(dead, data);
    job::check(got == sent_data, "an echo before the death");
    sent.wait();
  });
}

// From the start of the program to its end: an alarm that nobody handles ends the rank that the
// second argument names, after some of the microseconds that the third allows.
int at_any_time(int argc, char** argv) {
  const char* const rank = std::getenv("PMIX_RANK");
  const bool victim = rank != nullptr && std::atoi(rank) == std::atoi(argv[2]);
  if (victim) {
    job::random r{
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count())};
    const itimerval later{
        {0, 0},
        {0, static_cast<suseconds_t>(
                1 + r.below(argc > 3 ? static_cast<std::size_t>(std::atoll(argv[3])) : 60'000))}};
    setitimer(ITIMER_REAL, &later, nullptr);
  }
  std::optional<peal::environment> env;
  try {
    env.emplace(argc, argv);
    const auto& world = env->world();
    job::my_rank() = world.rank();
    for (int i = 0; i < 50; ++i) {
      const std::size_t bytes = i % 5 == 0 ? 100'000 : 100;
      // peal keeps it until it is sent
      for (int to = 0; to < world.size(); ++to)
        (void)world.isend(job::bytes_of(bytes, 1), to, data);
      for (int from = 0; from < world.size(); ++from)
        (void)world.recv<std::vector<std::byte>>(from, data);
      (void)world.allreduce(std::vector<std::size_t>(bytes, bytes), std::plus<std::size_t>{});
    }
  } catch (const peal::error& e) {
    job::check(e.code() == errc::peer_failed, std::string{"at any time: "} + e.what());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && std::string{argv[1]} == "at_any_time") return at_any_time(argc, argv);
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  const std::string moment = argc > 1 ? argv[1] : "in_receive";
  const int dead = world.size() - 1;
  try {
    if (moment == "in_receive") in_receive(world, dead);
    if (moment == "after_sending") after_sending(world, dead);
    if (moment == "in_rendezvous") in_rendezvous(world, dead);
    if (moment == "at_random")
      at_random(world, dead, static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1));
    if (moment == "one_leaves_first") one_leaves_first(world, dead);
    else survivors_talk(world, dead);
  } catch (const std::exception& e) {
    job::fail(moment + ": " + e.what());
  }
  return 0;
}
