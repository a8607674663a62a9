// transport/verbs/datagram/datagram.hpp
// What travels between two processes that have no connection: packets of a reliable stream, each
// with all that is needed to know it by.
//
// The messages to a peer are one stream of bytes: envelope, payload, zeros up to the next multiple
// of 16. The stream is cut where packets are full, so several small messages share a packet and a
// long one takes several; an envelope is never cut.
//
// Layer    transport/verbs: may include transport/contract.hpp.
// Units    bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "transport/contract.hpp"
#include "transport/verbs/wire.hpp"

namespace peal::verbs {

/// Before the data of every packet.
struct datagram_header {
  static constexpr std::uint64_t mark = 0x7065616c2d756432;  // "peal-ud2"

  std::uint64_t magic = mark;
  // authenticator::short_tag_of all that follows in the header.
  std::uint64_t proof = 0;
  std::uint64_t from_incarnation = 0;
  std::uint64_t to_incarnation = 0;
  peer_id from = 0;
  peer_id to = 0;
  // Of this packet, counted from 1 and modulo 2^32; 0 in one that has none.
  std::uint32_t sequence = 0;
  std::uint32_t acknowledged = 0;  // everything up to this number has been taken
  std::uint16_t bytes = 0;         // of the stream, behind the header
  std::uint16_t flags = 0;
  // Packets of the receiver of this one that may be under way, as far as the sender has receives
  // for all who send to it; 0: it says nothing.
  std::uint16_t allowed = 0;
  std::array<std::uint16_t, 5> reserved{};

  [[nodiscard]] std::uint64_t proof_by(const authenticator& which) const noexcept {
    return which.short_tag_of(reinterpret_cast<const std::byte*>(this) + proven_from,
                              sizeof *this - proven_from);
  }

 private:
  static constexpr std::size_t proven_from = 2 * sizeof(std::uint64_t);
};
static_assert(std::is_trivially_copyable_v<datagram_header> && sizeof(datagram_header) == 64);

struct datagram_flags {
  // Belongs to the stream; without it: an acknowledgement only.
  static constexpr std::uint16_t sequenced = 1;
  static constexpr std::uint16_t refuses_eager = 2;  // from here on in the stream
  static constexpr std::uint16_t leaving = 4;  // the last packet: the sender takes part no more
  static constexpr std::uint16_t gap = 8;      // packets behind `acknowledged` + 1 are here already
  static constexpr std::uint16_t all = 15;
};

/// The same without what proves which process it is from.
struct datagram {
  std::uint32_t sequence = 0;
  std::uint32_t acknowledged = 0;
  std::uint16_t flags = 0;
  std::uint16_t bytes = 0;
  const std::byte* data = nullptr;  // aligned to 16
  std::uint16_t allowed = 0;
  // The way that was used last may be cut: over all ways that there are.
  bool everywhere = false;
};

}  // namespace peal::verbs
