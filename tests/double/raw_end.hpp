// tests/double/raw_end.hpp
// One end that speaks verbs to a card of the double (card.hpp): a context, a domain, a completion
// queue, registered memory and one queue pair. For tests without a transport.
//
// Units    bytes.
// Threads  one drives all.
// Errors   what is not made is a failed expectation, and a null pointer.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "unit/transport/verbs/double/card.hpp"

namespace peal::test {

struct raw_plan {
  ibv_qp_type type = IBV_QPT_RC;
  unsigned port = 1;
  bool shared = false;  // receives from a shared queue
  bool wakes = false;   // with a channel
  std::uint16_t key_index = 0;
  unsigned access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;  // through its queue pair
  std::uint32_t depth = 64;
  std::size_t bytes = 1 << 16;
  int completions = 1024;
};

/// How a queue pair is connected.
struct raw_path {
  bool with_gid = true;
  ibv_mtu mtu = IBV_MTU_4096;
  std::uint8_t timeout = 1;  // 8.2 us
  std::uint8_t retries = 1;
  std::uint8_t rnr_retry = 7;
  std::uint8_t reads = 16;  // at a time
};

class raw_end {
 public:
  explicit raw_end(verbs_double::card& on, const raw_plan& plan = {});
  ~raw_end();
  raw_end(const raw_end&) = delete;
  raw_end& operator=(const raw_end&) = delete;

  verbs_double::card& card;
  raw_plan plan;
  std::vector<std::byte> memory;
  ibv_context* context = nullptr;
  ibv_pd* domain = nullptr;
  ibv_comp_channel* channel = nullptr;
  ibv_cq* completions = nullptr;
  ibv_srq* shared = nullptr;
  ibv_mr* region = nullptr;
  ibv_qp* pair = nullptr;

  [[nodiscard]] ibv_ah_attr way_to(const raw_end& other, bool with_gid) const {
    return way_to(other.card, other.plan.port, with_gid);
  }
  [[nodiscard]] ibv_ah_attr way_to(const verbs_double::card&, unsigned port, bool with_gid) const;
  /// Into RTS, towards that one; a datagram queue pair towards nobody.
  void connect(const raw_end& other, const raw_path& path = {}) {
    connect(way_to(other, path.with_gid), other.pair->qp_num, path);
  }
  void connect(const ibv_ah_attr& way, std::uint32_t number, const raw_path& path);
  void ready_for_datagrams();
  void reset();
  int post_receive(std::uint64_t id, std::uint32_t bytes = 4096);
  int send(std::uint64_t id, std::uint32_t bytes, unsigned flags = IBV_SEND_SIGNALED);
  int write(const raw_end& to, std::uint64_t id, std::uint32_t bytes,
            ibv_wr_opcode how = IBV_WR_RDMA_WRITE) {
    return write(reinterpret_cast<std::uint64_t>(to.memory.data()), to.region->rkey, id, bytes,
                 how);
  }
  int write(std::uint64_t address, std::uint32_t key, std::uint64_t id, std::uint32_t bytes,
            ibv_wr_opcode how = IBV_WR_RDMA_WRITE);
  int datagram(const raw_end& to, std::uint64_t id, std::uint32_t bytes, bool with_gid) {
    return datagram(way_to(to, with_gid), to.pair->qp_num, id, bytes);
  }
  int datagram(ibv_ah_attr way, std::uint32_t number, std::uint64_t id, std::uint32_t bytes);
  /// The next completion, if there is one within this time.
  std::optional<ibv_wc> next(std::chrono::milliseconds within = {});
  /// Types of the asynchronous events that wait.
  std::vector<ibv_event_type> events();

 private:
  int post(ibv_send_wr& what, std::uint32_t bytes);
};

}  // namespace peal::test
