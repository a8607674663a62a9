#include "double/raw_end.hpp"

#include <poll.h>

namespace peal::test {

raw_end::raw_end(verbs_double::card& on, const raw_plan& wanted)
    : card{on}, plan{wanted}, memory(wanted.bytes) {
  context = ibv_open_device(&on.device);
  domain = ibv_alloc_pd(context);
  if (plan.wakes) channel = ibv_create_comp_channel(context);
  completions = ibv_create_cq(context, plan.completions, nullptr, channel, 0);
  EXPECT_TRUE(completions);
  if (plan.shared) {
    ibv_srq_init_attr queue{};
    queue.attr.max_wr = plan.depth;
    queue.attr.max_sge = 1;
    shared = ibv_create_srq(domain, &queue);
    EXPECT_TRUE(shared);
  }
  region = ibv_reg_mr(domain, memory.data(), memory.size(),
                      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE);
  EXPECT_TRUE(region);
  ibv_qp_init_attr each{};
  each.qp_type = plan.type;
  each.send_cq = each.recv_cq = completions;
  each.srq = shared;
  each.cap.max_send_wr = plan.depth;
  each.cap.max_recv_wr = plan.depth;
  each.cap.max_send_sge = each.cap.max_recv_sge = 1;
  pair = ibv_create_qp(domain, &each);
  EXPECT_TRUE(pair);
}

raw_end::~raw_end() {
  if (pair) ibv_destroy_qp(pair);
  if (region) ibv_dereg_mr(region);
  if (shared) ibv_destroy_srq(shared);
  if (completions) ibv_destroy_cq(completions);
  if (channel) ibv_destroy_comp_channel(channel);
  ibv_dealloc_pd(domain);
  ibv_close_device(context);
}

ibv_ah_attr raw_end::way_to(const verbs_double::card& other, unsigned port, bool with_gid) const {
  const verbs_double::port& there = other.ports[port - 1];
  ibv_ah_attr way{};
  way.port_num = static_cast<std::uint8_t>(plan.port);
  way.dlid = there.attributes.lid;
  way.is_global = with_gid ? 1 : 0;
  way.grh.dgid = there.gids[0].gid;
  way.grh.hop_limit = 64;
  return way;
}

void raw_end::connect(const ibv_ah_attr& way, std::uint32_t number, const raw_path& path) {
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_INIT;
  to.port_num = static_cast<std::uint8_t>(plan.port);
  to.pkey_index = plan.key_index;
  to.qp_access_flags = plan.access;
  ASSERT_EQ(ibv_modify_qp(pair, &to,
                          IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
            0);
  to.qp_state = IBV_QPS_RTR;
  to.ah_attr = way;
  to.path_mtu = path.mtu;
  to.dest_qp_num = number;
  to.max_dest_rd_atomic = 16;
  to.min_rnr_timer = 1;
  ASSERT_EQ(ibv_modify_qp(pair, &to,
                          IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                              IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
            0);
  to.qp_state = IBV_QPS_RTS;
  to.timeout = path.timeout;
  to.retry_cnt = path.retries;
  to.rnr_retry = path.rnr_retry;
  to.max_rd_atomic = path.reads;
  ASSERT_EQ(ibv_modify_qp(pair, &to,
                          IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                              IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC),
            0);
}

void raw_end::ready_for_datagrams() {
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_INIT;
  to.port_num = static_cast<std::uint8_t>(plan.port);
  to.pkey_index = plan.key_index;
  to.qkey = 7;
  ASSERT_EQ(ibv_modify_qp(pair, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY),
            0);
  to.qp_state = IBV_QPS_RTR;
  ASSERT_EQ(ibv_modify_qp(pair, &to, IBV_QP_STATE), 0);
  to.qp_state = IBV_QPS_RTS;
  ASSERT_EQ(ibv_modify_qp(pair, &to, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
}

void raw_end::reset() {
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_RESET;
  EXPECT_EQ(ibv_modify_qp(pair, &to, IBV_QP_STATE), 0);
}

int raw_end::post_receive(std::uint64_t id, std::uint32_t bytes) {
  ibv_sge piece{reinterpret_cast<std::uint64_t>(memory.data()), bytes, region->lkey};
  ibv_recv_wr what{};
  what.wr_id = id;
  what.sg_list = &piece;
  what.num_sge = 1;
  ibv_recv_wr* refused = nullptr;
  return shared ? ibv_post_srq_recv(shared, &what, &refused) : ibv_post_recv(pair, &what, &refused);
}

int raw_end::post(ibv_send_wr& what, std::uint32_t bytes) {
  ibv_sge piece{reinterpret_cast<std::uint64_t>(memory.data()), bytes, region->lkey};
  what.sg_list = &piece;
  what.num_sge = 1;
  ibv_send_wr* refused = nullptr;
  return ibv_post_send(pair, &what, &refused);
}

int raw_end::send(std::uint64_t id, std::uint32_t bytes, unsigned flags) {
  ibv_send_wr what{};
  what.wr_id = id;
  what.opcode = IBV_WR_SEND;
  what.send_flags = flags;
  return post(what, bytes);
}

int raw_end::write(std::uint64_t address, std::uint32_t key, std::uint64_t id, std::uint32_t bytes,
                   ibv_wr_opcode how) {
  ibv_send_wr what{};
  what.wr_id = id;
  what.opcode = how;
  what.send_flags = IBV_SEND_SIGNALED;
  what.wr.rdma.remote_addr = address;
  what.wr.rdma.rkey = key;
  return post(what, bytes);
}

int raw_end::datagram(ibv_ah_attr way, std::uint32_t number, std::uint64_t id,
                      std::uint32_t bytes) {
  ibv_ah* const handle = ibv_create_ah(domain, &way);
  EXPECT_TRUE(handle);
  if (!handle) return -1;
  ibv_send_wr what{};
  what.wr_id = id;
  what.opcode = IBV_WR_SEND;
  what.send_flags = IBV_SEND_SIGNALED;
  what.wr.ud.ah = handle;
  what.wr.ud.remote_qpn = number;
  what.wr.ud.remote_qkey = 7;
  const int failed = post(what, bytes);
  ibv_destroy_ah(handle);
  return failed;
}

std::optional<ibv_wc> raw_end::next(std::chrono::milliseconds within) {
  const auto end = std::chrono::steady_clock::now() + within;
  ibv_wc found{};
  do {
    if (ibv_poll_cq(completions, 1, &found) == 1) return found;
  } while (std::chrono::steady_clock::now() < end);
  return {};
}

std::vector<ibv_event_type> raw_end::events() {
  std::vector<ibv_event_type> found;
  pollfd ready{context->async_fd, POLLIN, 0};
  while (poll(&ready, 1, 0) == 1) {
    ibv_async_event event{};
    if (ibv_get_async_event(context, &event) != 0) break;
    found.push_back(event.event_type);
    ibv_ack_async_event(&event);
  }
  return found;
}

}  // namespace peal::test
