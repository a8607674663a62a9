// A program that runs without pealrun is a job of one: what it may do, and the life of the
// environment.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bitset>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "peal/peal.hpp"

namespace {

using peal::tag;

// Each test in a process of its own, since a process has one environment in its life.
void alone(const std::function<void()>& run) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    try {
      run();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "thrown: %s\n", e.what());
      _exit(3);
    }
    std::fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 2 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

template <class F>
void expect_error(peal::errc code, const std::string& text, F&& call,
                  unsigned line = std::source_location::current().line()) {
  try {
    call();
    ADD_FAILURE() << "no error, line " << line;
  } catch (const peal::error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string{e.what()}.find(text), std::string::npos)
        << e.what() << "\nlacks: " << text;
    EXPECT_NE(std::string{e.what()}.find("job_of_one_test.cpp:"), std::string::npos) << e.what();
    EXPECT_EQ(std::string{e.where().file_name()}.ends_with("job_of_one_test.cpp"), true);
  }
}

TEST(job_of_one, has_rank_0_of_1_and_everything_works) {
  alone([] {
    int argc = 1;
    char name[] = "test";
    char* arguments[] = {name, nullptr};
    char** argv = arguments;
    peal::environment env{argc, argv};
    const auto& world = env.world();
    EXPECT_EQ(world.rank(), 0);
    EXPECT_EQ(world.size(), 1);
    auto sent = world.isend(std::vector{1, 2, 3}, 0);
    EXPECT_EQ(world.recv<std::vector<int>>(), (std::vector{1, 2, 3}));
    sent.wait();
    EXPECT_EQ(world.allreduce(5), 5);
    EXPECT_EQ(world.allgather(std::string{"a"}), std::vector<std::string>{"a"});
    EXPECT_EQ(world.dup().split(3)->size(), 1);
    auto memory = peal::allocate<double>(1000);
    EXPECT_EQ(memory[999], 0);
  });
}

TEST(job_of_one, wrong_arguments_are_refused_with_what_is_allowed) {
  alone([] {
    peal::environment env;
    const auto& world = env.world();
    expect_error(peal::errc::invalid_rank, "destination 1: the only rank is 0",
                 [&] { world.send(1, 1); });
    expect_error(peal::errc::invalid_rank, "source -5", [&] { (void)world.recv<int>(-5); });
    expect_error(peal::errc::invalid_tag, "tag -3: tags are 0 or greater",
                 [&] { world.send(1, 0, tag{-3}); });
    expect_error(peal::errc::invalid_tag, "any_tag is for receives",
                 [&] { world.send(1, 0, peal::any_tag); });
    expect_error(peal::errc::invalid_root, "root 4: the only rank is 0",
                 [&] { (void)world.bcast(1, 4); });
    expect_error(peal::errc::invalid_argument, "empty", [&] { peal::request<int>{}.wait(); });
  });
}

TEST(job_of_one, decoding_errors_name_the_caller_and_the_peer) {
  alone([] {
    peal::environment env;
    const auto& world = env.world();
    world.send(std::string{"abc"}, 0);
    expect_error(peal::errc::decode_failed, "message from rank 0, 3 bytes",
                 [&] { (void)world.recv<int>(); });
    world.send(std::string{"abcdefgh"}, 0);
    expect_error(peal::errc::decode_failed, "message from rank 0",
                 [&] { (void)world.recv<std::vector<std::vector<int>>>(); });
  });
}

TEST(environment, there_is_one_in_the_life_of_a_process) {
  alone([] {
    {
      peal::environment env;
      expect_error(peal::errc::already_started, "this process has a peal::environment already",
                   [] { peal::environment second; });
      EXPECT_EQ(env.world().allreduce(1), 1);
    }
    expect_error(peal::errc::already_started, "this process had a peal::environment already",
                 [] { peal::environment second; });
  });
}

