// Messages beyond the eager limit that go through a box, where it has memory for them.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "transport/shm/layout.hpp"
#include "transport/shm/write_choice.hpp"
#include "unit/transport/ends.hpp"

namespace peal::test {
namespace {

class shm_long : public testing::Test {
 protected:
  std::unique_ptr<shm_node> node;
  std::uint32_t sent = 0;

  void begin(node_options options = {}) {
    options.settings.box_after = 2;
    node = std::make_unique<shm_node>(options);
  }
  shm_transport& from() { return *(*node)[0].transport; }
  std::vector<arrival>& got() { return (*node)[1].arrivals.got; }
  /// To the second process.
  bool send_eager(std::size_t bytes) {
    const auto payload = pattern(bytes, sent);
    if (!from().send_eager(shm_node::peer(1), message(bytes, sent), payload.data())) return false;
    ++sent;
    return true;
  }
  /// As a sender does with what is refused and not taken later; the receiver has it at once.
  void announce(std::size_t bytes) {
    const auto payload = pattern(bytes, sent);
    const peer_id to = shm_node::peer(1);
    from().withdraw(to, from().expose(to, payload.data(), bytes));
  }
  void turn() {
    for (int each = 0; each < 2; ++each) (*node)[each].transport->poll();
  }
  [[nodiscard]] bool takes_long(std::size_t bytes) {
    const auto payload = pattern(bytes, sent);
    return from().takes_long(shm_node::peer(1), payload.data(), bytes);
  }
  void open_box() {
    while (from().counters().boxes_opened == 0) ASSERT_TRUE(send_eager(8));
    ASSERT_TRUE(until([&] { turn(); }, [&] { return got().size() == sent; }));
  }
  /// All came as they were sent.
  void expect_all() {
    ASSERT_TRUE(until([&] { turn(); }, [&] { return got().size() == sent; }));
    for (std::uint32_t each = 0; each < sent; ++each) {
      ASSERT_EQ(got()[each].head.context(), each);
      ASSERT_EQ(got()[each].payload, pattern(got()[each].payload.size(), each));
    }
  }
};

TEST_F(shm_long, are_not_for_pairs_without_a_box) {
  begin();
  EXPECT_FALSE(send_eager(shm::eager_limit + 1));
  EXPECT_FALSE(takes_long(shm::eager_limit + 1));
  EXPECT_TRUE(send_eager(shm::eager_limit));
  open_box();
  for (const std::size_t bytes :
       {shm::eager_limit + 1, std::size_t{10'000}, shm::longest_eager, std::size_t{5000}}) {
    EXPECT_TRUE(send_eager(bytes)) << bytes;
    EXPECT_TRUE(takes_long(bytes)) << bytes;
  }
  expect_all();
}

TEST_F(shm_long, are_announced_where_the_receiver_may_copy_them_from_where_they_lie) {
  begin();
  open_box();
  node_heap& heap = *(*node)[0].heap;
  void* const shared = heap.allocate(shm::longest_eager);
  ASSERT_NE(shared, nullptr);
  for (const std::size_t bytes : {shm::eager_limit + 1, shm::longest_eager}) {
    EXPECT_FALSE(from().send_eager(shm_node::peer(1), message(bytes, sent), shared)) << bytes;
    EXPECT_FALSE(from().takes_long(shm_node::peer(1), shared, bytes)) << bytes;
  }
  heap.deallocate(shared);
  EXPECT_TRUE(send_eager(shm::longest_eager));
  expect_all();
}

TEST_F(shm_long, wait_for_room_in_a_box_that_has_memory_for_them) {
  begin();
  open_box();
  std::uint32_t fitted = 0;
  while (send_eager(shm::longest_eager)) ++fitted;
  EXPECT_GE(fitted, 2U);
  EXPECT_TRUE(takes_long(shm::longest_eager));
  EXPECT_TRUE(until([&] { turn(); }, [&] { return send_eager(shm::longest_eager); }));
  // Enough for a trial of announcements, which lasts as long as it is for the sender to announce.
  int announced = 0;
  for (std::size_t each = 0; each < 3000; ++each) {
    const std::size_t bytes = 1 + each * 4099 % shm::longest_eager;
    ASSERT_TRUE(until([&] { turn(); },
                      [&] {
                        if (send_eager(bytes)) return true;
                        if (takes_long(bytes)) return false;
                        announce(bytes);
                        ++announced;
                        return true;
                      }));
  }
  EXPECT_GT(announced, 0);
  expect_all();
}

TEST_F(shm_long, are_announced_where_there_is_no_memory_for_them) {
  node_options options;
  options.most_committed = shm_transport::front_bytes() + 65536;  // a box as it is at first
  begin(options);
  testing::internal::CaptureStderr();
  open_box();
  EXPECT_FALSE(send_eager(shm::longest_eager));
  EXPECT_FALSE(takes_long(shm::longest_eager));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("go a slower way"), std::string::npos);
  EXPECT_TRUE(send_eager(shm::eager_limit));
  expect_all();
}

// What is refused although everything was read is to be announced.
TEST_F(shm_long, are_announced_now_and_then_to_find_out_what_is_faster) {
  begin();
  open_box();
  bool refused = false;
  for (int each = 0; each < 20'000 && !refused; ++each) {
    refused = !send_eager(shm::longest_eager);
    ASSERT_TRUE(until([&] { turn(); }, [&] { return got().size() == sent; }));
    got().clear();
    sent = 0;
  }
  EXPECT_TRUE(refused);
  EXPECT_FALSE(takes_long(shm::longest_eager));
  EXPECT_TRUE(send_eager(shm::write_choice::most_unannounced));
  EXPECT_TRUE(takes_long(shm::write_choice::most_unannounced)) << "never";
  expect_all();
}

TEST_F(shm_long, are_packed_into_the_box) {
  begin();
  const auto data = pattern(16384, 5), longer = pattern(shm::longest_eager, 6);
  const counting_packer from_data{data};
  const auto send_packed = [&] {
    return from().send_packed(shm_node::peer(1), message(data.size(), 77), from_data);
  };
  EXPECT_FALSE(send_packed()) << "no box";
  open_box();
  ASSERT_TRUE(send_packed());
  EXPECT_TRUE(from_data.each_once());
  ASSERT_TRUE(until([&] { turn(); }, [&] { return got().size() == sent + 1; }));
  EXPECT_EQ(got().back().payload, data);
  EXPECT_EQ(got().back().head.context(), 77U);
  // What takes long to pack is announced.
  counting_packer from_longer{longer};
  const auto send_longer = [&] {
    return from().send_packed(shm_node::peer(1), message(longer.size(), 78), from_longer);
  };
  EXPECT_FALSE(send_longer());
  from_longer.blocks.length = from_longer.blocks.stride = 2048;
  ASSERT_TRUE(send_longer());
  ASSERT_TRUE(until([&] { turn(); }, [&] { return got().size() == sent + 2; }));
  EXPECT_EQ(got().back().payload, longer);
}

}  // namespace
}  // namespace peal::test
