// left HOW [threads]: the last rank returns from main, or another one leaves the job, while others
// wait for it. Each HOW is what those wait in, or what they may still do.
#include <pmix.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>

#include "../support.hpp"

namespace {

using peal::communicator;
using peal::errc;
constexpr peal::tag data{1}, word{2};
constexpr std::size_t large = 3'000'000;

/// Longer than a rank waits before it asks, so that whoever is asked meanwhile has to say that it
/// will come.
constexpr std::chrono::milliseconds long_time{3500};

int last_of(const communicator& world) { return world.size() - 1; }
bool is_last(const communicator& world) { return world.rank() == last_of(world); }

void in_barrier(const communicator& world) {
  if (is_last(world)) return;
  (void)job::throws(errc::peer_failed, [&] { world.barrier(); });
  (void)job::throws(errc::peer_failed, [&] { world.barrier(); });
}

void in_receive(const communicator& world) {
  if (is_last(world)) return;
  const auto thrown =
      job::throws(errc::peer_failed, [&] { (void)world.recv<int>(last_of(world), data); });
  job::equal(thrown.peer(), last_of(world), "who is gone");
  (void)job::throws(errc::peer_failed, [&] { (void)world.recv<int>(last_of(world), word); });
  // The others are there still.
  for (int to = 0; to < last_of(world); ++to) world.send(world.rank(), to, data);
  for (int from = 0; from < last_of(world); ++from)
    job::equal(world.recv<int>(from, data), from, "a message of one who stays");
}

void in_probe(const communicator& world) {
  if (is_last(world)) {
    for (int to = 0; to < last_of(world); ++to) world.send(to, to, word);
    return;
  }
  (void)job::throws(errc::peer_failed, [&] { (void)world.mprobe(last_of(world), data); });
  auto came = world.mprobe(last_of(world), word);
  job::equal(std::move(came).recv<int>(), world.rank(), "what came before");
  (void)job::throws(errc::peer_failed, [&] {
    while (!world.improbe(last_of(world), word)) {
    }
  });
}

// Of two ranks: there is nobody else who may send.
void in_receive_from_any(const communicator& world) {
  if (is_last(world)) return;
  (void)job::throws(errc::peer_failed, [&] { (void)world.recv<int>(peal::any_source, data); });
}

void in_send(const communicator& world) {
  if (is_last(world)) return;
  const auto lent = job::bytes_of(large, 1);
  (void)job::throws(errc::peer_failed, [&] { world.send(lent, last_of(world), data); });
}

void in_long_allreduce(const communicator& world) {
  if (is_last(world)) return;
  (void)job::throws(errc::peer_failed,
                    [&] { (void)world.allreduce(std::vector<int>(100'000, world.rank())); });
}

// All but one are at their end.
void one_alone(const communicator& world) {
  if (world.rank() != 0) return;
  auto sum = world.iallreduce(1);
  (void)job::throws(errc::peer_failed, [&] { (void)sum.wait(); });
}

// A communicator that has lost nobody goes on.
void beside_others(const communicator& world) {
  const auto some = world.split(is_last(world) ? 1 : 0);
  if (is_last(world)) return;
  (void)job::throws(errc::peer_failed, [&] { world.barrier(); });
  job::equal(some->allreduce(1), some->size(), "a sum of those who stay");
}

// What it sent before it left arrives, however late it is asked for; and whoever takes its time is
// not taken for gone.
void last_words(const communicator& world) {
  if (is_last(world)) {
    for (int to = 0; to < last_of(world); ++to) {
      world.send(to, to, word);
      (void)world.isend(job::bytes_of(large, static_cast<std::size_t>(to)), to, data);
    }
    return;
  }
  auto never = world.irecv<int>(last_of(world), peal::tag{3});
  if (world.rank() != 0) (void)world.recv<int>(0, word);
  else std::this_thread::sleep_for(long_time);
  for (int to = 1; world.rank() == 0 && to < last_of(world); ++to) world.send(0, to, word);
  job::check(job::holds(world.recv<std::vector<std::byte>>(last_of(world), data),
                        static_cast<std::size_t>(world.rank())),
             "a late payload");
  job::equal(world.recv<int>(last_of(world), word), world.rank(), "a late message");
  (void)job::throws(errc::peer_failed, [&] { (void)never.wait(); });
}

// A collective in which a rank has done its part concerns those who are still in it only.
void part_done(const communicator& world) {
  auto sum = std::vector<int>(100'000);
  std::iota(sum.begin(), sum.end(), 7);
  const auto expected = sum;
  if (world.rank() == 0) std::this_thread::sleep_for(long_time);
  world.bcast(peal::in_place(sum), last_of(world));
  job::check(sum == expected, "a bcast of one who has left");
}

// A continuation answers although its rank is at its end.
void answers_at_the_end(const communicator& world) {
  if (is_last(world)) {
    static std::vector<peal::request<>> kept;  // dropped receives would be withdrawn
    for (int from = 0; from < last_of(world); ++from)
      kept.push_back(world.irecv<int>(from, data).then([&world, from](int asked) {
        world.send(asked + 1, from, word);
      }));
    return;
  }
  auto answer = world.irecv<int>(last_of(world), word);
  std::this_thread::sleep_for(long_time);
  (void)answer.test();
  std::this_thread::sleep_for(long_time);
  world.send(world.rank(), last_of(world), data);
  job::equal(answer.wait(), world.rank() + 1, "the answer of a continuation");
}

// One rank dies, another hears of it and leaves; the others hear nothing, as under a launcher that
// does not tell.
void without_news(const communicator& world) {
  const int dead = last_of(world);
  if (world.rank() != 0 && world.rank() != dead)
    for (std::size_t handler = 0; handler < 64; ++handler)
      PMIx_Deregister_event_handler(handler, nullptr, nullptr);
  world.barrier();
  if (world.rank() == dead) kill(getpid(), SIGKILL);
  if (world.rank() == 0) {
    (void)job::throws(errc::peer_failed, [&] { (void)world.recv<int>(dead, data); });
    return;
  }
  (void)job::throws(errc::peer_failed, [&] { (void)world.recv<int>(0, data); });
}

// The same for those who are at their end already.
void without_news_at_the_end(const communicator& world) {
  if (world.rank() == 0 || world.rank() == last_of(world)) return without_news(world);
  for (std::size_t handler = 0; handler < 64; ++handler)
    PMIx_Deregister_event_handler(handler, nullptr, nullptr);
  world.barrier();
}

// The last rank is on another node, and the link to it is cut: the first rank and it lose each
// other and leave, while the others, who talk to neither of them over the link, wait for the first
// one. The launcher tells nobody.
void one_behind_a_cut(const communicator& world) {
  const int far = last_of(world), other = world.rank() == 0 ? far : 0;
  if (world.rank() != 0 && world.rank() != far) {
    (void)job::throws(errc::peer_failed, [&] { (void)world.recv<int>(0, data); });
    return;
  }
  auto sent = world.isend(job::bytes_of(large, 1), other, data);
  job::check(job::holds(world.recv<std::vector<std::byte>>(other, data), 1),
             "a message before the cut");
  sent.wait();
  if (world.rank() == 0) job::equal(std::system("lab-link cut"), 0, "lab-link cut");
  (void)job::throws(errc::peer_failed, [&] { (void)world.recv<int>(other, data); });
  // the launcher needs it too
  if (world.rank() == 0) job::equal(std::system("lab-link heal"), 0, "lab-link heal");
}

constexpr std::pair<const char*, void (*)(const communicator&)> ways[] = {
    {"barrier", in_barrier},
    {"receive", in_receive},
    {"probe", in_probe},
    {"receive_from_any", in_receive_from_any},
    {"send", in_send},
    {"long_allreduce", in_long_allreduce},
    {"one_alone", one_alone},
    {"beside_others", beside_others},
    {"last_words", last_words},
    {"part_done", part_done},
    {"answers_at_the_end", answers_at_the_end},
    {"without_news", without_news},
    {"one_behind_a_cut", one_behind_a_cut},
    {"without_news_at_the_end", without_news_at_the_end},
};

}  // namespace

int main(int argc, char** argv) {
  const bool threads = argc > 2 && std::string{argv[2]} == "threads";
  peal::environment env{
      argc, argv, {threads ? peal::thread_level::multiple : peal::thread_level::single}};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  const std::string how = argc > 1 ? argv[1] : "barrier";
  for (const auto& [name, way] : ways)
    if (how == name) {
      way(world);
      return 0;
    }
  job::fail("unknown: " + how);
}
