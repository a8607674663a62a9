// A fetch whose shares come in any order is over with its last byte.
#include "transport/verbs/bulk/fetch_progress.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <system_error>
#include <vector>

namespace {

using namespace peal;
using namespace peal::verbs;

struct ended {
  int times = 0;
  std::error_code error;
};

fetch fetch_into(std::byte* into, std::size_t bytes, ended& told) {
  fetch made;
  made.into = into;
  made.bytes = bytes;
  made.context = &told;
  made.done = [](fetch& of, std::error_code error) noexcept {
    auto& end = *static_cast<ended*>(of.context);
    ++end.times;
    end.error = error;
  };
  return made;
}

TEST(fetch_progress, ends_with_the_last_byte_of_the_last_share) {
  std::vector<std::byte> memory(10), data(10);
  for (std::size_t at = 0; at < data.size(); ++at) data[at] = static_cast<std::byte>(at + 1);
  ended told;
  fetch of = fetch_into(memory.data(), memory.size(), told);
  EXPECT_EQ(fetch_progress::begin(of).missing, 10u);
  take(of, data.data() + 6, 6, 4);
  peal::verbs::count(of, 4);
  EXPECT_EQ(told.times, 0);
  EXPECT_EQ(fetch_progress::of(of).missing, 6u);
  take(of, data.data(), 0, 6);
  peal::verbs::count(of, 5);
  EXPECT_EQ(told.times, 0);
  peal::verbs::count(of, 1);
  EXPECT_EQ(told.times, 1);
  EXPECT_FALSE(told.error);
  EXPECT_EQ(memory, data);
}

TEST(fetch_progress, one_that_absorbs_gets_its_pieces_and_no_copy) {
  std::vector<std::byte> memory(8), data(8, std::byte{9});
  ended told;
  fetch of = fetch_into(memory.data(), memory.size(), told);
  static std::size_t absorbed_at = 0, absorbed_bytes = 0;
  of.absorb = [](fetch&, const std::byte*, std::size_t at, std::size_t bytes) noexcept {
    absorbed_at = at;
    absorbed_bytes = bytes;
  };
  fetch_progress::begin(of);
  take(of, data.data() + 3, 3, 5);
  EXPECT_EQ(absorbed_at, 3u);
  EXPECT_EQ(absorbed_bytes, 5u);
  EXPECT_EQ(memory, std::vector<std::byte>(8));
}

}  // namespace
