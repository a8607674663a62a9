// What a round of the soak does besides random traffic and random collectives: the calls that these
// do not make. Every rank draws the same numbers, and everything is checked.
#pragma once

#include <thread>

#include "../job/exchange.hpp"
#include "../job/random/scene.hpp"
#include "../job/task.hpp"

namespace soak {

using peal::communicator;
using peal::tag;
using bytes = std::vector<std::byte>;

inline int right_of(const communicator& in) { return (in.rank() + 1) % in.size(); }
inline int left_of(const communicator& in) { return (in.rank() + in.size() - 1) % in.size(); }
inline std::uint64_t key_of(std::uint64_t key, int rank) {
  return key + static_cast<std::uint64_t>(rank) * 0x9e3779b97f4a7c15U;
}

/// Synchronous sends around the ring, owned and lent, found by a probe or received at once.
inline void synchronous(const communicator& in, job::random& r) {
  const int right = right_of(in), left = left_of(in);
  for (int i = 0; i < 10; ++i) {
    const std::size_t length = traffic::random_size(r);
    const std::uint64_t key = r.next();
    const auto sort = r.below(3);
    const auto mine = job::bytes_of(length, key_of(key, in.rank()));
    peal::request<bytes> owned;
    peal::request<> lent;
    if (sort == 0) owned = in.issend(bytes{mine}, right, tag{i});
    else if (sort == 1) lent = in.issend(mine, right, tag{i});
    else if (in.rank() % 2 == 1 || in.size() == 1)
      lent = in.isend(mine, right, tag{i});  // somebody on the ring does not block
    else in.ssend(mine, right, tag{i});
    bytes got;
    if (r.one_in(2)) {
      auto found = in.mprobe(left, tag{i});
      job::equal(found.status().bytes, length, "the length that a probe tells");
      got = std::move(found).recv<bytes>();
    } else {
      got = in.recv<bytes>(left, tag{i});
    }
    job::check(got.size() == length && job::holds(got, key_of(key, left)), "a synchronous message");
    if (owned.valid()) job::check(owned.wait() == mine, "a buffer that comes back");
    if (lent.valid()) lent.wait();
  }
}

/// Receives that are cancelled or dropped take no message; a send is cancelled, or arrives.
inline void cancelled(const communicator& in, job::random& r) {
  const int right = right_of(in), left = left_of(in);
  const std::size_t length = traffic::random_size(r);
  const std::uint64_t key = r.next();
  auto never = in.irecv<bytes>(left, tag{1});
  job::check(never.cancel(), "a receive without a message can be cancelled");
  std::error_code code;
  (void)never.wait(code);
  job::check(code == peal::errc::cancelled,
             "what a cancelled receive ends with: " + code.message());
  (void)in.irecv<bytes>(left, tag{1});
  in.barrier();
  auto first = in.issend(job::bytes_of(length, key_of(key, in.rank())), right, tag{1});
  const bool withdrawn = first.cancel();
  in.send(withdrawn, right, tag{2});
  if (!in.recv<bool>(left, tag{2})) {
    const auto got = in.recv<bytes>(left, tag{1});
    job::check(got.size() == length && job::holds(got, key_of(key, left)),
               "a message that could not be cancelled");
  }
  first.wait(code);
  job::check(withdrawn == (code == peal::errc::cancelled),
             "a cancelled send ends with: " + code.message());
  in.barrier();
  job::check(!in.improbe(left, tag{1}), "a cancelled message has come");
}

inline job::task adds(const communicator& in, int from, int count, std::size_t& sum) {
  for (int i = 0; i < count; ++i) sum += (co_await in.irecv<std::string>(from, tag{3})).size();
  co_await in.ibarrier();
}

/// Continuations of receives, some of them dropped, and a coroutine that receives text.
inline void followed(const communicator& in, job::random& r) {
  const int right = right_of(in), left = left_of(in), count = 1 + static_cast<int>(r.below(20));
  const std::uint64_t key = r.next();
  int good = 0;
  std::size_t letters = 0, expected = 0;
  std::vector<peal::request<>> all;
  std::vector<std::size_t> lengths;
  for (int i = 0; i < count; ++i) {
    lengths.push_back(r.below(3000));
    all.push_back(in.irecv<bytes>(left, tag{10 + i})
                      .then([&good, from = key_of(key, left)](const bytes& got) {
                        good += job::holds(got, from);
                      }));
  }
  (void)in.irecv<int>(left, tag{4}).then([](int) {
    job::fail("a continuation that was dropped runs");
  });
  const auto running = adds(in, left, count, letters);
  for (int i = 0; i < count; ++i) {
    in.send(job::bytes_of(lengths[static_cast<std::size_t>(i)], key_of(key, in.rank())), right,
            tag{10 + i});
    in.send(std::string(lengths[static_cast<std::size_t>(i)], 'x'), right, tag{3});
    expected += lengths[static_cast<std::size_t>(i)];
  }
  for (auto& each : all) each.wait();
  while (!running.done()) peal::detail::progress();
  if (running.thrown()) std::rethrow_exception(running.thrown());
  job::equal(good, count, "continuations that were given the right message");
  job::equal(letters, expected, "letters that the coroutine was given");
}

/// Plans made, started some times, or never, beside each other.
inline void planned(const communicator& in, job::random& r) {
  const auto ranks = static_cast<std::size_t>(in.size()), me = static_cast<std::size_t>(in.rank());
  const std::size_t count = r.one_in(8) ? r.below(60'000) : r.below(500);
  const int root = static_cast<int>(r.below(ranks));
  std::vector<std::size_t> values(count), told(count), each(ranks), own(count);
  auto sums = in.allreduce_plan(values);
  auto bcast = in.bcast_plan(peal::in_place(told), root);
  auto swap = in.alltoall_plan(each);
  auto sums_in_place = in.allreduce_plan(peal::in_place(own));
  auto barrier = in.barrier_plan();
  const auto unused = in.gather_plan(values, root);
  for (std::size_t turn = 0, turns = r.below(6); turn < turns; ++turn) {
    for (std::size_t i = 0; i < count; ++i) values[i] = own[i] = me * i + turn;
    for (std::size_t i = 0; i < count; ++i) told[i] = in.rank() == root ? i ^ turn : 0;
    for (std::size_t to = 0; to < ranks; ++to) each[to] = me * 1000 + to + turn;
    auto summed = sums.start();
    auto filled = bcast.start();
    auto swapped = swap.start();
    auto in_place = sums_in_place.start();
    barrier.start().wait();
    in_place.wait();
    const auto from_all = swapped.wait();
    filled.wait();
    const auto sum = summed.wait();
    for (std::size_t i = 0; i < count; ++i) {
      job::check(told[i] == (i ^ turn), "a planned bcast");
      const std::size_t expected = ranks * (ranks - 1) / 2 * i + ranks * turn;
      job::check(sum[i] == expected && own[i] == expected, "a planned sum");
    }
    for (std::size_t from = 0; from < ranks; ++from)
      job::check(from_all[from] == from * 1000 + me + turn, "a planned alltoall");
  }
}

/// Random traffic in communicators of its own.
inline void exchanged(const communicator& in, job::random& r, std::size_t most) {
  const communicator turns[] = {in.dup(), in.dup()};
  const std::uint64_t seed = r.next() >> 8;
  for (int number = 0; number < 4; ++number)
    traffic::exchange{turns[number % 2], seed, number, most}.run();
}

inline void collected(const communicator& in, job::random& r,
                      std::span<const random_collectives::kind> kinds, std::size_t steps) {
  job::random shared{r.next()}, own{shared.next() + static_cast<std::uint64_t>(in.rank())};
  random_collectives::scene{in, shared, own, kinds, false}.run(steps);
}

/// Threads, each with a communicator of its own, do all of that beside each other.
inline void threaded(const communicator& in, job::random& r,
                     std::span<const random_collectives::kind> kinds) {
  struct worker {
    communicator own;
    job::random random;
  };
  std::vector<worker> workers;
  for (int i = 0; i < 4; ++i) workers.push_back({in.dup(), job::random{r.next()}});
  std::vector<std::thread> all;
  for (std::size_t number = 0; number < workers.size(); ++number)
    all.emplace_back([&mine = workers[number], number, kinds] {
      try {
        if (number % 2 == 0) exchanged(mine.own, mine.random, 20);
        else collected(mine.own, mine.random, kinds, 15);
        synchronous(mine.own, mine.random);
        followed(mine.own, mine.random);
        planned(mine.own, mine.random);
      } catch (const std::exception& e) {
        job::fail("thread " + std::to_string(number) + ": " + e.what());
      }
    });
  for (auto& each : all) each.join();
}

}  // namespace soak
