// transport/verbs/connect/handshake_packing.hpp
// A layer around the packets of the handshake: who they are from, and that they are new. Whoever
// adds a field to handshake_packet need not look here.
//
// Around the packet travel a number, which this process counts up with each packet that leaves,
// also with one that is repeated, and a tag over both (authenticator.hpp). A packet whose number is
// not above the last one from that process came before, or late: it is refused. Nothing is lost by
// that, since who waits for an answer repeats its packet. The incarnations of both processes are in
// the packet, so one that was recorded in an earlier job, or before a process was started anew, is
// refused as well.
//
// Layer    transport/verbs. Control path.
// Threads  one at a time.
// Errors   what is refused is told by its cause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "transport/verbs/addresses.hpp"
#include "transport/verbs/wire.hpp"

namespace peal::verbs {

/// What travels.
struct packed_handshake {
  handshake_packet packet;
  std::uint64_t number = 0;  // of this packet, as its sender counts; from 1
  authenticator::tag proof{};
};
static_assert(std::is_trivially_copyable_v<packed_handshake> &&
              sizeof(packed_handshake) == sizeof(handshake_packet) + 24);
// The shortest packet that a network may carry holds it.
static_assert(sizeof(packed_handshake) <= 256);

class handshake_packing {
 public:
  explicit handshake_packing(std::uint32_t peers) : last_(peers) {}

  [[nodiscard]] packed_handshake pack(const handshake_packet&, const authenticator&) noexcept;

  enum class verdict : std::uint8_t {
    good,
    refused,  // of another job, forged, for somebody else, or senseless
    repeated  // from whom it says, but it came before, or later than one that was sent after it
  };
  /// `into` is written where the verdict is `good`.
  [[nodiscard]] verdict unpack(std::span<const std::byte> packet, const addresses&,
                               handshake_packet& into) noexcept;

 private:
  std::uint64_t sent_ = 0;
  std::vector<std::uint64_t> last_;  // number of the last packet from each peer
};

}  // namespace peal::verbs
