// ends HOW: one rank ends as it should not while the others are blocked in a receive.
#include <signal.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "support.hpp"

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  const std::string how = argc > 1 ? argv[1] : "exit";
  world.barrier();
  if (world.rank() != world.size() - 1) {
    (void)world.recv<int>(world.size() - 1);
    return 0;
  }
  if (how == "exit") std::_Exit(3);
  if (how == "abort") peal::abort(5, "enough of this");
  if (how == "segv") {
    signal(SIGSEGV, SIG_DFL);  // a sanitizer would make an exit of it
    raise(SIGSEGV);
  }
  if (how == "kill") kill(getpid(), SIGKILL);
  if (how == "throw") throw std::runtime_error{"nobody catches this"};
  return 0;
}
