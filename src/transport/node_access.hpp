// transport/node_access.hpp
// What a transport inside a node lends to collectives that go past messages: memory that all
// processes of the node share, and how processes that wait there are woken.
//
// Layer    transport: may include transport/contract.hpp, memory/.
// Threads  one at a time.
// Errors   none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory/node_segment.hpp"
#include "transport/contract.hpp"
#include "transport/learnt_table.hpp"
#include "transport/receiver.hpp"

namespace peal {

/// Payloads that a process has received from others of its node. Those that are not settled have
/// come in a way that may not be that of later ones, since what is fastest is still found out: what
/// took their time will take another one.
struct payload_counts {
  std::uint64_t all = 0;
  std::uint64_t unsettled = 0;
};

class node_access {
 public:
  [[nodiscard]] node_segment& segment() const noexcept { return segment_; }
  /// Where this process's own blocks lie in the segment, and in how many bytes; none of them is
  /// reserved.
  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t block_bytes() const noexcept { return block_bytes_; }
  /// Of this process, in the segment.
  [[nodiscard]] learnt_table& learnt() const noexcept { return learnt_; }

  // Both are for the control path: what a call needs of them it asks once.
  [[nodiscard]] virtual bool reaches(peer_id) const noexcept = 0;
  /// To be woken after something was stored that it may wait for; as after a message. Requires:
  /// reaches(peer).
  [[nodiscard]] virtual receiver receiver_of(peer_id) noexcept = 0;
  /// Of this process, up to now. Of any thread; what others do at the time may be missing.
  [[nodiscard]] virtual payload_counts payloads() const noexcept = 0;

 protected:
  node_access(node_segment& segment, std::uint64_t blocks, std::size_t block_bytes,
              learnt_table& learnt) noexcept
      : segment_{segment}, blocks_{blocks}, block_bytes_{block_bytes}, learnt_{learnt} {}
  ~node_access() = default;

 private:
  node_segment& segment_;
  const std::uint64_t blocks_;
  const std::size_t block_bytes_;
  learnt_table& learnt_;
};

}  // namespace peal
