// Messages between the two eager limits of a transport: they go as they are where it takes them,
// and are announced elsewhere.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "unit/p2p/fake_network.hpp"

namespace {

using namespace peal;
using namespace peal::test;
using bytes = std::vector<std::byte>;

bytes numbered(std::size_t length) {
  bytes made(length);
  for (std::size_t each = 0; each < length; ++each) made[each] = static_cast<std::byte>(each * 7);
  return made;
}
bool over(const operation& of) { return of.finished.load(); }

/// Rank 1 receives it now, so that the send ends.
void receive(fake_job& job, operation& send, const bytes& sent) {
  bytes got(sent.size());
  operation& receive = job.receive(1, 0, 1, got.data(), got.size());
  job.settle();
  EXPECT_TRUE(over(send));
  EXPECT_TRUE(over(receive));
  EXPECT_EQ(got, sent);
  job[0].release(send);
  job[1].release(receive);
}

constexpr std::size_t between = fake_port::longest - 10;

TEST(send, a_long_message_goes_as_it_is_where_it_is_taken) {
  fake_job job{2};
  job.network.takes_long = true;
  for (const std::size_t length : {fake_port::eager + 1, between, fake_port::longest}) {
    const bytes data = numbered(length);
    operation& send = job.send(0, 1, 1, data.data(), length);
    EXPECT_TRUE(over(send)) << length;
    receive(job, send, data);
  }
  EXPECT_EQ(job.network.delivered[envelope_kind::announce], 0U);
  const bytes longer = numbered(fake_port::longest + 1);
  operation& send = job.send(0, 1, 1, longer.data(), longer.size());
  EXPECT_FALSE(over(send));
  receive(job, send, longer);
  EXPECT_EQ(job.network.delivered[envelope_kind::announce], 1U);
}

TEST(send, a_long_message_waits_for_room_in_its_turn) {
  fake_job job{2};
  job.network.takes_long = true;
  job.network.space = 2;
  const bytes data = numbered(between);
  std::vector<bytes> got(6, bytes(between));
  std::vector<operation*> all;
  for (std::size_t each = 0; each < got.size(); ++each)
    all.push_back(&job.send(0, 1, 1, data.data(), between - each));
  EXPECT_FALSE(over(*all.back()));
  std::vector<operation*> receives;
  for (std::size_t each = 0; each < got.size(); ++each)
    receives.push_back(&job.receive(1, 0, 1, got[each].data(), between));
  job.settle();
  for (std::size_t each = 0; each < got.size(); ++each) {
    ASSERT_TRUE(over(*receives[each]));
    EXPECT_EQ(receives[each]->result.bytes, between - each) << "in their order";
    EXPECT_TRUE(over(*all[each]));
    job[0].release(*all[each]);
    job[1].release(*receives[each]);
  }
  EXPECT_EQ(job.network.delivered[envelope_kind::announce], 0U);
}

TEST(send, a_long_message_is_announced_where_it_is_not_taken_or_not_wanted) {
  for (const bool taken : {false, true}) {
    fake_job job{2};
    job.network.takes_long = taken;
    if (taken) job.network.ports[1]->set_wants_eager(false);
    const bytes data = numbered(between);
    operation& send = job.send(0, 1, 1, data.data(), between);
    EXPECT_FALSE(over(send));
    receive(job, send, data);
    EXPECT_EQ(job.network.delivered[envelope_kind::announce], 1U);
  }
}

TEST(send, what_waits_is_announced_once_it_is_not_taken_any_more) {
  fake_job job{2};
  job.network.takes_long = true;
  job.network.space = 1;
  const bytes data = numbered(between);
  std::vector<bytes> got(3, bytes(between));
  std::vector<operation*> all, receives;
  for (int each = 0; each < 3; ++each) all.push_back(&job.send(0, 1, 1, data.data(), between));
  job.network.takes_long = false;
  for (bytes& each : got) receives.push_back(&job.receive(1, 0, 1, each.data(), between));
  job.settle();
  EXPECT_EQ(job.network.delivered[envelope_kind::announce], 2U);
  for (std::size_t each = 0; each < 3; ++each) {
    EXPECT_EQ(got[each], data);
    job[0].release(*all[each]);
    job[1].release(*receives[each]);
  }
}

struct counting : detail::packer {
  const bytes& data;
  explicit counting(const bytes& all) : data{all} {
    pack = [](const packer& self, std::size_t at, void* to, std::size_t length) noexcept {
      std::memcpy(to, static_cast<const counting&>(self).data.data() + at, length);
    };
  }
};

TEST(send, a_packed_message_is_over_at_once_where_it_is_taken_unless_it_is_synchronous) {
  for (const bool synchronous : {false, true}) {
    fake_job job{2};
    job.network.packs = job.network.takes_long = true;
    const bytes data = numbered(between);
    const counting from{data};
    operation& send =
        job[0].start_send(job.world(0), 0, &from, between, 1, 1, {},
                          synchronous ? send_form::packed_synchronous : send_form::packed);
    EXPECT_EQ(over(send), !synchronous);
    job.settle();
    EXPECT_EQ(over(send), !synchronous) << "nobody has received it";
    receive(job, send, data);
  }
}

}  // namespace
