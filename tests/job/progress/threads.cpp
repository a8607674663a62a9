// threads [part ...]: several threads of each rank at once, in an environment that was asked for
// it.
#include <atomic>
#include <optional>
#include <thread>

#include "../support.hpp"

namespace {

using peal::communicator;
constexpr int count = 4;

// Runs `body(number)` in threads; an exception in one is a failure.
template <class Body>
void in_threads(Body body) {
  std::vector<std::thread> all;
  for (int number = 0; number < count; ++number)
    all.emplace_back([&body, number] {
      try {
        body(number);
      } catch (const std::exception& e) {
        job::fail("thread " + std::to_string(number) + ": " + e.what());
      }
    });
  for (auto& thread : all) thread.join();
}

std::size_t some_size(job::random& r) {
  return r.one_in(20) ? r.below(300'000) : r.one_in(4) ? r.below(10'000) : r.below(100);
}

// Thread k of each rank talks with thread k of all others, told apart by the tag.
void pairs(const communicator& world) {
  in_threads([&world](int number) {
    const peal::tag tag{number};
    job::random r{static_cast<std::uint64_t>(number) + 5};
    for (int i = 0; i < 150; ++i) {
      const int distance = static_cast<int>(r.below(static_cast<std::size_t>(world.size())));
      const int to = (world.rank() + distance) % world.size(),
                from = (world.rank() + world.size() - distance) % world.size();
      const std::size_t bytes = some_size(r);
      const auto key = static_cast<std::uint64_t>(number * 1000 + i) * 64;
      auto sent = world.isend(job::bytes_of(bytes, key + static_cast<std::uint64_t>(world.rank())),
                              to, tag);
      const auto got = world.recv<std::vector<std::byte>>(from, tag);
      job::check(got.size() == bytes && job::holds(got, key + static_cast<std::uint64_t>(from)),
                 "a message between threads");
      sent.wait();
    }
  });
}

// All threads take from anyone; each message is to be had once.
void wildcards(const communicator& world) {
  constexpr int each = 400;  // messages a thread sends
  std::atomic<std::uint64_t> sum{0};
  in_threads([&](int number) {
    std::vector<peal::request<std::vector<std::uint64_t>>> sends;
    for (int i = 0; i < each; ++i) {
      const int to = (world.rank() + i) % world.size();
      const std::uint64_t value =
          (static_cast<std::uint64_t>(world.rank()) * count + static_cast<std::uint64_t>(number)) *
              each +
          static_cast<std::uint64_t>(i) + 1;
      sends.push_back(world.isend(std::vector<std::uint64_t>(1, value), to, peal::tag{500}));
    }
    for (int i = 0; i < each; ++i)
      sum += world.recv<std::vector<std::uint64_t>>(peal::any_source, peal::tag{500}).at(0);
    for (auto& sent : sends) sent.wait();
  });
  // `each` is a multiple of few sizes: what a rank gets is as much as it sends only then.
  const auto all = static_cast<std::uint64_t>(world.size()) * count * each;
  job::equal(world.allreduce(sum.load()), all * (all + 1) / 2,
             "the sum of all messages taken by threads");
}

// Each thread has a communicator of its own and does collectives in it.
void collectives(const communicator& world) {
  std::vector<communicator> copies;
  for (int number = 0; number < count; ++number) copies.push_back(world.dup());
  in_threads([&](int number) {
    const auto& mine = copies[static_cast<std::size_t>(number)];
    for (int i = 0; i < 100; ++i) {
      job::equal(mine.allreduce(i + number), (i + number) * mine.size(), "a sum by threads");
      std::vector<int> values(static_cast<std::size_t>(i) * 40,
                              mine.rank() == i % mine.size() ? i : -1);
      mine.bcast(peal::in_place(values), i % mine.size());
      for (const int value : values) job::check(value == i, "a broadcast by threads");
      if (i % 10 == 0) mine.barrier();
    }
  });
}

// One thread waits for what another one of the same rank brings about.
void waiting(const communicator& world) {
  const int me = world.rank();
  std::thread waiter{[&] {
    job::equal(world.recv<std::string>(me, peal::tag{900}), std::string{"from the other thread"},
               "a message between threads of a rank");
  }};
  world.send(std::string{"from the other thread"}, me, peal::tag{900});
  waiter.join();
  auto request = world.irecv<int>(me, peal::tag{901});
  std::thread other{
      [&] { job::equal(request.wait(), 5, "a request waited for by another thread"); }};
  world.send(5, me, peal::tag{901});
  other.join();
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {job::part{"pairs", pairs}, job::part{"wildcards", wildcards},
                         job::part{"collectives", collectives}, job::part{"waiting", waiting}},
                        {.threads = peal::thread_level::multiple});
}
