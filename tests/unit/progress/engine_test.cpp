#include "progress/engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace peal::test {
namespace {

using namespace std::chrono_literals;

struct countdown final : progress_source {
  explicit countdown(int from) : left{from} {}
  bool poll() noexcept override {
    ++polls;
    if (left == 0) return false;
    --left;
    return true;
  }
  int left;
  int polls = 0;
};

TEST(engine, polls_its_sources_until_what_is_waited_for_holds) {
  engine progress;
  countdown first{5}, second{10};
  progress.add(first);
  progress.add(second);
  EXPECT_TRUE(progress.wait_until([&] { return second.left == 0; }));
  EXPECT_EQ(first.left, 0);
  progress.remove(first);
  const int before = first.polls;
  EXPECT_FALSE(progress.progress());
  EXPECT_EQ(first.polls, before);
}

TEST(engine, polls_what_is_wanted_sometimes_at_one_turn_in_64) {
  engine progress;
  countdown often{1000}, sometimes{1000};
  progress.add(often);
  progress.add(sometimes, engine::rate::sometimes);
  for (int i = 0; i < 640; ++i) progress.poll();
  EXPECT_EQ(often.polls, 640);
  EXPECT_EQ(sometimes.polls, 10);
}

TEST(engine, a_wait_ends_at_its_deadline) {
  for (const auto mode : {wait_mode::adaptive, wait_mode::poll, wait_mode::block}) {
    engine progress{false, wait_policy{mode}};
    const auto until = std::chrono::steady_clock::now() + 5ms;
    EXPECT_FALSE(progress.wait_until([] { return false; }, until));
    EXPECT_GE(std::chrono::steady_clock::now(), until);
    EXPECT_FALSE(progress.wait_unlocked([] { return false; }, until));
    EXPECT_TRUE(progress.wait_unlocked([] { return true; }, until))
        << "what holds already needs no time";
    EXPECT_TRUE(progress.wait_until([] { return true; }, until));
  }
}

TEST(engine, is_not_polled_from_within_a_source) {
  struct nested final : progress_source {
    bool poll() noexcept override {
      ++polls;
      EXPECT_FALSE(owner->poll());
      return false;
    }
    engine* owner = nullptr;
    int polls = 0;
  };
  engine progress;
  nested source;
  source.owner = &progress;
  progress.add(source);
  progress.progress();
  EXPECT_EQ(source.polls, 1);
}

TEST(engine, deferred_calls_come_after_the_turn_with_no_lock_held) {
  struct deferring final : progress_source {
    bool poll() noexcept override {
      if (done) return false;
      done = true;
      owner->defer(
          [](void* context) {
            auto& self = *static_cast<deferring*>(context);
            EXPECT_TRUE(self.owner->try_lock());
            self.owner->unlock();
            self.called = true;
          },
          this);
      EXPECT_FALSE(called);
      return true;
    }
    engine* owner = nullptr;
    bool done = false, called = false;
  };
  engine progress{true};
  deferring source;
  source.owner = &progress;
  progress.add(source);
  EXPECT_TRUE(progress.wait_until([&] { return source.done; }));
  EXPECT_TRUE(source.called);
}

TEST(engine,
     rethrows_what_deferred_calls_throw_one_at_a_time_but_from_no_wait_that_has_what_it_waits_for) {
  engine progress;
  countdown source{5};
  progress.add(source);
  int called = 0;
  for (int i = 0; i < 3; ++i)
    progress.defer(
        [](void* context) {
          auto& count = *static_cast<int*>(context);
          throw std::runtime_error{std::to_string(++count)};
        },
        &called);
  const auto thrown = [&](auto&& call) -> std::string {
    try {
      call();
    } catch (const std::runtime_error& what) {
      return what.what();
    }
    return "nothing";
  };
  EXPECT_EQ(thrown([&] { EXPECT_TRUE(progress.wait_until([&] { return source.left == 0; })); }),
            "nothing");
  EXPECT_EQ(source.left, 0);
  EXPECT_EQ(called, 3) << "one that throws stops none of the others";
  EXPECT_EQ(thrown([&] { progress.progress(); }), "1");
  EXPECT_EQ(thrown([&] { progress.progress(); }), "2");
  EXPECT_EQ(thrown([&] { progress.progress(); }), "3");
  EXPECT_EQ(thrown([&] { progress.progress(); }), "nothing");
}

TEST(engine, a_deferred_call_may_wait_itself) {
  struct waiting {
    engine* owner;
    countdown* source;
    bool inner = false;
    bool outer = false;
  };
  engine progress;
  countdown source{5};
  progress.add(source);
  waiting both{&progress, &source};
  progress.defer(
      [](void* context) {
        auto& self = *static_cast<waiting*>(context);
        self.owner->wait_until([&] { return self.source->left == 0; });
        EXPECT_TRUE(self.inner) << "what was deferred behind is called by the inner wait";
        self.outer = true;
      },
      &both);
  progress.defer([](void* context) { static_cast<waiting*>(context)->inner = true; }, &both);
  progress.run_deferred();
  EXPECT_TRUE(both.outer);
}

TEST(engine, a_wait_that_has_ended_runs_no_call_that_is_deferred_later) {
  struct chain {
    engine* owner;
    int called = 0;
    static void call(void* context) {
      auto& self = *static_cast<chain*>(context);
      const std::lock_guard<engine> guard{*self.owner};
      if (++self.called < 100) self.owner->defer(call, context);
    }
  };
  engine progress;
  chain all{&progress};
  progress.defer(chain::call, &all);
  EXPECT_TRUE(progress.wait_until([] { return true; }));
  EXPECT_EQ(all.called, 1) << "other threads could keep it there for ever";
  while (progress.owes_calls()) progress.progress();
  EXPECT_EQ(all.called, 100);
}

TEST(engine, threads_share_it_and_who_wants_the_lock_gets_it) {
  engine progress{true};
  struct shared final : progress_source {
    bool poll() noexcept override {
      EXPECT_EQ(inside++, 0);
      const bool moved = asked > 0;
      if (moved) {
        --asked;
        answered.fetch_add(1);
      }
      EXPECT_EQ(inside--, 1);
      return moved;
    }
    int inside = 0;  // guarded by the engine's lock, as is
    int asked = 0;
    std::atomic<int> answered{0};
  };
  shared source;
  progress.add(source);
  constexpr int threads = 4, rounds = 200;
  std::atomic<bool> over{false};
  // One thread waits all the time; the others have to get at the lock nevertheless.
  std::thread waiter{[&] { progress.wait_unlocked([&] { return over.load(); }); }};
  std::vector<std::thread> askers;
  for (int t = 0; t < threads; ++t)
    askers.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        {
          const std::lock_guard<engine> guard{progress};
          ++source.asked;
        }
        progress.wait_until([&] { return source.asked == 0; });
      }
    });
  for (std::thread& each : askers) each.join();
  over = true;
  waiter.join();
  EXPECT_EQ(source.answered.load(), threads * rounds);
}

}  // namespace
}  // namespace peal::test
