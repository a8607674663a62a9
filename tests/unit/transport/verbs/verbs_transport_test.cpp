// The verbs transport on a device: what costs a doorbell, what happens when a connection breaks,
// what strangers can do. verbs_double_test brings a device of its own; tests/lab/devices_test needs
// a real one, and the lab has it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "peal/error.hpp"
#include "transport/verbs/device/device.hpp"
#include "transport/verbs/wire.hpp"
#include "unit/transport/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

class verbs : public testing::Test {
 protected:
  std::unique_ptr<verbs_pair> pair;

  void SetUp() override { begin({}); }
  void begin(const verbs_options& settings) {
    pair.reset();
    pair = make_verbs_pair(settings);
    if (!pair) GTEST_SKIP() << no_device_here;
  }

  verbs_transport& end(peer_id which) { return *pair->ends[which]; }
  static std::uint64_t count(const verbs_transport& of, std::string_view name) {
    std::vector<counter> all;
    of.report(all);
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const counter& each) { return each.name == name; });
    return found == all.end() ? 0 : found->value;
  }
  struct counts {
    explicit counts(const verbs_transport& of)
        : messages{count(of, "verbs.messages")},
          requests{count(of, "verbs.requests")},
          doorbells{count(of, "verbs.doorbells")},
          signaled{count(of, "verbs.signaled")} {}
    std::uint64_t messages, requests, doorbells, signaled;
  };
  std::vector<arrival>& got(peer_id at) { return pair->arrivals[at].got; }
  void poll() {
    end(0).poll();
    end(1).poll();
  }
  void wait_for(peer_id at, std::size_t messages) {
    ASSERT_TRUE(until([&] { poll(); }, [&] { return got(at).size() >= messages; }));
  }
  void send(peer_id from, envelope e, const void* payload) {
    ASSERT_TRUE(until([&] { poll(); }, [&] { return end(from).send(1 - from, e, payload); }));
  }
  /// End 1 exposes it to end 0 and announces it; the announcement and what is pushed have come when
  /// this returns.
  remote_region announce(const std::vector<std::byte>& source) {
    const remote_region made = end(1).expose(0, source.data(), source.size());
    const std::size_t before = got(0).size();
    send(1, envelope::make(0, 1, 2, envelope_kind::announce, sizeof made), &made);
    send(1, message(0, 0), nullptr);
    wait_for(0, before + 2);
    return made;
  }
  /// Whether it arrives whole.
  bool fetched(const remote_region& where, const std::vector<std::byte>& source) {
    std::vector<std::byte> target(source.size());
    tracked_fetch fetching{1, where, target.data(), target.size()};
    end(0).start_fetch(fetching);
    return until([&] { poll(); }, [&] { return fetching.calls > 0; }) && !fetching.error &&
           target == source;
  }
  /// The queue pairs for large messages are there afterwards.
  void meet_for_large() {
    meet();
    const auto source = pattern(200'000, 9);
    const remote_region where = end(1).expose(0, source.data(), source.size());
    ASSERT_TRUE(fetched(where, source));
    end(1).withdraw(0, where);
    for (int turn = 0; turn < 20; ++turn) poll();
  }
  /// A message each way, and quiet afterwards.
  void meet() {
    for (const peer_id from : {0u, 1u}) send(from, message(0, 0), nullptr);
    for (const peer_id at : {0u, 1u}) wait_for(at, 1);
    for (const peer_id at : {0u, 1u}) got(at).clear();
  }
};

TEST_F(verbs, a_burst_of_small_messages_shares_packets) {
  meet();
  const counts before{end(0)};
  end(0).poll();
  for (std::uint32_t each = 0; each < 64; ++each)
    ASSERT_TRUE(end(0).send(1, message(8, each), "12345678"));
  EXPECT_TRUE(end(0).holds_messages());
  wait_for(1, 64);
  const counts after{end(0)};
  EXPECT_EQ(after.messages - before.messages, 64u);
  // The first at once, the others (63 * 32 bytes) in one packet; the return of credits may be a
  // third.
  EXPECT_LE(after.doorbells - before.doorbells, 3u);
  EXPECT_LE(after.requests - before.requests, 3u);
  for (std::uint32_t each = 0; each < 64; ++each) EXPECT_EQ(got(1)[each].head.context(), each);
  EXPECT_FALSE(end(0).holds_messages());
}

