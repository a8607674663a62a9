// The functions of libibverbs that make, change and give back queue pairs and shared queues.
//
// Source   the manual pages of each.
#include <infiniband/verbs.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "unit/transport/verbs/double/objects.hpp"
#include "unit/transport/verbs/double/states.hpp"

namespace {

using namespace peal::verbs_double;

/// With IBV_QPS_RESET all is forgotten, completions too.
void reset(pair& which) {
  which.base.state = IBV_QPS_RESET;
  which.sends.clear();
  which.executed.clear();
  which.refuse_incoming();
  which.last_sequence = which.last_taken = 0;
  which.refused = false;
  which.silent_since = which.not_ready_since = peal::verbs_double::clock::time_point::max();
  which.reads_out = 0;
  which.receives.clear();
  which.retired = which.posted;
  which.established = false;
  for (queue* each : {&which.sent(), &which.received()})
    std::erase_if(each->entries,
                  [&](const ibv_wc& one) { return one.qp_num == which.base.qp_num; });
}

/// 0, or why a card does not take these values.
int check(const card& on, const ibv_qp_attr& to, int mask) {
  if ((mask & IBV_QP_PORT) && (to.port_num < 1 || to.port_num > on.ports.size())) return EINVAL;
  if ((mask & IBV_QP_PKEY_INDEX) && (mask & IBV_QP_PORT) &&
      to.pkey_index >= on.ports[to.port_num - 1u].keys.size())
    return EINVAL;
  if ((mask & IBV_QP_MAX_QP_RD_ATOMIC) && to.max_rd_atomic > on.limits.max_qp_init_rd_atom)
    return EINVAL;
  if ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) && to.max_dest_rd_atomic > on.limits.max_qp_rd_atom)
    return EINVAL;
  if ((mask & IBV_QP_PATH_MTU) && (to.path_mtu < IBV_MTU_256 || to.path_mtu > IBV_MTU_4096))
    return EINVAL;
  if ((mask & IBV_QP_TIMEOUT) && to.timeout > 31) return EINVAL;
  if (((mask & IBV_QP_RETRY_CNT) && to.retry_cnt > 7) ||
      ((mask & IBV_QP_RNR_RETRY) && to.rnr_retry > 7))
    return EINVAL;
  if (!(mask & IBV_QP_AV)) return 0;
  const ibv_ah_attr& way = to.ah_attr;
  if (way.port_num < 1 || way.port_num > on.ports.size() || way.sl > 15) return EINVAL;
  return on.ports[way.port_num - 1u].ethernet() && !way.is_global ? EINVAL : 0;
}

void take_over(ibv_qp_attr& into, const ibv_qp_attr& from, int mask) {
  if (mask & IBV_QP_PORT) into.port_num = from.port_num;
  if (mask & IBV_QP_PKEY_INDEX) into.pkey_index = from.pkey_index;
  if (mask & IBV_QP_ACCESS_FLAGS) into.qp_access_flags = from.qp_access_flags;
  if (mask & IBV_QP_QKEY) into.qkey = from.qkey;
  if (mask & IBV_QP_AV) into.ah_attr = from.ah_attr;
  if (mask & IBV_QP_PATH_MTU) into.path_mtu = from.path_mtu;
  if (mask & IBV_QP_DEST_QPN) into.dest_qp_num = from.dest_qp_num;
  if (mask & IBV_QP_RQ_PSN) into.rq_psn = from.rq_psn;
  if (mask & IBV_QP_SQ_PSN) into.sq_psn = from.sq_psn;
  if (mask & IBV_QP_MAX_DEST_RD_ATOMIC) into.max_dest_rd_atomic = from.max_dest_rd_atomic;
  if (mask & IBV_QP_MAX_QP_RD_ATOMIC) into.max_rd_atomic = from.max_rd_atomic;
  if (mask & IBV_QP_MIN_RNR_TIMER) into.min_rnr_timer = from.min_rnr_timer;
  if (mask & IBV_QP_TIMEOUT) into.timeout = from.timeout;
  if (mask & IBV_QP_RETRY_CNT) into.retry_cnt = from.retry_cnt;
  if (mask & IBV_QP_RNR_RETRY) into.rnr_retry = from.rnr_retry;
}

/// Counted by themselves, so that queue pairs made in turn are dealt over the units of a card.
std::uint32_t next_number() {
  static std::uint32_t last = 16;
  const wire* const others = everything().others;
  if (!others) return ++last;
  std::uint32_t found = 0;
  do found = others->first_number() | (++last & ((1u << wire::own_bits) - 1));
  while (everything().find(found));
  return found;
}

bool belongs_to_queue_pair(ibv_event_type what) {
  switch (what) {
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
    case IBV_EVENT_COMM_EST:
    case IBV_EVENT_SQ_DRAINED:
    case IBV_EVENT_PATH_MIG:
    case IBV_EVENT_PATH_MIG_ERR:
    case IBV_EVENT_QP_LAST_WQE_REACHED: return true;
    default: return false;
  }
}

}  // namespace

