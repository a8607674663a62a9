#include "bootstrap/start_member.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "bootstrap/start_host.hpp"
#include "peal/error.hpp"

namespace {

using peal::failure_cause;
using peal::rank_failure;
using peal::start_host;
using peal::start_member;

constexpr int three = 3;

/// Ranks of a job of three, all in this process.
class start_of_three : public testing::Test {
 protected:
  void SetUp() override {
    host = start_host::make({"peal-a-b-c", 2, "0-1||", std::vector<int>{0, 0, 1}});
    ASSERT_NE(host, nullptr);
    const std::string& variable = host->variable();
    const auto equals = variable.find('=');
    ::setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
    ::setenv("PMIX_NAMESPACE", "peal-a-b-c", 1);
  }
  void TearDown() override {
    for (const char* each : {"PEALRUN_JOB", "PMIX_NAMESPACE", "PMIX_RANK"}) ::unsetenv(each);
  }
  static std::unique_ptr<start_member> member(int rank) {
    ::setenv("PMIX_RANK", std::to_string(rank).c_str(), 1);
    return start_member::of_environment();
  }
  void connect_all() {
    for (int rank = 0; rank < three; ++rank) members[static_cast<std::size_t>(rank)] = member(rank);
  }
  /// Every living rank in a thread of its own.
  template <class Call>
  void together(const Call& call, int without = -1) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < three; ++rank)
      if (rank != without)
        threads.emplace_back([&, rank] { call(*members[static_cast<std::size_t>(rank)]); });
    for (std::thread& each : threads) each.join();
  }

  std::unique_ptr<start_host> host;
  std::array<std::unique_ptr<start_member>, three> members;
};

constexpr std::chrono::milliseconds minute{60'000};

TEST_F(start_of_three, tells_ranks_who_they_are) {
  const auto last = member(2);
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->rank(), 2);
  EXPECT_EQ(last->size(), three);
  EXPECT_EQ(last->cores(), 2);
  EXPECT_EQ(last->application(), 1);
  EXPECT_EQ(last->job(), "peal-a-b-c");
  EXPECT_EQ(last->distances(), "0-1||");
}

TEST_F(start_of_three, is_not_for_ranks_of_another_launcher) {
  ::setenv("PMIX_NAMESPACE", "prterun-1", 1);
  EXPECT_EQ(member(0), nullptr);
  ::unsetenv("PMIX_NAMESPACE");
  EXPECT_EQ(member(0), nullptr);
  ::setenv("PMIX_NAMESPACE", "peal-a-b-c", 1);
  ::setenv("PEALRUN_JOB", "nonsense", 1);
  EXPECT_EQ(member(0), nullptr);
}

TEST_F(start_of_three, refuses_a_rank_that_the_job_lacks) {
  EXPECT_THROW((void)member(3), peal::error);
  EXPECT_THROW((void)member(-1), peal::error);
}

TEST_F(start_of_three, names_the_descriptor_that_was_closed) {
  // The same as the host's, but for the number of the file.
  std::string text = std::getenv("PEALRUN_JOB");
  const auto colon = text.rfind(':');
  text.insert(colon, "1");
  ::setenv("PEALRUN_JOB", text.c_str(), 1);
  try {
    (void)member(0);
    FAIL() << "another file was taken for the job's";
  } catch (const peal::error& problem) {
    const std::string said = problem.what();
    EXPECT_NE(said.find("descriptor " + std::to_string(host->descriptor())), std::string::npos)
        << said;
    EXPECT_NE(said.find("PEAL_BOOTSTRAP=pmix"), std::string::npos) << said;
  }
}