TEST_F(verbs, without_sharing_a_chain_costs_one_doorbell) {
  begin({.set = {.coalesce = false}});
  if (!pair) return;
  meet();
  const counts before{end(0)};
  end(0).poll();
  for (std::uint32_t each = 0; each < 33; ++each)
    ASSERT_TRUE(end(0).send(1, message(8, each), "12345678"));
  wait_for(1, 33);
  const counts after{end(0)};
  EXPECT_GE(after.requests - before.requests, 33u);
  EXPECT_LE(after.doorbells - before.doorbells, 3u);
  EXPECT_LE(after.signaled - before.signaled, 3u);
}

TEST_F(verbs, flush_posts_what_is_held) {
  meet();
  end(0).poll();
  for (std::uint32_t each = 0; each < 3; ++each)
    ASSERT_TRUE(end(0).send(1, message(8, each), "12345678"));
  end(0).flush();
  EXPECT_FALSE(end(0).holds_messages());
  EXPECT_TRUE(until([&] { end(1).poll(); }, [&] { return got(1).size() == 3; }))
      << "the sender need not poll";
}

TEST_F(verbs, both_may_begin_at_once) {
  for (int round = 0; round < 10; ++round) {
    begin({});
    if (!pair) return;
    EXPECT_FALSE(end(0).send(1, message(8, 1), "12345678"));
    EXPECT_FALSE(end(1).send(0, message(8, 1), "12345678"));
    meet();
    EXPECT_EQ(count(end(0), "verbs.connections"), 1u);
    EXPECT_EQ(count(end(1), "verbs.connections"), 1u);
  }
}

TEST_F(verbs, strangers_are_not_answered) {
  verbs_transport other{pair->arrivals[1], pair->here, 1, 2, {}};  // of another job: its own secret
  other.meet({end(0).address(), other.address()});
  // It knows the address and the job's secret as they were published, but is not who the others
  // think it is.
  EXPECT_FALSE(other.send(0, message(0, 0), nullptr));
  EXPECT_TRUE(until([&] { other.poll(), end(0).poll(); },
                    [&] { return count(end(0), "verbs.packets_refused") >= 2; }));
  EXPECT_EQ(count(end(0), "verbs.connections"), 0u);

  // takes its own secret for the job's: the device drops its packets, whose Q_Key is another
  verbs_transport wrong{pair->arrivals[1], pair->here, 1, 2, {}};
  const std::string mine = wrong.address(), theirs = end(0).address();
  constexpr std::size_t job_at = offsetof(peal::verbs::address, job),
                        job_bytes = sizeof(peal::verbs::secret);
  const std::string mixed = std::string{theirs}.replace(job_at, job_bytes, mine, job_at, job_bytes);
  wrong.meet({mixed, mine});
  EXPECT_FALSE(wrong.send(0, message(0, 0), nullptr));
  const std::uint64_t before = count(end(0), "verbs.packets_refused");
  EXPECT_TRUE(until([&] { wrong.poll(), end(0).poll(); },
                    [&] { return count(wrong, "verbs.handshakes_repeated") >= 2; }));
  EXPECT_EQ(count(end(0), "verbs.packets_refused"), before);
  EXPECT_EQ(count(end(0), "verbs.connections"), 0u);
  meet();  // the real one is served
}

TEST_F(verbs, a_peer_that_does_not_make_a_broken_connection_again_is_told_and_named) {
  begin({.set = {.timeout = 0.2}});
  if (!pair) return;
  meet();
  testing::internal::CaptureStderr();
  end(0).break_connection(1);
  std::vector<peer_id> lost;
  EXPECT_TRUE(until(
      [&] {
        (void)end(0).send(1, message(8, 0), "12345678");
        end(0).poll();
        lost = end(0).lost();
      },
      [&] { return !lost.empty(); }));
  EXPECT_EQ(lost, std::vector<peer_id>{1});
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("the connection to rank 1"), std::string::npos) << log;
  EXPECT_FALSE(end(0).send(1, message(8, 0), "12345678"))
      << "until p2p says that the peer has failed, its messages wait";
  end(0).peer_failed(1);
  EXPECT_TRUE(end(0).send(1, message(8, 0), "12345678"))
      << "nobody waits for what goes to the dead";
}

