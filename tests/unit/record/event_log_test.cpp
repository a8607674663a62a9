#include "record/event_log.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace peal::record {
namespace {

struct log_of_events : testing::Test {
  std::string folder = std::filesystem::temp_directory_path() / "event_log.XXXXXX";
  void SetUp() override { ASSERT_NE(::mkdtemp(folder.data()), nullptr); }
  void TearDown() override { std::filesystem::remove_all(folder); }
};

TEST_F(log_of_events, without_a_file_nothing_is_kept) {
  event_log none;
  EXPECT_FALSE(none.on());
}

TEST_F(log_of_events, events_are_in_the_file_in_their_order_and_the_rest_is_counted) {
  const std::string file = folder + "/events";
  constexpr std::uint64_t limit = 20000;  // more than one piece
  event_log log{file, limit};
  ASSERT_TRUE(log.on());
  for (std::uint64_t k = 1; k <= limit + 3; ++k)
    log.add({.begin_ticks = k,
             .end_ticks = 0,
             .bytes = 0,
             .site = 0,
             .peer = 0,
             .tag = 0,
             .context = 0,
             .posted = 0,
             .thread = 1,
             .kind = call_kind::send});
  EXPECT_EQ(log.lost(), 3u);
  EXPECT_EQ(std::filesystem::file_size(file), limit * sizeof(event));
  std::ifstream in{file, std::ios::binary};
  for (std::uint64_t k = 1; k <= limit; ++k) {
    event read{};
    in.read(reinterpret_cast<char*>(&read), sizeof read);
    ASSERT_EQ(read.begin_ticks, k);
  }
}

TEST_F(log_of_events, a_file_that_is_there_is_not_written_over) {
  const std::string file = folder + "/events";
  std::ofstream{file} << "of another rank";
  EXPECT_THROW((event_log{file, 10}), std::system_error);
}

TEST_F(log_of_events, receives_have_numbers_from_one_on) {
  event_log log{folder + "/events", 10};
  EXPECT_EQ(log.post(), 1u);
  EXPECT_EQ(log.post(), 2u);
}

}  // namespace
}  // namespace peal::record
