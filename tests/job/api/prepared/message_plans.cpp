// Plans of messages: started again and again with other data, beside plain messages; moved,
// dropped, misused.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../support.hpp"

using peal::tag;

namespace {

void ranges(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  for (const std::size_t length : {0U, 1U, 100U, 200'000U}) {
    std::vector<int> mine(length), room(length + 1);
    auto out = world.send_plan(mine, right, tag{1});
    auto in = world.recv_plan(room, left, tag{1});
    for (int turn = 0; turn < 4; ++turn) {
      mine.assign(length, world.rank() + turn);
      room.assign(length + 1, -1);
      auto coming = in.start();
      job::check(in.active(), "under way");
      auto sent = out.start();
      const peal::status known = coming.wait();
      sent.wait();
      job::check(!in.active() && !out.active(), "over");
      job::check(known.source == left && known.tag == tag{1} && known.count<int>() == length,
                 "the status of a start");
      job::check(room.back() == -1 && std::equal(room.begin(), room.end() - 1,
                                                 std::vector<int>(length, left + turn).begin()),
                 "what a plan sent");
      // Beside messages that are none of a plan's.
      auto plain = world.isend(mine, right, tag{1});
      room.assign(length + 1, -1);
      in.start().wait();
      job::check(length == 0 || room.front() == left + turn, "a plan receives what isend sent");
      plain.wait();
      sent = out.start();
      job::check(
          world.recv<std::vector<int>>(left, tag{1}) == std::vector<int>(length, left + turn),
          "recv takes what a plan sent");
      sent.wait();
    }
  }
}

void values_and_views(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  for (const std::size_t count : {3U, 40'000U}) {
    std::vector<int> mine(3 * count), room(3 * count), whole(count);
    int number = 0, got = -1;
    auto value = world.send_plan(number, right, tag{1});
    auto into_value = world.recv_plan(got, left, tag{1});
    auto apart = world.send_plan(job::column{mine.data(), count, 3}, right, tag{2});
    auto into_apart = world.recv_plan(job::column{room.data() + 1, count, 3}, left, tag{2});
    auto side_by_side = world.send_plan(std::span<const int>{whole}, right, tag{3});
    auto into_view = world.recv_plan(std::span{room}.first(count), left, tag{3});
    for (int turn = 1; turn < 4; ++turn) {
      number = turn + world.rank();
      for (auto* each : {&mine, &whole}) each->assign(each->size(), number);
      room.assign(3 * count, -1);
      std::vector<peal::request<>> sent;
      sent.push_back(side_by_side.start());
      sent.push_back(apart.start());
      sent.push_back(value.start());
      into_value.start().wait();
      job::equal(got, left + turn, "a value");
      job::equal(into_apart.start().wait().count<int>(), count, "elements");
      job::check(room[0] == -1 && room[1] == left + turn && room[2] == -1 &&
                     room[3 * count - 2] == left + turn && room[3 * count - 1] == -1,
                 "a strided view");
      into_view.start().wait();
      job::check(room[0] == left + turn && room[count - 1] == left + turn, "a span");
      peal::wait_all(sent);
    }
  }
}

void lives(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  int mine = world.rank(), got = -1;
  {  // moved while it is under way, and destroyed before its request
    auto first = world.recv_plan(got, left);
    auto coming = first.start();
    peal::plan<peal::status> second{std::move(first)};
    job::check(!first.valid() && second.active(), "moved");
    {
      const auto gone = std::move(second);
    }
    world.send(mine, right);
    coming.wait();
    job::equal(got, left, "a plan that is destroyed while it is under way");
  }
  {  // outlives its communicator
    auto copy = std::optional{world.dup()};
    auto out = copy->send_plan(mine, right);
    auto in = copy->recv_plan(got, left);
    copy.reset();
    for (int i = 0; i < 3; ++i) {
      got = -1;
      auto coming = in.start();
      out.start().wait();
      coming.wait();
      job::equal(got, left, "after the end of its communicator");
    }
  }
  {  // what takes requests takes those of starts
    auto out = world.send_plan(mine, right);
    auto in = world.recv_plan(got, left);
    auto both = peal::when_all(in.start(), out.start()).then([](const auto& of) {
      return std::get<0>(of).source;
    });
    job::equal(both.wait(), left, "a continuation");
    auto coming = in.start();
    job::check(coming.cancel(), "a receive that is not matched");
    job::throws(peal::errc::cancelled, [&] { coming.wait(); });
    (void)in.start();  // dropped: withdrawn
    job::check(!in.active(), "not active after its request was dropped");
  }
  auto nobody = world.send_plan(mine, peal::proc_null);
  nobody.start().wait();
  got = 7;
  job::check(
      world.recv_plan(got, peal::proc_null).start().wait().source == peal::proc_null && got == 7,
      "nobody");
}

// In their order, each once, and again.
void all_at_once(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  std::array<int, 64> mine{}, room{};
  std::vector<peal::plan<>> out;
  std::vector<peal::plan<peal::status>> in;
  for (std::size_t each = 0; each != mine.size(); ++each) {
    out.push_back(world.send_plan(mine[each], right, tag{1}));
    in.push_back(world.recv_plan(room[each], left, tag{1}));
  }
  for (int turn = 0; turn < 3; ++turn) {
    for (std::size_t each = 0; each != mine.size(); ++each)
      mine[each] = 1000 * world.rank() + 100 * turn + static_cast<int>(each);
    room.fill(-1);
    auto coming = peal::start_all(in);
    auto sent = peal::start_all(out);
    job::check(coming.size() == in.size() && sent.size() == out.size(), "a request each");
    job::check(std::ranges::all_of(in, [](const auto& each) { return each.active(); }),
               "under way");
    for (const peal::status& each : peal::wait_all(coming))
      job::check(each.source == left && each.count<int>() == 1, "the status of each");
    peal::wait_all(sent);
    for (std::size_t each = 0; each != mine.size(); ++each)
      job::equal(room[each], 1000 * left + 100 * turn + static_cast<int>(each), "in their order");
  }
  job::check(peal::start_all(std::vector<peal::plan<>>{}).empty(), "none");
  // Collective ones have values.
  int one = world.rank();
  std::vector<decltype(world.allreduce_plan(one))> sums;
  for (int each = 0; each != 3; ++each) sums.push_back(world.allreduce_plan(one));
  auto began = peal::start_all(sums);
  for (const int sum : peal::wait_all(began))
    job::equal(sum, world.size() * (world.size() - 1) / 2, "a sum");
  // Where one is under way none is started, and the place is told.
  auto second = in[1].start();
  const auto e = job::throws(peal::errc::invalid_argument, [&] { (void)peal::start_all(in); });
  job::check(std::string{e.what()}.find("message_plans.cpp:") != std::string::npos, e.what());
  job::check(!in[0].active() && !in[2].active(), "none was started");
  world.send(5, right, tag{1});
  second.wait();
  job::equal(room[1], 5, "what the one that was under way receives");
}

void misuse(const peal::communicator& world) {
  const int right = job::right_of(world), left = job::left_of(world);
  int mine = 1;
  std::vector<int> room(2);
  job::throws(peal::errc::invalid_rank, [&] { (void)world.send_plan(mine, world.size()); });
  job::throws(peal::errc::invalid_rank, [&] { (void)world.recv_plan(mine, -7); });
  job::throws(peal::errc::invalid_tag, [&] { (void)world.send_plan(mine, right, peal::any_tag); });
  // A short send is over at once, and its place is told all the same.
  auto out = world.send_plan(mine, right);
  auto sent = out.start();
  const auto e = job::throws(peal::errc::invalid_argument, [&] { (void)out.start(); });
  job::check(std::string{e.what()}.find("message_plans.cpp:") != std::string::npos, e.what());
  sent.wait();
  auto in = world.recv_plan(room, left);
  in.start().wait();
  // Truncated: the status tells of it, and the next start is sound.
  world.send(std::vector<int>{1, 2, 3}, right);
  auto coming = in.start();
  std::error_code code;
  const peal::status known = coming.wait(code);
  job::check(code == peal::errc::truncated && known.source == left, "wait(error)");
  out.start().wait();
  job::equal(in.start().wait().count<int>(), std::size_t{1}, "after an error");
  // Containers that have other memory than when the plan was made.
  std::vector<int> moved(3);
  auto reads = world.send_plan(moved, right);
  moved = std::vector<int>(3, 2);
  room.resize(room.capacity() + 1);
  job::throws(peal::errc::invalid_argument, [&] { (void)reads.start(); });
  job::throws(peal::errc::invalid_argument, [&] { (void)in.start(); });
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {{"ranges", ranges},
                         {"values and views", values_and_views},
                         {"lives", lives},
                         {"all at once", all_at_once},
                         {"misuse", misuse}});
}