TEST_F(verbs, fetches_end_when_the_peer_fails) {
  meet_for_large();
  const std::uint64_t read_before = count(end(0), "verbs.read_bytes");
  constexpr std::size_t bytes = 8 << 20, many = 6;
  std::vector<std::vector<std::byte>> sources(many, pattern(bytes, 1)),
      targets(many, std::vector<std::byte>(bytes));
  std::vector<std::unique_ptr<tracked_fetch>> fetches;
  for (std::size_t each = 0; each < many; ++each) {
    const remote_region where = end(1).expose(0, sources[each].data(), bytes);
    fetches.push_back(std::make_unique<tracked_fetch>(1, where, targets[each].data(), bytes));
    end(0).start_fetch(*fetches.back());
  }
  ASSERT_TRUE(until([&] { end(0).poll(); },
                    [&] { return count(end(0), "verbs.read_bytes") > read_before; }));
  end(0).peer_failed(1);
  for (const auto& each : fetches) {
    EXPECT_EQ(each->calls, 1);
    if (each->error) {
      EXPECT_EQ(each->error, errc::peer_failed);
    }
  }
  EXPECT_TRUE(std::any_of(fetches.begin(), fetches.end(),
                          [](const auto& each) { return bool{each->error}; }));
  // Nothing is written any more.
  const auto then = targets;
  for (int turn = 0; turn < 100; ++turn) poll();
  EXPECT_TRUE(then == targets);
}

TEST_F(verbs, a_peer_that_vanished_is_missed_without_a_word) {
  begin({.set = {.timeout = 0.2}});
  if (!pair) return;
  meet();
  // its queue pairs are gone, as after a death or behind a cut link; nothing is on its way to it
  pair->ends[1].reset();
  std::vector<peer_id> lost;
  EXPECT_TRUE(until([&] { end(0).poll(), lost = end(0).lost(); }, [&] { return !lost.empty(); }));
  EXPECT_EQ(lost, std::vector<peer_id>{1});
}

TEST_F(verbs, a_fetch_ends_when_the_connection_breaks_for_good) {
  begin({.set = {.timeout = 0.2}});
  if (!pair) return;
  meet();
  const auto source = pattern(32 << 20, 1);
  std::vector<std::byte> target(source.size());
  tracked_fetch fetching{1, end(1).expose(0, source.data(), source.size()), target.data(),
                         target.size()};
  end(0).start_fetch(fetching);
  end(0).break_connection(1);
  std::vector<peer_id> lost;
  ASSERT_TRUE(until([&] { end(0).poll(), lost = end(0).lost(); }, [&] { return !lost.empty(); }));
  end(0).peer_failed(1);
  EXPECT_EQ(fetching.calls, 1);
  EXPECT_EQ(fetching.error, errc::peer_failed);
}

