// Payloads while the transport finds out which way is fastest: the way changes in the middle.
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "transport/shm/bulk/copy_choice.hpp"
#include "transport/shm/layout.hpp"
#include "unit/transport/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

std::map<std::string, std::uint64_t> counted(const shm_transport& of) {
  std::vector<counter> all;
  of.report(all);
  std::map<std::string, std::uint64_t> named;
  for (const counter& each : all) named[std::string{each.name}] = each.value;
  return named;
}

bool kernel_copies() {
  std::byte probe{1}, copied{};
  const iovec from{&probe, 1}, to{&copied, 1};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
}

/// Fetches so many payloads of mixed lengths, a few at a time, and says whether all were right.
bool stream(shm_node& node, std::size_t count, bool source_shared, bool target_shared) {
  constexpr std::size_t longest = 150'000, at_once = 4;
  constexpr std::size_t lengths[] = {40'000, 5000, longest, 70'001, 4096};
  const auto data = pattern(2 * longest, 17);
  std::byte* source = const_cast<std::byte*>(data.data());
  if (source_shared) {
    source = static_cast<std::byte*>(node[1].heap->allocate(data.size()));
    std::memcpy(source, data.data(), data.size());
  }
  std::vector<std::vector<std::byte>> own(at_once, std::vector<std::byte>(longest));
  std::vector<std::byte*> targets;
  for (std::vector<std::byte>& each : own)
    targets.push_back(target_shared ? static_cast<std::byte*>(node[0].heap->allocate(longest))
                                    : each.data());
  std::atomic<bool> over{false};
  // The helper of that end reads no announcement that is made here.
  std::thread sender{[&] {
    while (!over.load()) node[1].transport->poll(), std::this_thread::yield();
  }};
  bool right = true;
  for (std::size_t each = 0; each < count && right; each += at_once) {
    std::vector<std::unique_ptr<tracked_fetch>> fetches;
    const auto begin = [&](std::size_t which) { return (each + which) * 97 % longest; };
    for (std::size_t which = 0; which < at_once; ++which) {
      const std::size_t bytes = lengths[(each / at_once + which) % std::size(lengths)];
      std::memset(targets[which], 0, bytes);
      fetches.push_back(std::make_unique<tracked_fetch>(
          shm_node::peer(1),
          node[1].transport->expose(shm_node::peer(0), source + begin(which), bytes),
          targets[which], bytes));
      node[0].transport->start_fetch(*fetches.back());
    }
    right = until([&] { node[0].transport->poll(); },
                  [&] {
                    return std::ranges::all_of(fetches,
                                               [](const auto& one) { return one->calls == 1; });
                  });
    for (std::size_t which = 0; which < at_once; ++which)
      right = right && !fetches[which]->error &&
              std::memcmp(targets[which], data.data() + begin(which), fetches[which]->bytes) == 0;
  }
  over = true;
  sender.join();
  return right;
}

TEST(shm_transport_ways, a_packed_payload_goes_straight_into_memory_that_the_sender_sees) {
  struct counting : detail::packer {
    const std::byte* data = nullptr;
    mutable std::size_t calls = 0;
  };
  for (const std::size_t bytes : {4096, 20'000, 300'001}) {
    shm_node node{{}};
    const auto source = pattern(bytes, 31);
    counting from;
    from.data = source.data();
    from.pack = [](const detail::packer& self, std::size_t at, void* to,
                   std::size_t length) noexcept {
      const auto& of = static_cast<const counting&>(self);
      ++of.calls;
      std::memcpy(to, of.data + at, length);
    };
    auto* const target = static_cast<std::byte*>(node[0].heap->allocate(bytes));
    std::memset(target, 0, bytes);
    tracked_fetch fetching{shm_node::peer(1),
                           node[1].transport->expose_packed(shm_node::peer(0), from, bytes), target,
                           bytes};
    node[0].transport->start_fetch(fetching);
    ASSERT_TRUE(until(
        [&] {
          node[0].transport->poll();
          node[1].transport->poll();
        },
        [&] { return fetching.calls == 1; }));
    EXPECT_FALSE(fetching.error);
    EXPECT_EQ(std::memcmp(target, source.data(), bytes), 0) << bytes;
    EXPECT_GT(from.calls, 0U);
  }
}