extern "C" {

// ---- queues

ibv_srq* ibv_create_srq(ibv_pd* in, ibv_srq_init_attr* wanted) {
  const lock hold{guard()};
  if (wanted->attr.max_wr >
      static_cast<std::uint32_t>(context::from(in->context).of->limits.max_srq_wr))
    return refuse(EINVAL);
  if (std::ranges::count_if(everything().shared_queues, [&](const shared_queue* each) {
        return each->base.context == in->context;
      }) >= context::from(in->context).of->limits.max_srq)
    return refuse(ENOMEM);
  auto* const made = new shared_queue;
  made->base.context = in->context;
  made->base.pd = in;
  made->most = wanted->attr.max_wr;
  everything().shared_queues.push_back(made);
  return &made->base;
}

int ibv_modify_srq(ibv_srq* which, ibv_srq_attr* to, int mask) {
  const lock hold{guard()};
  shared_queue& at = shared_queue::from(which);
  if (mask & IBV_SRQ_MAX_WR) return EINVAL;  // as mlx5
  if (!(mask & IBV_SRQ_LIMIT)) return 0;
  if (to->srq_limit >= at.most) return EINVAL;
  at.limit = to->srq_limit;
  at.watch();
  return 0;
}

int ibv_destroy_srq(ibv_srq* which) {
  const lock hold{guard()};
  shared_queue* const gone = &shared_queue::from(which);
  for (const auto& on : everything().cards)
    for (const pair* each : on->pairs)
      if (each->base.srq == which) return EBUSY;
  std::erase_if(context::from(which->context).events, [&](const ibv_async_event& each) {
    return (each.event_type == IBV_EVENT_SRQ_ERR ||
            each.event_type == IBV_EVENT_SRQ_LIMIT_REACHED) &&
           each.element.srq == which;
  });
  forget(everything().shared_queues, gone);
  delete gone;
  return 0;
}

ibv_qp* ibv_create_qp(ibv_pd* in, ibv_qp_init_attr* wanted) {
  const lock hold{guard()};
  card& on = *context::from(in->context).of;
  const auto deepest = static_cast<std::uint32_t>(on.limits.max_qp_wr);
  if (wanted->cap.max_send_wr > deepest || wanted->cap.max_recv_wr > deepest) return refuse(EINVAL);
  const auto widest = static_cast<std::uint32_t>(on.limits.max_sge);
  if (wanted->cap.max_send_sge > widest || wanted->cap.max_recv_sge > widest ||
      wanted->cap.max_inline_data > on.most_inline)
    return refuse(EINVAL);
  if (on.pairs.size() >= static_cast<std::size_t>(on.limits.max_qp)) return refuse(ENOMEM);
  if (wanted->qp_type == IBV_QPT_RC && on.count(IBV_QPT_RC) >= on.most_reliable)
    return refuse(ENOMEM);
  auto* const made = new pair;
  made->base.context = in->context;
  made->base.pd = in;
  made->base.send_cq = wanted->send_cq;
  made->base.recv_cq = wanted->recv_cq;
  made->base.srq = wanted->srq;
  made->base.qp_num = next_number();
  made->base.qp_type = wanted->qp_type;
  made->base.state = IBV_QPS_RESET;
  made->on = &on;
  made->attributes.port_num = 1;
  made->caps = wanted->cap;
  made->signals_all = wanted->sq_sig_all != 0;
  on.pairs.push_back(made);
  everything().numbers.emplace(made->base.qp_num, made);
  return &made->base;
}

int ibv_modify_qp(ibv_qp* which, ibv_qp_attr* to, int mask) {
  const lock hold{guard()};
  pair& at = pair::from(which);
  const ibv_qp_state goal = mask & IBV_QP_STATE ? to->qp_state : which->state;
  if (!may_go(which->qp_type, which->state, goal, mask)) return errno = EINVAL;
  if (const int why = check(*at.on, *to, mask); why != 0) return errno = why;
  if (at.on->refused_transitions > 0 && goal != IBV_QPS_ERR) {
    --at.on->refused_transitions;
    return errno = EIO;
  }
  take_over(at.attributes, *to, mask);
  if (goal == IBV_QPS_ERR) at.fail();
  else if (goal == IBV_QPS_RESET) reset(at);
  else which->state = goal;
  everything().go_on();
  return 0;
}

int ibv_query_qp(ibv_qp* which, ibv_qp_attr* into, int, ibv_qp_init_attr*) {
  const lock hold{guard()};
  *into = pair::from(which).attributes;
  into->qp_state = into->cur_qp_state = which->state;
  return 0;
}

int ibv_destroy_qp(ibv_qp* which) {
  const lock hold{guard()};
  pair* const gone = &pair::from(which);
  context& host = context::from(which->context);
  host.release();  // nothing of it comes later
  gone->refuse_incoming();
  for (queue* each : {&gone->sent(), &gone->received()})
    std::erase_if(each->entries, [&](const ibv_wc& one) { return one.qp_num == which->qp_num; });
  std::erase_if(host.events, [&](const ibv_async_event& each) {
    return belongs_to_queue_pair(each.event_type) && each.element.qp == which;
  });
  std::erase(gone->on->pairs, gone);
  everything().numbers.erase(which->qp_num);
  delete gone;
  return 0;
}
}
