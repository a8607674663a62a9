#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "peal/detail/application.hpp"
#include "peal/detail/core.hpp"
#include "peal/detail/setting.hpp"

namespace {

namespace core = peal::detail;

/// In a process of its own, since a process has one job in its life, and one environment.
void apart(const std::function<void()>& run) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    run();
    _exit(testing::Test::HasFailure() ? 2 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

std::string value_of(const std::string& name) {
  for (const core::setting& each : core::settings())
    if (each.name == name) return each.value;
  return "absent";
}

TEST(environment_calls, settings_are_those_that_a_job_would_have_and_then_those_it_has) {
  apart([] {
    unsetenv("PEAL_EAGER_LIMIT");
    EXPECT_EQ(value_of("PEAL_EAGER_LIMIT"), "32K");
    EXPECT_TRUE(core::change_setting("PEAL_EAGER_LIMIT", "4K"));
    EXPECT_FALSE(core::change_setting("PEAL_EAGER_LIMIT", "much"));
    EXPECT_FALSE(core::change_setting("PEAL_NO_SUCH_THING", "1"));
    EXPECT_EQ(value_of("PEAL_EAGER_LIMIT"), "4K");
    core::start_job({}, core::location::current());
    setenv("PEAL_EAGER_LIMIT", "2K", 1);
    EXPECT_EQ(value_of("PEAL_EAGER_LIMIT"), "4K") << "the job was started with it";
    core::end_job(false, core::location::current());
  });
}

TEST(environment_calls, settings_say_what_they_are) {
  const auto all = core::settings();
  const auto heap = std::ranges::find(all, "PEAL_SHM_HEAP", &core::setting::name);
  ASSERT_NE(heap, all.end());
  EXPECT_TRUE(heap->must_agree);
  EXPECT_FALSE(heap->meaning.empty());
  EXPECT_FALSE(heap->allowed.empty());
}

TEST(environment_calls, without_a_launcher_there_is_no_number_of_the_program) {
  apart([] {
    unsetenv("PMIX_NAMESPACE");
    EXPECT_FALSE(core::application_number());
    core::start_job({}, core::location::current());
    EXPECT_FALSE(core::application_number());
    core::end_job(false, core::location::current());
  });
}

TEST(environment_calls, a_wait_hears_of_what_another_thread_has_done) {
  apart([] {
    setenv("PEAL_WAIT", "block", 1);
    core::start_job({.threads = true}, core::location::current());
    const auto since = std::chrono::steady_clock::now();
    constexpr int rounds = 5;
    for (int round = 0; round != rounds; ++round) {
      std::atomic<bool> holds{false};
      std::thread waits{[&] {
        EXPECT_TRUE(core::wait_until(
            [](void* context) { return static_cast<std::atomic<bool>*>(context)->load(); },
            &holds));
      }};
      std::this_thread::sleep_for(std::chrono::milliseconds{30});
      holds.store(true);
      core::wake_waits();
      waits.join();
    }
    // Unheard, each would sleep for a second.
    EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::seconds{rounds - 1});
    core::end_job(false, core::location::current());
  });
}

}  // namespace
