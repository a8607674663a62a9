// transport/verbs/eager/kept_packets.hpp
// Packets of a connection that broke, of which it is not known whether the peer has read them: they
// are sent again over the next connection, but for those that the peer says it has.
//
// Layer    transport/verbs. Control path.
// Units    packets, bytes.
// Threads  one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "transport/verbs/device/interface.hpp"

namespace peal::verbs {

struct kept_packet {
  slot_id slot = no_slot;  // none: it lies in `inlined`
  std::uint16_t at = 0;    // in the slot
  std::uint16_t bytes = 0;
  bool staged = false;
  bool last_in_slot = true;  // which is free with it
  std::vector<std::byte> inlined;

  /// It told something that the next handshake tells too, or that is said once more, and used a
  /// credit.
  [[nodiscard]] bool is_empty() const noexcept { return bytes == 0; }
};

/// Oldest first.
using kept_packets = std::deque<kept_packet>;

}  // namespace peal::verbs
