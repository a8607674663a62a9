#include "collective/direct/groups/group_flags.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "unit/collective/direct/block_memory.hpp"

namespace {

using namespace peal;
using namespace peal::direct;
using peal::test::block_memory;

/// Ranks of one process, each with flags of its own and its own part of a segment for its blocks.
class told_groups {
 public:
  told_groups(const rank_groups& of, int size)
      : in_{std::numeric_limits<std::size_t>::max(), static_cast<std::size_t>(size) * room},
        size_{size} {
    for (int rank = 0; rank != size; ++rank) {
      flags_.push_back(std::make_unique<group_flags>(of, rank, size));
      arenas_.push_back(std::make_unique<arena>(
          in_.segment(), in_.begin() + static_cast<std::size_t>(rank) * room, room));
    }
  }
  /// All tell each other. Those in `full` have no room.
  void exchange(const std::set<int>& full = {}) {
    std::vector<std::byte*> said;
    for (int rank = 0; rank != size_; ++rank) {
      arena none{in_.segment(), in_.begin(), 0};
      said.push_back(
          static_cast<std::byte*>(of(rank).tell(full.contains(rank) ? none : blocks(rank))));
    }
    const std::size_t part = of(0).told_bytes();
    for (std::byte* const to : said)
      for (std::size_t from = 0; from != said.size(); ++from)
        std::memcpy(to + from * part, said[from] + from * part, part);
  }
  /// Receivers have the number of their rank.
  void open() {
    for (const auto& each : flags_)
      each->open(in_.segment(), [](int rank) { return receiver{.index = rank}; });
  }
  [[nodiscard]] group_flags& of(int rank) { return *flags_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] arena& blocks(int rank) { return *arenas_[static_cast<std::size_t>(rank)]; }
  /// Blocks that ranks hold.
  [[nodiscard]] std::size_t in_use() const {
    std::size_t sum = 0;
    for (const auto& each : arenas_) sum += each->in_use();
    return sum;
  }

 private:
  static constexpr std::size_t room = std::size_t{256} << 10;  // of a rank's blocks

