#include "comm/communicator_state.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace {

using peal::detail::communicator_state;

/// The tags of threads are as a rule neighbours, or some power of two apart.
TEST(communicator_state, tags_of_as_many_threads_as_there_are_ways_go_different_ways) {
  for (const std::uint32_t ways : {2U, 4U, 8U, 16U})
    for (const std::uint32_t apart : {1U, 2U, 4U, 8U, 16U, 256U}) {
      std::set<std::size_t> used;
      for (std::uint32_t thread = 0; thread < ways; ++thread)
        used.insert(communicator_state::spread(thread * apart, ways));
      EXPECT_EQ(used.size(), ways) << "tags " << apart << " apart";
    }
}

TEST(communicator_state, every_tag_has_a_way) {
  for (std::uint32_t ways = 2; ways <= 16; ++ways)
    for (std::uint32_t tag = 1; tag != 0; tag = 3 * tag + 1) {
      EXPECT_LT(communicator_state::spread(tag, ways), ways);
      if (tag > 0x4000'0000) break;
    }
}

}  // namespace
