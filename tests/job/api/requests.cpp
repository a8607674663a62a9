// Requests: waiting in all its forms, continuations and coroutines, cancelling, dropping.
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../support.hpp"
#include "../task.hpp"

using namespace std::literals;
using job::task;
using peal::tag;

namespace {

void waiting(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  auto coming = world.irecv<int>(left);
  job::check(!coming.ready() && !coming.test() && coming.valid(), "nothing has come yet");
  job::check(!coming.wait_for(2ms), "wait_for ends without a message");
  world.barrier();
  world.send(world.rank(), right);
  job::check(coming.wait_for(60s) && coming.ready(), "wait_for ends with the message");
  const auto done = coming.test();
  job::check(done && done->value == left && done->status.source == left &&
                 done->status.bytes == sizeof(int),
             "test gives value and status");
  job::check(!coming.valid(), "a request is empty after its end");
  job::throws(peal::errc::invalid_argument, [&] { coming.wait(); });

  auto sent = world.isend(std::vector{1, 2, 3}, right);
  auto into = world.irecv<std::vector<int>>(left);
  auto moved = std::move(into);
  job::check(!into.valid() && moved.wait().size() == 3 && sent.wait().size() == 3,
             "moved requests");
}

void several(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  constexpr int count = 50;
  std::vector<peal::request<int>> coming;
  for (int i = 0; i < count; ++i) coming.push_back(world.irecv<int>(left, tag{i}));
  std::vector<peal::request<>> sent;
  std::vector<int> values(count);
  for (int i = count - 1; i >= 0; --i) {
    values[static_cast<std::size_t>(i)] = i * 10;
    sent.push_back(world.isend(values[static_cast<std::size_t>(i)], right, tag{i}));
  }
  const std::vector<int> got = peal::wait_all(coming);
  peal::wait_all(sent);
  for (int i = 0; i < count; ++i) job::equal(got[static_cast<std::size_t>(i)], i * 10, "wait_all");

  for (int i = 0; i < count; ++i)
    coming[static_cast<std::size_t>(i)] = world.irecv<int>(left, tag{i});
  world.barrier();
  for (int i = 0; i < count; ++i) world.send(i, right, tag{i});
  int sum = 0, ended = 0;
  while (const auto index = peal::wait_any(coming)) {
    sum += coming[*index].wait();
    ++ended;
  }
  job::equal(ended, count, "wait_any comes to an end");
  job::equal(sum, count * (count - 1) / 2, "wait_any");

  for (int i = 0; i < count; ++i)
    coming[static_cast<std::size_t>(i)] = world.irecv<int>(left, tag{i});
  for (int i = 0; i < count; ++i) world.send(1, right, tag{i});
  ended = 0;
  for (auto some = peal::wait_some(coming); !some.empty(); some = peal::wait_some(coming))
    for (const std::size_t index : some) ended += coming[index].wait();
  job::equal(ended, count, "wait_some");
}

// Requests of different types, with and without a limit of time, and temporaries.
void of_many_types(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  auto number = world.irecv<int>(left, tag{1});
  auto text = world.irecv<std::string>(left, tag{2});
  auto nothing = world.isend(1.5, peal::proc_null);
  nothing.wait();
  std::vector<peal::request<int>> later;
  later.push_back(world.irecv<int>(left, tag{3}));
  job::check(!peal::wait_any_for(1ms, number, text) && !peal::wait_any_for(1ms, later),
             "nothing has come yet");
  job::check(!peal::test_all(number, text) && !peal::test_all(later), "nothing has ended yet");
  world.barrier();
  world.send("second"s, right, tag{2});
  job::check(peal::wait_any(number, nothing, text) == std::optional{std::size_t{2}},
             "wait_any of several types");
  job::check(text.wait() == "second" && !text.valid(), "the one that ended");
  world.barrier();  // nobody sends the others before all have looked
  world.send(7, right, tag{1});
  world.send(8, right, tag{3});
  job::check(peal::wait_any_for(60s, number, text) == std::optional{std::size_t{0}},
             "wait_any_for of several types");
  job::check(peal::wait_any_for(60s, later) == std::optional{std::size_t{0}},
             "wait_any_for of a range");
  job::check(peal::test_all(number, text) && peal::test_all(later), "test_all");
  job::equal(number.wait() + later.front().wait(), 15, "what came");
  job::check(!peal::wait_any(number, text) && peal::test_all(number, text),
             "of empty ones there is none to wait for");
  const auto [got, sent] =
      peal::wait_all(world.irecv<int>(left, tag{4}), world.isend(std::vector{9}, right, tag{4}));
  job::check(got == 9 && sent == std::vector{9}, "wait_all of temporaries");
}

void joined(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  auto all = peal::when_all(world.irecv<int>(left, tag{1}), world.irecv<std::string>(left, tag{2}),
                            world.ibarrier());
  world.send("two"s, right, tag{2});
  world.send(1, right, tag{1});
  const auto [one, two, none] = all.wait();
  job::check(one == 1 && two == "two", "when_all of different types");

  std::vector<peal::request<int>> coming;
  for (int i = 0; i < 10; ++i) coming.push_back(world.irecv<int>(left, tag{i}));
  int sum = 0;
  auto total = peal::when_all(std::move(coming)).then([&](const std::vector<int>& values) {
    for (const int each : values) sum += each;
    return values.size();
  });
  for (int i = 0; i < 10; ++i) world.send(i, right, tag{i});
  job::equal(total.wait(), std::size_t{10}, "a continuation of when_all");
  job::equal(sum, 45, "when_all of a vector");
  peal::when_all(std::vector<peal::request<>>{}).wait();
}

void continuations(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  std::vector<std::string> order;
  auto chain = world.irecv<int>(left)
                   .then([&](int value) {
                     order.push_back("first");
                     return value * 2.5;
                   })
                   .then([&](double value) {
                     order.push_back("second");
                     return std::to_string(value);
                   });
  job::check(order.empty(), "nothing runs before the message");
  world.barrier();
  world.send(2, right);
  job::equal(chain.wait(), std::to_string(5.0), "the value of a chain");
  job::check(order == std::vector{"first"s, "second"s}, "in order");

  bool ran = false;
  auto finished = world.isend(1, peal::proc_null).then([&](int) { ran = true; });
  job::check(ran, "a continuation of what is over runs at once");
  finished.wait();

  // What it throws its request tells, and no other call, whose result would be lost.
  auto thrower = world.irecv<int>(left).then(
      [](int) -> int { throw std::runtime_error{"from a continuation"}; });
  world.send(1, right);
  try {
    thrower.wait();
    job::fail("the exception of a continuation is lost");
  } catch (const std::runtime_error& e) {
    job::equal(std::string{e.what()}, "from a continuation"s, "the exception of a continuation");
  }
  auto beside = world.irecv<int>(left, tag{1}).then([](int) -> int {
    throw std::runtime_error{"beside a receive"};
  });
  world.send(1, right, tag{1});
  world.send(7, right, tag{2});
  job::equal(world.recv<int>(left, tag{2}), 7, "a message that comes beside an exception");
  auto in_a_sum = world.irecv<int>(left, tag{1}).then([](int) -> int {
    throw std::runtime_error{"beside a sum"};
  });
  world.send(1, right, tag{1});
  job::equal(world.allreduce(2), 2 * world.size(), "a sum beside an exception");
  for (auto* each : {&beside, &in_a_sum}) {
    bool told = false;
    try {
      each->wait();
    } catch (const std::runtime_error&) {
      told = true;
    }
    job::check(told, "the request of a continuation tells what it threw");
  }

  // Where its request was dropped while it ran a later test throws it, and no call with a result of
  // its own.
  std::optional<peal::request<int>> dropping;
  dropping = world.irecv<int>(left, tag{1}).then([&](int) -> int {
    dropping.reset();
    throw std::runtime_error{"of a dropped request"};
  });
  world.barrier();  // it does not run before there is a request to be dropped
  world.send(1, right, tag{1});
  for (int i = 0; i < 100; ++i)
    job::equal(world.allreduce(2), 2 * world.size(), "a sum beside a dropped request");
  auto tested = world.irecv<int>(left, tag{4});
  for (bool told = false; !told;) {
    try {
      (void)tested.ready();
    } catch (const std::runtime_error&) {
      told = true;
    }
  }
  job::check(tested.cancel(), "nobody sends this");

  // Longer than clocks count.
  auto patient = world.irecv<int>(left, tag{3});
  world.send(4, right, tag{3});
  job::check(patient.wait_for(std::chrono::hours{400 * 365 * 24}),
             "a wait of 400 years does not end at once");
  job::equal(patient.wait(), 4, "what came within 400 years");
  auto never = world.irecv<int>(left, tag{4});
  job::check(!never.wait_for(std::chrono::hours{-400 * 365 * 24}),
             "a wait that was over 400 years ago ends");
  job::check(never.cancel(), "nobody sends this");

  // An error of the message goes to the end of the chain; no continuation runs.
  int small = 0;
  auto failing = world.irecv_into(small, left).then([](peal::status) {
    job::fail("runs in spite of an error");
  });
  world.send(std::vector<int>(5), right);
  job::throws(peal::errc::truncated, [&] { failing.wait(); });

  // A continuation may call peal.
  auto answering =
      world.irecv<int>(left, tag{1}).then([&](int value) { world.send(value + 1, left, tag{2}); });
  world.send(10, right, tag{1});
  job::equal(world.recv<int>(right, tag{2}), 11, "a message sent by a continuation");
  answering.wait();

  // Dropped before its message: it never runs.
  {
    auto dropped =
        world.irecv<int>(left, tag{77}).then([](int) { job::fail("runs though nobody waits"); });
  }
  world.barrier();
  world.send(5, right, tag{77});
  job::equal(world.recv<int>(left, tag{77}), 5, "the message goes to the next receive");
}

task doubles_what_comes(const peal::communicator& world, int from, int& result, int& steps) {
  for (int i = 0; i < 3; ++i) {
    const int value = co_await world.irecv<int>(from);
    result += 2 * value;
    ++steps;
  }
  co_await world.ibarrier();
  ++steps;
}

task meets_an_error(const peal::communicator& world, int from) {
  int small = 0;
  co_await world.irecv_into(small, from, tag{5});
}

void coroutines(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  int result = 0, steps = 0;
  const task running = doubles_what_comes(world, left, result, steps);
  job::equal(steps, 0, "it waits for the first message");
  world.barrier();
  for (const int value : {1, 2, 3}) world.send(value, right);
  while (!running.done()) peal::detail::progress();
  job::equal(result, 12, "what the coroutine made");
  job::equal(steps, 4, "its steps");

  const task failing = meets_an_error(world, left);
  world.send(std::vector<int>(2), right, tag{5});
  while (!failing.done()) peal::detail::progress();
  job::throws(peal::errc::truncated, [&] { std::rethrow_exception(failing.thrown()); });

  // destroyed while it waits: its receive is withdrawn
  {
    const task given_up = meets_an_error(world, left);
  }
  world.barrier();
  world.send(7, right, tag{5});
  job::equal(world.recv<int>(left, tag{5}), 7, "the message goes to the next receive");
}

void cancelling(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  auto coming = world.irecv<int>(left, tag{1});
  job::check(coming.cancel(), "a receive without a message can be cancelled");
  std::error_code code;
  (void)coming.wait(code);
  job::check(code == peal::errc::cancelled, "it ends so");
  auto thrower = world.irecv<std::string>(left, tag{1});
  job::check(thrower.cancel(), "again");
  job::throws(peal::errc::cancelled, [&] { thrower.wait(); });
  world.barrier();
  world.send(3, right, tag{1});
  auto matched = world.irecv<int>(left, tag{1});
  while (!matched.ready()) {
  }
  job::check(!matched.cancel() && matched.wait() == 3,
             "a receive with its message cannot be cancelled");
}

void dropping(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  // Owned: the runtime finishes it. The buffer is large, so that it must live on.
  {
    auto sent = world.isend(std::vector<int>(500'000, world.rank()), right, tag{1});
  }
  {
    auto sent = world.isend(std::vector<std::string>(5000, "text " + std::to_string(world.rank())),
                            right, tag{1});
  }
  job::check(world.recv<std::vector<int>>(left, tag{1}) == std::vector<int>(500'000, left),
             "an owned send that was dropped");
  job::check(
      world.recv<std::vector<std::string>>(left, tag{1}).back() == "text " + std::to_string(left),
      "a packed send that was dropped");

  // A receive that is not matched is withdrawn.
  int untouched = 4;
  {
    auto coming = world.irecv_into(untouched, left, tag{2});
  }
  {
    auto coming = world.irecv<std::vector<int>>(left, tag{2});
  }
  world.barrier();
  world.send(9, right, tag{2});
  job::equal(world.recv<int>(left, tag{2}), 9, "a receive that was dropped takes no message");
  job::equal(untouched, 4, "nor writes");

  // A lent send is waited for.
  std::vector<int> lent(300'000, world.rank());
  auto room = world.irecv<std::vector<int>>(left, tag{3});
  {
    auto sent = world.isend(lent, right, tag{3});
  }
  std::fill(lent.begin(), lent.end(), -1);
  job::check(room.wait() == std::vector<int>(300'000, left),
             "a lent send that was dropped has sent what was there");

  // So is a collective.
  {
    auto barrier = world.ibarrier();
  }
}

// Source, tag and length, whichever way a receive ends.
void statuses(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  const auto check = [&](const peal::status& known, int number, std::size_t bytes) {
    job::equal(known.source, left, "source");
    job::equal(known.tag.value(), number, "tag");
    job::equal(known.bytes, bytes, "length");
  };
  const auto begin = [&](int number) {
    return world.irecv<int>(peal::any_source, tag{number}).with_status();
  };
  const auto send = [&](int number) { world.send(number, right, tag{number}); };

  auto text = world.irecv<std::string>().with_status();
  world.send("seven77"s, right, tag{9});
  const auto [words, known] = text.wait();
  job::equal(words, "seven77"s, "value");
  check(known, 9, 7);

  std::vector<peal::request<peal::completion<int>>> several;
  for (int i = 0; i < 3; ++i) several.push_back(begin(i));
  for (int i = 0; i < 3; ++i) send(i);
  job::check(peal::wait_any(several).has_value(), "wait_any");
  const auto all = peal::wait_all(several);
  for (int i = 0; i < 3; ++i) {
    job::equal(all[static_cast<std::size_t>(i)].value, i, "value of several");
    check(all[static_cast<std::size_t>(i)].status, i, sizeof(int));
  }

  auto followed = begin(4).then([&](const peal::completion<int>& got) {
    check(got.status, 4, sizeof(int));
    return got.value + 1;
  });
  peal::completion_queue queue;
  int handled = 0;
  queue.add(begin(5), [&](const peal::completion<int>& got) {
    check(got.status, 5, sizeof(int));
    handled = got.value;
  });
  send(4);
  send(5);
  job::equal(followed.wait(), 5, "what followed");
  while (!queue.empty()) queue.wait();
  job::equal(handled, 5, "handled");

  auto withdrawn = begin(6);
  job::check(withdrawn.cancel(), "withdrawn");
  std::error_code error;
  (void)withdrawn.wait(error);
  job::check(error == peal::errc::cancelled, "an error is stored");
  auto dropped = begin(7);
  dropped = {};
  world.barrier();
  send(7);
  job::equal(world.recv<int>(left, tag{7}), 7, "a dropped one is withdrawn");
  job::throws(peal::errc::invalid_argument, [] { (void)peal::request<int>{}.with_status(); });
}

void queue(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  peal::completion_queue done;
  int sum = 0, requests = 0;
  for (int i = 0; i < 100; ++i)
    done.add(world.irecv<int>(left, tag{i}), [&](int value) { sum += value; });
  done.add(world.ibarrier(), [&] { ++requests; });
  done.add(world.irecv<std::string>(left, tag{200}), [&](peal::request<std::string> over) {
    job::equal(over.wait(), "text"s, "a request from a queue");
    ++requests;
  });
  for (int i = 0; i < 100; ++i) done.add(world.isend(std::vector<int>{i}, right, tag{i}));
  job::equal(done.size(), std::size_t{202}, "size");
  world.send("text"s, right, tag{200});
  std::size_t handled = done.poll();
  while (!done.empty()) handled += done.wait();
  job::equal(handled, std::size_t{202}, "handled");
  job::equal(sum, 4950, "values");
  job::equal(requests, 2, "requests");
  job::equal(done.wait(), std::size_t{0}, "an empty queue does not wait");

  done.add(world.irecv<int>(left, tag{1}), [](int) { throw std::runtime_error{"handler"}; });
  world.send(1, right, tag{1});
  try {
    while (!done.empty()) done.wait();
    job::fail("what a handler throws is lost");
  } catch (const std::runtime_error&) {
  }
  {
    peal::completion_queue dropped;
    dropped.add(world.irecv<int>(left, tag{2}), [](int) { job::fail("handled though dropped"); });
  }
  world.barrier();
  world.send(1, right, tag{2});
  (void)world.recv<int>(left, tag{2});
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {{"waiting", waiting},
                         {"of many types", of_many_types},
                         {"several", several},
                         {"joined", joined},
                         {"continuations", continuations},
                         {"coroutines", coroutines},
                         {"cancelling", cancelling},
                         {"dropping", dropping},
                         {"statuses", statuses},
                         {"queue", queue}});
}
