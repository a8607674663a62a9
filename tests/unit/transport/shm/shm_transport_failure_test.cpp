// The shared-memory transport when peers die, memory is short, or the kernel forbids what it
// usually allows.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstddef>

#include "peal/error.hpp"
#include "unit/transport/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

constexpr const char* no_seccomp_here =
    "needs a kernel with CONFIG_SECCOMP_FILTER, and a container or jail that lets a process set "
    "such filters for itself";

/// From here on this thread may not copy from or to other processes, as in a container that forbids
/// it.
bool forbid_direct_copies() {
  const sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{std::size(program), const_cast<sock_filter*>(program)};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// Runs a test's body in a thread, whose filter ends with it.
template <class Body>
void in_thread(Body body) {
  std::thread{body}.join();
}

constexpr std::size_t large = 3'000'000;

TEST(shm_forbidden, copies_go_through_the_segment_instead) {
  shm_node node{{}};
  const auto source = pattern(large, 4);
  std::vector<std::byte> target(large);
  std::string log;
  in_thread([&] {
    if (!forbid_direct_copies()) GTEST_SKIP() << no_seccomp_here;
    testing::internal::CaptureStderr();
    tracked_fetch fetching{shm_node::peer(1),
                           node[1].transport->expose(shm_node::peer(0), source.data(), large),
                           target.data(), large};
    node[0].transport->start_fetch(fetching);
    EXPECT_TRUE(until([&] { node[0].transport->poll(), node[1].transport->poll(); },
                      [&] { return fetching.calls == 1; }));
    EXPECT_FALSE(fetching.error);
    EXPECT_EQ(target, source);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the fall-back is silent";
  });
}

TEST(shm_forbidden, in_the_middle_of_a_copy_the_rest_goes_through_the_segment) {
  for (const bool sender_helps : {false, true}) {
    shm_node node{{}};
    const auto source = pattern(large, 5);
    std::vector<std::byte> target(large);
    in_thread([&] {
      tracked_fetch fetching{shm_node::peer(1),
                             node[1].transport->expose(shm_node::peer(0), source.data(), large),
                             target.data(), large};
      node[0].transport->start_fetch(fetching);
      node[0].transport->poll();
      if (sender_helps) node[1].transport->poll();
      ASSERT_EQ(fetching.calls, 0) << "too short to be interrupted";
      if (!forbid_direct_copies()) GTEST_SKIP() << no_seccomp_here;
      EXPECT_TRUE(until([&] { node[0].transport->poll(), node[1].transport->poll(); },
                        [&] { return fetching.calls == 1; }));
      EXPECT_FALSE(fetching.error) << fetching.error.message();
      EXPECT_EQ(target, source);
    });
  }
}

TEST(shm_forbidden, in_the_middle_of_a_copy_no_byte_is_absorbed_twice) {
  for (const bool staged : {false, true}) {
    for (const bool sender_helps : {false, true}) {
      node_options options;
      options.settings.copy = staged ? shm_copy::automatic : shm_copy::direct;
      shm_node node{options};
      const auto source = pattern(large, 5);
      std::vector<int> times(large / 4096 + 1);
      std::vector<std::byte> target(large);
      in_thread([&] {
        tracked_fetch fetching{shm_node::peer(1),
                               node[1].transport->expose(shm_node::peer(0), source.data(), large),
                               target.data(), large};
        struct places {
          std::vector<int>& times;
          std::vector<std::byte>& target;
        };
        static thread_local places* where;
        places here{times, target};
        where = &here;
        fetching.absorb = [](fetch&, const std::byte* piece, std::size_t at,
                             std::size_t count) noexcept {
          std::memcpy(where->target.data() + at, piece, count);
          for (std::size_t page = at / 4096; page < (at + count + 4095) / 4096; ++page)
            ++where->times[page];
        };
        node[0].transport->start_fetch(fetching);
        // loses its patience with the sender, and takes some pieces
        for (int each = 0; each < 305; ++each) node[0].transport->poll();
        if (sender_helps)
          node[1].transport->poll(), node[1].transport->poll(), node[0].transport->poll();
        if (!staged) node[0].transport->poll();
        if (fetching.calls == 0) {
          if (!forbid_direct_copies()) GTEST_SKIP() << no_seccomp_here;
          EXPECT_TRUE(until([&] { node[0].transport->poll(), node[1].transport->poll(); },
                            [&] { return fetching.calls == 1; }));
        }
        EXPECT_FALSE(fetching.error) << fetching.error.message();
        EXPECT_EQ(target, source);
        EXPECT_EQ(std::count(times.begin(), times.end(), 1),
                  static_cast<std::ptrdiff_t>(times.size()));
      });
    }
  }
}

TEST(shm_forbidden, a_sender_that_may_not_write_leaves_the_copy_to_the_receiver) {
  shm_node node{{}};
  const auto source = pattern(large, 6);
  std::vector<std::byte> target(large);
  tracked_fetch fetching{shm_node::peer(1),
                         node[1].transport->expose(shm_node::peer(0), source.data(), large),
                         target.data(), large};
  node[0].transport->start_fetch(fetching);
  in_thread([&] {
    // its probe succeeds, and it copies a piece
    for (int each = 0; each < 3; ++each) node[1].transport->poll();
    if (!forbid_direct_copies()) GTEST_SKIP() << no_seccomp_here;
    for (int each = 0; each < 3; ++each) node[1].transport->poll();
  });
  if (IsSkipped()) {  // what has begun ends before what it fills does
    until([&] { node[0].transport->poll(), node[1].transport->poll(); },
          [&] { return fetching.calls == 1; });
    return;
  }
  EXPECT_TRUE(until([&] { node[0].transport->poll(); }, [&] { return fetching.calls == 1; }));
  EXPECT_FALSE(fetching.error);
  EXPECT_EQ(target, source);
}

// ---- peers that die

TEST(shm_death, ends_fetches_and_swallows_sends) {
  node_options options;
  options.count = 3;
  options.settings.copy = shm_copy::pipeline;
  shm_node node{options};
  const auto source = pattern(large, 7);
  std::vector<std::byte> target(large), other(large);
  tracked_fetch hopeless{shm_node::peer(1),
                         node[1].transport->expose(shm_node::peer(0), source.data(), large),
                         target.data(), large};
  tracked_fetch sound{shm_node::peer(2),
                      node[2].transport->expose(shm_node::peer(0), source.data(), large),
                      other.data(), large};
  node[0].transport->start_fetch(hopeless);
  node[0].transport->start_fetch(sound);
  node[1].transport->poll();
  node[0].transport->poll();
  ASSERT_TRUE(node[1].transport->send(shm_node::peer(0), message(8, 42), "12345678"));
  node[0].transport->peer_failed(shm_node::peer(1));
  EXPECT_EQ(hopeless.calls, 1);
  EXPECT_EQ(hopeless.error, errc::peer_failed);
  EXPECT_TRUE(until([&] { node[0].transport->poll(), node[2].transport->poll(); },
                    [&] { return sound.calls == 1; }));
  EXPECT_FALSE(sound.error);
  EXPECT_EQ(other, source);
  ASSERT_EQ(node[0].arrivals.got.size(), 1u) << "what it sent before still arrives";
  for (std::uint32_t each = 0; each < 100'000; ++each)
    ASSERT_TRUE(node[0].transport->send(shm_node::peer(1), message(4096, each), source.data()))
        << "the dead fill nothing up";
  tracked_fetch late{shm_node::peer(1), hopeless.where, target.data(), large};
  node[0].transport->start_fetch(late);
  EXPECT_EQ(late.error, errc::peer_failed);
}

TEST(shm_death, a_box_of_the_dead_serves_another_pair) {
  node_options options;
  options.count = 3;
  options.settings = {.box_after = 1, .most_boxes = 1};
  shm_node node{options};
  for (std::uint32_t each = 0; each < 30; ++each)
    ASSERT_TRUE(node[0].transport->send(shm_node::peer(1), message(8, each), "12345678"));
  node[0].transport->peer_failed(shm_node::peer(1));
  for (std::uint32_t each = 0; each < 30; ++each)
    ASSERT_TRUE(node[0].transport->send(shm_node::peer(2), message(8, each), "87654321"));
  EXPECT_EQ(node[0].transport->counters().boxes_opened, 2u);
  EXPECT_TRUE(
      until([&] { node[2].transport->poll(); }, [&] { return node[2].arrivals.got.size() == 30; }));
  for (std::uint32_t each = 0; each < 30; ++each)
    EXPECT_EQ(node[2].arrivals.got[each].head.context(), each);
}

TEST(shm_death, a_killed_sender_is_noticed_by_the_copy_itself) {
  char from = 1, to = 0;
  const iovec to_read{&from, 1}, to_fill{&to, 1};
  if (process_vm_readv(getpid(), &to_fill, 1, &to_read, 1, 0) != 1)
    GTEST_SKIP() << "needs process_vm_readv: no emulator and no seccomp filter that refuses it";
  const std::string name = unique_name();
  segment_plan plan{.directory = segment_directory(),
                    .job_name = name,
                    .count = 2,
                    .front_bytes = shm_transport::front_bytes(),
                    .transport_bytes = shm_transport::transport_bytes(2)};
  const std::vector<peer_id> peers{0, 1};
  node_segment segment{plan};
  recorder arrivals;
  shm_transport here{segment, arrivals, peers};
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    plan.index = 1;
    node_segment theirs{plan};
    recorder none;
    shm_transport there{theirs, none, peers};
    static std::byte source[large];
    const remote_region region = there.expose(0, source, large);
    if (!there.send(0, envelope::make(0, 0, 1, envelope_kind::announce, sizeof region), &region))
      _exit(1);
    for (;;) pause();
  }
  EXPECT_TRUE(until([&] { here.poll(); }, [&] { return !arrivals.got.empty(); }));
  remote_region region;
  if (!arrivals.got.empty()) {
    std::memcpy(&region, arrivals.got[0].payload.data(), sizeof region);
    std::byte one{};
    // it is known to be reachable, as when it is killed between two pieces
    tracked_fetch alive{1, region, &one, 1};
    here.start_fetch(alive);
    EXPECT_EQ(alive.calls, 1) << "is process_vm_readv forbidden here?";
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_FALSE(arrivals.got.empty());
  std::vector<std::byte> target(large);
  tracked_fetch fetching{1, region, target.data(), large};
  here.start_fetch(fetching);
  EXPECT_TRUE(until([&] { here.poll(); }, [&] { return fetching.calls > 0; }));
  EXPECT_EQ(fetching.calls, 1);
  EXPECT_EQ(fetching.error, errc::peer_failed);
}

// ---- memory that is short

TEST(shm_full, messages_and_payloads_pass_without_boxes_or_rings) {
  node_options options;
  options.settings.copy = shm_copy::pipeline;
  options.most_committed = shm_transport::front_bytes() + 65536;
  testing::internal::CaptureStderr();
  shm_node node{options};
  const std::size_t heap = node[1].segment->heap_part(1).offset;
  for (std::size_t pages = 0; node[1].segment->commit(heap + pages * 4096, 4096) == 0;) ++pages;
  const auto payload = pattern(4096, 1);
  const auto turn = [&] { node[0].transport->poll(), node[1].transport->poll(); };
  for (std::uint32_t each = 0; each < 200; ++each)
    ASSERT_TRUE(until(turn, [&] {
      return node[1].transport->send(shm_node::peer(0), message(each % 2 == 0 ? 4096 : 8, each),
                                     payload.data());
    }));
  ASSERT_TRUE(until(turn, [&] { return node[0].arrivals.got.size() == 200; }));
  for (std::uint32_t each = 0; each < 200; ++each)
    EXPECT_EQ(node[0].arrivals.got[each].head.context(), each);
  EXPECT_EQ(node[1].transport->counters().boxes_opened, 0u);
  const auto source = pattern(large, 2);
  std::vector<std::byte> target(large);
  tracked_fetch fetching{shm_node::peer(1),
                         node[1].transport->expose(shm_node::peer(0), source.data(), large),
                         target.data(), large};
  node[0].transport->start_fetch(fetching);
  EXPECT_TRUE(until(turn, [&] { return fetching.calls == 1; }));
  EXPECT_EQ(target, source);
  EXPECT_EQ(node[1].heap->allocate(1 << 20), nullptr);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("make it larger"), std::string::npos) << said;
}

// Room for the first box alone, which then cannot grow.
TEST(shm_full, a_box_that_cannot_grow_carries_everything_all_the_same) {
  node_options options;
  options.most_committed = shm_transport::front_bytes() + 65536;
  testing::internal::CaptureStderr();
  shm_node node{options};
  const std::size_t heap = node[1].segment->heap_part(1).offset;
  for (std::size_t pages = 7; node[1].segment->commit(heap + pages * 4096, 4096) == 0;) ++pages;
  node[1].segment->give_back(heap + std::size_t{7} * 4096, std::size_t{7} * 4096);
  const auto turn = [&] { node[0].transport->poll(), node[1].transport->poll(); };
  constexpr std::uint32_t count = 2000;
  for (std::uint32_t each = 0; each < count; ++each) {
    const auto payload = pattern(each % 3 == 0 ? 4096 : each * 61 % 4096, each);
    // Polls only when refused: the ring is full again and again.
    ASSERT_TRUE(until(turn, [&] {
      return node[1].transport->send(shm_node::peer(0), message(payload.size(), each),
                                     payload.data());
    }));
  }
  ASSERT_TRUE(until(turn, [&] { return node[0].arrivals.got.size() == count; }));
  for (std::uint32_t each = 0; each < count; ++each)
    ASSERT_EQ(node[0].arrivals.got[each].payload,
              pattern(each % 3 == 0 ? 4096 : each * 61 % 4096, each));
  EXPECT_EQ(node[1].transport->counters().boxes_opened, 1u);
  (void)testing::internal::GetCapturedStderr();
}

}  // namespace
