// lost_link BREAK MEND [STAGE]: the first and the last rank, on two nodes, exchange messages until
// rank 0 runs the command BREAK, which cuts the link between them, or stops the other node. What is
// pending then, on both sides, ends with errc::peer_failed that names the peer. MEND undoes it, for
// the launcher's sake; the two stay apart. BREAK may be `@error` instead, with `traffic`: the
// first rank's queue pairs then go into the error state (with tests/lab/poor_device preloaded),
// once while the other rank is silent, and once amid messages. Or
// `@killed`: the last rank kills itself (stages with small messages).
//
// STAGE is what is pending: `idle` (default), a receive from a peer to whom nothing is on its way
// among it; `eager`, small messages both ways; `read`, large messages that the other side fetches.
// With `connect` and `traffic` the command breaks the link for a while only: before the first
// message, or amid others; everything arrives then.
// `quiet` and `small` are `idle` and `eager` without large messages, for which peers would be
// connected. `through` is `read` without a break. With `apart` there is no way between the two from
// the start.
#include <dlfcn.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "../support.hpp"

namespace {

using peal::communicator;
using peal::errc;
using bytes = std::vector<std::byte>;
constexpr peal::tag data{1}, never{2}, large{3};

const char* break_it = "";

void run(const char* command, const std::string& what) {
  if (std::string{command} == "@killed") return;
  if (std::string{command} != "@error") {
    job::equal(std::system(command), 0, what);
    return;
  }
  const auto into_error = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "poor_device_break"));
  job::check(into_error != nullptr, "poor_device is preloaded");
  into_error();
}

template <class F>
void ends_with_failure(int peer, const std::string& what, F operation) {
  try {
    operation();
    job::check(false, what + " ended well");
  } catch (const peal::error& e) {
    job::check(e.code() == errc::peer_failed, what + ": " + e.what());
    job::equal(e.peer(), peer, what + ": the peer of the error");
  }
}

void exchange(const communicator& world, int peer, std::size_t longest = 300'000) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{5000}, std::size_t{300'000}}) {
    if (size > longest) continue;
    auto sent =
        world.isend(job::bytes_of(size, static_cast<std::uint64_t>(world.rank())), peer, data);
    const auto got = world.recv<bytes>(peer, data);
    job::check(got.size() == size && job::holds(got, static_cast<std::uint64_t>(peer)),
               "a message");
    sent.wait();
  }
}

void idle(const communicator& world, int peer, bool announces = true) {
  if (world.rank() == 0) {
    run(break_it, "the command that breaks the link");
    auto pending = world.isend(bytes(announces ? 1'000'000 : 10), peer, never);
    ends_with_failure(peer, "a receive", [&] { (void)world.recv<int>(peer, data); });
    if (announces) ends_with_failure(peer, "a large message under way", [&] { pending.wait(); });
  } else {
    ends_with_failure(peer, "a receive of one who only waits",
                      [&] { (void)world.recv<int>(peer, data); });
  }
}

/// Both send without end, and look at what comes, until the link is gone; rank 0 breaks it after
/// some messages.
void eager(const communicator& world, int peer) {
  ends_with_failure(peer, "a stream of small messages", [&] {
    for (std::uint64_t number = 0;; ++number) {
      const std::size_t size = number % 3 == 0 ? 3000 : 40;
      auto first = world.isend(job::bytes_of(size, number), peer, data),
           second = world.isend(job::bytes_of(size, number), peer, data);
      if (world.rank() == 0 && number == 50) run(break_it, "the command that breaks the link");
      if (world.rank() != 0 && number == 50 && std::string{break_it} == "@killed")
        std::raise(SIGKILL);
      for (int each = 0; each < 2; ++each)
        job::check(job::holds(world.recv<bytes>(peer, data), number), "a message before the break");
      first.wait();
      second.wait();
    }
  });
}

/// As `eager`, with messages that the device of the receiver fetches, several at a time.
void read(const communicator& world, int peer) {
  const auto mine = job::bytes_of(20'000'000, 1);
  ends_with_failure(peer, "a stream of large messages", [&] {
    for (int number = 0;; ++number) {
      auto in = world.irecv<bytes>(peer, large), more = world.irecv<bytes>(peer, large);
      auto out = world.isend(std::as_const(mine), peer, large),
           again = world.isend(std::as_const(mine), peer, large);
      job::check(in.wait() == mine, "a large message");
      // the other is under way
      if (world.rank() == 0 && number == 1) run(break_it, "the command that breaks the link");
      job::check(more.wait() == mine, "a large message");
      out.wait();
      again.wait();
    }
  });
}

/// The same without a break, a few times.
void through(const communicator& world, int peer) {
  const auto mine = job::bytes_of(20'000'000, 1);
  for (int number = 0; number < 3; ++number) {
    auto in = world.irecv<bytes>(peer, large), more = world.irecv<bytes>(peer, large);
    auto out = world.isend(std::as_const(mine), peer, large),
         again = world.isend(std::as_const(mine), peer, large);
    job::check(in.wait() == mine && more.wait() == mine, "a large message");
    out.wait();
    again.wait();
  }
}

/// Only the first rank sends then, so it is the one that finds out.
void break_in_silence(const communicator& world, int peer) {
  exchange(world, peer);
  if (world.rank() == 0) {
    run(break_it, "what breaks the connection");
    world.send(1, peer, data);
  } else {
    job::equal(world.recv<int>(peer, data), 1, "a message over a connection that was made again");
  }
}

/// The link is away for a while; nothing fails.
void traffic(const communicator& world, int peer) {
  for (std::uint64_t number = 0; number < 20; ++number) {
    std::vector<peal::request<bytes>> sends;
    for (const std::size_t size : {std::size_t{8}, std::size_t{4000}, std::size_t{500'000}})
      sends.push_back(world.isend(job::bytes_of(size, number), peer, data));
    if (world.rank() == 0 && number == 10)
      run(break_it, "the command that breaks the link for a while");
    for (auto& each : sends) {
      job::check(job::holds(world.recv<bytes>(peer, data), number), "a message");
      (void)each;
    }
    for (auto& each : sends) each.wait();
  }
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  if (argc < 3) job::fail("lost_link BREAK MEND [STAGE]");
  break_it = argv[1];
  const std::string stage = argc > 3 ? argv[3] : "idle";
  const int last = world.size() - 1, peer = last - world.rank();
  if (world.rank() != 0 && world.rank() != last) return 0;
  try {
    if (stage == "connect") {
      if (world.rank() == 0) run(break_it, "the command that breaks the link for a while");
      exchange(world, peer);
    } else if (stage == "apart") {
      run(break_it, "a command");
      if (world.rank() == 0)
        ends_with_failure(peer, "a message to where no way leads",
                          [&] { world.send(1, peer, data); });
    } else if (stage == "through") {
      through(world, peer);
    } else if (stage == "traffic") {
      if (std::string{break_it} == "@error") break_in_silence(world, peer);
      traffic(world, peer);
    } else {
      const bool cold = stage == "quiet" || stage == "small";
      exchange(world, peer, cold ? 5000 : 300'000);
      if (stage == "idle" || stage == "quiet") idle(world, peer, !cold);
      if (stage == "eager" || stage == "small") eager(world, peer);
      if (stage == "read") read(world, peer);
      ends_with_failure(peer, "a message afterwards", [&] { world.send(1, peer, data); });
    }
  } catch (const std::exception& e) {
    job::fail(stage + ": " + e.what());
  }
  if (world.rank() == 0) run(argv[2], "the command that mends the link");
  if (std::string{break_it} == "@killed") std::puts("rank 0 has outlived the last rank");
  return 0;
}
