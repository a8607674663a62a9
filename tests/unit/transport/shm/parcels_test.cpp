// Parcels are of two sizes, come from the front first, and go back to where they came from.
#include "transport/shm/parcels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include "unit/transport/ends.hpp"

namespace peal::test {
namespace {

TEST(shm_parcels, hold_what_they_were_asked_for_until_none_is_left) {
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{96}, std::size_t{97}, shm::eager_limit}) {
    shm_node node{{}};
    shm::parcels of{*node[0].segment};
    std::vector<shm::parcel*> held;
    while (shm::parcel* const made = of.take(bytes)) {
      std::memset(static_cast<void*>(made + 1), static_cast<int>(held.size() % 251), bytes);
      held.push_back(made);
    }
    EXPECT_GE(held.size(), shm::parts::parcels_per_peer);
    for (std::size_t each = 0; each < held.size(); ++each) {
      const auto* const payload = reinterpret_cast<const std::byte*>(held[each] + 1);
      for (std::size_t at = 0; at < bytes; ++at)
        ASSERT_EQ(payload[at], static_cast<std::byte>(each % 251)) << each;
    }
    for (shm::parcel* const each : held) of.put_back(*each);
    std::set<shm::parcel*> again;
    while (shm::parcel* const made = of.take(bytes)) EXPECT_TRUE(again.insert(made).second);
    EXPECT_EQ(again, std::set<shm::parcel*>(held.begin(), held.end()));
  }
}

}  // namespace
}  // namespace peal::test
