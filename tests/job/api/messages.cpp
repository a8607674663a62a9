// Every form of send and receive, between neighbours on a ring and with oneself.
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "../support.hpp"

using namespace std::literals;
using peal::tag;

namespace {

struct point {
  int index;
  double x, y;
  bool operator==(const point&) const = default;
};

struct record {
  std::string name;
  std::vector<std::vector<int>> rows;
  std::map<std::string, double> numbers;
  std::optional<point> where;
  std::variant<int, std::string> either;
  bool operator==(const record&) const = default;
};

enum class kind { first = 11, second = 12 };

record made_by(int rank) {
  return {"rank " + std::to_string(rank),
          {{rank}, {}, {1, 2, rank}},
          {{"pi", 3.14}, {"r", rank * 1.0}},
          point{rank, 1.5, -2.5},
          "text " + std::to_string(rank)};
}

/// Sends to the right and receives from the left, by the blocking and the nonblocking forms.
template <class T>
void goes_round(const peal::communicator& world, const T& mine, const T& theirs,
                const std::string& what) {
  const int right = job::right_of(world), left = job::left_of(world);
  auto sent = world.isend(mine, right, tag{1});
  job::check(world.recv<T>(left, tag{1}) == theirs, what + ": recv");
  sent.wait();
  auto coming = world.irecv<T>(left, tag{2});
  auto owned = world.isend(T{mine}, right, tag{2});
  job::check(coming.wait() == theirs, what + ": irecv");
  job::check(owned.wait() == mine, what + ": the buffer comes back");
  job::check(world.sendrecv<T>(mine, right, left, tag{3}) == theirs, what + ": sendrecv");
  // Each names its tag by the rank that sends.
  job::check(
      world.sendrecv<T>(mine, right, tag{100 + world.rank()}, left, tag{100 + left}) == theirs,
      what + ": sendrecv, two tags");
  if constexpr (peal::fixed<T>) {
    T into = mine;
    const peal::status known = world.sendrecv_into(mine, right, into, left, tag{4});
    job::check(into == theirs && known.source == left && known.tag == tag{4},
               what + ": sendrecv_into");
    into = mine;
    world.sendrecv_into(mine, right, tag{200 + world.rank()}, into, left, tag{200 + left});
    job::check(into == theirs, what + ": sendrecv_into, two tags");
  }
}

void values(const peal::communicator& world) {
  const int rank = world.rank(), left = job::left_of(world);
  goes_round(world, rank, left, "int");
  goes_round(world, rank * 0.5, left * 0.5, "double");
  goes_round(world, point{rank, 1, 2}, point{left, 1, 2}, "aggregate");
  goes_round(world, std::pair{rank, 'x'}, std::pair{left, 'x'}, "pair");
  goes_round(world, std::array{rank, rank + 1}, std::array{left, left + 1}, "array");
  goes_round(world, made_by(rank), made_by(left), "record");
  goes_round(world, std::string(static_cast<std::size_t>(rank * 3000), 'a'),
             std::string(static_cast<std::size_t>(left * 3000), 'a'), "string");
  goes_round(world, std::vector<int>(static_cast<std::size_t>(rank), 7),
             std::vector<int>(static_cast<std::size_t>(left), 7), "vector");
  goes_round(world, std::vector<int>(100'000, rank), std::vector<int>(100'000, left),
             "long vector");
  goes_round(world, std::vector<bool>{true, rank % 2 == 0}, std::vector<bool>{true, left % 2 == 0},
             "vector<bool>");
  goes_round(world, std::list<std::string>{"a", "rank " + std::to_string(rank)},
             std::list<std::string>{"a", "rank " + std::to_string(left)}, "list");
  goes_round(world, std::map<int, int>{{1, rank}}, std::map<int, int>{{1, left}}, "map");
}

// A synchronous send has not ended before its receive is there, however short it is.
void synchronous(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  for (const std::size_t length : {0, 1, 10, 1000, 500'000}) {
    const std::vector<int> mine(length, world.rank()), theirs(length, left);
    auto lent = world.issend(mine, right, tag{5});
    auto owned = world.issend(std::vector<int>{mine}, right, tag{6});
    world.send(world.rank(), right, tag{5});
    world.barrier();
    for (int look = 0; look < 100; ++look)
      job::check(!lent.ready() && !owned.ready(), "over before it is received");
    world.barrier();
    job::check(world.recv<std::vector<int>>(left, tag{6}) == theirs, "what was owned");
    job::check(world.recv<std::vector<int>>(left, tag{5}) == theirs, "what was lent, in its turn");
    job::equal(world.recv<int>(left, tag{5}), left, "what was sent behind it");
    lent.wait();
    job::check(owned.wait() == mine, "the buffer comes back");

    auto coming = world.irecv<std::vector<int>>(left, tag{7});
    world.ssend(mine, right, tag{7});
    job::check(coming.wait() == theirs, "a blocking one");
  }
  auto text = world.irecv<std::vector<std::string>>(left, tag{8});
  world.ssend(std::vector<std::string>{"packed"}, right, tag{8});
  job::equal(text.wait().at(0), "packed"s, "what is packed");
  world.ssend(1, peal::proc_null);
  job::throws(peal::errc::invalid_rank, [&] { world.ssend(1, 1000); });
  job::throws(peal::errc::invalid_tag, [&] { (void)world.issend(1, right, peal::any_tag); });
}

void buffers(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  std::vector<int> mine(5000, world.rank()), room(6000, -1);
  auto sent = world.isend(std::span{mine}, right, kind::first);
  const peal::status got = world.recv_into(room, left, kind::first);
  sent.wait();
  job::equal(got.source, left, "source");
  job::check(got.tag == kind::first, "tag");
  job::equal(got.count<int>(), std::size_t{5000}, "count");
  job::equal(got.bytes, std::size_t{20'000}, "bytes");
  job::check(room[4999] == left && room[5000] == -1, "filled as far as the message goes");

  auto coming = world.irecv_into(std::span{room}.subspan(100, 3), left, kind::second);
  world.send("abcdefghijkl"sv, right, kind::second);
  job::equal(coming.wait().count<char>(), std::size_t{12}, "characters");
  job::check(std::memcmp(&room[100], "abcdefghijkl", 12) == 0 && room[103] == left,
             "a part of a buffer");

  int one = -1;
  auto number = world.irecv_into(one, left);
  world.send(world.rank(), right);
  number.wait();
  job::equal(one, left, "a single value");

  auto shared = peal::allocate<double>(20'000);
  shared[19'999] = world.rank();
  auto lent = world.isend(shared, right);
  const auto doubles = world.recv<std::vector<double>>(left);
  lent.wait();
  job::check(doubles.size() == 20'000 && doubles[19'999] == left && doubles[0] == 0,
             "memory of peal's");
  auto owned = world.isend(std::move(shared), right);
  std::vector<double, peal::allocator<double>> into(20'000);
  world.recv_into(into, left);
  job::check(owned.wait()[19'999] == world.rank() && into[19'999] == left,
             "memory of peal's, owned by the request");

  const std::list<int> squares{1, 4, 9};
  world.send(squares, right);
  job::check(world.recv<std::vector<int>>(left) == std::vector{1, 4, 9},
             "a range that is not contiguous arrives packed");
  world.send(std::vector<bool>{true, false, true}, right);
  job::check(world.recv<std::vector<bool>>(left) == std::vector{true, false, true}, "vector<bool>");
}

// A container that is made as long as the message, whatever it held.
void growing(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  std::vector<int> into(3, -1);
  std::string text = "what was there before";
  for (const std::size_t length : {5U, 0U, 1U, 200'000U, 7U}) {
    const std::vector<int> mine(length, world.rank()), theirs(length, left);
    auto sent = world.isend(mine, right, tag{1});
    const peal::status got = world.recv_into(peal::grow(into), left, tag{1});
    job::check(into == theirs && got.source == left && got.count<int>() == length, "recv_into");
    sent.wait();
    into.assign(2, -1);
    auto coming = world.irecv_into(peal::grow(into), left, tag{2});
    world.barrier();  // what is sent now finds it posted
    sent = world.isend(mine, right, tag{2});
    job::check(coming.wait().bytes == length * sizeof(int) && into == theirs, "irecv_into");
    sent.wait();
    job::check(
        world.sendrecv_into(mine, right, peal::grow(into), left).tag == tag{} && into == theirs,
        "sendrecv_into");
    sent = world.isend(mine, right, tag{3});
    into.clear();
    job::check(world.mprobe(left, tag{3}).recv_into(peal::grow(into)).count<int>() == length &&
                   into == theirs,
               "a message that a probe took");
    sent.wait();
    auto words = world.isend(std::string(length, 'x'), right, tag{4});
    world.recv_into(peal::grow(text), left, tag{4});
    job::equal(text, std::string(length, 'x'), "a string");
    words.wait();
  }
  into.reserve(1000);
  const int* const where = into.data();
  auto sent = world.isend(std::vector<int>(1000, 1), right);
  world.recv_into(peal::grow(into), left);
  job::check(into.data() == where && into.size() == 1000, "memory is kept where it is enough");
  sent.wait();
  // Bytes that are no elements.
  for (int times = 0; times < 3; ++times) world.send("abcde"sv, right);
  const auto e =
      job::throws(peal::errc::decode_failed, [&] { world.recv_into(peal::grow(into), left); });
  job::equal(e.peer(), left, "the peer in the error");
  auto coming = world.irecv_into(peal::grow(into), left);
  std::error_code code;
  coming.wait(code);
  job::check(code == peal::errc::decode_failed, "wait(error)");
  job::throws(peal::errc::decode_failed, [&] { world.mprobe(left).recv_into(peal::grow(into)); });
  world.recv_into(peal::grow(into), peal::proc_null);
  job::check(into.empty(), "from nobody");
}

void strided(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  for (const std::size_t count : {3U, 3000U}) {
    std::vector<int> mine(2 * count, world.rank()), theirs(2 * count, -1);
    auto sent = world.isend(job::column{mine.data(), count, 2}, right);
    const auto got = world.recv_into(job::column{theirs.data() + 1, count, 2}, left);
    sent.wait();
    job::equal(got.count<int>(), count, "elements");
    job::check(theirs[0] == -1 && theirs[1] == left && theirs[2 * count - 1] == left &&
                   theirs[2 * count - 2] == -1,
               "every other element");
    auto coming = world.irecv_into(job::column{theirs.data(), count, 2}, left);
    world.send(job::column{mine.data(), count, 2}, right);
    coming.wait();
    job::check(theirs[0] == left && theirs[2 * count - 2] == left,
               "every other element, nonblocking");
    auto packed = world.isend(job::column{mine.data(), count, 2}, right);
    job::check(world.recv<std::vector<int>>(left) == std::vector<int>(count, left),
               "packed for who does not know of strides");
    packed.wait();
  }
}

void oneself(const peal::communicator& world) {
  for (const std::size_t size : {0U, 1U, 1000U, 1'000'000U}) {
    const std::vector<char> mine(size, 'm');
    world.send(mine, world.rank(), tag{5});  // without a receive posted: it is buffered
    job::check(world.recv<std::vector<char>>(world.rank(), tag{5}) == mine,
               "a blocking send to oneself");
    auto coming = world.irecv<std::vector<char>>(world.rank());
    world.send(mine, world.rank());
    job::check(coming.wait() == mine, "to oneself, with a receive posted");
  }
}

void nobody(const peal::communicator& world) {
  world.send(5, peal::proc_null);
  world.isend(std::vector{1, 2, 3}, peal::proc_null).wait();
  int untouched = 9;
  const auto got = world.recv_into(untouched, peal::proc_null);
  job::check(got.source == peal::proc_null && got.bytes == 0 && untouched == 9 && !got.error,
             "a receive from nobody");
  job::check(world.recv<std::vector<int>>(peal::proc_null).empty(), "a vector from nobody");
  job::check(world.irecv<std::string>(peal::proc_null).wait().empty(), "a string from nobody");
  world.irecv_into(untouched, peal::proc_null).wait();
}

void wildcards(const peal::communicator& world) {
  // Every rank sends its rank with tag 10 + rank to rank 0, which takes them in any order, then by
  // tag.
  if (world.rank() != 0) {
    world.send(world.rank(), 0, tag{10 + world.rank()});
    world.send(-world.rank(), 0, tag{9});
    return;
  }
  for (int i = 1; i < world.size(); ++i) {
    peal::status got;
    const int value = world.recv<int>(peal::any_source, tag{9}, &got);
    job::equal(value, -got.source, "by tag");
  }
  std::vector<bool> seen(static_cast<std::size_t>(world.size()));
  for (int i = 1; i < world.size(); ++i) {
    peal::status got;
    const int value = world.recv<int>(peal::any_source, peal::any_tag, &got);
    job::check(got.source == value && got.tag == tag{10 + value} && got.bytes == sizeof(int) &&
                   !seen[static_cast<std::size_t>(value)],
               "any source, any tag");
    seen[static_cast<std::size_t>(value)] = true;
  }
}

void probes(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  job::check(!world.improbe(left, tag{99}), "a probe that finds nothing");
  for (const std::size_t size : {10U, 300'000U}) {
    auto sent = world.isend(std::vector<int>(size, world.rank()), right, tag{3});
    auto second = world.isend(std::string{"second"}, right, tag{3});
    peal::message found = world.mprobe(left, peal::any_tag);
    job::check(found.status().count<int>() == size && found.status().source == left &&
                   found.status().tag == tag{3},
               "what a probe says");
    // What was taken out of matching does not stand in the way.
    job::equal(world.recv<std::string>(left, tag{3}), "second"s,
               "the message behind the one that was taken");
    job::check(std::move(found).recv<std::vector<int>>() == std::vector<int>(size, left),
               "a message that was taken");
    sent.wait();
    second.wait();
  }
  auto dropped = world.isend(std::vector<int>(50'000), right, tag{4});
  {
    const auto thrown_away = world.mprobe(left, tag{4});
  }
  dropped.wait();
  // So is what another one takes the place of, at once.
  dropped = world.isend(std::vector<int>(50'000), right, tag{4});
  world.send(6, right, tag{6});
  peal::message kept = world.mprobe(left, tag{4}), other = world.mprobe(left, tag{6});
  kept = std::move(other);
  dropped.wait();
  job::throws(peal::errc::invalid_argument, [&] { (void)std::move(other).recv<int>(); });
  job::equal(std::move(kept).recv<int>(), 6, "a message that was assigned");
  world.send(made_by(world.rank()), right, tag{5});
  std::optional<peal::message> late;
  while (!(late = world.improbe(left, tag{5}))) {
  }
  job::check(std::move(*late).recv<record>() == made_by(left), "a value taken by a probe");
}

// Probes that leave the message where it is.
void looks(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  job::check(!world.iprobe(left, tag{99}) && !world.iprobe(), "nothing has come");
  for (const std::size_t size : {0U, 10U, 300'000U}) {
    world.barrier();  // nobody sends while others look
    auto sent = world.isend(std::vector<int>(size, world.rank()), right, tag{3});
    auto second = world.isend(std::string{"second"}, right, tag{4});
    for (int times = 0; times < 3; ++times) {
      const peal::status known = world.probe(left, tag{3});
      job::check(
          known.source == left && known.tag == tag{3} && known.count<int>() == size && !known.error,
          "what a probe says");
    }
    const peal::status any = world.probe(peal::any_source, tag{4});
    job::check(any.source == left && any.bytes == 6, "of any source");
    std::optional<peal::status> late;
    while (!(late = world.iprobe(left))) {
    }
    job::check(late->tag == tag{3}, "any tag is the first that came");
    job::equal(world.recv<std::string>(left, tag{4}), "second"s, "the one behind");
    std::vector<int> room(world.probe(left, tag{3}).count<int>());
    world.recv_into(room, left, tag{3});
    job::check(room == std::vector<int>(size, left), "the message is still there");
    job::check(!world.iprobe(left), "and is gone when it was received");
    sent.wait();
    second.wait();
  }
  world.barrier();
  const peal::status nobody = world.probe(peal::proc_null);
  job::check(nobody.source == peal::proc_null && nobody.bytes == 0 &&
                 world.iprobe(peal::proc_null)->source == peal::proc_null,
             "nobody sends nothing");
  job::throws(peal::errc::invalid_rank, [&] { world.probe(world.size()); });
  job::throws(peal::errc::invalid_tag, [&] { (void)world.iprobe(left, tag{-5}); });
  job::throws(peal::errc::invalid_rank, [&] { (void)world.mprobe(peal::proc_null); });
}

void errors(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  // Too long: consumed, and what follows is sound.
  for (const std::size_t size : {4U, 100U, 200'000U}) {
    auto sent = world.isend(std::vector<int>(size, 3), right);
    std::vector<int> small(2, 0);
    const auto e = job::throws(peal::errc::truncated, [&] { world.recv_into(small, left); });
    job::equal(e.peer(), left, "the peer in the error");
    job::check(
        std::string{e.where().file_name()}.ends_with("api/messages.cpp") && e.where().line() > 0,
        "the place in the error");
    job::check(small == std::vector{3, 3}, "what fits is there");
    sent.wait();
    auto coming = world.irecv_into(small, left);
    world.send(std::vector<int>(size, 4), right);
    std::error_code code;
    coming.wait(code);
    job::check(code == peal::errc::truncated, "wait(error)");
    world.send(size, right);
    job::equal(world.recv<std::size_t>(left), size, "the message behind");
  }
  // Bytes that are no value of the type.
  const auto refuses = [&]<class T>(std::type_identity<T>, const std::string& bytes,
                                    const std::string& what) {
    world.send(bytes, right);
    const auto e = job::throws(peal::errc::decode_failed, [&] { (void)world.recv<T>(left); });
    job::equal(e.peer(), left, what);
    world.send(bytes, right);
    job::throws(peal::errc::decode_failed, [&] { (void)world.irecv<T>(left).wait(); });
  };
  refuses(std::type_identity<int>{}, "abc", "an int of three bytes");
  refuses(std::type_identity<std::vector<int>>{}, "abcde", "ints of five bytes");
  refuses(std::type_identity<std::vector<std::string>>{},
          "\xff\xff\xff\xff\xff\xff\xff\x7f"
          "abc",
          "a length beyond the end");
  refuses(std::type_identity<std::vector<std::string>>{}, "abc", "a length cut off");
  refuses(std::type_identity<record>{}, "", "nothing at all");
  // Arguments.
  const int size = world.size();
  job::throws(peal::errc::invalid_rank, [&] { world.send(1, size); });
  job::throws(peal::errc::invalid_rank, [&] { world.send(1, peal::any_source); });
  job::throws(peal::errc::invalid_rank, [&] { (void)world.recv<int>(size + 5); });
  job::throws(peal::errc::invalid_rank, [&] { (void)world.irecv<int>(-7); });
  job::throws(peal::errc::invalid_tag, [&] { world.send(1, right, peal::any_tag); });
  job::throws(peal::errc::invalid_tag, [&] { world.send(1, right, tag{-5}); });
  job::throws(peal::errc::invalid_tag, [&] { (void)world.recv<int>(left, tag{-5}); });
  const auto e = job::throws(peal::errc::invalid_rank, [&] { (void)world.isend(1, 1000); });
  job::check(std::string{e.what()}.find("1000") != std::string::npos,
             std::string{"the error says which rank: "} + e.what());
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {{"values", values},
                         {"synchronous", synchronous},
                         {"buffers", buffers},
                         {"growing", growing},
                         {"strided", strided},
                         {"oneself", oneself},
                         {"nobody", nobody},
                         {"wildcards", wildcards},
                         {"probes", probes},
                         {"looks", looks},
                         {"errors", errors}});
}
