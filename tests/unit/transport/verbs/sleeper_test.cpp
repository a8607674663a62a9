// Ends of a connection that sleep on what their device tells, as the engine does.
// verbs_double_test brings a device of its own; tests/lab/devices_test needs a real one, and the
// lab has it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "peal/error.hpp"
#include "unit/transport/ends.hpp"

namespace peal::test {
namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

struct way_to_talk {
  const char* name;
  verbs_options settings;
};

/// A wake-up that takes so long is lost.
constexpr std::chrono::seconds too_long{20};

/// So that no probe hides a wake-up that was lost.
constexpr double patient = 1'000;

class asleep_over_verbs : public testing::Test {
 protected:
  void begin(const verbs_options& settings = {}) {
    pair.reset();
    pair = make_verbs_pair(settings, bells);
    if (!pair) GTEST_SKIP() << no_device_here;
  }
  verbs_transport& end(peer_id which) { return *pair->ends[which]; }
  std::vector<arrival>& got(peer_id at) { return pair->arrivals[at].got; }
  void poll() {
    end(0).poll();
    end(1).poll();
  }
  bool send(peer_id from) {
    return end(from).send(1 - from, envelope::make(0, 1, 0, envelope_kind::eager, 8), "12345678");
  }
  void deliver(peer_id from) {
    const std::size_t before = got(1 - from).size();
    ASSERT_TRUE(until([&] { poll(); }, [&] { return send(from); }));
    ASSERT_TRUE(until([&] { poll(); }, [&] { return got(1 - from).size() > before; }));
  }
  void meet() {
    deliver(0);
    deliver(1);
  }

  /// Whether one of its descriptors can be read within this time; reads it then.
  bool rung(peer_id which, clock::duration patience = 0s) {
    std::vector<pollfd> all{{bells[which].descriptor(), POLLIN, 0}};
    for (const int each : end(which).descriptors()) all.push_back({each, POLLIN, 0});
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(std::max<clock::duration>(patience, 0s))
            .count();
    if (::poll(all.data(), all.size(), static_cast<int>(left)) <= 0) return false;
    bells[which].clear();
    for (std::size_t each = 1; each < all.size(); ++each)
      if (all[each].revents != 0) end(which).rang(all[each].fd);
    return true;
  }
  /// Sleeps at every opportunity until `done`, as the engine does, looking at this end only. False:
  /// a wake-up was lost. `done` may take the news that it looks for: it is not asked again once it
  /// was true.
  template <class Done>
  bool sleeps_until(peer_id which, Done done) {
    bool over = false;
    const auto is_over = [&] { return over = over || done(); };
    for (const auto start = clock::now(); !is_over();) {
      if (clock::now() - start > patience) return false;
      const bool armed = end(which).arm();
      const bool moved = end(which).poll();
      if (armed && !moved && !is_over()) {
        const auto due = end(which).wakes_at();
        const auto now = clock::now();
        if (!rung(which, due - now < too_long ? due - now : too_long) && due - now >= too_long)
          return false;
      }
      end(which).disarm();
      end(which).poll();
    }
    return true;
  }

