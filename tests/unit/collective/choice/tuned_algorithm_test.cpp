// What is tried beside an algorithm as it is: other radices and pieces, where it looks at them.
#include "collective/choice/tuned_algorithm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace {

using namespace peal;
using detail::collective;

constexpr std::size_t KiB = 1024;

std::vector<int> radices(const std::vector<tuned_algorithm>& of) {
  std::vector<int> found;
  for (const tuned_algorithm& each : of) found.push_back(each.radix);
  std::ranges::sort(found);
  return found;
}

std::vector<std::size_t> pieces(const std::vector<tuned_algorithm>& of) {
  std::vector<std::size_t> found;
  for (const tuned_algorithm& each : of) found.push_back(each.cut.bytes);
  std::ranges::sort(found);
  return found;
}

TEST(tuned_algorithm, equal_ones_are_kept_once) {
  const algorithm* const tree = find_algorithm(collective::bcast, "tree");
  const tuned_algorithm& one = kept({tree, 4, {8192, 2}});
  EXPECT_EQ(&kept({tree, 4, {8192, 2}}), &one);
  EXPECT_NE(&kept({tree, 4, {8192, 3}}), &one);
  EXPECT_NE(&kept({tree, 2, {8192, 2}}), &one);
  EXPECT_EQ(one.radix, 4);
}

TEST(tuned_algorithm, has_neighbors_by_radix_between_bounds) {
  const algorithm* const tree = find_algorithm(collective::gather, "tree");
  EXPECT_EQ(radices(neighbors_of({tree, 2, {}}, 64, KiB)), (std::vector{4}));
  EXPECT_EQ(radices(neighbors_of({tree, 4, {}}, 64, KiB)), (std::vector{2, 8}));
  EXPECT_EQ(radices(neighbors_of({tree, 4, {}}, 7, KiB)), (std::vector{2}));
  EXPECT_EQ(radices(neighbors_of({tree, 32, {}}, 4096, KiB)), (std::vector{16}));
}

TEST(tuned_algorithm, has_no_neighbor_by_radix_where_that_would_change_bits) {
  const algorithm* const tree = find_algorithm(collective::reduce, "tree");
  EXPECT_TRUE(tree->gives_same_bits(8, 2));
  EXPECT_FALSE(tree->gives_same_bits(6, 2) || tree->gives_same_bits(8, 4));
  EXPECT_EQ(radices(neighbors_of({tree, 2, {}}, 64, KiB)), (std::vector{4}));
  EXPECT_TRUE(neighbors_of({tree, 2, {}}, 64, KiB, true).empty());
  EXPECT_EQ(pieces(neighbors_of({tree, 2, {}}, 64, 64 * KiB, true)),
            (std::vector<std::size_t>{16 * KiB}));
}

TEST(tuned_algorithm, has_neighbors_by_the_length_of_pieces) {
  const algorithm* const chain = find_algorithm(collective::bcast, "chain");
  using lengths = std::vector<std::size_t>;
  EXPECT_EQ(pieces(neighbors_of({chain, 2, {128 * KiB, 4}}, 8, 1024 * KiB)),
            (lengths{32 * KiB, 512 * KiB}));
  EXPECT_EQ(pieces(neighbors_of({chain, 2, {128 * KiB, 4}}, 8, 512 * KiB)), (lengths{0, 32 * KiB}));
  EXPECT_EQ(pieces(neighbors_of({chain, 2, {128 * KiB, 4}}, 8, 64 * KiB)), (lengths{16 * KiB}));
  EXPECT_TRUE(neighbors_of({chain, 2, {}}, 8, 32 * KiB).empty());
  // A schedule is not to become endless.
  EXPECT_EQ(pieces(neighbors_of({chain, 2, {512 * KiB, 2}}, 8, std::size_t{64} << 20)),
            (lengths{2048 * KiB}));
}

// Two ranks join 256 KiB in 21 us by pieces of 32 KiB that are written into a box, in 28 whole, and
// pieces of 64 KiB, which are announced, gain nothing: so the steps by four did not come there.
TEST(tuned_algorithm, what_is_joined_one_way_is_cut_into_pieces_that_are_written) {
  using lengths = std::vector<std::size_t>;
  for (const auto& [kind, name] : {std::pair{collective::reduce, "tree"},
                                   {collective::scan, "chain"},
                                   {collective::exscan, "chain"}}) {
    const algorithm* const how = find_algorithm(kind, name);
    ASSERT_NE(how, nullptr) << name;
    const auto cut = [&](std::size_t bytes) {
      return pieces(neighbors_of({how, 2, {}}, 2, bytes, true));
    };
    EXPECT_EQ(cut(128 * KiB), (lengths{32 * KiB}));
    EXPECT_EQ(cut(256 * KiB), (lengths{32 * KiB, 64 * KiB}));
    EXPECT_EQ(cut(4096 * KiB), (lengths{32 * KiB, 1024 * KiB}));
    EXPECT_EQ(cut(8192 * KiB), (lengths{2048 * KiB})) << "too many pieces";
  }
  const algorithm* const bcast = find_algorithm(collective::bcast, "tree");
  EXPECT_EQ(pieces(neighbors_of({bcast, 2, {}}, 2, 256 * KiB)), (lengths{64 * KiB}));
}

TEST(tuned_algorithm, nothing_else_has_neighbors) {
  EXPECT_TRUE(
      neighbors_of({find_algorithm(collective::alltoall, "pairwise"), 2, {}}, 64, 1024 * KiB)
          .empty());
}

/// What the ranks send to whom, in which round.
std::vector<std::vector<int>> peers_of(const algorithm& by, problem p, int radix,
                                       const node_map* nodes) {
  std::vector<std::vector<int>> found;
  p.radix = radix;
  p.nodes = nodes;
  for (p.rank = 0; p.rank != p.size; ++p.rank) {
    schedule built;
    build(by, p, {}, built);
    std::vector<int>& mine = found.emplace_back();
    for (const peal::round& each : built.rounds()) {
      mine.push_back(-1);
      for (const step& sent : built.sends(each)) mine.push_back(sent.peer);
    }
  }
  return found;
}

// The records say of which algorithms the radix changes anything.
TEST(tuned_algorithm, records_say_what_looks_at_the_radix) {
  std::vector<std::uint32_t> at(60);
  for (std::size_t rank = 0; rank != at.size(); ++rank)
    at[rank] = static_cast<std::uint32_t>(rank / 10);
  const node_map nodes{at};
  problem p;
  p.size = 60;
  p.bytes = 6000;
  p.send.equal = p.receive.equal = 100;
  for (const algorithm& each : all_algorithms()) {
    if (each.power_of_two) continue;
    problem asked = p;
    if (detail::is_reduction(each.kind) || each.kind == collective::bcast)
      asked.send.equal = asked.receive.equal = 100;
    else asked.bytes = 100;
    const node_map* const on = each.by_node ? &nodes : nullptr;
    EXPECT_EQ(peers_of(each, asked, 2, on) != peers_of(each, asked, 4, on), each.by_radix)
        << static_cast<int>(each.kind) << " " << each.name;
    // With another radix a tree joins in another order.
    EXPECT_FALSE(each.by_radix && each.gives == algorithm::bits::same) << each.name;
  }
}

}  // namespace
