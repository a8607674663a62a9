// tests/unit/transport/verbs/double/card.hpp
// RDMA adapters that exist in this process only, for tests of what real ones, and Soft-RoCE, do not
// do on demand.
//
// A program that is linked with this folder finds these cards where libibverbs would show devices:
// verbs.cpp defines the functions that src/transport/verbs calls, and objects.hpp says what stands
// behind their handles. A test makes cards, opens transports on them by name, and turns the knobs
// below. Work is done when it is posted, or as soon as what it waits for is there: so a test that
// drives both ends from one thread knows what has happened.
//
// Semantics, where devices differ, are those of ConnectX adapters (mlx5): destroying a queue pair
// throws its completions away, also those of receives that it took from a shared queue.
//
// Threads  one lock for everything. Cards outlive what was opened on them.
// Source   InfiniBand specification, 9.7 and 10.3 (states); rdma-core, providers/mlx5/cq.c
//          (mlx5_cq_clean).
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace peal::verbs_double {

struct pair;

struct card {
  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

  ibv_device device{};
  ibv_gid gid{};
  ibv_device_attr limits{};
  ibv_port_attr port{};

  // ---- knobs
  // nothing comes here, nothing leaves; what leaves is tried again as long as its queue pair has
  // patience
  bool cut = false;
  // WRITEs are acknowledged, and stay in the card until it tells its host anything (or
  // release_writes)
  bool holds_writes = false;
  bool resizes = true;                   // completion queues can be resized
  bool tells_last_wqe = true;            // IBV_EVENT_QP_LAST_WQE_REACHED
  std::size_t most_reliable = no_limit;  // reliable queue pairs at a time: beyond them ENOMEM
  // so many further changes of a queue pair's state fail with EIO
  std::size_t refused_transitions = 0;
  std::size_t drop_datagrams = 0;  // so many of those that come next
  // to datagrams on their way to this card
  std::function<void(const std::byte*, std::size_t)> listens;

  // ---- what there is
  std::vector<pair*> pairs;
  [[nodiscard]] std::size_t count(ibv_qp_type) const;
  /// Receives that wait in its shared receive queues.
  [[nodiscard]] std::size_t shared_receives() const;

  // ---- what happens to it
  /// Its datagram queue pairs go into the error state; `told`: with an event of their own.
  void break_datagrams(bool told);
  /// What WRITEs have brought becomes visible.
  void release_writes();
};

/// A card more, named double0, double1, ..., with the address 127.0.`network`.`host`. Stays until
/// `remove_cards`.
card& add_card(unsigned network, unsigned host);
/// Requires: nothing is open on them.
void remove_cards();

}  // namespace peal::verbs_double