  wakeup bells[2];
  std::unique_ptr<verbs_pair> pair;
};

class asleep_any_way : public asleep_over_verbs, public testing::WithParamInterface<way_to_talk> {
 protected:
  void SetUp() override { begin(GetParam().settings); }
};

TEST_P(asleep_any_way, a_message_wakes) {
  meet();
  for (int each = 0; each < 40; ++each) {
    const std::size_t before = got(1).size();
    ASSERT_TRUE(until([&] { poll(); }, [&] { return end(1).arm() && !end(1).poll(); }));
    ASSERT_TRUE(until([&] { end(0).poll(); }, [&] { return send(0); }));
    end(0).flush();
    EXPECT_TRUE(sleeps_until(1, [&] { return got(1).size() > before; })) << each;
    end(1).disarm();
  }
}

TEST_P(asleep_any_way, who_is_awake_hears_nothing) {
  for (int each = 0; each < 40; ++each) meet();
  EXPECT_FALSE(rung(0));
  EXPECT_FALSE(rung(1));
}

TEST_P(asleep_any_way, a_first_message_wakes) {
  ASSERT_TRUE(end(1).arm());
  EXPECT_FALSE(end(1).poll());
  EXPECT_FALSE(rung(1));
  (void)send(0);
  end(0).flush();
  EXPECT_TRUE(rung(1, too_long)) << "by a handshake, or a datagram";
}

TEST_P(asleep_any_way, none_of_many_wake_ups_is_lost) {
  constexpr std::size_t messages = 500;
  std::atomic<int> lost{0};
  const auto talk = [&](peer_id self) {
    for (std::size_t each = 0; each < messages && lost.load() == 0; ++each) {
      if (self == 1 && !sleeps_until(1, [&] { return got(1).size() > each; })) ++lost;
      if (!sleeps_until(self, [&] { return send(self); })) ++lost;
      end(self).flush();
      if (self == 0 && !sleeps_until(0, [&] { return got(0).size() > each; })) ++lost;
    }
    // The last one may have to be repeated, by whom nobody waits for.
    const auto enough = clock::now() + 200ms;
    while (clock::now() < enough) end(self).poll();
  };
  std::thread other{talk, 1};
  talk(0);
  other.join();
  EXPECT_EQ(lost.load(), 0);
}

TEST_P(asleep_any_way, room_wakes_who_waits_for_it) {
  meet();
  std::thread other{[&] { sleeps_until(1, [&] { return got(1).size() >= 2'000; }); }};
  for (int each = 1; each < 2'000; ++each)
    EXPECT_TRUE(sleeps_until(0, [&] { return send(0); })) << each;
  EXPECT_TRUE(sleeps_until(0, [&] { return end(0).settled() && !end(0).holds_messages(); }));
  other.join();
  EXPECT_EQ(got(1).size(), 2'000u);
}

const way_to_talk ways[] = {
    {"shared_receives", {.set = {.timeout = patient}}},
    {"own_receives", {.set = {.srq = false, .timeout = patient}}},
    // for which the completion queue is resized
    {"large_queues", {.set = {.timeout = patient}, .send_depth = 3'000}},
    {"narrow", {.set = {.timeout = patient}, .send_depth = 4, .window = 2}},
    {"datagrams", {.set = {.promote = 1'000'000'000, .timeout = patient}}},
    {"promoted", {.set = {.promote = 5, .timeout = patient}}},
};
INSTANTIATE_TEST_SUITE_P(all, asleep_any_way, testing::ValuesIn(ways),
                         [](const auto& which) { return which.param.name; });

TEST_F(asleep_over_verbs, nothing_is_held_back_while_one_sleeps) {
  begin();
  if (!pair) return;
  meet();
  end(0).poll();
  for (int each = 0; each < 3; ++each) ASSERT_TRUE(send(0));
  ASSERT_TRUE(end(0).holds_messages());
  EXPECT_TRUE(end(0).arm());
  EXPECT_FALSE(end(0).holds_messages());
  EXPECT_TRUE(until([&] { end(1).poll(); }, [&] { return got(1).size() == 4; }));
}

TEST_F(asleep_over_verbs, what_another_thread_leaves_to_be_done_wakes) {
  for (const bool datagrams : {false, true}) {
    begin({.set = {.promote = datagrams ? std::optional<std::size_t>{1'000'000'000} : std::nullopt,
                   .timeout = patient}});
    if (!pair) return;
    meet();
    // Until it would sleep for long.
    ASSERT_TRUE(until([&] { poll(); },
                      [&] {
                        return end(0).arm() && !end(0).poll() &&
                               end(0).wakes_at() - clock::now() > too_long;
                      }));
    bells[0].clear();
    ASSERT_TRUE(send(0));  // goes at once
    ASSERT_TRUE(datagrams || send(0));
    pollfd bell{bells[0].descriptor(), POLLIN, 0};
    EXPECT_EQ(::poll(&bell, 1, 0), 1) << (datagrams ? "it may have to be repeated" : "it is held");
    bells[0].clear();
    end(0).disarm();
  }
}

TEST_F(asleep_over_verbs, a_peer_that_vanished_is_missed_in_sleep) {
  begin({.set = {.timeout = 0.2}});
  if (!pair) return;
  meet();
  pair->ends[1].reset();
  std::vector<peer_id> lost;
  EXPECT_TRUE(sleeps_until(0, [&] { return !(lost = end(0).lost()).empty(); }));
  EXPECT_EQ(lost, std::vector<peer_id>{1});
}

TEST_F(asleep_over_verbs, a_large_message_wakes_both_as_far_as_they_are_needed) {
  for (const char* mode : {"read", "write", "both"}) {
    begin({.set = {.rendezvous = rendezvous_named(mode)}});
    if (!pair) return;
    meet();
    const auto source = pattern(2'000'000, 1);
    std::vector<std::byte> target(source.size());
    std::atomic<bool> over{false};
    tracked_fetch fetching{1, end(1).expose(0, source.data(), source.size()), target.data(),
                           target.size()};
    std::thread other{[&] { sleeps_until(1, [&] { return over.load() || got(1).size() >= 2; }); }};
    end(0).start_fetch(fetching);
    EXPECT_TRUE(sleeps_until(0, [&] { return fetching.calls > 0; })) << mode;
    EXPECT_TRUE(target == source);
    over = true;
    EXPECT_TRUE(sleeps_until(0, [&] { return send(0); }));
    other.join();
  }
}

TEST_F(asleep_over_verbs, children_neither_inherit_nor_disturb) {
  begin();
  if (!pair) return;
  meet();
  ASSERT_EQ(end(1).descriptors().size(), 2u);
  for (const int each : end(1).descriptors()) {
    EXPECT_NE(fcntl(each, F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_NE(fcntl(each, F_GETFL) & O_NONBLOCK, 0);
  }
  for (int round = 0; round < 3; ++round) {
    const std::size_t before = got(1).size();
    ASSERT_TRUE(until([&] { poll(); }, [&] { return end(1).arm() && !end(1).poll(); }));
    const pid_t child = fork();
    if (child == 0) {
      for (const int each : end(1).descriptors()) close(each);
      _exit(0);
    }
    end(0).poll();
    ASSERT_TRUE(send(0));
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(sleeps_until(1, [&] { return got(1).size() > before; }));
    end(1).disarm();
  }
}

TEST_F(asleep_over_verbs, who_has_no_bell_stays_awake) {
  pair = make_verbs_pair();
  if (!pair) GTEST_SKIP() << no_device_here;
  EXPECT_FALSE(end(0).arm());
}

}  // namespace
}  // namespace peal::test
