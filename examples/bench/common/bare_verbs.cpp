#include "bare_verbs.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace bench {

namespace {

constexpr peal::tag where{4};
constexpr std::uint8_t port_number = 1;

void must(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "verbs: %s failed\n", what);
  std::abort();
}

/// RoCE v2 over IPv4 where there is one, which crosses routers; else RoCE v2; else the first.
std::uint8_t best_gid(ibv_context* device, int entries) {
  int best = 0, best_rank = 0;
  for (int i = 0; i < entries; ++i) {
    ibv_gid_entry entry{};
    if (ibv_query_gid_ex(device, port_number, static_cast<std::uint32_t>(i), &entry, 0) != 0)
      continue;
    constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    const bool over_ip4 = std::equal(mapped.begin(), mapped.end(), entry.gid.raw);
    const int rank = entry.gid_type == IBV_GID_TYPE_ROCE_V2 ? (over_ip4 ? 2 : 1) : 0;
    if (rank > best_rank) {
      best = i;
      best_rank = rank;
    }
  }
  return static_cast<std::uint8_t>(best);
}

}  // namespace

bare_verbs::~bare_verbs() {
  if (queue_pair_ != nullptr) ibv_destroy_qp(queue_pair_);
  if (sent_ != nullptr) ibv_destroy_cq(sent_);
  if (received_ != nullptr) ibv_destroy_cq(received_);
  if (channel_ != nullptr) ibv_destroy_comp_channel(channel_);
  if (region_ != nullptr) ibv_dereg_mr(region_);
  if (domain_ != nullptr) ibv_dealloc_pd(domain_);
  if (device_ != nullptr) ibv_close_device(device_);
}

std::string bare_verbs::prepare(const std::string& name, address& own) {
  int count = 0;
  const std::unique_ptr<ibv_device*, void (*)(ibv_device**)> all{ibv_get_device_list(&count),
                                                                 ibv_free_device_list};
  for (int i = 0; i < count && device_ == nullptr; ++i)
    if (name == ibv_get_device_name(all.get()[i])) device_ = ibv_open_device(all.get()[i]);
  if (device_ == nullptr) return "no device " + name;
  if (ibv_query_port(device_, port_number, &port_) != 0 || port_.state != IBV_PORT_ACTIVE)
    return name + "'s first port is not active";
  gid_index_ = best_gid(device_, port_.gid_tbl_len);
  ::ibv_gid gid{};
  domain_ = ibv_alloc_pd(device_);
  channel_ = ibv_create_comp_channel(device_);
  sent_ = ibv_create_cq(device_, 16, nullptr, nullptr, 0);
  received_ = channel_ == nullptr ? nullptr : ibv_create_cq(device_, 16, nullptr, channel_, 0);
  if (domain_ == nullptr || sent_ == nullptr || received_ == nullptr)
    return name + " gives no queues";
  region_ = ibv_reg_mr(domain_, slots_.data(), sizeof slots_, IBV_ACCESS_LOCAL_WRITE);
  ibv_qp_init_attr attributes{};
  attributes.send_cq = sent_;
  attributes.recv_cq = received_;
  attributes.qp_type = IBV_QPT_RC;
  attributes.cap = {.max_send_wr = 4,
                    .max_recv_wr = slots,
                    .max_send_sge = 1,
                    .max_recv_sge = 1,
                    .max_inline_data = bytes};
  queue_pair_ = ibv_create_qp(domain_, &attributes);
  if (region_ == nullptr || queue_pair_ == nullptr)
    return name + " gives no memory region or queue pair";
  if (ibv_query_gid(device_, port_number, gid_index_, &gid) != 0) return name + " has no address";
  own.queue_pair = queue_pair_->qp_num;
  own.lid = port_.lid;
  std::copy_n(gid.raw, own.gid.size(), own.gid.begin());
  return {};
}

