// computing: what moves while ranks compute, with the helper thread (PEAL_ASYNC=1). Ranks that make
// no call tell each other by shared memory of their own how far they are, so that nothing but the
// helper can have moved the messages.
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>

#include "../support.hpp"

namespace {

using namespace std::chrono_literals;
using peal::communicator;
constexpr peal::tag data{1}, word{2};

/// A page that all ranks map.
class board {
 public:
  explicit board(const communicator& world) {
    int owner = static_cast<int>(getpid());
    int file = world.rank() == 0 ? memfd_create("computing", MFD_CLOEXEC) : -1;
    if (world.rank() == 0 && ftruncate(file, 4096) != 0) job::fail("no memory for the board");
    int number = file;
    owner = world.bcast(owner, 0);
    number = world.bcast(number, 0);
    if (world.rank() != 0) {
      const std::string name = "/proc/" + std::to_string(owner) + "/fd/" + std::to_string(number);
      file = open(name.c_str(), O_RDWR | O_CLOEXEC);
    }
    job::check(file >= 0, "the board cannot be opened");
    void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    job::check(page != MAP_FAILED, "the board cannot be mapped");
    marks_ = static_cast<std::atomic<int>*>(page);
    world.barrier();
    close(file);
  }
  std::atomic<int>& operator[](int index) const { return marks_[index]; }

