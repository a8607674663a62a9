// paused SECONDS: the last rank stops itself (SIGSTOP) for so long, while others have all kinds of
// things pending with it: a receive, small messages, a large one, and a large one of its own that
// is fetched. A stopped process is alive: nothing fails, and all ends when it goes on.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "../support.hpp"

namespace {

using bytes = std::vector<std::byte>;
constexpr peal::tag small{1}, large{2}, its_large{3}, last{4};
constexpr std::size_t many = 300, large_bytes = 3'000'000;

std::uint64_t key_of(int from, std::size_t number) {
  return static_cast<std::uint64_t>(from) << 32 | number;
}

/// Somebody else lets this process go on.
void pause_for(const std::string& seconds) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string command = "sleep " + seconds + "; kill -CONT " + std::to_string(getpid());
  const pid_t helper = fork();
  if (helper == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  kill(getpid(), SIGSTOP);
  waitpid(helper, nullptr, 0);
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin;
  job::check(gone.count() >= std::stod(seconds), "it was not paused");
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  const std::string seconds = argc > 1 ? argv[1] : "1";
  const int paused = world.size() - 1, me = world.rank();
  world.barrier();
  if (me == paused) {
    std::vector<peal::request<bytes>> sends;
    for (int to = 0; to < paused; ++to)
      sends.push_back(world.isend(job::bytes_of(large_bytes, key_of(me, 0)), to, its_large));
    pause_for(seconds);
    for (int from = 0; from < paused; ++from) {
      for (std::size_t each = 0; each < many; ++each)
        job::check(job::holds(world.recv<bytes>(from, small), key_of(from, each)),
                   "a small message");
      job::check(job::holds(world.recv<bytes>(from, large), key_of(from, many)), "a large message");
      world.send(1, from, last);
    }
    for (auto& each : sends) each.wait();
  } else {
    auto word = world.irecv<int>(paused, last);
    auto fetched = world.irecv<bytes>(paused, its_large);
    std::vector<peal::request<bytes>> sends;
    for (std::size_t each = 0; each < many; ++each)
      sends.push_back(world.isend(job::bytes_of(each * 7, key_of(me, each)), paused, small));
    sends.push_back(world.isend(job::bytes_of(large_bytes, key_of(me, many)), paused, large));
    for (auto& each : sends) each.wait();
    job::equal(word.wait(), 1, "the answer");
    job::check(job::holds(fetched.wait(), key_of(paused, 0)), "its large message");
  }
  world.barrier();
  return 0;
}