bool bare_verbs::connect(const address& own, const address& peer) {
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_INIT;
  to.port_num = port_number;
  if (ibv_modify_qp(queue_pair_, &to,
                    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) != 0)
    return false;
  for (std::size_t slot = 0; slot < slots; ++slot) post_receive(slot);
  to = {};
  to.qp_state = IBV_QPS_RTR;
  to.path_mtu = port_.active_mtu;
  to.dest_qp_num = peer.queue_pair;
  to.rq_psn = peer.queue_pair & 0xffffff;
  to.max_dest_rd_atomic = 1;
  to.min_rnr_timer = 12;
  to.ah_attr.dlid = peer.lid;
  to.ah_attr.port_num = port_number;
  to.ah_attr.is_global = 1;
  std::copy(peer.gid.begin(), peer.gid.end(), to.ah_attr.grh.dgid.raw);
  to.ah_attr.grh.sgid_index = gid_index_;
  to.ah_attr.grh.hop_limit = 64;
  if (ibv_modify_qp(queue_pair_, &to,
                    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) != 0)
    return false;
  to = {};
  to.qp_state = IBV_QPS_RTS;
  to.timeout = 14;
  to.retry_cnt = 6;
  to.rnr_retry = 6;
  to.sq_psn = own.queue_pair & 0xffffff;
  to.max_rd_atomic = 1;
  return ibv_modify_qp(queue_pair_, &to,
                       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                           IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC) == 0;
}

std::string bare_verbs::open(const peal::communicator& world, const std::string& device) {
  if (world.rank() > 1) return {};
  const int other = 1 - world.rank();
  address own{};
  std::string problem = prepare(device, own);
  const auto peer = world.sendrecv<address>(own, other, other, where);
  if (problem.empty() && peer.queue_pair != 0 && !connect(own, peer))
    problem = device + "'s queue pair cannot be connected";
  // Nobody sends before both are there.
  (void)world.sendrecv<int>(0, other, other, where);
  return problem;
}

void bare_verbs::post_receive(std::size_t slot) {
  ibv_sge to{.addr = reinterpret_cast<std::uint64_t>(slots_[slot].data()),
             .length = bytes,
             .lkey = region_->lkey};
  ibv_recv_wr request{}, *wrong = nullptr;
  request.wr_id = slot;
  request.sg_list = &to;
  request.num_sge = 1;
  must(ibv_post_recv(queue_pair_, &request, &wrong) == 0, "ibv_post_recv");
}

void bare_verbs::send(const message& what) {
  ibv_wc done{};
  while (under_way_) {
    const int n = ibv_poll_cq(sent_, 1, &done);
    must(n >= 0 && (n == 0 || done.status == IBV_WC_SUCCESS), "a send");
    under_way_ = n == 0;
  }
  ibv_sge from{.addr = reinterpret_cast<std::uint64_t>(what.data()), .length = bytes, .lkey = 0};
  ibv_send_wr request{}, *wrong = nullptr;
  request.opcode = IBV_WR_SEND;
  request.send_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED;
  request.sg_list = &from;
  request.num_sge = 1;
  must(ibv_post_send(queue_pair_, &request, &wrong) == 0, "ibv_post_send");
  under_way_ = true;
}

bare_verbs::message bare_verbs::receive() {
  for (bool armed = false;;) {
    ibv_wc done{};
    const int n = ibv_poll_cq(received_, 1, &done);
    must(n >= 0 && (n == 0 || done.status == IBV_WC_SUCCESS), "a receive");
    if (n == 0) {
      if (!armed) {
        must(ibv_req_notify_cq(received_, 0) == 0, "ibv_req_notify_cq");
        armed = true;  // and look once more
        continue;
      }
      ibv_cq* rang = nullptr;
      void* context = nullptr;
      must(ibv_get_cq_event(channel_, &rang, &context) == 0, "ibv_get_cq_event");
      ibv_ack_cq_events(rang, 1);
      armed = false;
      continue;
    }
    // An event of a queue that was armed and then found full stays for the next time, where it ends
    // a sleep too early.
    const message got = slots_[done.wr_id];
    post_receive(done.wr_id);
    return got;
  }
}

}  // namespace bench
