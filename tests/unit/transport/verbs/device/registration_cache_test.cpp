// Registrations are found again while their memory is there, and never afterwards. A stand-in for
// the device, so none is needed.
//
// PEAL_TEST_UNMAP_HOOKS=off runs what needs hooks without them, to show that it fails then.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

#include "memory/unmap_hooks.hpp"
#include "transport/verbs/device/registration_cache.hpp"
#include "unit/memory/leaving_memory.hpp"

namespace {

using namespace peal;
using namespace peal::test;
using namespace peal::verbs;

constexpr std::size_t page = 4096;
constexpr std::size_t large = 1 << 20;

/// Numbers what it makes, and pins no more than it is told.
struct pretended_device final : registrar {
  bool make(void* begin, std::size_t bytes, int access, regions& into) noexcept override {
    if (read_only && (access & IBV_ACCESS_LOCAL_WRITE) != 0) return errno = EFAULT, false;
    if (pinned + bytes > most_pinned) return errno = ENOMEM, false;
    pinned += bytes;
    last_access = access;
    auto* made = new ibv_mr{};
    made->addr = begin;
    made->length = bytes;
    made->lkey = made->rkey = ++last;
    into[0] = made;
    return true;
  }
  void end(const regions& gone) noexcept override {
    pinned -= gone[0]->length;
    delete gone[0];
  }
  std::size_t pinned = 0;
  std::size_t most_pinned = std::size_t{1} << 40;
  std::uint32_t last = 0;
  int last_access = 0;
  bool read_only = false;
};

class registration_cache_test : public testing::Test {
 protected:
  pretended_device device;
  unmap_log log;
  registration_cache cache{device, {64 << 20, 100}, &log};

