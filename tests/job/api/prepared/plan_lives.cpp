#include "plan_lives.hpp"

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../../support.hpp"

namespace plans {

void lives(const peal::communicator& world) {
  int value = 1;
  {  // moved while it is under way, and destroyed before its request
    auto first = world.allreduce_plan(value);
    auto under_way = first.start();
    peal::plan<int> second{std::move(first)};
    job::check(!first.valid() && second.valid() && second.active(), "moved");
    job::throws(peal::errc::invalid_argument, [&] { first.start().wait(); });
    {
      const auto gone = std::move(second);
    }
    job::equal(under_way.wait(), world.size(), "a plan that is destroyed while it is under way");
  }
  {  // the request is dropped: it is waited for
    auto plan = world.allreduce_plan(value);
    (void)plan.start();
    job::check(!plan.active(), "not active after its request was dropped");
    job::equal(plan.start().wait(), world.size(), "started again");
    peal::plan<int> other;
    job::check(!other.valid() && !other.active(), "empty");
    other = std::move(plan);
    job::equal(other.start().wait(), world.size(), "assigned");
  }
  {  // outlives its communicator
    auto copy = std::optional{world.dup()};
    auto plan = copy->allreduce_plan(value);
    copy.reset();
    for (int i = 0; i < 3; ++i)
      job::equal(plan.start().wait(), world.size(), "after the end of its communicator");
  }
  std::vector<peal::plan<int>> many;  // destroyed in another order than made
  for (int i = 0; i < 200; ++i) many.push_back(world.allreduce_plan(value));
  for (auto& each : many) job::equal(each.start().wait(), world.size(), "one of many");
  many.erase(many.begin(), many.begin() + 100);
}

void misuse(const peal::communicator& world) {
  int value = 1;
  auto plan = world.allreduce_plan(value);
  auto under_way = plan.start();
  const auto e = job::throws(peal::errc::invalid_argument, [&] { (void)plan.start(); });
  job::check(std::string{e.what()}.find("plan_lives.cpp:") != std::string::npos, e.what());
  job::check(std::string{e.what()}.find("under way") != std::string::npos, e.what());
  job::equal(under_way.wait(), world.size(), "not disturbed");
  job::equal(plan.start().wait(), world.size(), "and again");

  std::vector<std::vector<int>> blocks(static_cast<std::size_t>(world.size()), std::vector<int>(3));
  auto varying = world.alltoallv_plan(blocks);
  varying.start().wait();
  blocks.back().push_back(1);
  job::throws(peal::errc::invalid_argument, [&] { varying.start().wait(); });
  blocks.back().pop_back();
  blocks.emplace_back();
  job::throws(peal::errc::invalid_argument, [&] { varying.start().wait(); });
  blocks.pop_back();
  job::check(!varying.active(), "not started");
  varying.start().wait();

  std::vector<int> values(4), small(static_cast<std::size_t>(world.size()) * 4 - 1);
  job::throws(peal::errc::invalid_root, [&] { (void)world.bcast_plan(value, world.size()); });
  job::throws(peal::errc::invalid_root, [&] { (void)world.reduce_plan(value, -1); });
  job::throws(peal::errc::invalid_argument,
              [&] { (void)world.allgather_plan(values, peal::into(small)); });
  job::throws(peal::errc::invalid_argument,
              [&] { (void)world.scatterv_plan(std::span<std::vector<int>>{}, world.rank()); });
  if (world.size() > 1)
    job::throws(peal::errc::invalid_argument, [&] { (void)world.alltoall_plan(small); });

  // Containers that have other memory than when the plan was made.
  std::vector<int> three(3, 1), moved(3, 1), filled(3);
  auto reads = world.allreduce_plan(moved);
  auto fills = world.allreduce_plan(three, peal::into(filled));
  auto copies = world.bcast_plan(moved, 0);
  moved = std::vector<int>(3, 2);
  filled.resize(filled.capacity() + 1);
  job::throws(peal::errc::invalid_argument, [&] { (void)reads.start(); });
  job::throws(peal::errc::invalid_argument, [&] { (void)fills.start(); });
  job::throws(peal::errc::invalid_argument, [&] { (void)copies.start(); });

  // An operation that throws: its rank gets the exception, others an error or a result; the next
  // start is sound.
  bool throws = true;
  auto doubtful = world.allreduce_plan(value, [&throws](int a, int b) {
    if (throws) throw std::runtime_error{"from an operation"};
    return a + b;
  });
  for (int i = 0; i < 2 && world.size() > 1; ++i) {
    throws = true;
    try {
      (void)doubtful.start().wait();
      job::fail("the operation's exception is lost");
    } catch (const std::runtime_error&) {
    }
    throws = false;
    world.barrier();
    job::equal(doubtful.start().wait(), world.size(), "after an exception");
  }
}

}  // namespace plans
