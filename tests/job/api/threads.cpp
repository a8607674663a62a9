// Several threads of every rank at the same time: each has its own communicator, all share the
// world.
#include <atomic>
#include <barrier>
#include <string>
#include <thread>
#include <vector>

#include "../support.hpp"

using peal::tag;

namespace {

constexpr int threads = 4;

template <class F>
void in_threads(const F& run) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&run, i] {
      try {
        run(i);
      } catch (const std::exception& e) {
        job::fail("thread " + std::to_string(i) + ": " + e.what());
      }
    });
  for (auto& each : all) each.join();
}

void messages(const peal::communicator& world) {
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();
  const int rounds = job::sanitized() ? 50 : 300;
  in_threads([&](int thread) {
    for (int i = 0; i < rounds; ++i) {
      const auto length = static_cast<std::size_t>(i % 5 == 0 ? 30'000 : i % 50);
      auto sent = world.isend(std::vector<int>(length, i), right, tag{thread});
      const auto got = world.recv<std::vector<int>>(left, tag{thread});
      job::check(got == std::vector<int>(length, i), "a message of a thread");
      sent.wait();
    }
  });
}

void collectives(const peal::communicator& world) {
  std::vector<peal::communicator> own;
  for (int i = 0; i < threads; ++i) own.push_back(world.dup());
  const int rounds = job::sanitized() ? 20 : 100;
  in_threads([&](int thread) {
    const auto& mine = own[static_cast<std::size_t>(thread)];
    for (int i = 0; i < rounds; ++i) {
      job::equal(mine.allreduce(i + thread), (i + thread) * world.size(), "a sum of a thread");
      auto text = mine.ibcast(std::to_string(i), i % world.size());
      mine.barrier();
      job::equal(text.wait(), std::to_string(i), "a text of a thread");
      if (i % 10 == 0) job::equal(mine.dup().size(), world.size(), "a copy made by a thread");
    }
  });
}

/// Communicators that threads make at the same moment are different ones: what one thread sends
/// does not reach another.
void copies(const peal::communicator& world) {
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();
  std::vector<peal::communicator> own;
  for (int i = 0; i < threads; ++i) own.push_back(world.dup());
  const int rounds = job::sanitized() ? 50 : 500;
  std::barrier together{threads};
  in_threads([&](int thread) {
    for (int i = 0; i < rounds; ++i) {
      together.arrive_and_wait();
      const auto copy = own[static_cast<std::size_t>(thread)].dup();
      auto sent = copy.isend(1000 * thread + i, right);
      job::equal(copy.recv<int>(left), 1000 * thread + i, "a message over a thread's own copy");
      sent.wait();
    }
  });
}

void continuations(const peal::communicator& world) {
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();
  std::atomic<int> ran{0};
  const int rounds = job::sanitized() ? 50 : 300;
  in_threads([&](int thread) {
    for (int i = 0; i < rounds; ++i) {
      auto following = world.irecv<int>(left, tag{thread}).then([&](int value) {
        ++ran;
        return value + 1;
      });
      world.send(i, right, tag{thread});
      job::equal(following.wait(), i + 1, "a continuation in a thread");
    }
  });
  job::equal(ran.load(), rounds * threads, "each ran once");
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {{"messages", messages},
                         {"collectives", collectives},
                         {"copies", copies},
                         {"continuations", continuations}},
                        {.threads = peal::thread_level::multiple});
}
