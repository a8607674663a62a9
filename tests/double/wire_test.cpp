// Cards of several processes: messages, READs and WRITEs without the other process's help, who
// sleeps is woken, and a process that ends.
#include "unit/transport/verbs/double/wire.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "double/raw_end.hpp"
#include "unit/transport/verbs/double/fabric/schedule.hpp"
#include "unit/transport/verbs/double/objects.hpp"

namespace peal::test {
namespace {

using namespace std::chrono_literals;

/// What one process tells the other outside of verbs.
struct place {
  std::uint32_t pair = 0, key = 0;
  std::uint64_t memory = 0;
};

/// Two processes: a child each, so that the test's own process stays as it is.
class verbs_double_wire : public testing::Test {
 protected:
  pid_t processes[2] = {};
  int to[2][2] = {};  // a pipe to each

  void SetUp() override {
    for (auto& each : to) ASSERT_EQ(pipe(each), 0);
  }
  void TearDown() override {
    for (auto& each : to)
      for (const int end : each) close(end);
  }
  /// Runs in a process of its own, as node `number` of two; its result is the exit code.
  void start(int number, const std::function<bool(int)>& what) {
    processes[number] = fork();
    ASSERT_GE(processes[number], 0);
    if (processes[number] != 0) return;
    setenv("VERBS_DOUBLE", ("test of " + std::to_string(getppid())).c_str(), 1);
    unsetenv("PMIX_NAMESPACE");
    setenv("VERBS_DOUBLE_NODES", "2", 1);
    setenv("VERBS_DOUBLE_NODE", number == 0 ? "0" : "1", 1);
    verbs_double::remove_cards();
    verbs_double::join_other_processes();
    _exit(what(number) && !HasFailure() ? 0 : 1);
  }
  int end_of(int number) {
    int status = 0;
    waitpid(processes[number], &status, 0);
    return status;
  }
  void tell(int whom, const place& what) {
    ASSERT_EQ(write(to[whom][1], &what, sizeof what), static_cast<ssize_t>(sizeof what));
  }
  place hear(int self) {
    place found;
    EXPECT_EQ(read(to[self][0], &found, sizeof found), static_cast<ssize_t>(sizeof found));
    return found;
  }
  static place place_of(const raw_end& of) {
    return {of.pair->qp_num, of.region->rkey, reinterpret_cast<std::uint64_t>(of.memory.data())};
  }
  static verbs_double::card& card_of(int node) {
    return *verbs_double::everything().cards[static_cast<std::size_t>(node)];
  }
  /// An end on this node, connected with one on the other.
  place meet(raw_end& with, int self, const raw_path& path = {}) {
    tell(1 - self, place_of(with));
    const place there = hear(self);
    with.connect(with.way_to(card_of(1 - self), 1, true), there.pair, path);
    tell(1 - self, {});
    (void)hear(self);
    return there;
  }
};

TEST_F(verbs_double_wire, messages_arrive_in_order) {
  constexpr std::uint32_t count = 50, bytes = 60'000;
  const auto sends = [&](int self) {
    raw_end end{card_of(self)};
    (void)meet(end, self);
    for (std::uint32_t number = 0; number < count; ++number) {
      std::memset(end.memory.data(), static_cast<int>(number), bytes);
      EXPECT_EQ(end.send(number, bytes), 0);
      const auto ended = end.next(60s);
      if (!ended || ended->status != IBV_WC_SUCCESS || ended->wr_id != number) return false;
    }
    return true;
  };
  const auto receives = [&](int self) {
    raw_end end{card_of(self)};
    (void)meet(end, self);
    EXPECT_EQ(end.post_receive(0, bytes), 0);
    for (std::uint32_t number = 0; number < count; ++number) {
      const auto got = end.next(60s);
      if (!got || got->status != IBV_WC_SUCCESS || got->byte_len != bytes) return false;
      for (std::uint32_t each : {0u, bytes - 1})
        if (end.memory[each] != static_cast<std::byte>(number)) return false;
      EXPECT_EQ(end.post_receive(number + 1, bytes), 0);
    }
    return true;
  };
  start(0, sends);
  start(1, receives);
  EXPECT_EQ(end_of(0), 0);
  EXPECT_EQ(end_of(1), 0);
}

TEST_F(verbs_double_wire, memory_is_read_and_written_while_its_process_does_nothing) {
  const auto works = [&](int self) {
    raw_end end{card_of(self)};
    const place there = meet(end, self);
    std::memset(end.memory.data(), 7, 100);
    EXPECT_EQ(end.write(there.memory, there.key, 1, 100), 0);
    const auto written = end.next(60s);
    std::memset(end.memory.data(), 0, 100);
    EXPECT_EQ(end.write(there.memory, there.key, 2, 100, IBV_WR_RDMA_READ), 0);
    const auto read = end.next(60s);
    tell(1 - self, {});
    return written && written->status == IBV_WC_SUCCESS && read && read->status == IBV_WC_SUCCESS &&
           end.memory[0] == std::byte{7} && end.memory[99] == std::byte{7};
  };
  const auto waits = [&](int self) {
    raw_end end{card_of(self)};
    (void)meet(end, self);
    (void)hear(self);  // asleep in read()
    // For ThreadSanitizer: what the card has written is here since its lock was given back.
    EXPECT_FALSE(end.next());
    return end.memory[99] == std::byte{7} && end.memory[100] == std::byte{0};
  };
  start(0, works);
  start(1, waits);
  EXPECT_EQ(end_of(0), 0);
  EXPECT_EQ(end_of(1), 0);
}

TEST_F(verbs_double_wire, who_sleeps_on_a_channel_is_woken) {
  const auto sleeps = [&](int self) {
    raw_end end{card_of(self), {.wakes = true}};
    EXPECT_EQ(ibv_req_notify_cq(end.completions, 0), 0);
    (void)meet(end, self);
    EXPECT_EQ(end.post_receive(1), 0);
    pollfd ready{end.channel->fd, POLLIN, 0};
    if (poll(&ready, 1, 60'000) != 1) return false;
    const auto got = end.next();
    return got && got->status == IBV_WC_SUCCESS;
  };
  const auto wakes = [&](int self) {
    raw_end end{card_of(self)};
    (void)meet(end, self);
    EXPECT_EQ(end.send(1, 8), 0);
    const auto ended = end.next(60s);
    return ended && ended->status == IBV_WC_SUCCESS;
  };
  start(0, sleeps);
  start(1, wakes);
  EXPECT_EQ(end_of(0), 0);
  EXPECT_EQ(end_of(1), 0);
}

TEST_F(verbs_double_wire, a_process_that_was_killed_answers_no_more) {
  const auto lives = [&](int self) {
    raw_end end{card_of(self)};
    const place there = meet(end, self, {.timeout = 8, .retries = 3});  // 4 ms
    EXPECT_EQ(end.write(there.memory, there.key, 1, 8), 0);
    const auto before = end.next(60s);
    tell(1 - self, {});
    (void)hear(self);
    EXPECT_EQ(end.write(there.memory, there.key, 2, 8), 0);
    const auto after = end.next(60s);
    return before && before->status == IBV_WC_SUCCESS && after &&
           after->status == IBV_WC_RETRY_EXC_ERR && end.pair->state == IBV_QPS_ERR;
  };
  const auto dies = [&](int self) {
    raw_end end{card_of(self)};
    (void)meet(end, self);
    (void)hear(self);
    raise(SIGKILL);
    return false;
  };
  start(0, lives);
  start(1, dies);
  EXPECT_TRUE(WIFSIGNALED(end_of(1)));
  tell(0, {});
  EXPECT_EQ(end_of(0), 0);
}

TEST_F(verbs_double_wire, a_link_that_a_test_cuts_and_mends_loses_nothing) {
  const auto sends = [&](int self) {
    raw_end end{card_of(self)};
    (void)meet(end, self, {.timeout = 0});
    verbs_double::happen("cut 0/0/1");
    EXPECT_EQ(end.send(1, 8), 0);
    if (end.next(20ms)) return false;
    verbs_double::happen("mend 0/0/1");
    const auto ended = end.next(60s);
    return ended && ended->status == IBV_WC_SUCCESS;
  };
  const auto receives = [&](int self) {
    raw_end end{card_of(self)};
    (void)meet(end, self);
    EXPECT_EQ(end.post_receive(1), 0);
    const auto got = end.next(60s);
    return got && got->status == IBV_WC_SUCCESS && !end.next();
  };
  start(0, sends);
  start(1, receives);
  EXPECT_EQ(end_of(0), 0);
  EXPECT_EQ(end_of(1), 0);
}

TEST_F(verbs_double_wire, what_a_file_says_happens_while_a_process_sleeps) {
  char name[] = "/tmp/verbs-double-XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  setenv("VERBS_DOUBLE_CONTROL", name, 1);
  const auto waits = [&](int self) {
    raw_end end{card_of(self)};
    const place there = meet(end, self, {.timeout = 8, .retries = 3});  // 4 ms
    tell(1 - self, {});
    pollfd ready{end.context->async_fd, POLLIN, 0};
    if (poll(&ready, 1, 60'000) != 1) return false;
    ibv_async_event what{};
    while (ibv_get_async_event(end.context, &what) == 0 && what.event_type != IBV_EVENT_PORT_ERR) {
    }
    EXPECT_EQ(what.event_type, IBV_EVENT_PORT_ERR);
    EXPECT_EQ(end.write(there.memory, there.key, 2, 8), 0);
    const auto ended = end.next(60s);
    tell(1 - self, {});
    return ended && ended->status == IBV_WC_RETRY_EXC_ERR;
  };
  const auto tells = [&](int self) {
    raw_end end{card_of(self)};
    (void)meet(end, self);
    (void)hear(self);
    const std::string line = "down 0/0/1\n";
    EXPECT_EQ(write(file, line.data(), line.size()), static_cast<ssize_t>(line.size()));
    (void)hear(self);
    // Each process follows the file by itself: this one may come to the line later than the other.
    const auto works = [&] {
      const verbs_double::lock hold{verbs_double::guard()};
      return card_of(0).ports[0].works();
    };
    const auto patience = std::chrono::steady_clock::now() + 60s;
    while (works() && std::chrono::steady_clock::now() < patience) std::this_thread::sleep_for(1ms);
    return !works();
  };
  start(0, waits);
  start(1, tells);
  unsetenv("VERBS_DOUBLE_CONTROL");
  EXPECT_EQ(end_of(0), 0);
  EXPECT_EQ(end_of(1), 0);
  close(file);
  unlink(name);
}

TEST_F(verbs_double_wire, packets_of_another_partition_and_too_long_ones_do_not_come) {
  for (const char* const fabric :
       {R"({"nodes": 2, "cards": [{}], "of": {"1": [{"keys": ["0x8001"]}]}})",
        R"({"nodes": 2, "cards": [{}], "of": {"1": [{"mtu": 1024}]}})"}) {
    setenv("VERBS_DOUBLE_FABRIC", fabric, 1);
    const auto sends = [&](int self) {
      raw_end end{card_of(self)};
      const place there = meet(end, self, {.timeout = 8, .retries = 3});  // 4 ms
      EXPECT_EQ(end.write(there.memory, there.key, 1, 3000), 0);
      const auto ended = end.next(60s);
      tell(1 - self, {});
      return ended && ended->status == IBV_WC_RETRY_EXC_ERR;
    };
    const auto waits = [&](int self) {
      raw_end end{card_of(self)};
      (void)meet(end, self);
      (void)hear(self);
      return true;
    };
    start(0, sends);
    start(1, waits);
    unsetenv("VERBS_DOUBLE_FABRIC");
    EXPECT_EQ(end_of(0), 0) << fabric;
    EXPECT_EQ(end_of(1), 0);
  }
}

TEST_F(verbs_double_wire, datagrams_come_and_a_receive_is_waited_for) {
  const auto sends = [&](int self) {
    raw_end end{card_of(self), {.type = IBV_QPT_UD}}, other{card_of(self)};
    end.ready_for_datagrams();
    tell(1 - self, place_of(end));
    const place there = hear(self);
    (void)meet(other, self);
    EXPECT_EQ(end.datagram(end.way_to(card_of(1 - self), 1, true), there.pair, 1, 64), 0);
    EXPECT_EQ(other.send(2, 8), 0);
    if (other.next(20ms)) return false;  // nothing was posted for it
    tell(1 - self, {});
    const auto ended = other.next(60s);
    return ended && ended->status == IBV_WC_SUCCESS;
  };
  const auto receives = [&](int self) {
    raw_end end{card_of(self), {.type = IBV_QPT_UD}}, other{card_of(self)};
    end.ready_for_datagrams();
    EXPECT_EQ(end.post_receive(5), 0);
    tell(1 - self, place_of(end));
    (void)hear(self);
    (void)meet(other, self);
    const auto got = end.next(60s);
    (void)hear(self);
    EXPECT_EQ(other.post_receive(6), 0);
    const auto late = other.next(60s);
    return got && got->byte_len == 104 && late && late->wr_id == 6;
  };
  start(0, sends);
  start(1, receives);
  EXPECT_EQ(end_of(0), 0);
  EXPECT_EQ(end_of(1), 0);
}

}  // namespace
}  // namespace peal::test
