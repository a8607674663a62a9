// Requests made of requests: when_any, continuations that return requests, and queues with a limit
// of time.
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "../support.hpp"
#include "../task.hpp"

using namespace std::literals;
using peal::tag;

namespace {

// The first that ends, again and again, in an order that no rank gives.
void first_of_many(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  constexpr int count = 20;
  std::vector<peal::request<int>> coming;
  for (int i = 0; i < count; ++i) coming.push_back(world.irecv<int>(left, tag{i}));
  int sum = 0;
  for (int i = count; i-- > 0;) {
    auto first = peal::when_any(std::move(coming));
    job::check(!first.ready() && !first.wait_for(1ms), "nothing has come yet");
    world.barrier();
    world.send(i, right, tag{i});
    auto [index, requests] = first.wait();
    job::check(index == std::optional{static_cast<std::size_t>(i)}, "the one that ended");
    sum += requests[*index].wait();
    coming = std::move(requests);
    world.barrier();  // the next is sent when all have looked for it in vain
  }
  job::equal(sum, count * (count - 1) / 2, "what came");
  job::check(!peal::when_any(std::move(coming)).wait().index, "all are empty");
  job::check(!peal::when_any(std::vector<peal::request<>>{}).wait().index, "there are none");
}

// Errors as codes: of whatever is a std::system_error, as a request by itself gives them.
void codes_of_all(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  const auto failing = [&] {
    return world.irecv<int>(left, tag{1}).then([](int) -> int {
      throw std::system_error{std::make_error_code(std::errc::io_error)};
    });
  };
  auto of_two = peal::when_all(failing(), world.irecv<int>(left, tag{2}));
  std::vector<peal::request<int>> many;
  many.push_back(failing());
  auto of_many = peal::when_all(std::move(many));
  for (const int each : {1, 1, 2}) world.send(each, right, tag{each});
  std::error_code code;
  (void)of_two.wait(code);
  job::check(code == std::errc::io_error, "what a continuation threw, of two types");
  code.clear();
  (void)of_many.wait(code);
  job::check(code == std::errc::io_error, "what a continuation threw, of a range");
}

// By continuations: what has not ended is waited for again, with a hook of its own each time.
void one_after_the_other(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  std::vector<std::string> order;
  auto both = peal::when_any(world.irecv<int>(left, tag{1}), world.irecv<std::string>(left, tag{2}))
                  .then([&](auto first) {
                    job::check(first.index == std::optional{std::size_t{1}}, "the text came first");
                    order.push_back(std::get<1>(first.requests).wait());
                    return peal::when_any(std::move(std::get<0>(first.requests)),
                                          std::move(std::get<1>(first.requests)));
                  })
                  .then([&](auto second) {
                    job::check(second.index == std::optional{std::size_t{0}}, "then the number");
                    order.push_back("number");
                    return std::get<0>(second.requests).wait();
                  });
  world.send("text"s, right, tag{2});
  while (order.empty()) job::check(!both.ready(), "the number has not come");
  world.barrier();
  world.send(7, right, tag{1});
  job::equal(both.wait(), 7, "a continuation of when_any");
  job::check(order == std::vector{"text"s, "number"s}, "in order");
}

void flattened(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  // A question, its answer, and what follows: one request.
  peal::request<std::string> told =
      world.irecv<int>(left, tag{1})
          .then([&](int which) { return world.irecv<std::string>(left, tag{which}); })
          .then([](const std::string& text) { return text + "!"; });
  world.send("answer"s, right, tag{5});
  job::check(!told.ready(), "nobody has asked");
  world.barrier();
  world.send(5, right, tag{1});
  job::equal(told.wait(), "answer!"s, "what the inner request gives");

  // The inner one ends later, or was over before; and without a value.
  peal::request<> done = world.irecv<int>(left, tag{1}).then([&](int) { return world.ibarrier(); });
  world.send(1, right, tag{1});
  done.wait();
  peal::request<int> at_once =
      world.isend(1, peal::proc_null).then([&](int) { return world.isend(4, peal::proc_null); });
  job::check(at_once.ready() && at_once.wait() == 4, "over at once");

  // Errors of either, and what is thrown.
  int small = 0;
  auto truncated = world.irecv<int>(left, tag{1}).then([&](int) {
    return world.irecv_into(small, left, tag{2});
  });
  world.send(1, right, tag{1});
  world.send(std::vector<int>(3), right, tag{2});
  job::throws(peal::errc::truncated, [&] { truncated.wait(); });
  auto thrown = world.irecv<int>(left, tag{1}).then([&](int) -> peal::request<int> {
    throw std::runtime_error{"before there is a request"};
  });
  world.send(1, right, tag{1});
  try {
    thrown.wait();
    job::fail("the exception is lost");
  } catch (const std::runtime_error& e) {
    job::equal(std::string{e.what()}, "before there is a request"s, "what it threw");
  }
  auto empty = world.irecv<int>(left, tag{1}).then([](int) { return peal::request<int>{}; });
  world.send(1, right, tag{1});
  std::error_code code;
  (void)empty.wait(code);
  job::check(code == peal::errc::invalid_argument, "an empty request");

  // Cancelled while the outer one, and while the inner one, is under way.
  bool asked = false;
  const auto two_steps = [&] {
    asked = false;
    return world.irecv<int>(left, tag{1}).then([&](int) {
      asked = true;
      return world.irecv<int>(left, tag{2});
    });
  };
  auto outer = two_steps();
  job::check(outer.cancel(), "the outer receive");
  job::throws(peal::errc::cancelled, [&] { outer.wait(); });
  auto inner = two_steps();
  world.barrier();  // nobody receives what is for another's
  world.send(1, right, tag{1});
  while (!asked) job::check(!inner.ready(), "the inner receive is under way");
  job::check(inner.cancel(), "the inner receive");
  job::throws(peal::errc::cancelled, [&] { inner.wait(); });
  // Dropped likewise: the receive of the inner one is withdrawn, so its message is left.
  {
    auto dropped = two_steps();
    world.send(1, right, tag{1});
    while (!asked) (void)dropped.ready();
  }
  world.barrier();
  world.send(8, right, tag{2});
  job::equal(world.recv<int>(left, tag{2}), 8, "a message that nobody waited for");
}

job::task follow(peal::request<int> first, const peal::communicator& world, int& got) {
  got = co_await std::move(first).then(
      [&](int value) { return world.isend(value + 1, peal::proc_null); });
}

void awaited(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  int got = 0;
  const auto following = follow(world.irecv<int>(left), world, got);
  world.send(3, right);
  world.barrier();
  while (!following.done()) (void)world.iprobe(left);
  job::equal(got, 4, "a coroutine that awaits a flattened request");
}

void queues(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  peal::completion_queue queue;
  job::equal(queue.wait_for(60s), std::size_t{0}, "an empty queue does not wait");
  int generic = 0, nothing = 0;
  std::string whole;
  queue.add(world.irecv<int>(left, tag{1}), [&](auto value) { generic += value; });
  queue.add(world.irecv<std::string>(left, tag{2}),
            [&](peal::request<std::string> over) { whole = over.wait(); });
  job::equal(queue.wait_for(2ms), std::size_t{0}, "nothing has come");
  job::equal(queue.size(), std::size_t{2}, "they are kept");
  world.barrier();
  world.send(5, right, tag{1});
  world.send("text"s, right, tag{2});
  queue.add(world.isend(1, peal::proc_null), [&](const auto&...) { ++nothing; });
  queue.add(world.ibarrier(), [&](auto&&...) { ++nothing; });
  while (!queue.empty()) job::check(queue.wait_for(60s) != 0, "it ends in time");
  job::check(generic == 5 && nothing == 2 && whole == "text", "values, nothing, and a request");
  // What when_any gives, and what it leaves.
  std::optional<std::size_t> index;
  queue.add(peal::when_any(world.irecv<int>(left, tag{3}), world.irecv<int>(left, tag{4})),
            [&](auto ended) { index = ended.index; });
  world.send(1, right, tag{4});
  queue.wait();
  job::check(index == std::optional{std::size_t{1}}, "when_any in a queue");
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {{"first_of_many", first_of_many},
                         {"codes_of_all", codes_of_all},
                         {"one_after_the_other", one_after_the_other},
                         {"flattened", flattened},
                         {"awaited", awaited},
                         {"queues", queues}});
}
