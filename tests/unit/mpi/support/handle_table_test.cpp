#include "mpi/support/handle_table.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <set>
#include <thread>
#include <vector>

namespace {

using peal::mpi::handle_kind;
using infos = peal::mpi::handle_table<MPI_Info, int, handle_kind::info>;
using shared_infos = peal::mpi::handle_table<MPI_Info, int, handle_kind::info, 3>;
using groups = peal::mpi::handle_table<MPI_Group, int, handle_kind::group>;

template <class Handle>
Handle handle_of(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}

TEST(handle_table, finds_what_was_added_until_it_is_removed) {
  infos table;
  std::set<MPI_Info> all;
  for (int each = 0; each != 1000; ++each) {
    const MPI_Info made = table.add(std::make_unique<int>(each));
    EXPECT_TRUE(all.insert(made).second);
    EXPECT_FALSE(infos::is_predefined(made));
    ASSERT_NE(table.find(made), nullptr);
    EXPECT_EQ(*table.find(made), each);
  }
  for (const MPI_Info each : all) {
    const int value = *table.find(each);
    EXPECT_EQ(*table.remove(each), value);
    EXPECT_EQ(table.find(each), nullptr);
  }
  for (int each = 0; each != 1000; ++each)
    EXPECT_TRUE(all.insert(table.add(std::make_unique<int>(each))).second) << "a freed one is back";
}

TEST(handle_table, a_visit_sees_each_object_that_has_a_handle_once) {
  infos table;
  table.for_each([](int) { ADD_FAILURE() << "there is none"; });
  int predefined = 0;
  table.set(MPI_INFO_ENV, predefined);
  std::multiset<int> expected, seen;
  std::vector<MPI_Info> handles;
  for (int each = 0; each != 1000; ++each)
    handles.push_back(table.add(std::make_unique<int>(each)));
  for (std::size_t each = 0; each != handles.size(); ++each)
    if (each % 3 == 0) table.remove(handles[each]);
    else expected.insert(static_cast<int>(each));
  table.for_each([&](int each) { seen.insert(each); });
  EXPECT_EQ(seen, expected);
}

TEST(handle_table, what_is_no_handle_of_its_kind_stands_for_nothing) {
  infos table;
  groups others;
  const MPI_Info made = table.add(std::make_unique<int>(1));
  const MPI_Group other = others.add(std::make_unique<int>(2));
  EXPECT_EQ(table.find(handle_of<MPI_Info>(reinterpret_cast<std::uintptr_t>(other))), nullptr);
  EXPECT_EQ(table.find(nullptr), nullptr);
  EXPECT_EQ(table.find(handle_of<MPI_Info>(reinterpret_cast<std::uintptr_t>(made) + 1)), nullptr);
  for (std::uintptr_t bit = 1; bit != 0; bit <<= 1) {
    EXPECT_EQ(table.find(handle_of<MPI_Info>(bit)), nullptr);
    EXPECT_EQ(table.find(handle_of<MPI_Info>(bit - 1)), nullptr);
  }
  int local = 0;
  EXPECT_EQ(table.find(reinterpret_cast<MPI_Info>(&local)), nullptr);
}

TEST(handle_table, predefined_handles_are_those_of_the_standard) {
  groups table;
  int empty = 0;
  table.set(MPI_GROUP_EMPTY, empty);
  EXPECT_EQ(table.find(MPI_GROUP_EMPTY), &empty);
  EXPECT_EQ(table.find(MPI_GROUP_NULL), nullptr);
  EXPECT_TRUE(groups::is_predefined(MPI_GROUP_EMPTY));
  EXPECT_EQ(groups::to_int(MPI_GROUP_EMPTY), 0x109);
  EXPECT_EQ(table.from_int(0x109), MPI_GROUP_EMPTY);
}

TEST(handle_table, a_handle_is_an_integer_for_fortran_and_back) {
  infos table;
  const MPI_Info first = table.add(std::make_unique<int>(1));
  table.remove(first);
  const MPI_Info second = table.add(std::make_unique<int>(2));
  EXPECT_EQ(table.from_int(infos::to_int(second)), second);
  EXPECT_EQ(table.from_int(infos::to_int(second) + 1), nullptr);
  EXPECT_EQ(table.from_int(-1), reinterpret_cast<MPI_Info>(~std::uintptr_t{0}));
  EXPECT_EQ(table.find(table.from_int(-1)), nullptr);
}

template <class Table>
void add_and_remove_in_threads(Table& table) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread != 4; ++thread)
    threads.emplace_back([&table, thread] {
      for (int each = 0; each != 2000; ++each) {
        const MPI_Info made = table.add(std::make_unique<int>(thread));
        ASSERT_NE(table.find(made), nullptr);
        EXPECT_EQ(*table.find(made), thread);
        if (each % 3 != 0) table.remove(made);
      }
    });
  for (std::thread& each : threads) each.join();
}

TEST(handle_table, threads_add_and_remove_at_the_same_time) {
  infos table;
  add_and_remove_in_threads(table);
}

TEST(handle_table, threads_with_shares_of_it_add_and_remove_at_the_same_time) {
  shared_infos table;
  add_and_remove_in_threads(table);
  int left = 0;
  table.for_each([&left](int) { ++left; });
  EXPECT_EQ(left, 4 * 667);
}

TEST(handle_table, one_thread_removes_what_another_one_has_added) {
  shared_infos table;
  std::vector<MPI_Info> made;
  std::thread{[&] {
    for (int each = 0; each != 1000; ++each) made.push_back(table.add(std::make_unique<int>(each)));
  }}.join();
  for (int each = 0; each != 1000; ++each) {
    const std::unique_ptr<int> gone = table.remove(made[static_cast<std::size_t>(each)]);
    EXPECT_EQ(*gone, each);
    EXPECT_EQ(table.find(made[static_cast<std::size_t>(each)]), nullptr);
  }
  std::set<MPI_Info> later(made.begin(), made.end());
  for (int each = 0; each != 2000; ++each)
    EXPECT_TRUE(later.insert(table.add(std::make_unique<int>(each))).second);
}

}  // namespace
