// ends HOW: one rank ends as it should not while the others are blocked in a receive; or all end
// with a message that nobody receives; or one ends later than the others.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "../support.hpp"

namespace {

constexpr peal::tag nobody_asks{7};
constexpr std::size_t large = 3'000'000;

// An exception leaves the scope of a request whose buffer peal still needs, since rank 0 has not
// received it.
void unwind_a_request(const peal::communicator& world, const std::vector<std::byte>& lent) {
  const auto sent = world.isend(lent, 0, nobody_asks);
  throw std::runtime_error{"an exception on its way"};
}

// Every rank ends with a large message to the next one that nobody receives, and nobody waits for.
void send_to_nobody(const peal::communicator& world) {
  (void)world.isend(job::bytes_of(large, 1), (world.rank() + 1) % world.size(), nobody_asks);
}

void misbehave(const peal::communicator& world, const std::string& how) {
  if (how == "exit") std::_Exit(3);
  if (how == "abort") peal::abort(5, "enough of this");
  if (how == "segv") {
    signal(SIGSEGV, SIG_DFL);  // a sanitizer would make an exit of it
    raise(SIGSEGV);
  }
  if (how == "close") {
    for (int each = 3; each < 1024; ++each) ::close(each);
    for (int to = 0; to < world.rank(); ++to) world.send(1, to);
    world.barrier();
  }
  if (how == "kill") kill(getpid(), SIGKILL);
  if (how == "uncaught") world.send(1, world.size(), nobody_asks);
  if (how == "throw" || how == "unwind") throw std::runtime_error{"nobody catches this"};
  const auto lent = job::bytes_of(large, 1);
  if (how == "unwind_request") unwind_a_request(world, lent);
  if (how == "unwind_request_in_time") {
    try {
      unwind_a_request(world, lent);
    } catch (const std::runtime_error&) {
      for (int to = 0; to < world.rank(); ++to) world.send(1, to);
    }
  }
}

void run(int argc, char** argv, const std::string& how) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  world.barrier();
  if (how == "unreceived") return send_to_nobody(world);
  if (world.rank() == world.size() - 1) return misbehave(world, how);
  if (how == "unwind_request_in_time" && world.rank() == 0)
    job::check(job::holds(world.recv<std::vector<std::byte>>(world.size() - 1, nobody_asks), 1),
               "what was lent arrived whole");
  (void)world.recv<int>(world.size() - 1, peal::tag{0});
  if (how == "close") world.barrier();
}

// A static object that is older than everything that peal makes holds the environment, so it ends
// after all that.
std::unique_ptr<peal::environment> held;
void end_at_exit() {
  held = std::make_unique<peal::environment>();
  const auto& world = held->world();
  job::my_rank() = world.rank();
  job::equal(world.allreduce(1), world.size(), "a sum");
  (void)job::throws(peal::errc::invalid_rank, [&] { world.send(1, world.size()); });
}

// The end of an environment waits for everybody: the last rank may still need the others.
void end_late(int argc, char** argv) {
  constexpr std::chrono::seconds late{2};
  auto met = std::chrono::steady_clock::now();
  bool last = false;
  {
    peal::environment env{argc, argv};
    const auto& world = env.world();
    job::my_rank() = world.rank();
    last = world.rank() == world.size() - 1;
    met = std::chrono::steady_clock::now();
    world.barrier();  // the last one's time begins after everybody's
    if (last) std::this_thread::sleep_for(late);
  }
  if (!last)
    job::check(std::chrono::steady_clock::now() - met >= late, "nobody leaves before the last one");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "exit";
  if (how == "late") {
    end_late(argc, argv);
    return 0;
  }
  if (how == "at_exit") {
    end_at_exit();
    return 0;
  }
  if (how == "throw" || how == "uncaught") run(argc, argv, how);
  try {
    run(argc, argv, how);
  } catch (const std::runtime_error&) {
    job::fail("the end of the environment has let the exception through");
  }
  return 0;
}
