#include "mpi/info/info.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "../support/failures.hpp"

namespace {

using namespace peal::mpi;

TEST(info, holds_values_by_keys_in_the_order_of_adding) {
  info made;
  made.set("b", "1");
  made.set("a", "2");
  made.set("c", "");
  made.set("b", "3");
  ASSERT_EQ(made.size(), 3);
  EXPECT_EQ(made.key(0), "b");
  EXPECT_EQ(made.key(1), "a");
  EXPECT_EQ(made.key(2), "c");
  EXPECT_EQ(*made.find("b"), "3");
  EXPECT_EQ(*made.find("c"), "");
  EXPECT_EQ(made.find("d"), nullptr);
  EXPECT_EQ(made.find("B"), nullptr) << "the case of letters matters";
}

TEST(info, erases_what_is_there_and_refuses_what_is_not) {
  info made;
  made.set("b", "1");
  made.set("a", "2");
  made.erase("b");
  EXPECT_EQ(made.size(), 1);
  EXPECT_EQ(made.key(0), "a");
  EXPECT_EQ(class_thrown_by([&] { made.erase("b"); }), MPI_ERR_INFO_NOKEY);
}

TEST(info, is_a_map_whatever_is_done_to_it) {
  std::mt19937 random{5};
  info made;
  std::map<std::string, std::string> model;
  for (int step = 0; step != 2000; ++step) {
    const std::string key(1, static_cast<char>('a' + random() % 20));
    if (random() % 3 == 0) {
      EXPECT_EQ(class_thrown_by([&] { made.erase(key); }),
                model.erase(key) != 0 ? MPI_SUCCESS : MPI_ERR_INFO_NOKEY);
    } else {
      made.set(key, model[key] = std::to_string(step));
    }
    ASSERT_EQ(made.size(), static_cast<int>(model.size()));
    for (int each = 0; each != made.size(); ++each)
      ASSERT_EQ(*made.find(made.key(each)), model.at(made.key(each)));
  }
}

TEST(info, keys_and_values_are_no_longer_than_the_standard_lets_them_be) {
  const std::string longest_key(MPI_MAX_INFO_KEY - 1, 'k');
  const std::string longest_value(MPI_MAX_INFO_VAL - 1, 'v');
  EXPECT_EQ(checked_key(longest_key.c_str()), longest_key);
  EXPECT_EQ(checked_value(longest_value.c_str()), longest_value);
  EXPECT_EQ(checked_value(""), "");
  EXPECT_EQ(class_thrown_by([&] { (void)checked_key((longest_key + "k").c_str()); }),
            MPI_ERR_INFO_KEY);
  EXPECT_EQ(class_thrown_by([&] { (void)checked_value((longest_value + "v").c_str()); }),
            MPI_ERR_INFO_VALUE);
  EXPECT_EQ(class_thrown_by([] { (void)checked_key(""); }), MPI_ERR_INFO_KEY);
  EXPECT_EQ(class_thrown_by([] { (void)checked_key(nullptr); }), MPI_ERR_INFO_KEY);
  EXPECT_EQ(class_thrown_by([] { (void)checked_value(nullptr); }), MPI_ERR_INFO_VALUE);
}

TEST(info, no_hints_are_given_by_the_null_handle_only) {
  EXPECT_EQ(hints_of(MPI_INFO_NULL), nullptr);
  EXPECT_EQ(class_thrown_by([] { (void)info_of(MPI_INFO_NULL); }), MPI_ERR_INFO);
  EXPECT_EQ(class_thrown_by([] { (void)hints_of(MPI_Info{}); }), MPI_ERR_INFO);
  EXPECT_EQ(class_thrown_by([] { (void)hints_of(reinterpret_cast<MPI_Info>(MPI_COMM_SELF)); }),
            MPI_ERR_INFO);
}

}  // namespace
