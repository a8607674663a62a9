// transport/verbs/parsing.hpp
// From the bytes of a packet to what it says, or to what is wrong with it: all that can be known
// from the packet alone. Nothing else in this transport takes lengths, kinds or bounds out of what
// came over the wire; what a packet names (an exposure, a fetch, a peer) is looked up by its owner.
//
// Layer    transport/verbs.
// Units    bytes.
// Threads  any.
// Errors   a problem is a text that ends the sentence "it sent ...".
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "transport/verbs/bulk/interface.hpp"
#include "transport/verbs/datagram/interface.hpp"
#include "transport/verbs/wire.hpp"

namespace peal::verbs {

/// What a packet says, or why it says nothing.
template <class View>
struct parsed {
  View view{};
  const char* problem = nullptr;  // null: there is none
};

/// Null: it makes sense, whoever it is from.
[[nodiscard]] const char* problem_of(const handshake_packet&) noexcept;

struct datagram_view {
  datagram_header head;
  const std::byte* data = nullptr;  // `head.bytes` of it
};
[[nodiscard]] parsed<datagram_view> parse_datagram(std::span<const std::byte> packet) noexcept;

struct payload_view {
  payload_header header;
  const std::byte* data = nullptr;  // data, push, keys: `header.bytes` of it
  std::uint64_t exposed = 0;        // ask: the number of the exposure
  write_source source;              // write
  /// push: where the piece belongs, and how much is pushed of the payload in all.
  [[nodiscard]] std::uint32_t at() const noexcept {
    return static_cast<std::uint32_t>(header.position);
  }
  [[nodiscard]] std::uint32_t planned() const noexcept {
    return static_cast<std::uint32_t>(header.position >> 32);
  }
};
[[nodiscard]] parsed<payload_view> parse_payload(std::span<const std::byte> packet) noexcept;

/// Calls `take(envelope, payload)` for each message in a packet of a connection, until one does not
/// fit: then the problem is returned. What rounds the last one up need not be there.
template <class Take>
[[gnu::always_inline]] inline const char* parse_messages(std::span<const std::byte> packet,
                                                         Take take) noexcept {
  for (std::size_t at = 0; at < packet.size();) {
    envelope e;
    if (packet.size() - at < sizeof e) [[unlikely]]
      return "half an envelope";
    std::memcpy(&e, packet.data() + at, sizeof e);
    if (e.bytes() > packet.size() - at - sizeof e) [[unlikely]]
      return "a message that is longer than its packet";
    take(e, packet.data() + at + sizeof e);
    at = aligned(at + sizeof e + e.bytes());
  }
  return nullptr;
}

}  // namespace peal::verbs
