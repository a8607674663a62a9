// tests/unit/transport/verbs/double/states.hpp
// Which changes of a queue pair's state there are, and which attributes each of them requires and
// allows.
//
// Errors   a change that is not in the table, an attribute that is missing and one that does not
//          belong to it are refused, as the kernel refuses them: EINVAL.
// Source   InfiniBand specification, 11.2.4.2, table "QP State Transition Properties";
//          ib_modify_qp_is_ok of the kernel (drivers/infiniband/core/verbs.c); ibv_modify_qp(3).
#pragma once

#include <infiniband/verbs.h>

namespace peal::verbs_double {

/// `mask` with IBV_QP_STATE; `from` is the state in which the queue pair is.
[[nodiscard]] bool may_go(ibv_qp_type, ibv_qp_state from, ibv_qp_state to, int mask);

}  // namespace peal::verbs_double
