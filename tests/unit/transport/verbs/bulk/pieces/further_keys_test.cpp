// Buffers that are registered piece by piece while their first pieces move, on cards of this
// process's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>

#include "base/page.hpp"
#include "memory/unmap_hooks.hpp"
#include "peal/error.hpp"
#include "transport/verbs/bulk/pieces/pieces.hpp"
#include "unit/transport/verbs/bulk/pieces/busy_hosts.hpp"
#include "unit/transport/verbs/double/ends.hpp"
#include "unit/transport/verbs/double/objects.hpp"
#include "unit/transport/verbs/double/timeline.hpp"

namespace {

using namespace peal;
using namespace peal::test;
using verbs_double::picoseconds;

class verbs_pieces : public verbs_on_busy_hosts {
 protected:
  static constexpr std::size_t large = std::size_t{64} << 20;

  void begin_and_meet(verbs_options settings = {}) {
    settings.set.push = 0;
    settings.set.qps = 4;  // which together fill the wire
    begin(2, settings);
    meet(0, 1);
  }
  /// Rank 1 announces, rank 0 fetches as soon as it hears of it; the fetch, which has ended.
  std::unique_ptr<tracked_fetch> transfer(const std::byte* source, std::byte* target,
                                          std::size_t bytes) {
    return transfer(at(1).expose(0, source, bytes), target, bytes);
  }
  std::unique_ptr<tracked_fetch> transfer(const remote_region& where, std::byte* target,
                                          std::size_t bytes) {
    const std::size_t before = got(0).size();
    const envelope e = envelope::make(0, 1, 2, envelope_kind::announce, sizeof where);
    EXPECT_TRUE(wait_busily([&] { return at(1).send(0, e, &where); }));
    EXPECT_TRUE(wait_busily([&] { return got(0).size() > before; }));
    auto made = std::make_unique<tracked_fetch>(1, where, target, bytes);
    at(0).start_fetch(*made);
    EXPECT_TRUE(wait_busily([&] { return made->calls > 0; }));
    at(1).withdraw(0, where);
    return made;
  }
};

TEST_F(verbs_pieces, registration_goes_on_while_the_first_pieces_move) {
  begin_and_meet();
  const std::vector<std::byte> source = pattern(large, 1);
  std::vector<std::byte> target(large);
  // There are queue pairs for large messages from then on.
  EXPECT_FALSE(transfer(source.data(), target.data(), 20'000)->error);
  const verbs_double::cost_model costs;
  verbs_double::simulate(costs);
  const picoseconds begin = verbs_double::simulated_time();
  EXPECT_FALSE(transfer(source.data(), target.data(), large)->error);
  const picoseconds first = verbs_double::simulated_time() - begin;
  EXPECT_TRUE(target == source);
  EXPECT_FALSE(transfer(source.data(), target.data(), large)->error);
  const picoseconds second = verbs_double::simulated_time() - begin - first;
  const auto all = static_cast<picoseconds>(large / costs.pinned_page) * costs.pin;
  EXPECT_LT(static_cast<double>(first), 0.7 * static_cast<double>(second + 2 * all));
  RecordProperty("first_us", std::to_string(first / verbs_double::microsecond));
  RecordProperty("second_us", std::to_string(second / verbs_double::microsecond));
  RecordProperty("registration_us", std::to_string(all / verbs_double::microsecond));
}

/// Pieces of this buffer, as far as registrations go.
std::uint64_t pieces_in(const std::byte* data, std::size_t bytes) {
  const peal::verbs::pieces of{reinterpret_cast<std::uintptr_t>(data)};
  return of.of((bytes - 1) / page * page) + 1;
}

TEST_F(verbs_pieces, stay_registered_and_are_read_without_their_owner) {
  if (!use_unmap_hooks().work) GTEST_SKIP() << "registrations end with their use here";
  begin_and_meet();
  const std::vector<std::byte> source = pattern(large, 2);
  std::vector<std::byte> target(large);
  const std::uint64_t before[2] = {count(0, "verbs.registrations"),
                                   count(1, "verbs.registrations")};
  EXPECT_FALSE(transfer(source.data(), target.data(), large)->error);
  EXPECT_TRUE(target == source);
  const std::uint64_t after[2] = {count(0, "verbs.registrations"), count(1, "verbs.registrations")};
  EXPECT_EQ(after[0] - before[0], pieces_in(target.data(), large));
  EXPECT_EQ(after[1] - before[1], pieces_in(source.data(), large));

  // All of it, a long part of it, and a part that lies in one piece; nobody polls their owner.
  const auto third_of = [](const std::vector<std::byte>& of) {
    return peal::verbs::pieces{reinterpret_cast<std::uintptr_t>(of.data())}.begin_of(2) + 4096;
  };
  struct {
    std::size_t from, to, bytes;
  } const parts[] = {{0, 0, large},
                     {(5 << 20) + 4096, (6 << 20) + 100, 40 << 20},
                     {third_of(source), third_of(target), 1 << 20}};
  for (const auto& [from, to, bytes] : parts) {
    std::ranges::fill(target, std::byte{});
    const remote_region where = at(1).expose(0, source.data() + from, bytes);
    const std::size_t heard = got(0).size();
    ASSERT_TRUE(
        at(1).send(0, envelope::make(0, 1, 2, envelope_kind::announce, sizeof where), &where));
    at(1).flush();
    ASSERT_TRUE(until([&] { at(0).poll(); }, [&] { return got(0).size() > heard; }));
    tracked_fetch fetching{1, where, target.data() + to, bytes};
    at(0).start_fetch(fetching);
    ASSERT_TRUE(until([&] { at(0).poll(); }, [&] { return fetching.calls > 0; }));
    EXPECT_EQ(std::memcmp(target.data() + to, source.data() + from, bytes), 0);
    at(1).withdraw(0, where);
  }
  EXPECT_EQ(count(0, "verbs.registrations"), after[0]);
  EXPECT_EQ(count(1, "verbs.registrations"), after[1]);
}

TEST_F(verbs_pieces, come_whole_wherever_their_memory_begins_and_ends) {
  begin_and_meet();
  constexpr std::size_t piece = peal::verbs::pieces::length, room = 4 * piece;
  const std::vector<std::byte> source = pattern(room, 3);
  std::vector<std::byte> target(room);
  // Where a piece ends in either buffer.
  const auto end_in = [](const std::vector<std::byte>& of) {
    return piece - reinterpret_cast<std::uintptr_t>(of.data()) % piece;
  };
  const std::size_t source_end = end_in(source), target_end = end_in(target);
  for (const std::size_t before : {std::size_t{1}, std::size_t{4095}, std::size_t{4096},
                                   std::size_t{4097}, std::size_t{8192 + 100}})
    for (const std::size_t other : {std::size_t{0}, std::size_t{1}, std::size_t{4095}}) {
      const std::size_t from = source_end > before ? source_end - before : source_end;
      const std::size_t to = target_end > other ? target_end - other : target_end;
      const std::size_t bytes = 2 * piece + before - other;
      if (std::max(from, to) + bytes > room) continue;
      std::ranges::fill(target, std::byte{});
      EXPECT_FALSE(transfer(source.data() + from, target.data() + to, bytes)->error);
      EXPECT_EQ(std::memcmp(target.data() + to, source.data() + from, bytes), 0)
          << before << ' ' << other;
      EXPECT_TRUE(to == 0 || target[to - 1] == std::byte{});
      EXPECT_EQ(target[to + bytes], std::byte{});
    }
  EXPECT_EQ(count(1, "verbs.staged_bytes"), 0u);
}

TEST_F(verbs_pieces, what_cannot_be_registered_comes_in_messages) {
  constexpr std::size_t bytes = 24 << 20;
  const std::vector<std::byte> source = pattern(bytes, 4);
  for (const bool at_source : {false, true})
    for (const bool at_target : {false, true})
      for (const std::size_t registered : {0u, 1u, 3u}) {
        if (!at_source && !at_target) continue;
        begin_and_meet();
        std::vector<std::byte> target(bytes);
        std::size_t left[2] = {registered, registered};
        for (const peer_id end : {0u, 1u})
          if (end == 0 ? at_target : at_source)
            cards[end]->refuses_region = [&left, end](std::size_t) {
              return left[end] == 0 || left[end]-- == 0;
            };
        EXPECT_FALSE(transfer(source.data(), target.data(), bytes)->error);
        EXPECT_TRUE(target == source) << at_source << at_target << registered;
        EXPECT_GT(count(1, "verbs.staged_bytes"), 0u);
        EXPECT_EQ(count(0, "verbs.read_bytes") + count(1, "verbs.staged_bytes"), bytes);
        EXPECT_EQ(count(0, "verbs.read_bytes") == 0, registered == 0);
        for (verbs_double::card* each : cards) each->refuses_region = {};
        EXPECT_FALSE(transfer(source.data(), target.data(), bytes)->error) << "and again";
      }
}

/// Regions that are longer than those for messages.
std::size_t long_regions() {
  const verbs_double::lock hold{verbs_double::guard()};
  return static_cast<std::size_t>(
      std::ranges::count_if(verbs_double::everything().regions,
                            [](const auto* each) { return each->base.length > (1 << 20); }));
}

TEST_F(verbs_pieces, a_peer_may_die_while_they_are_registered) {
  constexpr std::size_t bytes = 40 << 20;
  const std::vector<std::byte> source = pattern(bytes, 5);
  for (const int turns : {0, 1, 3}) {
    verbs_options settings;
    settings.set.registration_cache = false;
    begin_and_meet(settings);
    std::vector<std::byte> target(bytes);
    const remote_region where = at(1).expose(0, source.data(), bytes);
    tracked_fetch fetching{1, where, target.data(), bytes};
    at(0).start_fetch(fetching);
    for (int turn = 0; turn < turns; ++turn) at(1).poll(), at(0).poll();
    EXPECT_EQ(fetching.calls, 0);
    at(0).peer_failed(1);
    EXPECT_EQ(fetching.calls, 1);
    EXPECT_EQ(fetching.error, errc::peer_failed);
    at(1).peer_failed(0);
    at(1).withdraw(0, where);
    EXPECT_EQ(long_regions(), 0u) << turns;
    poll(20);
    EXPECT_EQ(long_regions(), 0u) << turns;
    EXPECT_EQ(fetching.calls, 1);
  }
}

TEST_F(verbs_pieces, what_is_withdrawn_meanwhile_or_never_fetched_is_forgotten) {
  constexpr std::size_t bytes = 40 << 20;
  const std::vector<std::byte> source = pattern(bytes, 6), other = pattern(bytes, 7);
  std::vector<std::byte> target(bytes);
  begin_and_meet();
  for (int turns : {0, 2, 50}) {
    const remote_region where = at(1).expose(0, source.data(), bytes);
    poll(turns);
    at(1).withdraw(0, where);
    // Its place is used again, and what was told of it is not believed.
    EXPECT_FALSE(transfer(other.data(), target.data(), bytes)->error);
    EXPECT_TRUE(target == other);
  }
  // As much as was wanted, before all of it was registered.
  std::vector<std::byte> fresh = source;
  EXPECT_FALSE(transfer(fresh.data(), target.data(), bytes)->error);
  const remote_region where = at(1).expose(0, other.data(), bytes);
  tracked_fetch part{1, where, target.data(), 100};
  at(0).start_fetch(part);
  EXPECT_TRUE(wait([&] { return part.calls > 0; }));
  poll(50);
  at(1).withdraw(0, where);
  EXPECT_FALSE(transfer(source.data(), target.data(), bytes)->error);
  EXPECT_TRUE(target == source);
  EXPECT_EQ(count(0, "verbs.packets_refused"), 0u);
}

/// There is room for one of them.
TEST_F(verbs_pieces, come_whole_when_more_is_told_than_is_kept) {
  constexpr std::size_t bytes = 9 << 20;
  verbs_options settings;
  settings.kept_pushes = 200;
  begin_and_meet(settings);
  std::vector<std::vector<std::byte>> sources, targets;
  std::vector<std::unique_ptr<tracked_fetch>> fetches;
  for (std::size_t each = 0; each < 3; ++each) {
    sources.push_back(pattern(bytes, each));
    targets.emplace_back(bytes);
    fetches.push_back(std::make_unique<tracked_fetch>(
        1, at(1).expose(0, sources[each].data(), bytes), targets[each].data(), bytes));
  }
  poll(50);
  for (const auto& each : fetches) at(0).start_fetch(*each);
  for (std::size_t each = 0; each < 3; ++each) {
    EXPECT_TRUE(wait([&] { return fetches[each]->calls > 0; }));
    EXPECT_FALSE(fetches[each]->error);
    EXPECT_TRUE(targets[each] == sources[each]) << each;
    at(1).withdraw(0, fetches[each]->where);
  }
  EXPECT_GT(count(1, "verbs.staged_bytes"), 0u);
  EXPECT_LT(count(1, "verbs.staged_bytes"), 2 * bytes);
}

TEST_F(verbs_pieces, a_rank_does_not_sleep_while_it_registers_some) {
  wakeup bell;
  verbs_options sleeps;
  sleeps.bell = &bell;
  begin_and_meet(sleeps);
  constexpr std::size_t bytes = 24 << 20;
  const std::vector<std::byte> source = pattern(bytes, 8);
  const remote_region where = at(1).expose(0, source.data(), bytes);
  EXPECT_FALSE(at(1).arm());
  poll(50);
  EXPECT_TRUE(at(1).arm());
  at(1).disarm();
  at(1).withdraw(0, where);
}

/// Rank 1 may have one connection, and ends that with rank 0 for rank 2. What it exposes to rank 0
/// when it has said its last there is not told over a connection that its peer may have ended.
TEST_F(verbs_pieces, nothing_is_told_over_a_connection_that_ends) {
  for (const bool packs : {false, true}) {
    constexpr std::size_t bytes = 20 << 20;
    verbs_options settings;
    settings.set.push = 0;
    settings.set.promote = 1'000'000'000;
    settings.set.max_rc = 1;
    begin(3, settings);
    const std::vector<std::byte> source = pattern(bytes, 10), other = pattern(100'000, 11);
    std::vector<std::byte> target(bytes), further(other.size());
    EXPECT_FALSE(transfer(source.data(), target.data(), bytes)->error);
    ASSERT_TRUE(target == source);
    std::ranges::fill(target, std::byte{});

    tracked_fetch fetching{2, at(2).expose(1, other.data(), other.size()), further.data(),
                           further.size()};
    at(1).start_fetch(fetching);
    // A connection lives for 20 ms at least.
    const auto enough = std::chrono::steady_clock::now() + std::chrono::milliseconds{100};
    for (int left = 1000; left > 0 || std::chrono::steady_clock::now() < enough; --left)
      at(1).poll();
    remote_region where;
    const counting_packer from{source};
    ends[1]->arrivals.also = [&](const arrival& each) {
      if (each.from != 2) return;
      where = packs ? at(1).expose_packed(0, from, bytes) : at(1).expose(0, source.data(), bytes);
      EXPECT_EQ(from.each_once(), packs) << "its pieces are not told of";
      EXPECT_TRUE(until([&] { at(0).poll(); }, [&] { return count(0, "verbs.demotions") == 1; }));
    };
    ASSERT_TRUE(at(2).send(1, message(0), nullptr));
    at(2).flush();
    ASSERT_TRUE(until([&] { at(1).poll(); }, [&] { return where.words[0] != 0; }));
    ends[1]->arrivals.also = nullptr;
    EXPECT_FALSE(transfer(where, target.data(), bytes)->error);
    EXPECT_TRUE(target == source);
    EXPECT_TRUE(wait([&] { return fetching.calls > 0; }));
    EXPECT_TRUE(further == other);
    at(2).withdraw(1, fetching.where);
  }
}

TEST_F(verbs_pieces, have_keys_for_each_device) {
  verbs_options settings;
  settings.set.device = "all";
  for (const bool cut : {false, true}) {
    begin_and_meet(settings);
    const std::vector<std::byte> source = pattern(large, 9);
    std::vector<std::byte> target(large);
    if (cut) cards[1]->cut = true;
    EXPECT_FALSE(transfer(source.data(), target.data(), large)->error);
    EXPECT_TRUE(target == source);
    EXPECT_EQ(count(0, "verbs.rail_bytes.double1:1") > 0, !cut);
    EXPECT_EQ(count(1, "verbs.staged_bytes"), 0u);
  }
}

/// READs and WRITEs of both ends, some of them on one queue pair, and long ones registered in
/// pieces.
TEST_F(verbs_pieces, no_way_of_large_messages_needs_reads_to_be_answered_in_order) {
  constexpr std::size_t bytes = 9 << 20;
  const char* const modes[] = {"read", "write", "both"};
  for (const char* one : modes)
    for (const char* other : modes) {
      ends.clear();
      cards.clear();
      verbs_double::remove_cards();
      for (peer_id each : {0u, 1u}) {
        cards.push_back(&verbs_double::add_card(1, each + 1));
        cards.back()->late_reads = true;
        verbs_options settings;
        settings.set.qps = 2;
        settings.set.device = cards[each]->device.name;
        settings.set.rendezvous = rendezvous_named(each == 0 ? one : other);
        ends.push_back(std::make_unique<end>());
        ends[each]->transport =
            std::make_unique<verbs_transport>(ends[each]->arrivals, here, each, 2, settings);
      }
      meet_all();
      meet(0, 1);
      for (int round = 0; round < 3; ++round) {
        std::vector<std::vector<std::byte>> sources, targets;
        std::vector<std::unique_ptr<tracked_fetch>> fetches;
        for (std::size_t each = 0; each < 6; ++each) {
          const auto from = static_cast<peer_id>(each % 2);
          const std::size_t length = each < 2 ? bytes : 150'000 * (each + 1);
          sources.push_back(pattern(length, each));
          targets.emplace_back(length);
          fetches.push_back(std::make_unique<tracked_fetch>(
              from, at(from).expose(1 - from, sources[each].data(), length), targets[each].data(),
              length));
        }
        for (const auto& each : fetches) at(1 - each->from).start_fetch(*each);
        const auto is_over = [](const auto& each) { return each->calls > 0; };
        ASSERT_TRUE(wait([&] { return std::ranges::all_of(fetches, is_over); })) << one << other;
        for (std::size_t each = 0; each < fetches.size(); ++each) {
          EXPECT_FALSE(fetches[each]->error);
          EXPECT_TRUE(targets[each] == sources[each]) << one << ' ' << other << ' ' << each;
          at(fetches[each]->from).withdraw(1 - fetches[each]->from, fetches[each]->where);
        }
      }
    }
}

}  // namespace
