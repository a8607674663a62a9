#include "bootstrap/start_layout.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <string>

#include "peal/error.hpp"

namespace {

using namespace peal::start_layout;

TEST(start_layout, writes_across_pages_and_makes_the_file_longer) {
  segment_view view;
  view.file = ::memfd_create("test", MFD_CLOEXEC);
  ASSERT_GE(view.file, 0);
  const std::string text(10'000, 'y');
  write_all(view.file, text, 4090);
  EXPECT_EQ(view.read(4090, text.size()), text);
  EXPECT_EQ(view.read(4080, 10), std::string(10, '\0'));
  EXPECT_EQ(view.read(4090 + text.size() - 1, 100), "y") << "no more than there is";
}

TEST(start_layout, writes_within_the_file_whatever_the_limit_of_files_is) {
  segment_view view;
  view.file = ::memfd_create("test", MFD_CLOEXEC);
  ASSERT_GE(view.file, 0);
  ASSERT_TRUE(lengthen(view.file, 10'000));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 512;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  write_all(view.file, "inside", 9000);
  EXPECT_THROW(write_all(view.file, "outside", 10'000), peal::error);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(view.read(9000, 6), "inside");
}

TEST(start_layout, never_makes_a_file_shorter) {
  segment_view view;
  view.file = ::memfd_create("test", MFD_CLOEXEC);
  ASSERT_GE(view.file, 0);
  ASSERT_TRUE(lengthen(view.file, 9000));
  ASSERT_TRUE(lengthen(view.file, 10));
  struct stat status{};
  ASSERT_EQ(::fstat(view.file, &status), 0);
  EXPECT_EQ(status.st_size, 9000);
}

TEST(start_layout, has_a_slot_for_each_rank) {
  EXPECT_EQ(fixed_bytes(3) - fixed_bytes(2), sizeof(slot));
  segment_view view;
  view.file = ::memfd_create("test", MFD_CLOEXEC);
  ASSERT_TRUE(lengthen(view.file, fixed_bytes(2)));
  map_fixed(view, fixed_bytes(2));
  EXPECT_GE(reinterpret_cast<std::byte*>(&view.at(0)), view.base + sizeof(header));
  EXPECT_EQ(reinterpret_cast<std::byte*>(&view.at(1) + 1), view.base + view.size);
}

}  // namespace
