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
// Source   InfiniBand specification, 9.7 and 10.3 (states), 10.8 (order of work requests);
// rdma-core, providers/mlx5/cq.c
//          (mlx5_cq_clean).
#pragma once

#include <infiniband/verbs.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "unit/transport/verbs/double/port.hpp"

namespace peal::verbs_double {

struct pair;

struct card {
  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

  ibv_device device{};
  ibv_device_attr limits{};  // what it says, and holds to
  std::vector<port> ports;   // port number 1 is the first

  bool elsewhere = false;        // of another node: processes of this one do not see it
  unsigned node = 0, place = 0;  // where it is in a fabric: which card of which node

  // ---- knobs
  // nothing comes here, nothing leaves; what leaves is tried again as long as its queue pair has
  // patience
  std::atomic<bool> cut{false};
  // WRITEs are acknowledged, and stay in the card until it tells its host anything (or
  // release_writes)
  bool holds_writes = false;
  // READs are answered after what was posted behind them on the same queue pair, as far as no
  // request is fenced (IBV_SEND_FENCE); their requests end in order all the same. Within a process.
  bool late_reads = false;
  bool resizes = true;                   // completion queues can be resized
  bool leaves_locks_out = true;          // of queues of each kind, when it is asked to
  bool tells_last_wqe = true;            // IBV_EVENT_QP_LAST_WQE_REACHED
  std::size_t most_reliable = no_limit;  // reliable queue pairs at a time: beyond them ENOMEM
  // so many further changes of a queue pair's state fail with EIO
  std::size_t refused_transitions = 0;
  std::size_t most_locked = no_limit;  // bytes registered at a time: beyond them ENOMEM
  /// Registrations that fail with ENOMEM, by their bytes.
  std::function<bool(std::size_t)> refuses_region;
  std::uint32_t most_inline = 956;  // bytes in a request; mlx5's, with the largest requests
  std::size_t drop_datagrams = 0;   // so many of those that come next
  std::size_t late_datagrams = 0;   // so many of those that come next wait for release_datagrams
  /// How often a datagram comes here that was sent once: 0 loses it, 2 doubles it.
  std::function<unsigned(const std::byte*, std::size_t)> copies;
  // to datagrams on their way to this card
  std::function<void(const std::byte*, std::size_t)> listens;

  // ---- what there is
  std::vector<pair*> pairs;
  bool busy = false;        // something may wait in them
  std::size_t handles = 0;  // of addresses
  [[nodiscard]] std::size_t count(ibv_qp_type) const;
  /// Completion queues that take no lock.
  [[nodiscard]] std::size_t unlocked_queues() const;
  /// Queue pairs, and shared receive queues, that take no lock when something is posted.
  [[nodiscard]] std::size_t unlocked_pairs() const;
  [[nodiscard]] std::size_t unlocked_shared_queues() const;
  /// Regions of memory that the bus must read and write in order.
  [[nodiscard]] std::size_t ordered_regions() const;
  /// Receives that wait in its shared receive queues.
  [[nodiscard]] std::size_t shared_receives() const;
  std::uint64_t doorbells = 0;  // calls that posted sends
  std::uint64_t requests = 0;   // work requests in them
  std::uint64_t not_ready = 0;  // RNR NAKs that it sent
  std::uint64_t vanished = 0;   // packets from here that nobody took

  // ---- what happens to it
  /// Its datagram queue pairs go into the error state; `told`: with an event of their own.
  void break_datagrams(bool told);
  /// What WRITEs have brought becomes visible.
  void release_writes();
  /// Datagrams that came late arrive now.
  void release_datagrams();
  /// An event that belongs to a port (IBV_EVENT_PORT_ERR, IBV_EVENT_SM_CHANGE, ...) or to the card.
  void tell(ibv_event_type, unsigned port = 1);
  /// The link goes, and its host is told; what waits for an answer is tried in vain.
  void take_down(unsigned port = 1);
  /// The link is back, with other addresses where they are given: IBV_EVENT_LID_CHANGE and
  /// IBV_EVENT_GID_CHANGE come before IBV_EVENT_PORT_ACTIVE.
  void bring_up(unsigned port = 1, std::uint16_t lid = 0, const ibv_gid* gid = nullptr);
  /// Another table of partitions: IBV_EVENT_PKEY_CHANGE.
  void change_keys(std::vector<std::uint16_t> keys, unsigned port = 1);
  /// IBV_EVENT_DEVICE_FATAL: every queue pair fails, and nothing works any more.
  void die();
  /// Its shared receive queues fail: IBV_EVENT_SRQ_ERR.
  void break_shared_queues();
};

/// A card more, named double0, double1, ..., with the address 127.0.`network`.`host`. Stays until
/// `remove_cards`.
card& add_card(unsigned network, unsigned host);
/// One with these ports; `network` and `host` of each say where it is (port.hpp).
card& add_card(const std::vector<port_plan>& ports);
/// Whether networks are connected, for packets with a GID; not so at first.
void route_between_networks(bool routers);
/// Requires: nothing is open on them.
void remove_cards();

}  // namespace peal::verbs_double
