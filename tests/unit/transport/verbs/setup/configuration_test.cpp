// From what the user set, and what devices have, to what is done. On cards of this process's own.
#include "transport/verbs/setup/configuration.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "topology/machine.hpp"
#include "unit/transport/verbs/double/card.hpp"

namespace peal::test {
namespace {

struct verbs_plan : testing::Test {
  std::vector<verbs::device> rails() { return verbs::open_rails(here, verbs::wishes_of(options)); }
  verbs::settings made() { return verbs::settings_of(options, rails(), 4); }

  machine here;
  verbs_options options;
};

TEST_F(verbs_plan, what_the_user_set_is_what_is_done) {
  options.set.coalesce = false;
  options.set.srq = false;
  options.set.timeout = 1.5;
  options.set.push = 4096;
  options.set.rendezvous = rendezvous_mode::both;
  options.set.qps = 2;
  const verbs::settings of = made();
  EXPECT_FALSE(of.coalesce);
  EXPECT_FALSE(of.srq);
  EXPECT_EQ(of.timeout, 1.5);
  EXPECT_EQ(of.most_pushed, 4096u);
  EXPECT_EQ(of.rendezvous, rendezvous_mode::both);
  EXPECT_EQ(of.bulk, 3u) << "one more for writes";
  EXPECT_EQ(of.peers, 4u);
}

TEST_F(verbs_plan, there_is_one_queue_pair_more_for_writes) {
  options.set.rendezvous = rendezvous_mode::read;
  options.set.qps = 3;
  EXPECT_EQ(made().bulk, 3u);
  EXPECT_EQ(made().most_readers, 3u);
  options.set.rendezvous = rendezvous_mode::write;
  EXPECT_EQ(made().bulk, 4u);
  options.set.qps = 8;
  EXPECT_EQ(made().bulk, verbs::most_bulk);
}

TEST_F(verbs_plan, an_adapter_may_get_more_queue_pairs_than_it_begins_with) {
  EXPECT_EQ(made().readers, 1u);
  EXPECT_EQ(made().most_readers, verbs::most_readers);
}

TEST_F(verbs_plan, what_suits_emulated_devices_is_done_on_those_alone) {
  EXPECT_EQ(made().most_pushed, 0u);
  EXPECT_FALSE(made().writes);
  verbs_double::remove_cards();
  verbs_double::add_card(1, 1).limits.vendor_id = 0xffffff;
  options.cpus = 4;
  EXPECT_EQ(made().most_pushed, usual_push);
  EXPECT_TRUE(made().writes);
  EXPECT_EQ(made().most_readers, 1u);
}

TEST_F(verbs_plan, an_adapter_moves_large_messages_by_itself) {
  EXPECT_EQ(made().rendezvous, rendezvous_mode::read);
}

TEST_F(verbs_plan, what_a_device_lacks_is_lowered) {
  const verbs::settings before = made();
  verbs_double::remove_cards();
  verbs_double::add_card(1, 1).limits.max_qp_wr = 20;
  const verbs::settings after = made();
  EXPECT_GT(before.send_depth, 20u);
  EXPECT_EQ(after.send_depth, 20u);
  EXPECT_EQ(after.window, 18u) << "two receives more than the window";
  EXPECT_EQ(after.read_depth, before.read_depth);
}

TEST_F(verbs_plan, connections_are_shared_out_among_the_ranks_of_a_node) {
  verbs_double::remove_cards();
  verbs_double::add_card(1, 1).limits.max_qp = 400;
  const auto all = rails();
  const verbs::settings set = verbs::settings_of(options, all, 1000);
  const std::uint32_t alone = verbs::most_connections(all, set, 1, true);
  const std::uint32_t one_of_four = verbs::most_connections(all, set, 4, true);
  EXPECT_GT(alone, one_of_four);
  EXPECT_LE(4 * one_of_four * (1 + set.bulk), 400u);
  EXPECT_GE(one_of_four, 1u);
  EXPECT_EQ(verbs::most_connections(all, set, 100'000, true), 1u);
}

}  // namespace
}  // namespace peal::test
