// tests/unit/transport/verbs/double/objects.hpp
// What stands behind the handles of the double: each object begins with the structure that
// libibverbs shows.
//
// Threads  under `guard()`.
#pragma once

#include <infiniband/verbs.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "unit/transport/verbs/double/card.hpp"
#include "unit/transport/verbs/double/timeline.hpp"
#include "unit/transport/verbs/double/wire.hpp"

namespace peal::verbs_double {

using clock = std::chrono::steady_clock;

/// Simulated, where time is.
clock::time_point now();

/// Everything that is opened, made and posted happens under this lock.
std::recursive_mutex& guard();
using lock = std::lock_guard<std::recursive_mutex>;

/// What a function that makes something returns when it does not.
inline std::nullptr_t refuse(int why) {
  errno = why;
  return nullptr;
}
template <class Object>
void forget(std::vector<Object*>& all, Object* gone) {
  std::erase(all, gone);
}

/// A host's own view of a card: an opened device.
struct context {
  verbs_context extended{};
  ibv_context& base = extended.context;
  card* of = nullptr;
  std::deque<ibv_async_event> events;

  struct held_write {
    std::byte* to;
    std::vector<std::byte> data;
  };
  std::vector<held_write> held;  // acknowledged, but not in memory yet

  context() = default;
  context(const context&) = delete;
  static context& from(ibv_context* base) {
    return *reinterpret_cast<context*>(reinterpret_cast<std::byte*>(base) -
                                       offsetof(verbs_context, context));
  }
  void tell(const ibv_async_event&);
  /// In the order in which they came: before anything else that this card writes to its host's
  /// memory.
  void release();
};

/// A protection domain, or a parent domain over one.
struct domain {
  ibv_pd base{};
  bool without_locks = false;  // one thread at a time posts to what is made in it
  static domain& from(ibv_pd* base) { return *reinterpret_cast<domain*>(base); }
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
  bool overrun = false;  // it was full once, and is of no use any more
  bool locked = true;    // not made for one thread at a time

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
  std::uint32_t limit = 0;  // fewer receives than this: an event, once
  std::deque<receive> waiting;
  void watch();
  static shared_queue& from(ibv_srq* base) { return *reinterpret_cast<shared_queue*>(base); }
};

struct address_handle {
  ibv_ah base{};
  ibv_ah_attr way{};
};

struct request {
  ibv_send_wr what{};
  std::vector<ibv_sge> pieces;
  std::vector<std::byte> inlined;
  ibv_ah_attr way{};         // of a datagram: its handle may be gone by then
  std::uint64_t number = 0;  // counted from 1
  // in simulated time
  bool launched = false, arrived = false;
  picoseconds posted_at = 0;  // when its host had done what it did before
  bool overtook = false;      // done before a READ that was posted before it: so it ended
  ibv_wc_status ended = IBV_WC_SUCCESS;
  std::uint32_t sequence = 0;  // to another process; 0: it was not sent yet
};

/// On its way to the queue pair of this number.
struct datagram {
  std::uint32_t to = 0, from = 0;
  std::uint16_t from_lid = 0;
  std::uint8_t sl = 0;
  bool with_gid = false;
  std::vector<std::byte> data;  // with 40 bytes for a GRH
};

/// A queue pair. Its requests wait in `sends` until they are done; they count against its depth
/// until a completion that comes behind them has been polled.
struct pair {
  ibv_qp base{};
  card* on = nullptr;
  ibv_qp_cap caps{};
  bool signals_all = false;
  ibv_qp_attr attributes{};  // what was set by ibv_modify_qp
  bool established = false;  // a message came
  clock::time_point silent_since = clock::time_point::max();
  clock::time_point not_ready_since = clock::time_point::max();

  std::atomic<bool> in_use{false};  // a thread posts to it now
  std::deque<request> sends;
  std::deque<receive> receives;
  std::uint64_t posted = 0, retired = 0;

  // ---- in simulated time
  struct acknowledgement {
    request of;
    ibv_wc_status how;
    bool here;
  };
  std::deque<acknowledgement> executed;  // and not complete yet, in order
  unsigned reads_out = 0;
  picoseconds ready_at = 0;

