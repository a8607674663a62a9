// named_tags PART...: communicators that renounce any_tag: threads with different tags exchange
// what they exchange elsewhere, and what would need any_tag is refused.
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../support.hpp"

using peal::communicator;
using peal::no_any_tag;
using peal::tag;

namespace {

constexpr int threads_a_rank = 4, rounds = 50;

template <class F>
void in_threads(const F& run) {
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads_a_rank; ++thread)
    all.emplace_back([&run, thread] {
      try {
        run(thread);
      } catch (const std::exception& e) {
        job::fail(std::string{"a thread: "} + e.what());
      }
    });
  for (std::thread& each : all) each.join();
}

/// Short and long messages, in order for each tag.
void traffic(const communicator& world) {
  const communicator named = world.dup(no_any_tag);
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();
  in_threads([&](int thread) {
    for (int round = 0; round < rounds; ++round) {
      const std::size_t length = round % 10 == 9 ? 100'000 : static_cast<std::size_t>(round) + 1;
      const std::vector<int> mine(length, 1000 * thread + round);
      auto sent = named.isend(mine, right, tag{thread});
      const auto came = named.recv<std::vector<int>>(left, tag{thread});
      sent.wait();
      if (came != mine) job::fail("thread " + std::to_string(thread) + " got another's message");
    }
  });
}

/// With all tags of one rank in one thread: from any source, by probes, by plans, synchronous.
void ways(const communicator& world) {
  const communicator named = world.dup(no_any_tag);
  constexpr int tags = 20;
  std::vector<peal::request<>> sent;
  std::vector<int> values(tags);
  std::iota(values.begin(), values.end(), 100 * world.rank());
  for (int each = 0; each < tags; ++each)
    sent.push_back(named.isend(values[static_cast<std::size_t>(each)], 0, tag{each}));
  if (world.rank() == 0)
    for (int each = tags - 1; each >= 0; --each)
      for (int rank = 0; rank < world.size(); ++rank) {
        peal::status of = named.probe(peal::any_source, tag{each});
        job::equal(of.tag.value(), each, "the tag of a probe");
        if (rank % 2 == 0) {
          job::equal(named.recv<int>(of.source, tag{each}), 100 * of.source + each, "a value");
        } else {
          auto taken = named.mprobe(peal::any_source, tag{each});
          const int source = taken.status().source;
          job::equal(std::move(taken).recv<int>(), 100 * source + each, "a value that was taken");
        }
      }
  for (auto& each : sent) each.wait();
  auto synchronous = named.issend(world.rank(), world.rank(), tag{7});
  job::check(!named.iprobe(world.rank(), tag{8}), "no message with that tag");
  job::equal(named.recv<int>(world.rank(), tag{7}), world.rank(), "a synchronous message");
  synchronous.wait();
  int given = 5, got = 0;
  auto send_plan = named.send_plan(given, world.rank(), tag{9});
  auto recv_plan = named.recv_plan(got, world.rank(), tag{9});
  for (int round = 0; round < 3; ++round, ++given) {
    auto receives = recv_plan.start();
    send_plan.start().wait();
    receives.wait();
    job::equal(got, given, "a message by plans");
  }
  job::equal(named.allreduce(1), world.size(), "its collectives are those of any communicator");
}

void refused(const communicator& world) {
  const communicator named = world.dup(no_any_tag);
  const auto refuses = [](const char* what, auto call) {
    const auto error = job::throws(peal::errc::invalid_tag, call);
    job::check(std::string{error.what()}.find("no_any_tag") != std::string::npos, what);
  };
  int into = 0;
  std::vector<int> longer;
  refuses("recv", [&] { (void)named.recv<int>(); });
  refuses("recv_into", [&] { (void)named.recv_into(into, 0); });
  refuses("recv_into, grow", [&] { (void)named.recv_into(peal::grow(longer), 0); });
  refuses("irecv", [&] { (void)named.irecv<int>(0); });
  refuses("irecv_into", [&] { (void)named.irecv_into(peal::grow(longer)); });
  refuses("probe", [&] { (void)named.probe(); });
  refuses("iprobe", [&] { (void)named.iprobe(); });
  refuses("mprobe", [&] { (void)named.mprobe(); });
  refuses("improbe", [&] { (void)named.improbe(); });
  refuses("recv_plan", [&] { (void)named.recv_plan(into, 0, peal::any_tag); });
  const communicator plain = named.dup();
  auto sent = plain.isend(3, world.rank(), tag{4});
  job::equal(plain.recv<int>(), 3, "a dup of it is an ordinary one");
  sent.wait();
}

/// All ranks, or none.
void mixed(const communicator& world) {
  if (world.size() == 1) return;
  const bool first = world.rank() == 0;
  (void)job::throws(peal::errc::invalid_argument, [&] {
    if (first) (void)world.dup(no_any_tag);
    else (void)world.dup();
  });
  job::equal(world.allreduce(1), world.size(), "the ranks are in step");
  if (first) (void)world.dup();
  else (void)job::throws(peal::errc::invalid_argument, [&] { (void)world.dup(no_any_tag); });
  job::equal(world.allreduce(1), world.size(), "the ranks are in step");
}

/// Communicators come and go; a request outlives its one.
void released(const communicator& world) {
  for (int round = 0; round < 50; ++round) {
    auto named = std::make_optional(world.dup(no_any_tag));
    auto waits = named->irecv<int>(world.rank(), tag{round});
    auto sent = named->isend(round, world.rank(), tag{round});
    named.reset();
    sent.wait();
    job::equal(waits.wait(), round, "a message of a communicator that is gone");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool alone = argc > 1 && std::string{argv[1]} == "one_thread";
  if (alone) {
    --argc;
    ++argv;
  }
  return job::run_parts(
      argc, argv,
      {{"traffic", traffic},
       {"ways", ways},
       {"refused", refused},
       {"mixed", mixed},
       {"released", released}},
      {.threads = alone ? peal::thread_level::single : peal::thread_level::multiple});
}