TEST(environment, after_its_end_nothing_works_and_handles_can_be_destroyed) {
  alone([] {
    std::optional<peal::environment> env{std::in_place};
    const auto& world = env->world();
    auto copy = std::make_unique<peal::communicator>(world.dup());
    auto coming = std::make_unique<peal::request<int>>(world.irecv<int>());
    std::vector<int> room(3);
    auto into = std::make_unique<peal::request<peal::status>>(world.irecv_into(room));
    auto following = std::make_unique<peal::request<>>(
        world.irecv<int>().then([](int) { ADD_FAILURE() << "runs after the end"; }));
    auto queue = std::make_unique<peal::completion_queue>();
    queue->add(world.irecv<int>());
    EXPECT_GE(queue->event_fd(), 0);
    EXPECT_TRUE(queue->arm());
    auto memory = peal::allocate<int>(10);
    int value = 4;
    auto plan = std::make_unique<peal::plan<int>>(copy->allreduce_plan(value));
    EXPECT_EQ(plan->start().wait(), 4);
    auto begun = std::make_unique<peal::request<int>>(plan->start());
    env.reset();
    EXPECT_TRUE(plan->active());
    begun.reset();
    EXPECT_FALSE(plan->active());
    expect_error(peal::errc::not_started, "the peal::environment has ended",
                 [&] { (void)plan->start(); });
    expect_error(peal::errc::not_started, "the peal::environment has ended",
                 [&] { (void)copy->allreduce_plan(value); });
    expect_error(peal::errc::not_started, "the peal::environment has ended",
                 [&] { world.send(1, 0); });
    expect_error(peal::errc::not_started, "the peal::environment has ended",
                 [&] { copy->barrier(); });
    expect_error(peal::errc::not_started, "the peal::environment has ended",
                 [&] { coming->wait(); });
    expect_error(peal::errc::not_started, "the peal::environment has ended",
                 [&] { (void)queue->event_fd(); });
    expect_error(peal::errc::not_started, "the peal::environment has ended",
                 [&] { (void)queue->arm(); });
    EXPECT_EQ(queue->poll(), 0u);
    EXPECT_FALSE(coming->ready());
    EXPECT_EQ(world.rank(), 0);
    memory[9] = 5;
    following.reset();
    queue.reset();
    into.reset();
    coming.reset();
    copy.reset();
    plan.reset();
  });
}

enum class wide : long long {
  zero = 0,
  largest = 2147483647,
  too_large = 2147483648,
  whole_turn = 1LL << 32
};
enum class negative { like_any = -2, like_nobody = -3 };
enum class tiny : unsigned char { largest = 255 };

TEST(tags, are_enumerators_that_fit_and_no_others) {
  alone([] {
    peal::environment env;
    const auto& world = env.world();
    EXPECT_EQ(tag{wide::largest}.value(), 2147483647);
    EXPECT_EQ(tag{tiny::largest}.value(), 255);
    world.send(1, 0, wide::zero);
    for (const wide each : {wide::too_large, wide::whole_turn}) {
      expect_error(peal::errc::invalid_tag, "0 to 2147483647", [&] { world.send(2, 0, each); });
      expect_error(peal::errc::invalid_tag, "0 to 2147483647",
                   [&] { (void)world.recv<int>(0, each); });
    }
    for (const negative each : {negative::like_any, negative::like_nobody})
      expect_error(peal::errc::invalid_tag, "0 to 2147483647",
                   [&] { (void)world.irecv<int>(0, each); });
    EXPECT_EQ(world.recv<int>(0, wide::zero), 1);
  });
}

struct header {
  int kind;
  double weights[3];
};
struct timed_record : header {
  std::chrono::milliseconds length;
  std::bitset<70> flags;
  char name[2][8];
};

TEST(job_of_one, sends_arrays_bases_bits_and_times_as_they_lie) {
  alone([] {
    peal::environment env;
    const auto& world = env.world();
    timed_record given{{7, {1, 2, 3}}, std::chrono::milliseconds{1500}, {}, {"first", "second"}};
    given.flags.set(69);
    world.send(given, 0);
    world.send(std::vector{given, given}, 0);
    const auto one = world.recv<timed_record>();
    const auto two = world.recv<std::vector<timed_record>>();
    ASSERT_EQ(two.size(), 2u);
    for (const timed_record& got :
         {one, two[0], two[1], world.bcast(given, 0), world.allgather(given)[0]}) {
      EXPECT_EQ(got.kind, 7);
      EXPECT_EQ(got.weights[2], 3);
      EXPECT_EQ(got.length, std::chrono::milliseconds{1500});
      EXPECT_EQ(got.flags, given.flags);
      EXPECT_STREQ(got.name[1], "second");
    }
  });
}

TEST(wait_all, of_several_takes_all_before_it_throws_and_passes_over_empty_ones) {
  alone([] {
    peal::environment env;
    const auto& world = env.world();
    int small = 0;
    world.send(std::vector{1, 2}, 0, tag{1});
    world.send(5, 0, tag{2});
    auto truncated = world.irecv_into(small, 0, tag{1});
    auto good = world.irecv<int>(0, tag{2});
    peal::request<> empty;
    peal::request<int> without;
    try {
      peal::wait_all(truncated, without, good);
      ADD_FAILURE() << "no error";
    } catch (const peal::error& e) {
      EXPECT_EQ(e.code(), peal::errc::truncated) << e.what();
    }
    EXPECT_FALSE(truncated.valid());
    EXPECT_FALSE(good.valid());
    auto last = world.irecv<int>(0, tag{3});
    world.send(6, 0, tag{3});
    EXPECT_EQ(std::get<1>(peal::wait_all(empty, last)), 6);
  });
}

TEST(errors, of_what_is_empty_name_the_place_of_the_call) {
  alone([] {
    peal::environment env;
    auto first = env.world().dup();
    const auto second = std::move(first);
    expect_error(peal::errc::invalid_argument, "moved from", [&] { (void)first.rank(); });
    expect_error(peal::errc::invalid_argument, "moved from", [&] { (void)first.size(); });
    std::vector<peal::request<int>> empty(1);
    expect_error(peal::errc::invalid_argument, "this request is empty",
                 [&] { (void)peal::wait_all(empty); });
    expect_error(peal::errc::invalid_argument, "this request is empty",
                 [] { (void)peal::request<int>{}.then([](int) {}); });
  });
}

