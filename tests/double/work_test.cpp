// What becomes of work requests, of queue pairs and of shared queues on the double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "double/raw_end.hpp"
#include "unit/transport/verbs/double/states.hpp"

namespace peal::test {
namespace {

using namespace std::chrono_literals;
using verbs_double::add_card;
using verbs_double::card;

class verbs_double_work : public testing::Test {
 protected:
  card& one = add_card(3, 1);
  card& other = add_card(3, 2);
  void join(raw_end& from, raw_end& to, const raw_path& path = {}) {
    from.connect(to, path);
    to.connect(from, path);
  }
  static ibv_wc_status status(raw_end& of) {
    const auto ended = of.next(5s);
    EXPECT_TRUE(ended);
    return ended ? ended->status : IBV_WC_GENERAL_ERR;
  }
};

TEST_F(verbs_double_work, a_missing_attribute_is_refused) {
  constexpr int needed = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
  using verbs_double::may_go;
  EXPECT_TRUE(may_go(IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, needed));
  for (const int bit : {IBV_QP_PKEY_INDEX, IBV_QP_PORT, IBV_QP_ACCESS_FLAGS})
    EXPECT_FALSE(may_go(IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, needed & ~bit)) << bit;
  EXPECT_FALSE(may_go(IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, needed | IBV_QP_AV));
  EXPECT_FALSE(may_go(IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_RTS, needed));
  EXPECT_FALSE(may_go(IBV_QPT_UD, IBV_QPS_RESET, IBV_QPS_INIT, needed)) << "a Q_Key is missing";
  raw_end end{one};
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_INIT;
  to.port_num = 1;
  EXPECT_EQ(ibv_modify_qp(end.pair, &to, needed & ~IBV_QP_PKEY_INDEX), EINVAL);
  to.port_num = 2;
  EXPECT_EQ(ibv_modify_qp(end.pair, &to, needed), EINVAL) << "there is no second port";
  to.port_num = 1;
  EXPECT_EQ(ibv_modify_qp(end.pair, &to, needed), 0);
}

TEST_F(verbs_double_work, ethernet_wants_a_gid) {
  raw_end from{one, {.type = IBV_QPT_UD}}, to{other, {.type = IBV_QPT_UD}};
  ibv_ah_attr way = from.way_to(to, false);
  EXPECT_EQ(ibv_create_ah(from.domain, &way), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(verbs_double_work, who_finds_no_receive_tries_as_often_as_was_agreed) {
  raw_end from{one}, to{other};
  join(from, to, {.rnr_retry = 2});
  ASSERT_EQ(from.send(1, 8), 0);
  EXPECT_EQ(status(from), IBV_WC_RNR_RETRY_EXC_ERR);
  EXPECT_EQ(other.not_ready, 1u);
}

TEST_F(verbs_double_work, who_may_try_for_ever_waits_for_the_receive) {
  raw_end from{one}, to{other};
  join(from, to);
  ASSERT_EQ(from.send(1, 8), 0);
  EXPECT_FALSE(from.next(5ms));
  ASSERT_EQ(to.post_receive(2), 0);
  EXPECT_EQ(status(from), IBV_WC_SUCCESS);
  EXPECT_EQ(status(to), IBV_WC_SUCCESS);
}

TEST_F(verbs_double_work, a_shared_queue_that_runs_low_says_so_once) {
  raw_end from{one}, to{other, {.shared = true}};
  join(from, to);
  for (std::uint64_t id = 0; id < 8; ++id) ASSERT_EQ(to.post_receive(id), 0);
  ibv_srq_attr limit{};
  limit.srq_limit = 4;
  ASSERT_EQ(ibv_modify_srq(to.shared, &limit, IBV_SRQ_LIMIT), 0);
  for (std::uint64_t id = 0; id < 4; ++id) ASSERT_EQ(from.send(id, 8), 0);
  EXPECT_TRUE(to.events().empty());
  for (std::uint64_t id = 0; id < 3; ++id) ASSERT_EQ(from.send(id, 8), 0);
  EXPECT_EQ(to.events(), std::vector<ibv_event_type>{IBV_EVENT_SRQ_LIMIT_REACHED});
}

/// An acknowledgement comes from the card, not from the memory behind it, and only what one card
/// tells its host has an order.
TEST_F(verbs_double_work, what_one_card_has_written_is_not_seen_behind_what_another_tells) {
  card &here = add_card(4, 1), &there = add_card(4, 2);
  raw_end from{one}, to{other}, beside{here}, at{there};
  join(from, to);
  join(beside, at);
  other.holds_writes = true;
  ibv_mr* const same = ibv_reg_mr(at.domain, to.memory.data(), to.memory.size(),
                                  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
  ASSERT_TRUE(same);
  const auto read_beside = [&] {
    EXPECT_EQ(beside.write(reinterpret_cast<std::uint64_t>(to.memory.data()), same->rkey, 9, 8,
                           IBV_WR_RDMA_READ),
              0);
    EXPECT_EQ(status(beside), IBV_WC_SUCCESS);
    return beside.memory[0];
  };
  from.memory[0] = std::byte{7};
  EXPECT_EQ(from.write(to, 1, 8), 0);
  EXPECT_EQ(status(from), IBV_WC_SUCCESS);
  EXPECT_EQ(at.post_receive(2), 0);
  EXPECT_EQ(beside.send(3, 8), 0);
  EXPECT_EQ(status(at), IBV_WC_SUCCESS);
  EXPECT_EQ(to.memory[0], std::byte{0}) << "it is acknowledged, and another card has told";
  EXPECT_EQ(read_beside(), std::byte{0}) << "nor does a READ through another card see it";
  EXPECT_EQ(from.write(to, 4, 8, IBV_WR_RDMA_READ), 0);
  EXPECT_EQ(status(from), IBV_WC_SUCCESS);
  EXPECT_EQ(from.memory[0], std::byte{7}) << "a READ behind it through the same card does";
  EXPECT_EQ(read_beside(), std::byte{7});
  from.memory[0] = std::byte{8};
  EXPECT_EQ(from.write(to, 5, 8), 0);
  EXPECT_EQ(to.post_receive(6), 0);
  EXPECT_EQ(from.send(7, 8), 0);
  EXPECT_EQ(status(to), IBV_WC_SUCCESS);
  EXPECT_EQ(to.memory[0], std::byte{8}) << "what its own card tells comes behind it";
  ibv_dereg_mr(same);
}

TEST_F(verbs_double_work, memory_that_is_not_open_to_others_breaks_both_ends) {
  raw_end from{one}, to{other};
  join(from, to);
  ibv_dereg_mr(to.region);
  to.region = ibv_reg_mr(to.domain, to.memory.data(), to.memory.size(), IBV_ACCESS_LOCAL_WRITE);
  ASSERT_EQ(from.write(to, 1, 8), 0);
  EXPECT_EQ(status(from), IBV_WC_REM_ACCESS_ERR);
  EXPECT_EQ(from.pair->state, IBV_QPS_ERR);
  EXPECT_EQ(to.pair->state, IBV_QPS_ERR);
  EXPECT_EQ(to.events(), std::vector<ibv_event_type>{IBV_EVENT_QP_ACCESS_ERR});
}

TEST_F(verbs_double_work, what_is_posted_behind_a_read_may_be_done_before_it_unless_fenced) {
  one.late_reads = true;
  for (const bool fenced : {false, true}) {
    raw_end from{one}, to{other};
    join(from, to);
    to.memory[0] = std::byte{1};
    from.memory[100] = std::byte{2};
    // The READ of what is written over by the WRITE behind it.
    ibv_sge pieces[2] = {
        {reinterpret_cast<std::uint64_t>(from.memory.data()), 1, from.region->lkey},
        {reinterpret_cast<std::uint64_t>(from.memory.data()) + 100, 1, from.region->lkey}};
    ibv_send_wr requests[2] = {};
    for (int each = 0; each < 2; ++each) {
      requests[each].wr_id = static_cast<std::uint64_t>(each);
      requests[each].sg_list = &pieces[each];
      requests[each].num_sge = 1;
      requests[each].send_flags = IBV_SEND_SIGNALED;
      requests[each].wr.rdma.remote_addr = reinterpret_cast<std::uint64_t>(to.memory.data());
      requests[each].wr.rdma.rkey = to.region->rkey;
    }
    requests[0].opcode = IBV_WR_RDMA_READ;
    requests[0].next = &requests[1];
    requests[1].opcode = IBV_WR_RDMA_WRITE;
    if (fenced) requests[1].send_flags |= IBV_SEND_FENCE;
    ibv_send_wr* refused = nullptr;
    ASSERT_EQ(ibv_post_send(from.pair, requests, &refused), 0);
    for (const std::uint64_t expected : {0u, 1u}) {
      const auto ended = from.next(5s);
      ASSERT_TRUE(ended);
      EXPECT_EQ(ended->status, IBV_WC_SUCCESS);
      EXPECT_EQ(ended->wr_id, expected) << "they end in order";
    }
    EXPECT_EQ(to.memory[0], std::byte{2});
    EXPECT_EQ(from.memory[0], fenced ? std::byte{1} : std::byte{2});
  }
}

/// Whether anything is moved or not: the queue pair is asked before the memory.
TEST_F(verbs_double_work, a_queue_pair_that_is_not_open_to_what_others_do_breaks_both_ends) {
  constexpr unsigned reads = IBV_ACCESS_REMOTE_READ, writes = IBV_ACCESS_REMOTE_WRITE;
  struct {
    unsigned access;
    ibv_wr_opcode what;
    bool allowed;
  } const cases[] = {{reads, IBV_WR_RDMA_READ, true},   {reads, IBV_WR_RDMA_WRITE, false},
                     {writes, IBV_WR_RDMA_READ, false}, {writes, IBV_WR_RDMA_WRITE, true},
                     {0, IBV_WR_RDMA_READ, false},      {0, IBV_WR_RDMA_WRITE, false}};
  for (const auto& each : cases)
    for (const std::uint32_t bytes : {0u, 8u}) {
      raw_end from{one}, to{other, {.access = each.access}};
      join(from, to);
      ASSERT_EQ(from.write(to, 1, bytes, each.what), 0);
      EXPECT_EQ(status(from), each.allowed ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR)
          << each.access << ' ' << each.what << ' ' << bytes;
      EXPECT_EQ(to.pair->state, each.allowed ? IBV_QPS_RTS : IBV_QPS_ERR);
    }
}

TEST_F(verbs_double_work, datagrams_get_lost_come_twice_and_come_late) {
  raw_end from{one, {.type = IBV_QPT_UD}}, to{other, {.type = IBV_QPT_UD}};
  from.ready_for_datagrams();
  to.ready_for_datagrams();
  for (std::uint64_t id = 0; id < 8; ++id) ASSERT_EQ(to.post_receive(id), 0);
  other.copies = [](const std::byte*, std::size_t bytes) { return bytes == 10 ? 0u : 2u; };
  ASSERT_EQ(from.datagram(to, 1, 10, true), 0);
  EXPECT_FALSE(to.next());
  ASSERT_EQ(from.datagram(to, 2, 20, true), 0);
  EXPECT_TRUE(to.next());
  EXPECT_TRUE(to.next());
  EXPECT_FALSE(to.next());
  other.copies = nullptr;
  other.late_datagrams = 1;
  ASSERT_EQ(from.datagram(to, 3, 30, true), 0);
  ASSERT_EQ(from.datagram(to, 4, 40, true), 0);
  EXPECT_EQ(to.next().value_or(ibv_wc{}).byte_len, 80u);
  other.release_datagrams();
  EXPECT_EQ(to.next().value_or(ibv_wc{}).byte_len, 70u);
}

TEST_F(verbs_double_work, a_dead_card_flushes_and_tells) {
  raw_end from{one}, to{other};
  join(from, to);
  ASSERT_EQ(to.post_receive(5), 0);
  other.die();
  EXPECT_EQ(status(to), IBV_WC_WR_FLUSH_ERR);
  EXPECT_EQ(to.events(), std::vector<ibv_event_type>{IBV_EVENT_DEVICE_FATAL});
  ASSERT_EQ(from.send(1, 8), 0);
  EXPECT_EQ(status(from), IBV_WC_RETRY_EXC_ERR);
}

TEST_F(verbs_double_work, a_completion_queue_that_is_too_small_breaks_its_queue_pairs) {
  raw_end from{one, {.completions = 3}}, to{other};
  join(from, to);
  for (std::uint64_t id = 0; id < 5; ++id) ASSERT_EQ(from.write(to, id, 8), 0);
  const auto told = from.events();
  EXPECT_EQ(std::ranges::count(told, IBV_EVENT_CQ_ERR), 1);
  EXPECT_EQ(std::ranges::count(told, IBV_EVENT_QP_FATAL), 1);
  EXPECT_EQ(from.pair->state, IBV_QPS_ERR);
  EXPECT_EQ(to.pair->state, IBV_QPS_RTS) << "the other end notices by its own requests";
}

TEST_F(verbs_double_work, limits_are_held) {
  one.limits.max_qp = 1;
  one.most_locked = 100'000;
  raw_end end{one};
  ibv_qp_init_attr wanted{};
  wanted.qp_type = IBV_QPT_RC;
  wanted.send_cq = wanted.recv_cq = end.completions;
  wanted.cap = {1, 1, 1, 1, 0};
  EXPECT_EQ(ibv_create_qp(end.domain, &wanted), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  std::vector<std::byte> more(50'000);
  EXPECT_EQ(ibv_reg_mr(end.domain, more.data(), more.size(), IBV_ACCESS_LOCAL_WRITE), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST_F(verbs_double_work, doorbells_and_requests_are_counted) {
  raw_end from{one}, to{other};
  join(from, to);
  ASSERT_EQ(from.write(to, 1, 8), 0);
  ASSERT_EQ(from.write(to, 2, 8), 0);
  EXPECT_EQ(one.doorbells, 2u);
  EXPECT_EQ(one.requests, 2u);
}

}  // namespace
}  // namespace peal::test
