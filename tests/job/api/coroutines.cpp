// Coroutines that return a request: their values and errors, whatever takes requests, and their end
// when nobody wants them any more.
#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../support.hpp"

using namespace std::literals;
using peal::communicator;
using peal::request;
using peal::tag;

namespace {

/// How many coroutines there are: each holds one.
std::atomic<int> living{0};
struct alive {
  alive() { ++living; }
  alive(const alive&) = delete;
  alive& operator=(const alive&) = delete;
  ~alive() { --living; }
};

request<int> twice(const communicator& world, int from, tag about) {
  const alive here;
  co_return 2 * co_await world.irecv<int>(from, about);
}
request<std::string> two_words(const communicator& world, int from) {
  const alive here;
  const auto first = co_await world.irecv<std::string>(from, tag{1});
  auto [second, status] = co_await world.irecv<std::string>(from, tag{2}).with_status();
  job::equal(status.source, from, "the status of an awaited message");
  co_return first + " " + second;
}
request<> pass_on(const communicator& world, int from, int to, int times) {
  const alive here;
  for (int i = 0; i < times; ++i) {
    const int value = co_await twice(world, from, tag{3});
    co_await world.isend(value + 1, to, tag{4});
  }
}
request<int> at_once() { co_return 5; }
request<int> throws_first(const communicator& world) {
  const alive here;
  if (world.size() > 0) throw std::runtime_error{"before it waited"};
  co_return co_await world.irecv<int>();
}
request<> throws_later(const communicator& world, int from) {
  const alive here;
  (void)co_await world.irecv<int>(from);
  throw std::runtime_error{"after it waited"};
}

void values(const communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  job::equal(at_once().wait(), 5, "one that never waits");
  auto number = twice(world, left, tag{1});
  job::check(!number.ready() && !number.test(), "it waits");
  world.barrier();
  world.send(21, right, tag{1});
  job::equal(number.wait(), 42, "a value");
  job::check(!number.valid(), "empty after its end");

  auto words = two_words(world, left);
  world.send("second"s, right, tag{2});
  world.send("first"s, right, tag{1});
  job::equal(words.wait(), "first second"s, "a text");

  auto loop = pass_on(world, left, right, 100);
  for (int i = 0; i < 100; ++i) {
    world.send(i, right, tag{3});
    job::equal(world.recv<int>(left, tag{4}), 2 * i + 1, "a coroutine in a coroutine");
  }
  loop.wait();
  job::equal(living.load(), 0, "all have gone at their end");
}

void errors(const communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  const auto told = [](auto&& coroutine, const std::string& what) {
    try {
      coroutine.wait();
      job::fail("the exception is lost");
    } catch (const std::runtime_error& e) {
      job::equal(std::string{e.what()}, what, "what it threw");
    }
  };
  told(throws_first(world), "before it waited");
  auto later = throws_later(world, left);
  world.send(1, right);
  told(later, "after it waited");
  // What ends a message with an error is thrown inside, and comes out as a code.
  auto decodes = twice(world, left, tag{1});
  world.send("abc"s, right, tag{1});
  std::error_code code;
  (void)decodes.wait(code);
  job::check(code == peal::errc::decode_failed, "wait(error)");
  auto cancelled = twice(world, left, tag{1});
  job::check(cancelled.cancel(), "the receive that it waits for");
  job::throws(peal::errc::cancelled, [&] { cancelled.wait(); });
  job::check(!at_once().cancel(), "nothing to cancel");
  job::equal(living.load(), 0, "all have gone at their end");
}

void composed(const communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  auto follows = world.irecv<int>(left, tag{5}).then([&](int about) {
    return twice(world, left, tag{about});
  });
  auto both = peal::when_all(twice(world, left, tag{7}), two_words(world, left));
  auto any = peal::when_any(twice(world, left, tag{8}), twice(world, left, tag{9}));
  peal::completion_queue queue;
  int sum = 0;
  queue.add(twice(world, left, tag{10}), [&](int value) { sum += value; });
  queue.add(pass_on(world, left, right, 1), [&] { ++sum; });
  for (const int about : {10, 9, 7, 6}) world.send(about, right, tag{about});
  for (const int about : {2, 1}) world.send("word"s, right, tag{about});
  world.send(1, right, tag{3});
  world.send(6, right, tag{5});
  job::equal(follows.wait(), 12, "a continuation that is a coroutine");
  job::check(both.wait() == std::tuple{14, "word word"s}, "when_all");
  auto [index, requests] = any.wait();
  job::check(index == std::optional{std::size_t{1}} && std::get<1>(requests).wait() == 18,
             "when_any");
  while (!queue.empty()) queue.wait();
  job::equal(sum, 21, "in a queue");
  job::equal(world.recv<int>(left, tag{4}), 3, "what it passed on");
  requests = {};
  job::equal(living.load(), 0, "the one that nobody waits for has gone");
}

// Dropped where they wait: their receives are withdrawn, and the messages are for others.
void dropped(const communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  for (int turn = 0; turn < 10; ++turn) {
    {
      const auto first = twice(world, left, tag{1});
      const auto nested = pass_on(world, left, right, 3);
      const auto follower = twice(world, left, tag{1}).then([](int value) { return value; });
      job::equal(living.load(), 4, "all wait");
    }
    job::equal(living.load(), 0, "none is left");
    world.barrier();
    world.send(1, right, tag{1});
    world.send(2, right, tag{3});
    job::equal(world.recv<int>(left, tag{1}) + world.recv<int>(left, tag{3}), 3,
               "messages that nobody waited for");
  }
  // By itself, while it runs.
  std::optional<request<>> own;
  const auto drops_itself = [](const communicator& over, int from,
                               std::optional<request<>>& mine) -> request<> {
    const alive here;
    (void)co_await over.irecv<int>(from, tag{1});
    mine.reset();
    (void)co_await over.irecv<int>(from, tag{2});
    job::fail("it goes on although nobody wants it");
  };
  own = drops_itself(world, left, own);
  world.barrier();
  world.send(1, right, tag{1});
  while (living != 0) (void)world.iprobe(left, tag{1});
  job::check(!own, "dropped by itself");
  world.barrier();  // nothing comes before it waits for that in vain
  world.send(4, right, tag{2});
  job::equal(world.recv<int>(left, tag{2}), 4, "the message is for others");
}

// Dropped in one thread while another makes the progress that resumes them, at all moments.
void dropped_in_threads(const communicator& world) {
  const communicator own = std::move(*world.split(world.rank()));
  const communicator other = own.dup();
  constexpr int turns = 2000;
  const auto loop = [](const communicator& over) -> request<> {
    const alive here;
    for (;;) (void)co_await over.irecv<int>(0, tag{1});
  };
  std::atomic<bool> over{false};
  std::thread resumes{[&] {
    while (!over) {
      if (!own.iprobe(0, tag{1})) own.send(1, 0, tag{1});
      (void)other.iprobe(0);
    }
  }};
  job::random stream{static_cast<std::uint64_t>(world.rank()) + 1};
  for (int turn = 0; turn < turns; ++turn) {
    const auto wanted = loop(own);
    for (std::size_t looks = stream.below(20); looks != 0; --looks) (void)other.iprobe(0);
  }
  over = true;
  resumes.join();
  // One that ran while it was dropped goes when it waits the next time, which it has by now.
  job::equal(living.load(), 0, "none is left");
  while (own.iprobe(0, tag{1})) (void)own.recv<int>(0, tag{1});
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {{"values", values},
                         {"errors", errors},
                         {"composed", composed},
                         {"dropped", dropped},
                         {"dropped_in_threads", dropped_in_threads}},
                        {.threads = peal::thread_level::multiple});
}