TEST_F(start_of_three, finds_the_memory_by_the_launcher_where_the_descriptor_was_closed) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(host->descriptor());
    bool found = false;
    try {
      const auto rank = member(1);
      found = rank != nullptr && rank->rank() == 1;
    } catch (const peal::error&) {
    }
    ::_exit(found ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(start_of_three, gives_each_rank_what_all_have_told) {
  connect_all();
  const std::string long_value(300'000, 'x');
  for (int round = 0; round < 5; ++round) {
    const auto part = [&](int rank) {
      return rank == 1 && round == 3 ? long_value
                                     : std::to_string(rank) + " in " + std::to_string(round);
    };
    together([&](start_member& one) {
      one.tell(part(one.rank()));
      EXPECT_TRUE(one.fence(minute, nullptr));
      EXPECT_EQ(one.told_by_all(), (std::vector<std::string>{part(0), part(1), part(2)}))
          << "round " << round;
      EXPECT_EQ(one.told_by(2, round), part(2));
    });
  }
}

TEST_F(start_of_three, shows_what_a_rank_has_told_before_the_fence) {
  connect_all();
  EXPECT_EQ(members[1]->told_by(0, 0), "");
  members[0]->tell("early");
  EXPECT_EQ(members[1]->told_by(0, 0), "early");
  EXPECT_EQ(members[1]->told_by(0, 1), "");
}

TEST_F(start_of_three, goes_on_where_the_program_before_has_left_off) {
  for (const char* text : {"first", "second"}) {
    connect_all();
    together([&](start_member& one) {
      one.tell(text);
      EXPECT_TRUE(one.fence(minute, [] { return true; }));
      EXPECT_EQ(one.told_by_all(), std::vector<std::string>(three, text));
      EXPECT_EQ(one.told_by(0, 0), text);
      one.leave();
    });
  }
}

TEST_F(start_of_three, ends_a_fence_when_progress_gives_up) {
  connect_all();
  int calls = 0;
  EXPECT_FALSE(members[0]->fence(minute, [&] { return ++calls < 3; }));
  EXPECT_EQ(calls, 3);
}

TEST_F(start_of_three, completes_a_fence_without_a_rank_that_died) {
  connect_all();
  std::atomic<int> waiting{0};
  std::thread launcher{[&] {
    while (waiting.load() != 2) std::this_thread::yield();
    host->tell_of_death({1, failure_cause::exit_code, 7, true});
  }};
  together(
      [&](start_member& one) {
        one.tell(std::to_string(one.rank()));
        ++waiting;
        EXPECT_TRUE(one.fence(minute, nullptr));
        EXPECT_EQ(one.told_by_all(), (std::vector<std::string>{"0", "", "2"}));
      },
      1);
  launcher.join();
  std::vector<rank_failure> dead;
  EXPECT_TRUE(members[2]->has_news());
  members[2]->look([&](const rank_failure& of) { dead.push_back(of); });
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].rank, 1);
  EXPECT_EQ(dead[0].why, failure_cause::exit_code);
  EXPECT_EQ(dead[0].code, 7);
  EXPECT_TRUE(dead[0].silent);
  EXPECT_FALSE(members[2]->has_news());
}

TEST_F(start_of_three, waits_no_longer_than_allowed_once_a_rank_has_died) {
  connect_all();
  host->tell_of_death({1});
  EXPECT_FALSE(members[0]->fence(std::chrono::milliseconds{0}, nullptr)) << "rank 2 has not come";
  members[2]->leave();
  EXPECT_TRUE(members[0]->fence(std::chrono::milliseconds{0}, nullptr)) << "and will not any more";
}

TEST_F(start_of_three, wakes_a_listener_by_a_death_and_by_stop) {
  connect_all();
  std::uint32_t seen = members[0]->news();
  host->tell_of_death({2});
  EXPECT_TRUE(members[0]->await_news(seen));
  std::thread listener{[&] { EXPECT_FALSE(members[0]->await_news(seen)); }};
  members[0]->stop();
  listener.join();
}

TEST_F(start_of_three, does_not_wait_for_news_after_a_stop) {
  connect_all();
  members[0]->stop();
  std::uint32_t seen = members[0]->news();
  EXPECT_FALSE(members[0]->await_news(seen));
}

}  // namespace
