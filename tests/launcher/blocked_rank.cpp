// tests/launcher/blocked_rank.cpp
// Ranks that wait for rank 1 inside peal, while rank 1 does what the first argument says once the
// others have begun to wait:
//
//   nothing, exit CODE, abort, segv, kill, peal_abort CODE, throw, catch
//
// The second argument says in what the others wait: recv (as set), barrier, or send (of what nobody
// receives). A rank whose wait ends with an error prints its code and ends with 0.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <peal/peal.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void fail_as_asked(const std::string& what, int code) {
  if (what == "exit") std::exit(code);
  if (what == "abort") std::abort();
  if (what == "segv") std::raise(SIGSEGV);
  if (what == "kill") ::kill(::getpid(), SIGKILL);
  if (what == "peal_abort") peal::abort(code, "rank 1 has seen enough");
  if (what == "throw" || what == "catch") throw std::runtime_error{"rank 1 throws"};
}

void wait_for_rank_1(const peal::communicator& world, const std::string& in) {
  if (in == "barrier") return world.barrier();
  // too long to be sent unasked
  if (in == "send") return world.send(std::vector<double>(1 << 20), 1, peal::tag{9});
  (void)world.recv<int>(1, peal::tag{7});
}

int run(int count, char** words) {
  const std::string what = words[1], code = count > 2 ? words[2] : "0",
                    in = count > 3 ? words[3] : "recv";
  peal::environment env{count, words};
  const peal::communicator& world = env.world();
  if (what == "nothing") return 0;
  if (world.rank() == 1) {
    // Each says that it is about to wait; then it waits, or will find the death when it begins to.
    for (int other = 1; other < world.size(); ++other)
      (void)world.recv<int>(peal::any_source, peal::tag{1});
    fail_as_asked(what, std::atoi(code.c_str()));
    return 9;
  }
  world.send(world.rank(), 1, peal::tag{1});
  try {
    wait_for_rank_1(world, in);
    std::printf("rank %d: the wait ended without an error\n", world.rank());
  } catch (const peal::error& problem) {
    std::printf("rank %d: %s\n", world.rank(),
                problem.code() == peal::errc::peer_failed ? "peer_failed" : problem.what());
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (std::string{words[1]} != "catch") return run(count, words);
  try {
    return run(count, words);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "caught: %s\n", problem.what());
    return 5;
  }
}
