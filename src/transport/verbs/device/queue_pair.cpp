#include "transport/verbs/device/queue_pair.hpp"

#include <algorithm>

namespace peal::verbs {

queue_pair make_reliable(const device& on, queue_plan& plan) noexcept {
  ibv_qp_init_attr wanted{};
  wanted.qp_type = IBV_QPT_RC;
  wanted.send_cq = wanted.recv_cq = plan.completions;
  wanted.srq = plan.receives;
  wanted.cap.max_send_wr = plan.send_depth;
  wanted.cap.max_recv_wr = plan.receives ? 0 : plan.receive_depth;
  wanted.cap.max_send_sge = plan.send_pieces;
  wanted.cap.max_recv_sge = plan.receives ? 0 : 1;
  wanted.cap.max_inline_data = plan.inline_bytes;
  queue_pair made;
  // A device that has less room for inline data refuses instead of saying how much it has.
  for (;;) {
    made.reset(ibv_create_qp(on.queue_domain(), &wanted));
    if (made || wanted.cap.max_inline_data == 0) break;
    wanted.cap.max_inline_data /= 2;
  }
  if (!made) return {};
  plan.inline_bytes = std::min(plan.inline_bytes, wanted.cap.max_inline_data);
  ibv_qp_attr init{};
  init.qp_state = IBV_QPS_INIT;
  init.port_num = on.port_number();
  init.pkey_index = on.pkey_index();
  init.qp_access_flags = plan.access;
  if (ibv_modify_qp(made.get(), &init,
                    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) != 0)
    return {};
  return made;
}

remote_queue remote_between(const rail_address& here, const rail_address& there,
                            const ibv_ah_attr& route) noexcept {
  remote_queue made;
  made.mtu = std::min(here.mtu, there.mtu);
  made.reads_in = std::min(here.reads_in, there.reads_out);
  made.reads_out = std::min(here.reads_out, there.reads_in);
  made.route = route;
  return made;
}

bool ready_to_receive(ibv_qp& which, const remote_queue& remote) noexcept {
  if (which.state == IBV_QPS_RTR) return true;  // another of the same connection was refused before
  ibv_qp_attr next{};
  next.qp_state = IBV_QPS_RTR;
  next.path_mtu = static_cast<ibv_mtu>(remote.mtu);
  next.dest_qp_num = remote.number;
  next.rq_psn = remote.first_psn;
  next.max_dest_rd_atomic = remote.reads_in;
  // 0.64 ms: credits make it rare; a shorter one would flood a receiver that has none
  next.min_rnr_timer = 12;
  next.ah_attr = remote.route;
  return ibv_modify_qp(&which, &next,
                       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                           IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0;
}

bool ready_to_send(ibv_qp& which, const remote_queue& remote, std::uint32_t own_psn,
                   double silence) noexcept {
  ibv_qp_attr next{};
  next.qp_state = IBV_QPS_RTS;
  next.sq_psn = own_psn;
  next.timeout = timer_for(silence);
  next.retry_cnt = 6;  // rxe takes 7 for ever here too, where it is a number to all others
  next.rnr_retry = 7;  // for ever: a receiver that computes is no dead one
  next.max_rd_atomic = remote.reads_out;
  return ibv_modify_qp(&which, &next,
                       IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                           IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC) == 0;
}

}  // namespace peal::verbs
