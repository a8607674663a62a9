// transport/verbs/device/queue_pair.hpp
// Making reliable queue pairs and taking them through their states. Control path only.
//
// Layer    transport/verbs.
// Threads  one at a time.
// Errors   a queue pair that cannot be made is null, a step that fails says false; errno tells why.
// Source   ibv_create_qp(3), ibv_modify_qp(3): which attributes each step needs; InfiniBand
//          specification, 9.7.5.2.8 (RNR), 9.9.2.1.1.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>

#include "transport/verbs/device/device.hpp"

namespace peal::verbs {

using queue_pair = handle<ibv_qp, ibv_destroy_qp>;
using shared_receive_queue = handle<ibv_srq, ibv_destroy_srq>;

struct queue_plan {
  ibv_cq* completions = nullptr;
  ibv_srq* receives = nullptr;  // null: a receive queue of its own
  std::uint32_t send_depth = 1;
  std::uint32_t receive_depth = 0;  // of its own receive queue
  std::uint32_t send_pieces = 1;    // scatter/gather entries
  std::uint32_t inline_bytes = 0;   // asked for; written to what was granted
  unsigned access = 0;              // IBV_ACCESS_REMOTE_…: what the peer may do by itself
};

/// In state INIT: it can be given receives.
queue_pair make_reliable(const device&, queue_plan&) noexcept;

/// What both sides must know of each other before either may send.
struct remote_queue {
  std::uint32_t number = 0;
  std::uint32_t first_psn = 0;
  std::uint8_t mtu = 0;        // ibv_mtu, the smaller of both
  std::uint8_t reads_in = 0;   // RDMA READs to serve at a time
  std::uint8_t reads_out = 0;  // and to have under way
  ibv_ah_attr route{};
};
/// But for the number, and the PSN: what both ports take.
[[nodiscard]] remote_queue remote_between(const rail_address& here, const rail_address& there,
                                          const ibv_ah_attr& route) noexcept;
[[nodiscard]] bool ready_to_receive(ibv_qp&, const remote_queue&) noexcept;

/// `silence`: seconds until it breaks when the peer's adapter does not answer.
[[nodiscard]] bool ready_to_send(ibv_qp&, const remote_queue&, std::uint32_t own_psn,
                                 double silence) noexcept;

/// The exponent of the timer (4.096 µs * 2^n) with which seven tries take about so many seconds.
constexpr std::uint8_t timer_for(double silence) noexcept {
  double all = 4.096e-6 * 7;
  std::uint8_t exponent = 0;
  while (all * 1.5 < silence && exponent < 31) {
    all *= 2;
    ++exponent;
  }
  return exponent;
}

}  // namespace peal::verbs
