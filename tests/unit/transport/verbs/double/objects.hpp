// tests/unit/transport/verbs/double/objects.hpp
// What stands behind the handles of the double: each object begins with the structure that
// libibverbs shows.
//
// Threads  under `guard()`.
#pragma once

#include <infiniband/verbs.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "unit/transport/verbs/double/card.hpp"

namespace peal::verbs_double {

using clock = std::chrono::steady_clock;

/// Everything that is opened, made and posted happens under this lock.
std::recursive_mutex& guard();

/// A host's own view of a card: an opened device.
struct context {
  ibv_context base{};
  card* of = nullptr;
  std::deque<ibv_async_event> events;

  struct held_write {
    std::byte* to;
    std::vector<std::byte> data;
  };
  std::vector<held_write> held;  // acknowledged, but not in memory yet

  static context& from(ibv_context* base) { return *reinterpret_cast<context*>(base); }
  void tell(const ibv_async_event&);
  /// In the order in which they came: before anything else that this card writes to its host's
  /// memory.
  void release();
};

struct region {
  ibv_mr base{};
  int access = 0;
};

struct channel {
  ibv_comp_channel base{};
  std::deque<ibv_cq*> events;
};

struct queue {
  ibv_cq base{};
  std::deque<ibv_wc> entries;
  bool asked = false;

  static queue& from(ibv_cq* base) { return *reinterpret_cast<queue*>(base); }
  void add(const ibv_wc&);
};

struct receive {
  std::uint64_t id = 0;
  std::vector<ibv_sge> pieces;
};

struct shared_queue {
  ibv_srq base{};
  std::size_t most = 0;
  std::deque<receive> waiting;
  static shared_queue& from(ibv_srq* base) { return *reinterpret_cast<shared_queue*>(base); }
};

struct address_handle {
  ibv_ah base{};
  ibv_gid to{};
};

struct request {
  ibv_send_wr what{};
  std::vector<ibv_sge> pieces;
  std::vector<std::byte> inlined;
  std::uint64_t number = 0;  // counted from 1
};

/// A queue pair. Its requests wait in `sends` until they are done; they count against its depth
/// until a completion that comes behind them has been polled.
struct pair {
  ibv_qp base{};
  card* on = nullptr;
  ibv_qp_cap caps{};
  bool signals_all = false;
  std::uint32_t key = 0;  // Q_Key
  std::uint32_t remote = 0;
  ibv_gid remote_gid{};
  clock::duration patience{};  // with a peer that does not answer
  clock::time_point silent_since = clock::time_point::max();

  std::deque<request> sends;
  std::deque<receive> receives;
  std::uint64_t posted = 0, retired = 0;

  static pair& from(ibv_qp* base) { return *reinterpret_cast<pair*>(base); }
  [[nodiscard]] queue& sent() const { return queue::from(base.send_cq); }
  [[nodiscard]] queue& received() const { return queue::from(base.recv_cq); }
  /// Does what can be done.
  void work();
  /// Into the error state: what waits is flushed.
  void fail();
  void complete(const request&, ibv_wc_status);

 private:
  [[nodiscard]] bool work(const request&, ibv_wc_status& how);
  [[nodiscard]] bool send(pair& to, const request&, ibv_wc_status& how);
  [[nodiscard]] ibv_wc_status send_datagram(const request&);
};

/// All that there is.
struct world {
  std::vector<std::unique_ptr<card>> cards;
  std::vector<context*> contexts;
  std::vector<region*> regions;
  std::vector<shared_queue*> shared_queues;
  std::vector<queue*> queues;
  std::uint32_t last_number = 16;
  std::uint64_t completions = 0;  // ever added: whether anything moved

  /// Null: there is none, or a cut lies between.
  [[nodiscard]] pair* find(const card& from, const ibv_gid& where, std::uint32_t number) const;
  [[nodiscard]] region* find(std::uint32_t key, std::uint64_t at, std::size_t bytes,
                             bool remote) const;
  /// Goes on with what waits for something.
  void go_on();
};
world& everything();

}  // namespace peal::verbs_double
