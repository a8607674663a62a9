#include "mpi/groups/group_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <numeric>
#include <random>

#include "../support/failures.hpp"

namespace {

using namespace peal::mpi;
using ranks = std::vector<int>;

ranks some_ranks(std::mt19937& random, int most) {
  ranks all(static_cast<std::size_t>(most));
  std::iota(all.begin(), all.end(), 0);
  if (random() % 3 != 0) std::shuffle(all.begin(), all.end(), random);  // else a regular list
  all.resize(random() % (all.size() + 1));
  return all;
}
bool has(const ranks& all, int rank) { return std::count(all.begin(), all.end(), rank) != 0; }

TEST(group_sets, are_what_a_simple_model_says) {
  std::mt19937 random{2};
  for (int round = 0; round != 500; ++round) {
    const ranks one = some_ranks(random, 20), other = some_ranks(random, 20);
    ranks both = one, common, rest;
    for (const int each : other)
      if (!has(one, each)) both.push_back(each);
    for (const int each : one) (has(other, each) ? common : rest).push_back(each);
    EXPECT_EQ(union_of(group{one}, group{other}).world_ranks(), both);
    EXPECT_EQ(intersection_of(group{one}, group{other}).world_ranks(), common);
    EXPECT_EQ(difference_of(group{one}, group{other}).world_ranks(), rest);
    const bool similar = std::is_permutation(one.begin(), one.end(), other.begin(), other.end());
    EXPECT_EQ(comparison_of(group{one}, group{other}), one == other ? MPI_IDENT
                                                       : similar    ? MPI_SIMILAR
                                                                    : MPI_UNEQUAL);
  }
}

TEST(group_sets, chosen_ranks_and_the_others_are_what_a_simple_model_says) {
  std::mt19937 random{3};
  for (int round = 0; round != 300; ++round) {
    const ranks members = some_ranks(random, 20);
    const ranks named = some_ranks(random, static_cast<int>(members.size()));
    ranks in, out;
    for (const int each : named) in.push_back(members[static_cast<std::size_t>(each)]);
    for (std::size_t each = 0; each != members.size(); ++each)
      if (!has(named, static_cast<int>(each))) out.push_back(members[each]);
    EXPECT_EQ(chosen(group{members}, named).world_ranks(), in);
    EXPECT_EQ(without(group{members}, named).world_ranks(), out);
  }
}

TEST(group_sets, the_same_members_in_another_order_are_similar) {
  EXPECT_EQ(comparison_of(group{{3, 1, 2}}, group{{1, 2, 3}}), MPI_SIMILAR);
  EXPECT_EQ(comparison_of(group{{3, 1, 2}}, group{{3, 1, 2}}), MPI_IDENT);
  EXPECT_EQ(comparison_of(group{{3, 1, 2}}, group{{3, 1, 0}}), MPI_UNEQUAL);
  EXPECT_EQ(comparison_of(group{}, group{}), MPI_IDENT);
}

TEST(group_sets, a_rank_that_is_not_there_or_named_twice_is_refused) {
  const group of = group::first_ranks(5);
  for (const ranks& wrong : {ranks{5}, ranks{-1}, ranks{0, 3, 0}, ranks{MPI_PROC_NULL}}) {
    EXPECT_EQ(class_thrown_by([&] { (void)chosen(of, wrong); }), MPI_ERR_RANK);
    EXPECT_EQ(class_thrown_by([&] { (void)without(of, wrong); }), MPI_ERR_RANK);
  }
}

ranks named_by(const group& of, std::vector<std::array<int, 3>> given) {
  std::vector<int> flat;
  for (const auto& each : given) flat.insert(flat.end(), each.begin(), each.end());
  return ranks_in(of, {reinterpret_cast<const rank_range*>(flat.data()), given.size()});
}

TEST(group_sets, ranges_name_ranks_upwards_and_downwards_as_far_as_their_last) {
  const group of = group::first_ranks(20);
  EXPECT_EQ(named_by(of, {{0, 6, 2}, {19, 12, -3}}), (ranks{0, 2, 4, 6, 19, 16, 13}));
  EXPECT_EQ(named_by(of, {{0, 7, 3}}), (ranks{0, 3, 6}));
  EXPECT_EQ(named_by(of, {{4, 4, -9}}), (ranks{4}));
  EXPECT_EQ(named_by(of, {{5, 4, 1}}), ranks{}) << "it names none";
}

TEST(group_sets, ranges_beyond_the_group_are_refused) {
  const group of = group::first_ranks(20);
  constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
  EXPECT_EQ(class_thrown_by([&] { (void)named_by(of, {{0, 5, 0}}); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown_by([&] { (void)named_by(of, {{0, 20, 1}}); }), MPI_ERR_RANK);
  EXPECT_EQ(class_thrown_by([&] { (void)named_by(of, {{-1, 2, 1}}); }), MPI_ERR_RANK);
  EXPECT_EQ(class_thrown_by([&] { (void)named_by(of, {{0, most, 1}}); }), MPI_ERR_RANK);
  EXPECT_EQ(class_thrown_by([&] { (void)named_by(of, {{0, least, -1}}); }), MPI_ERR_RANK);
  EXPECT_EQ(class_thrown_by([&] { (void)named_by(of, {{0, most, most}}); }), MPI_ERR_RANK);
}

TEST(group_sets, of_a_hundred_thousand_ranks_take_no_time_to_speak_of) {
  std::mt19937 random{4};
  ranks one(100'000), other(100'000);
  std::iota(one.begin(), one.end(), 0);
  std::iota(other.begin(), other.end(), 50'000);
  std::shuffle(one.begin(), one.end(), random);
  std::shuffle(other.begin(), other.end(), random);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(union_of(group{one}, group{other}).size(), 150'000);
  EXPECT_EQ(intersection_of(group{one}, group{other}).size(), 50'000);
  EXPECT_EQ(difference_of(group{one}, group{other}).size(), 50'000);
  // Pairwise it would be 10^10 comparisons for each; with hashing it is some tens of milliseconds.
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds{5});
}

}  // namespace
