#include "unit/transport/verbs/double/states.hpp"

#include <algorithm>
#include <array>

namespace peal::verbs_double {

namespace {

struct change {
  ibv_qp_type type;
  ibv_qp_state from, to;
  int required, allowed;
};

constexpr int always = IBV_QP_STATE | IBV_QP_CUR_STATE;

constexpr std::array table = {
    change{IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT,
           IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0},
    change{IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_INIT, 0,
           IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS},
    change{IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTR,
           IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
               IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
           IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX},
    change{IBV_QPT_RC, IBV_QPS_RTR, IBV_QPS_RTS,
           IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
               IBV_QP_MAX_QP_RD_ATOMIC,
           IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | IBV_QP_PATH_MIG_STATE},
    change{IBV_QPT_RC, IBV_QPS_RTS, IBV_QPS_RTS, 0,
           IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | IBV_QP_PATH_MIG_STATE},
    change{IBV_QPT_UD, IBV_QPS_RESET, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY,
           0},
    change{IBV_QPT_UD, IBV_QPS_INIT, IBV_QPS_INIT, 0,
           IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY},
    change{IBV_QPT_UD, IBV_QPS_INIT, IBV_QPS_RTR, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY},
    change{IBV_QPT_UD, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN, IBV_QP_QKEY},
    change{IBV_QPT_UD, IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_QKEY},
    // a send that fails leaves the receiving side of a datagram queue pair alive
    change{IBV_QPT_UD, IBV_QPS_SQE, IBV_QPS_RTS, 0, IBV_QP_QKEY},
};

}  // namespace

bool may_go(ibv_qp_type type, ibv_qp_state from, ibv_qp_state to, int mask) {
  if (to == IBV_QPS_RESET || to == IBV_QPS_ERR) return (mask & ~always) == 0;
  const auto found = std::ranges::find_if(table, [&](const change& each) {
    return each.type == type && each.from == from && each.to == to;
  });
  return found != table.end() && (mask & found->required) == found->required &&
         (mask & ~(always | found->required | found->allowed)) == 0;
}

}  // namespace peal::verbs_double
