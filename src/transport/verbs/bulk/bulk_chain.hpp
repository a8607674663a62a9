// transport/verbs/bulk/bulk_chain.hpp
// Parts of large payloads on their way to one bulk queue pair, with one doorbell for all of them.
//
// Layer    transport/verbs. Data path.
// Threads  one at a time.
// Errors   a queue that is full takes nothing, which passes; what it refused stands in
//          bulk_queue::refused. Anything else is told.
// Source   ibv_post_send(3).
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "transport/verbs/bulk/links.hpp"
#include "transport/verbs/bulk/pieces/block_places.hpp"
#include "transport/verbs/endpoint/interface.hpp"
#include "transport/verbs/peer_events.hpp"

namespace peal::verbs {

/// Hears of a queue pair that takes nothing more: errno says why.
class queue_failures {
 public:
  virtual void failed(connection&, bulk_queue&, int why) noexcept = 0;

 protected:
  ~queue_failures() = default;
};

class bulk_chain {
 public:
  static constexpr std::uint32_t longest = 16;
  /// Of local memory, of a part.
  static constexpr std::uint32_t most_pieces = 8;

  [[nodiscard]] std::uint32_t size() const noexcept { return count_; }

  /// From or into `local`, of [remote, remote + part.bytes) of the peer.
  void add(const bulk_part& part, ibv_wr_opcode what, std::uint64_t id, ibv_sge local,
           std::uint64_t remote, std::uint32_t key) noexcept {
    pieces_of(count_)[0] = local;
    add(part, what, id, 1, remote, key);
  }
  /// The same for local memory in blocks. Requires: the part is in `most_pieces` of them at most.
  void add(const bulk_part& part, ibv_wr_opcode what, std::uint64_t id, const block_places& local,
           std::uint32_t local_key, std::uint64_t remote, std::uint32_t key) noexcept {
    int pieces = 0;
    for (std::uint64_t at = part.at, end = part.at + part.bytes; at != end; ++pieces) {
      const auto bytes = static_cast<std::uint32_t>(std::min(local.end_at(at), end) - at);
      pieces_of(count_)[pieces] = {local.address_of(at), bytes, local_key};
      at += bytes;
    }
    add(part, what, id, pieces, remote, key);
  }

  /// A message of nothing with this number.
  void add_notice(const bulk_part& part, std::uint64_t id, std::uint32_t number) noexcept {
    add(part, IBV_WR_SEND_WITH_IMM, id, 0, 0, 0);
    requests_[count_ - 1].imm_data = number;
  }

  /// 0, or why the queue pair is broken.
  [[nodiscard]] int post(bulk_queue& to, endpoint& of) noexcept {
    ibv_send_wr* refused = nullptr;
    int failed = ibv_post_send(to.pair.get(), requests_.data(), &refused);
    std::uint32_t done = count_;
    if (failed != 0) done = refused ? static_cast<std::uint32_t>(refused - requests_.data()) : 0;
    for (std::uint32_t each = 0; each < done; ++each) to.add(parts_[each]);
    if (to.rail != 0) of.bulk.elsewhere += done;
    to.refused.insert(to.refused.end(), parts_.begin() + done, parts_.begin() + count_);
    return failed == ENOMEM || failed == EAGAIN ? 0 : failed;
  }

 private:
  ibv_sge* pieces_of(std::uint32_t request) noexcept { return &pieces_[request * most_pieces]; }
  void add(const bulk_part& part, ibv_wr_opcode what, std::uint64_t id, int pieces,
           std::uint64_t remote, std::uint32_t key) noexcept {
    parts_[count_] = part;
    ibv_send_wr& request = requests_[count_];
    request = {};
    request.wr_id = id;
    request.sg_list = pieces_of(count_);
    request.num_sge = pieces;
    request.opcode = what;
    request.send_flags = IBV_SEND_SIGNALED;
    request.wr.rdma.remote_addr = remote;
    request.wr.rdma.rkey = key;
    if (count_ > 0) requests_[count_ - 1].next = &request;
    ++count_;
  }

  std::uint32_t count_ = 0;
  std::array<ibv_send_wr, longest> requests_;
  std::array<ibv_sge, longest * most_pieces> pieces_;
  std::array<bulk_part, longest> parts_;
};

}  // namespace peal::verbs