TEST(completion_queue, does_not_take_an_empty_request) {
  alone([] {
    peal::environment env;
    peal::completion_queue queue;
    expect_error(peal::errc::invalid_argument, "an empty request",
                 [&] { queue.add(peal::request<int>{}); });
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.wait(), 0u);
    queue.add(env.world().isend(1, 0));
    EXPECT_EQ(env.world().recv<int>(), 1);
    EXPECT_EQ(queue.wait(), 1u);
  });
}

TEST(completion_queue, empties_itself_after_the_end_of_the_environment) {
  alone([] {
    std::optional<peal::environment> env{std::in_place};
    peal::completion_queue queue;
    int values = 0, requests = 0;
    queue.add(env->world().irecv<int>(), [&](int) { ++values; });
    queue.add(env->world().irecv<int>(), [&](peal::request<int> over) {
      ++requests;
      expect_error(peal::errc::not_started, "the peal::environment has ended",
                   [&] { over.wait(); });
    });
    env.reset();
    EXPECT_EQ(queue.poll(), 0u);
    int failures = 0;
    for (int round = 0; round < 2; ++round) {
      try {
        EXPECT_EQ(queue.wait(), 1u);
      } catch (const peal::error& e) {
        EXPECT_EQ(e.code(), peal::errc::not_started);
        ++failures;
      }
    }
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(failures, 1);
    EXPECT_EQ(requests, 1);
    EXPECT_EQ(values, 0);
  });
}

TEST(environment, an_exception_ends_a_job_of_one_as_it_would_any_program) {
  alone([] {
    try {
      peal::environment env;
      auto sent = env.world().isend(std::vector<int>(1'000'000), 0);  // nobody receives it
      auto coming = env.world().irecv<int>(0, tag{3});
      throw std::runtime_error{"the program's"};
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "the program's");
    }
    EXPECT_FALSE(peal::detail::job_running());
  });
}

TEST(environment, a_forked_child_is_no_rank) {
  alone([] {
    peal::environment env;
    const pid_t child = fork();
    if (child == 0) {
      try {
        env.world().barrier();
      } catch (const peal::error& e) {
        _exit(e.code() == peal::errc::not_started ? 0 : 1);
      }
      _exit(2);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(env.world().allreduce(1), 1);
  });
}

TEST(environment, a_wrong_variable_is_refused_by_name) {
  alone([] {
    setenv("PEAL_WAIT", "sometimes", 1);
    try {
      peal::environment env;
      ADD_FAILURE() << "taken";
    } catch (const peal::error& e) {
      EXPECT_EQ(e.code(), peal::errc::invalid_config);
      for (const char* part : {"PEAL_WAIT", "sometimes", "adaptive"})
        EXPECT_NE(std::string{e.what()}.find(part), std::string::npos) << e.what();
    }
  });
}

TEST(memory, peal_allocate_works_without_a_job) {
  auto memory = peal::allocate<int>(100);
  EXPECT_EQ(memory.size(), 100U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0U);
  std::vector<long, peal::allocator<long>> values(1000, 3);
  EXPECT_EQ(values[999], 3);
  auto moved = std::move(memory);
  EXPECT_TRUE(memory.empty());
  EXPECT_EQ(moved[99], 0);
}

/// Its third object is one too many.
struct third_throws {
  static inline int made = 0;
  third_throws() {
    if (++made == 3) throw std::runtime_error{"one too many"};
  }
};

TEST(job_of_one, elements_that_throw_when_they_are_made_leave_no_memory_behind) {
  // The sanitizer of addresses looks for it.
  EXPECT_THROW((void)peal::allocate<third_throws>(5), std::runtime_error);
  EXPECT_EQ(peal::allocate<third_throws>(5).size(), 5u);
}

TEST(memory, what_nobody_has_is_refused) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
#if !defined(__SANITIZE_ADDRESS__)  // which ends the program where memory is asked for in vain
  EXPECT_THROW((void)peal::allocate<char>(most / 2), std::bad_alloc);
#endif
  // The last ones would be nothing, were they rounded up.
  for (const std::size_t bytes : {most / 2 + 1, most - 128, most - 10, most}) {
    EXPECT_THROW((void)peal::allocate<char>(bytes), std::bad_alloc) << bytes;
    EXPECT_THROW((void)peal::allocator<char>{}.allocate(bytes), std::bad_alloc) << bytes;
  }
  EXPECT_THROW((void)peal::allocate<long>(most / 8), std::bad_alloc);
  alone([] {
    peal::environment env;
    EXPECT_THROW((void)peal::allocate<char>(most - 10), std::bad_alloc);
  });
}

}  // namespace