  // ---- with a peer in another process (elsewhere.cpp)
  struct held_packet {
    packet what;
    std::vector<std::byte> data;
  };
  std::deque<held_packet> incoming;  // the first waits for a receive
  std::uint32_t last_sequence = 0, last_taken = 0, attempt = 0;
  clock::time_point not_ready_here = clock::time_point::max();
  clock::time_point tried_at;
  bool refused = false;  // nobody answered: all is sent again
  [[nodiscard]] bool has_peer_elsewhere() const;
  void answered(const packet&, const std::vector<std::byte>& data);
  void asked(packet, std::vector<std::byte> data);
  void nobody_answers();
  /// Those that wait are not answered.
  void refuse_incoming();

  static pair& from(ibv_qp* base) { return *reinterpret_cast<pair*>(base); }
  [[nodiscard]] queue& sent() const { return queue::from(base.send_cq); }
  [[nodiscard]] queue& received() const { return queue::from(base.recv_cq); }
  /// Does what can be done.
  void work();
  /// Into the error state: what waits is flushed.
  void fail();
  void complete(const request&, ibv_wc_status);
  void tell(ibv_event_type);
  /// A datagram arrives, unless its card has something else to do with it.
  void arrive(const datagram&);
  /// A datagram is here, and is gone where nothing is posted for it.
  void take(const datagram&);
  /// Whether packets from another process come to it now.
  [[nodiscard]] bool is_reached_by(const packet&) const;
  /// Whether the one that has just come is lost.
  [[nodiscard]] bool is_lost() const;
  [[nodiscard]] port& at() const { return on->ports[attributes.port_num - 1u]; }
  [[nodiscard]] std::uint16_t key() const;

 private:
  /// Done at the other side: complete now, or when the answer is here.
  void finish(request, ibv_wc_status);
  void acknowledge(std::uint64_t number);
  [[nodiscard]] bool send_elsewhere(request&, ibv_wc_status& how);
  void send_datagram_elsewhere(const datagram&, const ibv_ah_attr& way, std::uint32_t key);
  void work_elsewhere();
  void work_incoming();
  /// Null: no packet of this request comes to a queue pair.
  [[nodiscard]] pair* peer_of(const request&) const;
  /// False: who sends, with so many retries, has waited long enough.
  [[nodiscard]] bool lets_wait(unsigned retries, clock::time_point& since);
  /// Requires: a receive waits.
  ibv_wc_status receive_message(const std::vector<std::byte>& data, const ibv_send_wr& what);
  [[nodiscard]] bool opens(std::uint64_t address, std::uint32_t key, std::size_t bytes,
                           bool reads) const;
  void put(std::uint64_t address, std::vector<std::byte> data);
  [[nodiscard]] bool work(const request&, ibv_wc_status& how);
  void overtake_reads();
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
  std::unordered_map<std::uint32_t, pair*> numbers;  // of queue pairs
  std::uint32_t last_number = 16;
  std::uint64_t completions = 0;  // ever added: whether anything moved

  std::vector<datagram> late;
  std::unique_ptr<timeline> time;  // null: work is done at once
  bool routers = false;            // between networks
  wire* others = nullptr;          // null: there are no other processes

  [[nodiscard]] pair* find(std::uint32_t number) const;
  /// The queue pair of this number on a port to which packets come by `way` from `from`; null: they
  /// vanish.
  [[nodiscard]] pair* find(const pair& from, const ibv_ah_attr& way, std::uint32_t number) const;
  [[nodiscard]] region* find(std::uint32_t key, std::uint64_t at, std::size_t bytes,
                             bool remote) const;
  /// Where packets come that leave by `way`, of all cards; false: nowhere.
  [[nodiscard]] bool find_port(const pair& from, const ibv_ah_attr& way, packet& into) const;
  /// Goes on with what waits for something.
  void go_on();
};
world& everything();

constexpr std::size_t network_header = 40;  // before each datagram

std::byte* memory(std::uint64_t address);
std::size_t room_of(const std::vector<ibv_sge>& pieces);
/// What a request sends; false: its memory is not registered.
bool gather(const request& from, std::vector<std::byte>& into);
/// False: it is not registered, or too short.
bool scatter(const std::byte* data, std::size_t bytes, const std::vector<ibv_sge>& pieces);
/// Null: nothing is posted.
std::deque<receive>* receives_of(pair& at);
bool receives_now(const pair& at);
std::chrono::nanoseconds patience_with_silence(const ibv_qp_attr& of);

}  // namespace peal::verbs_double