  block_memory in_;
  int size_;
  std::vector<std::unique_ptr<group_flags>> flags_;
  std::vector<std::unique_ptr<arena>> arenas_;
};

/// Two sockets by turns, of three caches each: leaders of leaders, and no order of ranks.
rank_groups scattered(int size) {
  std::vector<rank_place> places;
  for (int rank = 0; rank != size; ++rank)
    places.push_back(
        {static_cast<std::uint16_t>(rank % 6), 0, static_cast<std::uint16_t>(rank % 2)});
  return rank_groups{places, 4};
}

TEST(group_flags, a_rank_has_an_end_of_each_group_that_it_leads_and_of_one_more) {
  const std::vector<rank_place> places(64);
  const rank_groups groups{places};
  std::size_t ends = 0;
  for (int rank = 0; rank != 64; ++rank) {
    group_flags made{groups, rank, 64};
    EXPECT_TRUE(made.in_order());
    ends += made.ends().size();
    for (const group_end& each : made.ends()) {
      EXPECT_EQ(each.members[static_cast<std::size_t>(each.own)], rank);
      EXPECT_EQ(each.part_of[static_cast<std::size_t>(rank)], each.own);
      EXPECT_EQ(each.leads() || each.top, &each != &made.ends().back() || rank == 0 || each.top);
    }
  }
  std::size_t members = 0;
  for (const rank_groups::group& each : groups.all()) members += each.members.size();
  EXPECT_EQ(ends, members);
}

TEST(group_flags, ends_go_from_the_smallest_group_up_to_one_that_another_rank_leads_or_the_top) {
  const rank_groups groups = scattered(40);
  EXPECT_EQ(groups.most_led(), 4);
  for (int rank = 0; rank != 40; ++rank) {
    group_flags made{groups, rank, 40};
    EXPECT_FALSE(made.in_order());
    ASSERT_FALSE(made.ends().empty());
    std::ptrdiff_t below = 1;  // ranks for which this one stands
    int number = 0;
    for (const group_end& each : made.ends()) {
      const bool is_last = &each == &made.ends().back();
      EXPECT_EQ(std::ranges::count(each.part_of, each.own), below) << "itself and what it leads";
      if (each.leads()) {
        EXPECT_EQ(each.number, number++);
      }
      EXPECT_EQ(is_last, each.top || !each.leads());
      below = std::ranges::count_if(each.part_of, [](int part) { return part >= 0; });
      EXPECT_EQ(below == 40, each.top);
    }
  }
}

TEST(group_flags, every_member_looks_at_the_block_that_its_leader_gave) {
  const rank_groups groups = scattered(40);
  told_groups all{groups, 40};
  all.exchange();
  EXPECT_EQ(all.in_use(), groups.all().size()) << "one for each group";
  for (int rank = 0; rank != 40; ++rank) EXPECT_TRUE(all.of(rank).complete());
  all.open();
  std::set<const block*> blocks;
  for (const rank_groups::group& each : groups.all()) {
    std::set<const block*> of_group;
    for (const int member : each.members)
      for (const group_end& end : all.of(member).ends())
        if (end.members == each.members) of_group.insert(end.shared);
    ASSERT_EQ(of_group.size(), 1U);
    blocks.merge(of_group);
  }
  EXPECT_EQ(blocks.size(), groups.all().size()) << "each has its own";
}

TEST(group_flags, members_wake_their_leader_and_leaders_their_members) {
  const rank_groups groups = scattered(40);
  told_groups all{groups, 40};
  all.exchange();
  all.open();
  for (int rank = 0; rank != 40; ++rank)
    for (const group_end& each : all.of(rank).ends()) {
      std::vector<int> expected = each.members;
      if (each.leads() || each.top) std::erase(expected, rank);
      else expected.resize(1);
      std::vector<int> woken;
      for (const receiver& one : each.wakes) woken.push_back(one.index);
      EXPECT_EQ(woken, expected);
    }
}

// A member's payload in an area waits for the leader only, and a leader's for all members.
TEST(group_flags, what_a_member_gives_is_read_by_its_leader_only) {
  const rank_groups groups{std::vector<rank_place>(9), 3};
  told_groups all{groups, 9};
  all.exchange();
  all.open();
  flags& leader = all.of(3).ends().front().all;
  flags& member = all.of(4).ends().front().all;
  flags& other = all.of(5).ends().front().all;
  const std::vector<std::byte> payload(area_bytes, std::byte{7});
  const auto stamp = [&](flags& by) {
    by.next();
    by.stamp(1, payload.data(), payload.size());
  };
  for (int each = 0; each != 2; ++each) {
    stamp(leader);
    stamp(member);
  }
  member.next();
  leader.next();
  EXPECT_TRUE(member.has_room_for_one(0)) << "though the other member has not come at all";
  EXPECT_FALSE(leader.has_room(area_bytes));
  for (int each = 0; each != 2; ++each) {
    stamp(other);
    EXPECT_TRUE(other.has_come(0));
    EXPECT_EQ(std::memcmp(other.payload_of(0), payload.data(), payload.size()), 0);
  }
  EXPECT_TRUE(leader.has_room(area_bytes)) << "all have read what lay there";
}

TEST(group_flags, are_not_complete_where_a_leader_has_no_room_and_give_all_back_then) {
  const rank_groups groups = scattered(40);
  for (const rank_groups::group& each : groups.all()) {
    told_groups all{groups, 40};
    all.exchange({each.members.front()});
    for (int rank = 0; rank != 40; ++rank) {
      EXPECT_FALSE(all.of(rank).complete());
      if (rank != each.members.front()) all.of(rank).put_back(all.blocks(rank));
    }
    EXPECT_EQ(all.in_use(), 0U);
  }
  told_groups all{groups, 40};
  all.exchange({39});
  EXPECT_TRUE(all.of(0).complete()) << "a rank that leads nothing needs no room";
}

TEST(group_flags, blocks_come_back_when_all_members_have_left) {
  const rank_groups groups = scattered(12);
  told_groups all{groups, 12};
  all.exchange();
  all.open();
  const auto collected = [&] {  // a rank looks when it needs more than it has
    for (int rank = 0; rank != 12; ++rank) (void)all.blocks(rank).take(1000);
    return all.in_use();
  };
  for (int rank = 0; rank != 12; ++rank) {
    EXPECT_GT(collected(), 0U);
    all.of(rank).leave(all.blocks(rank));
  }
  EXPECT_EQ(collected(), 0U);
}

TEST(group_flags, keep_what_a_call_has_joined_apart) {
  const rank_groups groups{std::vector<rank_place>(20)};
  group_flags made{groups, 0, 20};
  std::set<std::uintptr_t> places;
  for (const std::size_t which : {0U, 1U, 2U}) {
    const auto at = reinterpret_cast<std::uintptr_t>(made.sum(which));
    EXPECT_EQ(at % cache_line, 0U);
    std::memset(made.sum(which), static_cast<int>(which), area_bytes);
    places.insert(at);
  }
  EXPECT_GE(*places.rbegin() - *places.begin(), 2 * area_bytes);
  for (const std::size_t which : {0U, 1U, 2U})
    EXPECT_EQ(made.sum(which)[area_bytes - 1], static_cast<std::byte>(which));
}

TEST(group_flags, without_places_are_a_list) {
  std::vector<peer_id> peers;
  for (peer_id each = 20; each != 0; --each) peers.push_back(each);  // not by their ranks
  const team members{1, 18, std::move(peers)};
  group_flags flat{std::span<const rank_place>{}, members};
  EXPECT_TRUE(flat.in_order());
  std::vector<rank_place> places(21);
  for (std::size_t peer = 0; peer != places.size(); ++peer)
    places[peer] = {static_cast<std::uint16_t>(peer <= 10), 0, 0};
  group_flags placed{places, members};  // ranks 10 to 19 are peers 10 to 1
  EXPECT_EQ(placed.ends().front().members.front(), 10) << "places go by peer";
}

}  // namespace
