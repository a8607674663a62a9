// messages [part ...]: single properties of messages, each a part: empty ones, those to oneself,
// cancelled and truncated ones, probes, values, and requests in all their forms.
#include <array>
#include <chrono>
#include <complex>
#include <coroutine>
#include <map>
#include <numeric>
#include <optional>

#include "support.hpp"

namespace {

using peal::communicator;
using bytes = std::vector<std::byte>;

// Sizes on both sides of every limit: a cache line, a box, what a device takes inline, its packets,
// eager, what is sent with an announcement, pages, the pieces of large copies.
constexpr std::size_t sizes[] = {
    1,     7,     8,     16,     40,     48,     49,     64,      100,     183,     184,    185,
    1000,  4000,  4079,  4080,   4081,   4095,   4096,   4097,    8191,    8192,    8193,   12287,
    12288, 12289, 16384, 32767,  32768,  32769,  61439,  61440,   61441,   65535,   65536,  65537,
    69631, 69632, 69633, 131072, 524287, 524288, 524289, 1048575, 1048576, 1048577, 4194304};

void empty(const communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  for (int i = 0; i < 200; ++i) {
    auto sent = world.isend(std::span<const int>{}, right, peal::tag{i});
    auto value = world.isend(std::vector<double>{}, right, peal::tag{i});
    job::equal(world.recv_into(std::span<int>{}, left, peal::tag{i}).bytes, std::size_t{0},
               "bytes of an empty message");
    peal::status got;
    job::check(world.recv<std::vector<double>>(left, peal::any_tag, &got).empty(),
               "an empty vector");
    job::equal(got.tag.value(), i, "its tag");
    sent.wait();
    value.wait();
  }
}

// Every size through every way of receiving; from the heap and from memory that the node shares.
void every_size(const communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  std::uint64_t key = 1;
  for (const bool shared : {false, true})
    for (const std::size_t size : sizes) {
      auto mine = peal::allocate<std::byte>(size), theirs = peal::allocate<std::byte>(size);
      bytes heap(size), heap_in(size);
      const auto out =
          shared ? std::span<std::byte>{mine.data(), size} : std::span<std::byte>{heap};
      const auto in =
          shared ? std::span<std::byte>{theirs.data(), size} : std::span<std::byte>{heap_in};
      job::fill(out, ++key * 100 + static_cast<std::uint64_t>(world.rank()));
      const std::uint64_t expected = key * 100 + static_cast<std::uint64_t>(left);
      const std::string what =
          std::to_string(size) + (shared ? " bytes of shared memory" : " bytes of the heap");
      for (const bool posted_first : {true, false}) {
        std::optional<peal::request<peal::status>> receive;
        if (posted_first) {
          receive = world.irecv_into(in, left, peal::tag{1});
          world.barrier();
        }
        auto sent = world.isend(out, right, peal::tag{1});
        if (!posted_first) {
          world.barrier();
          receive = world.irecv_into(in, left, peal::tag{1});
        }
        job::equal(receive->wait().bytes, size, what);
        sent.wait();
        job::check(job::holds(in, expected), "damaged: " + what);
        std::fill(in.begin(), in.end(), std::byte{0});
      }
      auto sent = world.isend(out, right, peal::tag{2});
      job::check(job::holds(world.recv<bytes>(left, peal::tag{2}), expected),
                 "damaged as a value: " + what);
      sent.wait();
    }
}

// Blocking sends to oneself are buffered, whatever their size.
void to_oneself(const communicator& world) {
  const int me = world.rank();
  for (const std::size_t size : sizes) {
    const auto data = job::bytes_of(size, size);
    world.send(data, me, peal::tag{3});
    world.send(std::string{"after it"}, me, peal::tag{4});
    job::equal(world.recv<std::string>(me, peal::tag{4}), std::string{"after it"},
               "a message to oneself with another tag");
    job::check(world.recv<bytes>(me, peal::tag{3}) == data, "a message to oneself is damaged");
  }
  auto receive = world.irecv<int>(me, peal::tag{5});
  world.send(17, me, peal::tag{5});
  job::equal(receive.wait(), 17, "a message to oneself, receive first");
  job::equal(world.sendrecv<int>(18, me, me, peal::tag{6}), 18, "sendrecv with oneself");
}

void nobody(const communicator& world) {
  world.send(1, peal::proc_null);
  world.isend(bytes(100000), peal::proc_null).wait();
  int untouched = 5;
  const auto got = world.recv_into(untouched, peal::proc_null);
  job::equal(got.bytes, std::size_t{0}, "bytes from nobody");
  job::equal(got.source, peal::proc_null, "the source of nothing");
  job::equal(untouched, 5, "what is received from nobody");
}

void truncated(const communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  for (const std::size_t size : {std::size_t{8}, std::size_t{100}, std::size_t{4000},
                                 std::size_t{100'000}, std::size_t{3'000'000}}) {
    for (const std::size_t room : {std::size_t{0}, std::size_t{1}, size / 2, size - 1}) {
      for (const bool posted_first : {true, false}) {
        const auto data = job::bytes_of(size, static_cast<std::uint64_t>(world.rank()));
        const auto whole = job::bytes_of(size, static_cast<std::uint64_t>(left));
        bytes small(room + 16, std::byte{0x5a});
        const auto into = std::span{small}.first(room);
        std::optional<peal::request<peal::status>> receive;
        if (posted_first) {
          receive = world.irecv_into(into, left, peal::tag{1});
          world.barrier();
        }
        auto sent = world.isend(data, right, peal::tag{1});
        auto next = world.isend(std::as_const(data), right, peal::tag{1});
        if (!posted_first) {
          world.barrier();
          receive = world.irecv_into(into, left, peal::tag{1});
        }
        const auto e = job::throws(peal::errc::truncated, [&] { receive->wait(); });
        job::equal(e.peer(), left, "the peer of a truncation");
        job::check(std::equal(into.begin(), into.end(), whole.begin()),
                   "what fits of a truncated message is damaged");
        for (std::size_t i = room; i < small.size(); ++i)
          job::check(small[i] == std::byte{0x5a}, "a truncated message writes beyond its room");
        job::check(world.recv<bytes>(left, peal::tag{1}) == whole,
                   "the message after a truncated one");
        sent.wait();  // the sender's side succeeds
        next.wait();
      }
    }
  }
  int value = 0;
  auto sent = world.isend(std::array<int, 2>{1, 2}, right, peal::tag{2});
  job::throws(peal::errc::truncated, [&] { world.recv_into(value, left, peal::tag{2}); });
  sent.wait();
  auto odd = world.isend(std::array<char, 5>{}, right, peal::tag{3});
  job::throws(peal::errc::decode_failed,
              [&] { (void)world.recv<std::vector<int>>(left, peal::tag{3}); });
  odd.wait();
}

void cancelled(const communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  // A receive that nothing matches, and then a message that it would have matched.
  int never = -1, later = -1;
  auto withdrawn = world.irecv_into(never, left, peal::tag{1});
  job::check(withdrawn.cancel(), "a receive that is not matched can be withdrawn");
  std::error_code error;
  (void)withdrawn.wait(error);
  job::check(error == peal::errc::cancelled, "it ends with errc::cancelled");
  world.barrier();
  auto sent = world.isend(std::vector{7}, right, peal::tag{1});
  world.recv_into(later, left, peal::tag{1});
  sent.wait();
  job::equal(never, -1, "a withdrawn receive's memory");
  job::equal(later, 7, "the message after a withdrawn receive");

  // A receive that is matched.
  auto kept = world.irecv_into(never, left, peal::tag{2});
  world.send(8, right, peal::tag{2});
  while (!kept.ready()) {
  }
  job::check(!kept.cancel(), "a receive that has ended cannot be withdrawn");
  kept.wait();
  job::equal(never, 8, "its message");

  // A request dropped before it is matched.
  {
    auto dropped = world.irecv<std::string>(left, peal::tag{3});
  }
  world.barrier();
  auto again = world.isend(std::string{"x"}, right, peal::tag{3});
  job::equal(world.recv<std::string>(left, peal::tag{3}), std::string{"x"},
             "the message after a dropped receive");
  again.wait();

  // Sends: whether one could still be withdrawn is told to the other side, which then gets it or
  // does not.
  for (const std::size_t size : {std::size_t{10}, std::size_t{100'000}, std::size_t{2'000'000}}) {
    const auto data = job::bytes_of(size, 9);
    auto send = world.isend(data, right, peal::tag{4});
    const bool gone = send.cancel();
    auto told = world.isend(std::vector<int>{gone}, right, peal::tag{5});
    auto after = world.isend(std::string{"after"}, right, peal::tag{4});
    const bool theirs_gone = world.recv<std::vector<int>>(left, peal::tag{5}).at(0) != 0;
    if (!theirs_gone)
      job::check(world.recv<bytes>(left, peal::tag{4}) == data,
                 "a send that could not be withdrawn");
    job::equal(world.recv<std::string>(left, peal::tag{4}), std::string{"after"},
               "the message after a withdrawn send");
    (void)send.wait(error);
    job::check(gone ? error == peal::errc::cancelled : !error, "how the send ended");
    told.wait();
    after.wait();
  }
}

// A send that owns its buffer goes on without its request.
void dropped_sends(const communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  for (const std::size_t size : {std::size_t{10}, std::size_t{5000}, std::size_t{1'000'000}})
    for (int i = 0; i < 20; ++i) {
      auto dropped =
          world.isend(job::bytes_of(size, static_cast<std::uint64_t>(i)), right, peal::tag{1});
    }
  for (const std::size_t size : {std::size_t{10}, std::size_t{5000}, std::size_t{1'000'000}})
    for (int i = 0; i < 20; ++i) {
      const auto got = world.recv<bytes>(left, peal::tag{1});
      job::check(got.size() == size && job::holds(got, static_cast<std::uint64_t>(i)),
                 "a message whose request was dropped");
    }
}

void probes(const communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  world.barrier();
  job::check(!world.improbe(left, peal::tag{1}), "a probe before anything was sent");
  world.barrier();
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{9}, std::size_t{4000}, std::size_t{700'000}}) {
    auto first = world.isend(job::bytes_of(size, 1), right, peal::tag{1});
    auto second = world.isend(job::bytes_of(size, 2), right, peal::tag{1});
    auto taken = world.mprobe(left, peal::any_tag);
    job::equal(taken.status().bytes, size, "length told by a probe");
    job::equal(taken.status().source, left, "source told by a probe");
    // It is out of matching: the next receive gets the second one.
    job::check(job::holds(world.recv<bytes>(left, peal::tag{1}), 2),
               "the message after a probed one");
    job::check(job::holds(std::move(taken).recv<bytes>(), 1), "a probed message");
    first.wait();
    second.wait();
    auto unwanted = world.isend(job::bytes_of(size, 3), right, peal::tag{2});
    {
      const auto thrown_away = world.mprobe(left, peal::tag{2});
    }
    unwanted.wait();
  }
}

struct particle {
  double x = 0, y = 0;
  int kind = 0;
  friend bool operator==(const particle&, const particle&) = default;
};
struct record {
  std::string name;
  std::vector<std::vector<int>> table;
  std::map<std::string, particle> parts;
  std::optional<long> age;
  friend bool operator==(const record&, const record&) = default;
};

template <class T>
void round_trip(const communicator& world, const T& value, const std::string& what) {
  const int right = job::right_of(world), left = job::left_of(world);
  auto receive = world.irecv<T>(left, peal::tag{1});
  world.send(value, right, peal::tag{1});
  job::check(receive.wait() == value, what);
  job::check(world.sendrecv<T>(value, right, left, peal::tag{2}) == value, what + " by sendrecv");
  auto owned = world.isend(T{value}, right, peal::tag{3});
  job::check(world.recv<T>(left, peal::tag{3}) == value, what + ", owned");
  job::check(owned.wait() == value, what + ", given back");
}

void values(const communicator& world) {
  round_trip(world, 42, "an int");
  round_trip(world, std::complex<double>{1, -2}, "a complex number");
  round_trip(world, particle{1, 2, 3}, "an aggregate");
  round_trip(world, std::array<particle, 3>{particle{1, 2, 3}, {4, 5, 6}, {}},
             "an array of aggregates");
  round_trip(world, std::string(100'000, 'x'), "a long string");
  round_trip(world, std::vector<std::string>{"a", "", std::string(5000, 'b')}, "strings");
  round_trip(world, std::vector<std::vector<double>>{{1, 2}, {}, std::vector<double>(3000, 0.5)},
             "nested vectors");
  round_trip(world, record{"n", {{1}, {}, {2, 3}}, {{"p", {1, 2, 3}}}, 7}, "a record");
  round_trip(world, std::vector<particle>(10'000, particle{3, 2, 1}), "many aggregates");
}

peal::request<int> twice(peal::request<int> in) {
  return std::move(in).then([](int value) { return 2 * value; });
}

void requests(const communicator& world) {
  using namespace std::chrono_literals;
  const int right = job::right_of(world), left = job::left_of(world);
  // then, and what is not there yet
  auto doubled = twice(world.irecv<int>(left, peal::tag{1}));
  job::check(!doubled.wait_for(1ms), "nothing was sent");
  world.barrier();
  world.send(21, right, peal::tag{1});
  job::equal(doubled.wait(), 42, "then");
  // test
  auto polled = world.irecv<std::string>(left, peal::tag{2});
  job::check(!polled.test(), "nothing was sent");
  world.barrier();
  world.send(std::string{"seen"}, right, peal::tag{2});
  std::optional<peal::completion<std::string>> seen;
  while (!(seen = polled.test())) {
  }
  job::equal(seen->value, std::string{"seen"}, "test");
  job::equal(seen->status.source, left, "the source by test");
  // wait_any, wait_some, wait_all
  std::vector<peal::request<int>> many;
  for (int i = 0; i < 10; ++i) many.push_back(world.irecv<int>(left, peal::tag{10 + i}));
  world.send(7, right, peal::tag{17});
  job::equal(peal::wait_any(many).value_or(99), std::size_t{7}, "wait_any");
  job::equal(many[7].wait(), 7, "its value");
  world.barrier();
  for (int i = 0; i < 10; ++i)
    if (i != 7) world.send(i, right, peal::tag{10 + i});
  int sum = 7;
  for (std::vector<std::size_t> over; !(over = peal::wait_some(many)).empty();)
    for (const auto at : over) sum += many[at].wait();
  job::equal(sum, 45, "wait_some");
  // when_all
  auto both = peal::when_all(world.irecv<int>(left, peal::tag{3}),
                             world.irecv<std::string>(left, peal::tag{4}));
  world.send(std::string{"two"}, right, peal::tag{4});
  world.send(1, right, peal::tag{3});
  const auto [one, two] = both.wait();
  job::check(one == 1 && two == "two", "when_all");
  // completion_queue
  peal::completion_queue queue;
  int handled = 0;
  for (int i = 0; i < 50; ++i)
    queue.add(world.irecv<int>(left, peal::tag{100 + i}),
              [&handled](int value) { handled += value; });
  for (int i = 49; i >= 0; --i) world.send(i, right, peal::tag{100 + i});
  while (queue.wait() != 0) {
  }
  job::equal(handled, 49 * 50 / 2, "completion_queue");
}

// A coroutine that is its own owner.
struct fire_and_forget {
  struct promise_type {
    fire_and_forget get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
fire_and_forget converse(const communicator& world, int& result) {
  const int first = co_await world.irecv<int>(job::left_of(world), peal::tag{1});
  // first, since a send may have to wait for it
  auto answer = world.irecv<std::vector<int>>(job::left_of(world), peal::tag{2});
  co_await world.isend(std::vector<int>(1, first + 1), job::right_of(world), peal::tag{2});
  const auto second = co_await std::move(answer);
  result = second.at(0);
}
void coroutines(const communicator& world) {
  int result = 0;
  converse(world, result);
  world.send(world.rank(), job::right_of(world), peal::tag{1});
  peal::completion_queue idle;
  while (result == 0) idle.poll();  // coroutines go on in wait, test and poll
  job::equal(result, job::left_of(world) == 0 ? world.size() : job::left_of(world),
             "what the coroutines told each other");
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {job::part{"empty", empty}, job::part{"every_size", every_size},
                         job::part{"to_oneself", to_oneself}, job::part{"nobody", nobody},
                         job::part{"truncated", truncated}, job::part{"cancelled", cancelled},
                         job::part{"dropped_sends", dropped_sends}, job::part{"probes", probes},
                         job::part{"values", values}, job::part{"requests", requests},
                         job::part{"coroutines", coroutines}});
}
