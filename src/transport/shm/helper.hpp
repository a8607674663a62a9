// transport/shm/helper.hpp
// The sender's side of large payloads: takes part in the copies that receivers have begun. See fetcher.hpp.
//
// Layer    transport/shm.
// Threads  one; the receiver's fetcher works on the same records at the same time.
// Errors   what the kernel refuses is left to the receiver.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/node_segment.hpp"
#include "transport/shm/direct_copy.hpp"
#include "transport/shm/layout.hpp"

namespace peal::shm {

class helper {
 public:
  helper(node_segment&, direct_copy&);

  /// A receiver asks for help.
  void add(transfer&) noexcept;
  [[nodiscard]] bool busy() const noexcept { return first_ != 0; }
  /// Copies a chunk, or fills slots. Requires: busy.
  bool step() noexcept;
  void peer_failed(int index) noexcept;

 private:
  enum class outcome { nothing, worked, left };
  struct ring {
    std::uint64_t offset;
    std::uint32_t slot_bytes;
    std::uint32_t slots;
    std::uint64_t user;  // offset of a transfer; 0: free
    bool committed;
  };

  outcome advance(transfer&) noexcept;
  outcome advance_claims(transfer&) noexcept;
  outcome advance_staged(transfer&) noexcept;
  ring* ring_of(std::uint64_t user) noexcept;
  [[nodiscard]] ring* take_ring(std::uint64_t user) noexcept;
  static outcome leave(transfer&) noexcept;

  node_segment* segment_;
  direct_copy* direct_;
  std::uint64_t first_ = 0;  // transfers, linked by note::next, which is ours while we have them
  std::uint64_t last_ = 0;
  std::vector<ring> rings_;
};

}  // namespace peal::shm