 private:
  std::atomic<int>* marks_ = nullptr;
};

/// Without a call of peal's.
template <class Condition>
void compute_until(Condition&& holds, const std::string& what) {
  const auto end = std::chrono::steady_clock::now() + 60s * (job::sanitized() ? 8 : 1);
  while (!holds()) {
    job::check(std::chrono::steady_clock::now() < end,
               what + ": nothing moved while the ranks computed");
    std::this_thread::sleep_for(1ms);
  }
}

/// All ranks have come here; no call of peal's.
void meet(const communicator& world, const board& marks, int round) {
  marks[0].fetch_add(1);
  compute_until([&] { return marks[0].load() >= round * world.size(); }, "a meeting");
}

bool moved_by_helper(const communicator& world) { return peal::counters(world)["async.turns"] > 0; }

// A large message whose receiver computes from the moment that it has posted the receive, and whose
// sender computes as well.
void rendezvous(const communicator& world) {
  const board marks{world};
  const int next = (world.rank() + 1) % world.size(),
            before = (world.rank() + world.size() - 1) % world.size();
  int round = 0;
  for (const std::size_t bytes :
       {std::size_t{10'000}, std::size_t{100'000}, std::size_t{16} << 20}) {
    const auto payload = job::bytes_of(bytes, bytes + static_cast<std::size_t>(world.rank()));
    std::vector<std::byte> into(bytes);
    auto in = world.irecv_into(std::span{into}, before, data);
    auto out = world.isend(std::span<const std::byte>{payload}, next, data);
    compute_until([&] { return in.is_over() && out.is_over(); }, std::to_string(bytes) + " bytes");
    job::check(job::holds(into, bytes + static_cast<std::size_t>(before)),
               "what came while the rank computed");
    meet(world, marks, ++round);
    out.wait();
    in.wait();
  }
  job::check(world.size() == 1 || moved_by_helper(world), "the helper moves something");
}

// The same where ranks have no memory in common: neither side has made a call when both its
// messages are over.
void apart(const communicator& world) {
  const int next = (world.rank() + 1) % world.size(),
            before = (world.rank() + world.size() - 1) % world.size();
  for (const std::size_t bytes :
       {std::size_t{10'000}, std::size_t{1} << 20, std::size_t{16} << 20}) {
    const auto payload = job::bytes_of(bytes, bytes + static_cast<std::size_t>(world.rank()));
    std::vector<std::byte> into(bytes);
    world.barrier();
    auto in = world.irecv_into(std::span{into}, before, data);
    auto out = world.isend(std::span<const std::byte>{payload}, next, data);
    compute_until([&] { return in.is_over() && out.is_over(); },
                  std::to_string(bytes) + " bytes from another node");
    out.wait();
    in.wait();  // throws what went wrong
    job::check(job::holds(into, bytes + static_cast<std::size_t>(before)),
               "what came while the rank computed");
  }
  std::vector<std::int64_t> mine(300'000, world.rank() + 1);
  auto sum = world.iallreduce(mine);
  compute_until([&] { return sum.is_over(); }, "a sum");
  const auto total = sum.wait();
  const std::int64_t expected = static_cast<std::int64_t>(world.size()) * (world.size() + 1) / 2;
  job::check(total.front() == expected && total.back() == expected,
             "a sum made while the ranks computed");
  job::check(world.size() == 1 || moved_by_helper(world), "the helper moves something");
}

// The message comes when the receiver has been computing for long, and the sender is told by other
// means that it was taken.
void late(const communicator& world) {
  const board marks{world};
  if (world.size() < 2) return;
  for (int round = 1; round <= 3; ++round) {
    if (world.rank() == 0) {
      std::vector<std::byte> into(1 << 20);
      auto in = world.irecv_into(std::span{into}, 1, data);
      marks[1].store(round);
      compute_until([&] { return in.is_over(); }, "a late message");
      marks[2].store(round);
      in.wait();
      job::check(job::holds(into, static_cast<std::size_t>(round)), "a late message");
    } else if (world.rank() == 1) {
      compute_until([&] { return marks[1].load() == round; }, "the receive");
      // the receiver's helper sleeps by now, or it does not: both are right
      std::this_thread::sleep_for(20ms);
      const auto payload = job::bytes_of(1 << 20, static_cast<std::size_t>(round));
      world.send(payload, 0, data);
      compute_until([&] { return marks[2].load() == round; }, "the end of a receive");
    }
  }
}

void sums(const communicator& world) {
  const board marks{world};
  int round = 0;
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{300'000}}) {
    std::vector<std::int64_t> mine(count, world.rank() + 1);
    auto sum = world.iallreduce(mine);
    compute_until([&] { return sum.is_over(); }, "a sum of " + std::to_string(count));
    meet(world, marks, ++round);
    const auto total = sum.wait();
    const std::int64_t expected = static_cast<std::int64_t>(world.size()) * (world.size() + 1) / 2;
    job::check(total.size() == count && total.front() == expected && total.back() == expected,
               "a sum made while the ranks computed");
  }
}

// Continuations are run by the program's own calls, never by the helper.
void continuations(const communicator& world) {
  const board marks{world};
  const int next = (world.rank() + 1) % world.size(),
            before = (world.rank() + world.size() - 1) % world.size();
  std::vector<std::byte> into(500'000);
  const auto payload = job::bytes_of(into.size(), 3);
  std::thread::id by;
  auto done = world.irecv_into(std::span{into}, before, data).then([&](const peal::status&) {
    by = std::this_thread::get_id();
  });
  auto out = world.isend(std::span<const std::byte>{payload}, next, data);
  // this thread, should the message have come before `then`
  const std::thread::id before_computing = by;
  compute_until([&] { return out.is_over(); }, "a message with a continuation");
  meet(world, marks, 1);
  job::check(by == before_computing, "a continuation ran while the program made no call");
  done.wait();
  job::check(by == std::this_thread::get_id(), "a continuation runs in a call of the program's");
  out.wait();
}

// Computing and talking in turn, at all lengths around the helper's tick, so that the lead changes
// at any moment.
void in_turn(const communicator& world) {
  const int other = world.rank() ^ 1;
  job::random random{static_cast<std::uint64_t>(world.rank()) + 1};
  const int rounds = job::sanitized() ? 100 : 300;
  for (int round = 0; round < rounds && other < world.size(); ++round) {
    const std::size_t bytes = round % 4 == 0 ? 300'000 : round % 4 == 1 ? 20'000 : 8;
    const auto payload = job::bytes_of(bytes, static_cast<std::size_t>(2 * round + world.rank()));
    std::vector<std::byte> into(bytes);
    auto in = world.irecv_into(std::span{into}, other, word);
    auto out = world.isend(std::span<const std::byte>{payload}, other, word);
    const timespec pause{0, static_cast<long>(random.below(3'000'000))};
    nanosleep(&pause, nullptr);
    out.wait();
    in.wait();
    job::check(job::holds(into, static_cast<std::size_t>(2 * round + other)),
               "a message of a round");
  }
  world.barrier();
  job::equal(peal::counters(world)["wait.missed"], 0U, "wake-ups lost");
}

}  // namespace

int main(int argc, char** argv) {
  const bool threaded = argc > 1 && std::string{argv[1]} == "threads";
  return job::run_parts(
      argc, argv,
      {{"threads", [](const communicator&) {}},
       {"rendezvous", rendezvous},
       {"apart", apart},
       {"late", late},
       {"sums", sums},
       {"continuations", continuations},
       {"in_turn", in_turn}},
      {.threads = threaded ? peal::thread_level::multiple : peal::thread_level::single});
}