TEST_F(verbs, what_was_pushed_is_not_fetched) {
  begin({.set = {.push = 65'536, .rendezvous = rendezvous_mode::read}});
  if (!pair) return;
  meet();
  const auto source = pattern(16'384, 1), longer = pattern(300'000, 2);
  const remote_region where = announce(source);
  std::vector<std::byte> target(source.size());
  tracked_fetch fetching{1, where, target.data(), target.size()};
  end(0).start_fetch(fetching);
  EXPECT_EQ(fetching.calls, 1) << "all of it is here";
  EXPECT_TRUE(target == source);
  end(1).withdraw(0, where);
  const remote_region of_longer = announce(longer);
  EXPECT_TRUE(fetched(of_longer, longer));
  end(1).withdraw(0, of_longer);
  EXPECT_EQ(count(end(1), "verbs.pushed_bytes"), source.size() + 65'536);
  EXPECT_EQ(count(end(0), "verbs.read_bytes"), longer.size() - 65'536);
}

TEST_F(verbs, pushes_end_when_nobody_takes_them) {
  begin({.set = {.push = 65'536}});
  if (!pair) return;
  meet();
  constexpr std::size_t many = 40;
  const auto source = pattern(65'536, 1);
  for (int round = 0; round < 2; ++round) {
    const std::uint64_t before = count(end(1), "verbs.pushed_bytes");
    std::vector<remote_region> regions;
    for (std::size_t each = 0; each < many; ++each) regions.push_back(announce(source));
    EXPECT_GT(count(end(1), "verbs.pushed_bytes"), before) << "what was withdrawn makes room";
    EXPECT_LE(count(end(1), "verbs.pushed_bytes") - before, 8 * source.size());
    // In the second round they are taken, pushed or not.
    for (const remote_region& each : regions) {
      EXPECT_TRUE(round == 0 || fetched(each, source));
      end(1).withdraw(0, each);
    }
  }
  EXPECT_EQ(count(end(0), "verbs.pushes_dropped"), 0u);
}

TEST_F(verbs, pushes_without_room_are_dropped_and_fetched) {
  begin({.set = {.push = 65'536}, .kept_pushes = 70'000});
  if (!pair) return;
  meet();
  std::vector<std::vector<std::byte>> sources;
  std::vector<remote_region> regions;
  for (std::uint64_t each = 0; each < 4; ++each) {
    sources.push_back(pattern(65'536, each));
    regions.push_back(announce(sources.back()));
  }
  const std::uint64_t dropped = count(end(0), "verbs.pushes_dropped");
  EXPECT_GE(dropped, 1u);
  EXPECT_EQ(count(end(1), "verbs.pushed_bytes"), (dropped + 2) * 32'768)
      << "of two there was room for their halves";
  for (std::size_t each = 0; each < 4; ++each)
    EXPECT_TRUE(fetched(regions[each], sources[each])) << each;
  for (const remote_region& each : regions) end(1).withdraw(0, each);
  EXPECT_TRUE(fetched(announce(sources[0]), sources[0]));
  EXPECT_EQ(count(end(0), "verbs.pushes_dropped"), dropped) << "what was taken made room";
}

TEST_F(verbs, a_fetch_that_waits_for_a_push_ends_when_the_peer_fails) {
  begin({.set = {.push = 65'536, .rendezvous = rendezvous_mode::read}});
  if (!pair) return;
  meet_for_large();
  const std::uint64_t before = count(end(0), "verbs.read_bytes");
  const auto source = pattern(300'000, 1);
  std::vector<std::byte> target(source.size());
  tracked_fetch fetching{1, end(1).expose(0, source.data(), source.size()), target.data(),
                         target.size()};
  end(0).start_fetch(fetching);
  // Its sender does nothing more, so only what is read can come.
  ASSERT_TRUE(
      until([&] { end(0).poll(); },
            [&] { return count(end(0), "verbs.read_bytes") - before == source.size() - 65'536; }));
  EXPECT_EQ(fetching.calls, 0);
  end(0).peer_failed(1);
  EXPECT_EQ(fetching.calls, 1);
  EXPECT_EQ(fetching.error, errc::peer_failed);
}

TEST_F(verbs, nothing_is_pushed_to_a_peer_that_refuses) {
  begin({.set = {.push = 65'536}});
  if (!pair) return;
  meet();
  end(0).set_wants_eager(false);
  ASSERT_TRUE(until([&] { poll(); }, [&] { return !end(1).wants_eager(0); }));
  const auto source = pattern(65'536, 1);
  const remote_region where = announce(source);
  EXPECT_EQ(count(end(1), "verbs.pushed_bytes"), 0u);
  EXPECT_TRUE(fetched(where, source));
}

TEST_F(verbs, large_messages_move_as_they_are_told_to) {
  const auto source = pattern(3'000'001, 1);
  struct {
    std::string mode;
    unsigned cpus;  // of the node
  } const all[]{{"read", 2}, {"write", 2}, {"both", 2}, {"auto", 2}, {"auto", 1}};
  for (const auto& [mode, cpus] : all) {
    begin({.set = {.push = 0, .rendezvous = rendezvous_named(mode)}, .cpus = cpus});
    if (!pair) return;
    const bool two_cpus = cpus > 1 && peal::verbs::open_rails(machine{}, {}).front().soft_roce();
    meet();
    const remote_region where = announce(source);
    EXPECT_TRUE(fetched(where, source)) << mode;
    end(1).withdraw(0, where);
    const std::uint64_t read = count(end(0), "verbs.read_bytes"),
                        written = count(end(1), "verbs.write_bytes");
    EXPECT_EQ(read + written, source.size()) << mode;
    if (mode == "read" || (mode == "auto" && !two_cpus)) {
      EXPECT_EQ(written, 0u) << mode;
    } else if (mode == "write") {
      EXPECT_EQ(read, 0u);
    } else {
      EXPECT_NEAR(static_cast<double>(read), static_cast<double>(written), 8192) << mode;
    }
  }
}

/// Either side learns that the other is gone while a payload is half written.
TEST_F(verbs, writes_end_when_either_side_fails) {
  const auto source = pattern(20 << 20, 1);
  for (const peer_id survivor : {0u, 1u})
    for (const char* mode : {"write", "both"}) {
      begin({.set = {.rendezvous = rendezvous_named(mode)}});
      if (!pair) return;
      meet();
      std::vector<std::byte> target(source.size());
      const remote_region where = end(1).expose(0, source.data(), source.size());
      tracked_fetch fetching{1, where, target.data(), target.size()};
      end(0).start_fetch(fetching);
      ASSERT_TRUE(until([&] { poll(); }, [&] { return count(end(1), "verbs.write_bytes") > 0; }));
      ASSERT_EQ(fetching.calls, 0);
      end(survivor).peer_failed(1 - survivor);
      if (survivor == 1) end(1).withdraw(0, where);
      EXPECT_EQ(fetching.calls, survivor == 0 ? 1 : 0);
      const auto then = target;
      for (int turn = 0; turn < 100; ++turn) end(survivor).poll();
      EXPECT_TRUE(then == target) << "nothing is written any more";
      if (survivor == 1) end(0).peer_failed(1);
      EXPECT_EQ(fetching.calls, 1);
      EXPECT_EQ(fetching.error, errc::peer_failed);
      pair.reset();  // before the target goes
    }
}

/// Root is not held to the limit, and the kernel serves a device only to whom it was opened by: so
/// a thread that is somebody else opens it anew.
TEST_F(verbs, large_messages_pass_without_lockable_memory) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to take another user's limits: run it as root";
  int why = 0;
  // of this thread alone
  std::thread{[&] { why = syscall(SYS_setresuid, -1, 65534, -1) == 0 ? 0 : errno; }}.join();
  if (why == EINVAL)
    GTEST_SKIP()
        << "needs user ids besides root's: run it outside of a user namespace that has but one";
  const auto source = pattern(5'000'000, 3);
  std::vector<std::byte> target(source.size());
  rlimit before{};
  getrlimit(RLIMIT_MEMLOCK, &before);
  std::thread{[&] {
    ASSERT_EQ(syscall(SYS_setresuid, -1, 65534, -1), 0);  // of this thread alone
    begin({});
    meet();
    const rlimit none{0, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &none), 0);
    tracked_fetch fetching{1, end(1).expose(0, source.data(), source.size()), target.data(),
                           target.size()};
    end(0).start_fetch(fetching);
    EXPECT_TRUE(until([&] { poll(); }, [&] { return fetching.calls > 0; }));
    EXPECT_FALSE(fetching.error) << fetching.error.message();
    EXPECT_EQ(count(end(1), "verbs.staged_bytes") + count(end(1), "verbs.pushed_bytes"),
              source.size());
    EXPECT_TRUE(source == target);
    EXPECT_EQ(setrlimit(RLIMIT_MEMLOCK, &before), 0);
    pair.reset();
  }}.join();
}

TEST_F(verbs, what_is_asked_for_and_not_there_is_refused) {
  const auto refusal = [](const verbs_options& settings) -> std::string {
    try {
      verbs_pair made{settings};
      return "accepted";
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::no_device);
      return problem.what();
    }
  };
  EXPECT_NE(refusal({.set = {.device = "nosuch"}}).find("there is no such device"),
            std::string::npos);
  EXPECT_NE(refusal({.set = {.gid = 200}}).find("PEAL_VERBS_GID=200"), std::string::npos);
}

}  // namespace