// A ring takes milliseconds to make, and a trial of a few short payloads paid for it.
TEST(shm_transport_ways, payloads_of_up_to_32_KiB_are_copied_by_the_receiver_alone) {
  if (!kernel_copies()) GTEST_SKIP() << "needs process_vm_readv: no seccomp filter that refuses it";
  shm_node node{{}};
  const auto source = pattern(32 << 10, 7);
  constexpr std::size_t lengths[] = {4096, 20'000, 32 << 10};
  for (int each = 0; each < 300; ++each) {
    const std::size_t bytes = lengths[each % 3];
    std::vector<std::byte> target(bytes);
    tracked_fetch fetching{shm_node::peer(1),
                           node[1].transport->expose(shm_node::peer(0), source.data(), bytes),
                           target.data(), bytes};
    node[0].transport->start_fetch(fetching);
    ASSERT_EQ(fetching.calls, 1) << "at once, without a poll of either side";
    ASSERT_FALSE(fetching.error);
    ASSERT_EQ(std::memcmp(target.data(), source.data(), bytes), 0) << bytes;
  }
  EXPECT_EQ(counted(*node[0].transport).at("shm.copied_alone"), 300u);
}

TEST(shm_transport_ways, where_cores_are_shared_payloads_of_up_to_256_KiB_need_no_sender) {
  if (!kernel_copies()) GTEST_SKIP() << "needs process_vm_readv: no seccomp filter that refuses it";
  const std::size_t longest = 256 << 10;
  const auto source = pattern(longest + 1, 7);
  for (const bool shared : {false, true})
    for (const std::size_t bytes : {longest, longest + 1}) {
      shm_node node{{.settings = {.apart = true, .cores_shared = shared}}};
      std::vector<std::byte> target(bytes);
      tracked_fetch fetching{shm_node::peer(1),
                             node[1].transport->expose(shm_node::peer(0), source.data(), bytes),
                             target.data(), bytes};
      node[0].transport->start_fetch(fetching);
      ASSERT_TRUE(until([&] { node[0].transport->poll(), node[1].transport->poll(); },
                        [&] { return fetching.calls == 1; }));
      EXPECT_EQ(std::memcmp(target.data(), source.data(), bytes), 0) << bytes;
      const auto counts = counted(*node[0].transport);
      EXPECT_EQ(counts.at("shm.copied_alone"), shared && bytes == longest ? 1u : 0u);
      EXPECT_EQ(counts.at("shm.copied_together"), shared && bytes == longest ? 0u : 1u);
    }
}

TEST(shm_transport_ways, payloads_are_right_while_the_way_changes) {
  if (!kernel_copies()) GTEST_SKIP() << "needs process_vm_readv: no seccomp filter that refuses it";
  for (const bool source_shared : {false, true})
    for (const bool target_shared : {false, true}) {
      shm_node node{{}};
      EXPECT_TRUE(stream(node, 3000, source_shared, target_shared));
      const auto counts = counted(*node[0].transport);
      EXPECT_GT(counts.at("shm.copied_alone"), 0u);
      EXPECT_GT(counts.at("shm.copied_together"), 0u);
      if (!source_shared && !target_shared) {
        EXPECT_GT(counts.at("shm.copied_staged"), 0u);
      } else {
        EXPECT_EQ(counts.at("shm.copied_staged"), 0u);
      }
    }
}

TEST(shm_transport_ways, the_sender_writes_pieces_of_the_length_that_was_chosen) {
  if (!kernel_copies()) GTEST_SKIP() << "needs process_vm_readv: no seccomp filter that refuses it";
  const auto source = pattern(1 << 20, 7);
  for (const auto& [chosen, piece] :
       {std::pair{shm::way::staged, 64u << 10}, std::pair{shm::way::staged_large, 128u << 10}}) {
    shm_node node{{}};
    const auto& segment = *node[0].segment;
    // As if a process of the node had decided so: the first change, and 1 + the way.
    for (auto& each : segment.at<shm::front>(segment.front(0).offset)->rates.cells)
      each.mode = 256 + 1 + static_cast<std::uint32_t>(chosen);
    std::vector<std::byte> target(source.size());
    tracked_fetch fetching{
        shm_node::peer(1),
        node[1].transport->expose(shm_node::peer(0), source.data(), source.size()), target.data(),
        source.size()};
    node[0].transport->start_fetch(fetching);
    ASSERT_TRUE(until([&] { node[0].transport->poll(), node[1].transport->poll(); },
                      [&] { return fetching.calls == 1; }));
    EXPECT_EQ(target, source);
    std::set<std::uint32_t> pieces;
    for (const auto& each : segment.at<shm::front>(segment.front(0).offset)->fetches)
      pieces.insert(each.piece_bytes);
    EXPECT_EQ(pieces, (std::set<std::uint32_t>{0, piece}));
    EXPECT_EQ(counted(*node[0].transport).at("shm.copied_staged"), 1u);
  }
}

TEST(shm_transport_ways, a_way_that_is_forced_is_taken) {
  if (!kernel_copies()) GTEST_SKIP() << "needs process_vm_readv: no seccomp filter that refuses it";
  for (const auto& [copy, short_ones, long_ones] :
       {std::tuple{shm_copy::alone, "shm.copied_alone", "shm.copied_alone"},
        std::tuple{shm_copy::direct, "shm.copied_alone", "shm.copied_together"},
        std::tuple{shm_copy::pipeline, "shm.copied_staged", "shm.copied_staged"}}) {
    node_options options;
    options.settings.copy = copy;
    shm_node node{options};
    EXPECT_TRUE(stream(node, 200, false, false));
    auto counts = counted(*node[0].transport);
    EXPECT_GT(counts.at(short_ones), 0u);
    EXPECT_GT(counts.at(long_ones), 0u);
    EXPECT_EQ(
        counts.at(short_ones) + (std::string{short_ones} == long_ones ? 0 : counts.at(long_ones)),
        200u);
  }
}

}  // namespace