  static void* at(std::uintptr_t address) { return reinterpret_cast<void*>(address); }
  /// The key under which the range is registered.
  std::uint32_t key(std::uintptr_t address, std::size_t bytes, range_use use = range_use::source) {
    return key(cache, at(address), bytes, use);
  }
  static std::uint32_t key(registration_cache& of, const void* address, std::size_t bytes,
                           range_use use = range_use::source) {
    registration* const held = of.acquire(address, bytes, use);
    if (!held) return 0;
    const std::uint32_t key = held->remote_key(0);
    of.release(*held);
    return key;
  }
};

TEST_F(registration_cache_test, a_range_is_registered_once) {
  const std::uint32_t first = key(0x10000, 5000);
  EXPECT_EQ(key(0x10000, 5000), first);
  EXPECT_EQ(key(0x10800, 100), first) << "a part of it";
  EXPECT_EQ(key(0x11000, 8191 - 4096), first) << "up to the end of its last page";
  EXPECT_NE(key(0x11000, page + 1), first) << "beyond its end";
  EXPECT_EQ(cache.counters().registered, 2u);
  EXPECT_EQ(cache.counters().hits, 3u);
}

TEST_F(registration_cache_test, what_is_only_read_is_not_written_to) {
  const std::uint32_t source = key(0x10000, page);
  const std::uint32_t target = key(0x10000, page, range_use::target);
  EXPECT_NE(source, target);
  EXPECT_EQ(key(0x10000, page), target) << "a target may be read as well";
  device.read_only = true;
  EXPECT_EQ(key(0x90000, page, range_use::target), 0u);
  EXPECT_NE(key(0x90000, page), 0u);
}

TEST_F(registration_cache_test, what_peers_write_to_is_registered_for_one_use_and_no_byte_more) {
  key(0x10000, page, range_use::target);
  const std::size_t before = device.pinned;
  registration* const held = cache.acquire(at(0x10010), 100, range_use::written);
  ASSERT_TRUE(held);
  EXPECT_EQ(held->end - held->begin, 100u);
  EXPECT_EQ(device.last_access, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
  registration* const other = cache.acquire(at(0x10010), 100, range_use::written);
  EXPECT_NE(held, other) << "another share of the same memory ends by itself";
  registration* const source = cache.acquire(at(0x10010), 100, range_use::source);
  EXPECT_NE(held, source) << "nobody else uses it";
  for (registration* each : {held, other, source}) cache.release(*each);
  EXPECT_EQ(device.pinned, before) << "it ends with its use";
}

TEST_F(registration_cache_test, what_stays_registered_cannot_be_written_to_by_peers) {
  for (const range_use each : {range_use::source, range_use::target}) {
    key(0x10000 + (static_cast<std::uintptr_t>(each) << 16), page, each);
    EXPECT_EQ(device.last_access & IBV_ACCESS_REMOTE_WRITE, 0);
  }
}

TEST_F(registration_cache_test, what_went_away_is_not_found_again) {
  const std::uint32_t low = key(0x10000, page), high = key(0x20000, 4 * page),
                      target = key(0x23000, page, range_use::target);
  log.record(0x22000, 1);
  EXPECT_EQ(key(0x10000, page), low);
  EXPECT_NE(key(0x20000, page), high) << "a page of the range is another";
  EXPECT_EQ(key(0x23000, page), target);
  log.record_everything();
  EXPECT_NE(key(0x10000, page), low);
  EXPECT_NE(key(0x23000, page), target);
  EXPECT_EQ(cache.counters().forgotten, 4u);
}

TEST_F(registration_cache_test, what_is_in_use_when_its_memory_goes_serves_nobody_else) {
  registration* const held = cache.acquire(at(0x10000), page, range_use::source);
  const std::uint32_t old = held->remote_key(0);
  log.record(0x10000, page);
  EXPECT_NE(key(0x10000, page), old);
  const std::size_t before = device.pinned;
  cache.release(*held);
  EXPECT_EQ(device.pinned, before - page) << "it ends with its use";
  EXPECT_NE(key(0x10000, page), old);
}

TEST_F(registration_cache_test, nothing_stays_without_a_complete_log) {
  registration_cache without{device, {64 << 20, 100}, nullptr};
  EXPECT_NE(key(without, at(0x10000), page), key(without, at(0x10000), page));
  EXPECT_EQ(device.pinned, 0u);
  const std::uint32_t first = key(0x10000, page);
  EXPECT_EQ(key(0x10000, page), first);
  log.give_up();
  const std::uint32_t second = key(0x10000, page);
  EXPECT_NE(second, first);
  EXPECT_NE(key(0x10000, page), second);
  EXPECT_EQ(device.pinned, 0u);
}

TEST_F(registration_cache_test, the_least_recently_used_go_when_there_are_too_many) {
  registration_cache few{device, {3 * page, 100}, &log};
  const std::uint32_t first = key(few, at(0x10000), page), second = key(few, at(0x20000), page);
  key(few, at(0x30000), page);
  EXPECT_EQ(key(few, at(0x10000), page), first);
  key(few, at(0x40000), page);
  EXPECT_EQ(key(few, at(0x10000), page), first);
  EXPECT_EQ(few.counters().evicted, 1u);
  EXPECT_NE(key(few, at(0x20000), page), second);
  EXPECT_EQ(few.idle_bytes(), 3 * page);

  registration_cache two{device, {64 << 20, 2}, &log};
  for (std::uintptr_t each = 1; each <= 5; ++each) key(two, at(each << 16), page);
  EXPECT_EQ(two.counters().evicted, 3u);
}

TEST_F(registration_cache_test, unused_ones_make_room_where_the_kernel_refuses) {
  device.most_pinned = 8 * page;
  for (std::uintptr_t each = 1; each <= 8; ++each) EXPECT_NE(key(each << 16, page), 0u);
  EXPECT_NE(key(0x200000, 3 * page), 0u);
  EXPECT_EQ(cache.counters().evicted, 4u) << "half of them, since three pages were wanted";
  EXPECT_NE(key(0x300000, 8 * page), 0u);
  EXPECT_EQ(key(0x400000, 9 * page), 0u) << "there is no such room at all";
  registration* const held = cache.acquire(at(0x10000), 5 * page, range_use::source);
  ASSERT_TRUE(held);
  EXPECT_EQ(key(0x500000, 4 * page), 0u) << "what is in use stays";
  EXPECT_EQ(cache.acquire(at(0x10000), 5 * page, range_use::source), held);
  cache.release(*held);
  cache.release(*held);
}

TEST_F(registration_cache_test, two_users_share_one) {
  registration* const one = cache.acquire(at(0x10000), page, range_use::source);
  EXPECT_EQ(cache.acquire(at(0x10000), 17, range_use::source), one);
  cache.release(*one);
  EXPECT_EQ(cache.idle_bytes(), 0u);
  cache.release(*one);
  EXPECT_EQ(cache.idle_bytes(), page);
}

TEST_F(registration_cache_test, everything_ends_with_the_cache) {
  {
    registration_cache other{device, {64 << 20, 100}, &log};
    for (std::uintptr_t each = 1; each <= 8; ++each) key(other, at(each << 16), page * each);
    EXPECT_NE(other.acquire(at(0x900000), page, range_use::source), nullptr)
        << "of a message that nobody receives";
    EXPECT_GT(device.pinned, 0u);
  }
  EXPECT_EQ(device.pinned, 0u);
}

// ---- with the hooks

class registrations_of_memory_that_leaves : public testing::TestWithParam<way_to_leave> {
 protected:
  pretended_device device;
  registration_cache cache{device, {std::size_t{1} << 30, 100}, &unmapped()};

  void SetUp() override {
    const char* const set = std::getenv("PEAL_TEST_UNMAP_HOOKS");
    if (set && std::strcmp(set, "off") == 0) return;
    const unmap_hooks& hooks = use_unmap_hooks();
    if (!hooks.work)
      GTEST_SKIP() << "needs unmap hooks: " << hooks.problem
                   << " (build without a sanitizer, run on x86-64 with glibc)";
  }
};

TEST_P(registrations_of_memory_that_leaves, are_not_found_again) {
  const auto memory = GetParam().make();
  std::byte* const at = memory->come(large);
  if (!at)
    GTEST_SKIP() << "needs memory of this kind: System V segments of 1 MiB, or room at the break";
  std::memset(at, 1, large);
  const auto key = [&] {
    registration* const held = cache.acquire(at + page, large / 2, range_use::target);
    const std::uint32_t key = held->remote_key(0);
    cache.release(*held);
    return key;
  };
  const std::uint32_t first = key();
  EXPECT_EQ(key(), first);
  memory->leave();
  std::thread{[] {}}.join();  // others may do this and that meanwhile
  EXPECT_NE(key(), first);
  if (memory->come_again()) memory->end();
}

INSTANTIATE_TEST_SUITE_P(all, registrations_of_memory_that_leaves,
                         testing::ValuesIn(ways_to_leave()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
