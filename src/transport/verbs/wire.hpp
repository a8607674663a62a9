// transport/verbs/wire.hpp
// What travels between two processes besides messages: addresses, handshake packets, and the four
// bytes that may ride on a message.
//
// Layer    transport/verbs: may include transport/contract.hpp, base/.
// Units    bytes; all processes of a job run the same build on machines of one byte order, which
//          the bootstrap takes for granted too.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "transport/contract.hpp"
#include "transport/verbs/authenticator.hpp"
#include "transport/verbs/device/interface.hpp"

namespace peal::verbs {

/// How a process can be reached: what it tells the other processes before the first message.
struct address {
  static constexpr std::uint32_t current_layout = 6;

  std::uint32_t layout = current_layout;
  // The Q_Key of its UD queue pairs. Not told: it follows from the secret, so it is known when all
  // have told theirs.
  std::uint32_t handshake_key = 0;
  std::uint8_t rail_count = 1;  // ports that it tells of
  // The last so many of them are not used; known when all have told theirs (addresses.hpp).
  std::uint8_t spare_count = 0;
  // This process talks to peers without a connection; then all processes must.
  std::uint8_t starts_cold = 0;
  std::uint8_t reserved = 0;
  // Random: tells this process from an earlier one with the same numbers.
  std::uint64_t incarnation = 0;
  secret job{};  // of the first rank that has told an address it is the job's
  std::array<rail_address, most_rails> rails{};

  /// The rail of messages and handshakes.
  [[nodiscard]] const rail_address& first() const noexcept { return rails[0]; }
  [[nodiscard]] std::span<const rail_address> told() const noexcept {
    return std::span{rails}.first(rail_count);
  }
  [[nodiscard]] std::span<const rail_address> used() const noexcept {
    return told().first(static_cast<std::size_t>(rail_count - spare_count));
  }
};
static_assert(std::is_trivially_copyable_v<address> &&
              sizeof(address) == 40 + most_rails * sizeof(rail_address));

inline std::string to_text(const address& from) {
  return {reinterpret_cast<const char*>(&from),
          sizeof from - (most_rails - from.rail_count) * sizeof(rail_address)};
}
/// Nothing when this is no address of ours: the process died before it told, or runs another
/// version.
inline std::optional<address> address_from(std::string_view text) noexcept {
  address made;
  if (text.size() < sizeof made - (most_rails - 1) * sizeof(rail_address) ||
      text.size() > sizeof made)
    return {};
  std::memcpy(&made, text.data(), text.size());
  if (made.layout != address::current_layout || made.rail_count < 1 ||
      made.rail_count > most_rails || made.spare_count != 0 || made.job == secret{})
    return {};
  if (to_text(made).size() != text.size()) return {};
  return made;
}

/// Queue pairs for bulk data to one peer, on each rail: for READs, and one for WRITEs.
inline constexpr std::size_t most_readers = 8;
inline constexpr std::size_t most_bulk = most_readers + 1;

enum class handshake_kind : std::uint8_t {
  request,      // this is my queue pair for messages; it can receive
  reply,        // this is mine; it knows yours
  acknowledge,  // I have your reply: you may send
  gone,         // your reply answers a request that I have given up
  failed,       // for me you have failed, for good: notices.hpp
  failed_too,   // I have heard that
  // No connection at the moment; datagrams pass meanwhile. your_attempt is 1 when I have no
  // connection at all. To a request to go on: not over that link, of which I get no queue pair;
  // your_attempt is the request's.
  no_room,
  // The request is to go on with a connection that has ended here in good order: all has been said
  // and heard.
  over,
  moved,      // my ports have other addresses now, as `places` says
  moved_too,  // I have heard that
};
inline constexpr handshake_kind last_handshake_kind = handshake_kind::moved_too;

/// Where a rail is now: the address that was told at the start may have changed.
struct rail_place {
  gid_bytes gid{};
  std::uint16_t lid = 0;
  std::uint16_t reserved = 0;
};

/// One packet of the handshake. Sent unreliably, so each may come never, twice, or late. What
/// proves whom it is from travels around it: connect/handshake_packing.hpp.
struct handshake_packet {
  static constexpr std::uint64_t mark = 0x7065616c2d726333;  // "peal-rc3"

  std::uint64_t magic = mark;
  std::uint64_t from_incarnation = 0;
  std::uint64_t to_incarnation = 0;
  peer_id from = 0;
  peer_id to = 0;
  std::uint32_t control_qp = 0;  // the sender's queue pair for messages
  std::uint32_t first_psn = 0;
  // Number of the connection that this is about, as the sender counts those that it has begun.
  std::uint32_t attempt = 0;
  // Which request a reply answers, which reply the others answer; 0 in a request.
  std::uint32_t your_attempt = 0;
  std::uint16_t credits = 0;  // messages that the sender of this packet is ready to receive
  handshake_kind kind = handshake_kind::request;
  std::uint8_t refuses_eager = 0;
  std::uint8_t needed = 0;   // of a request: something waits that only a connection can carry
  std::uint8_t goes_on = 0;  // with a connection that broke: reconnector.hpp
  std::uint8_t link = 0;     // of the queue pair for messages: links.hpp
  std::uint8_t reserved = 0;
  std::uint16_t most_credits = 0;  // that the receiver of this packet may ever have at a time
  std::uint16_t also_reserved = 0;
  std::uint32_t taken = 0;  // goes_on: packets of the other side that this one has read, ever
  std::array<rail_place, most_rails> places{};  // of the sender's rails
};
static_assert(std::is_trivially_copyable_v<handshake_packet> && sizeof(handshake_packet) == 144);

/// The immediate data of a SEND. A SEND without any returns no credit and changes nothing.
struct immediate {
  static constexpr std::uint32_t credit_bits = 0xffff;
  static constexpr std::uint32_t refuses_eager = 1u << 16;
  // No message, but part of a large payload: payload_header.hpp.
  static constexpr std::uint32_t staged = 1u << 17;
  static constexpr std::uint32_t uncounted = 1u << 18;  // it used no credit, so none is owed for it
  static constexpr std::uint32_t leaving = 1u << 19;  // the last one: the sender takes part no more
  // No message follows over this connection: promoter.hpp.
  static constexpr std::uint32_t last = 1u << 20;
  // The receiver has others in need of credits: what is not used is to be given up.
  static constexpr std::uint32_t asks_back = 1u << 21;
  // The credits are none that return, but those that the sender gives up.
  static constexpr std::uint32_t gives_up = 1u << 22;
};

/// Two messages in one packet: the second begins where the first one's payload, rounded up, ends.
inline constexpr std::size_t message_alignment = 16;
constexpr std::size_t aligned(std::size_t bytes) noexcept {
  return (bytes + message_alignment - 1) & ~(message_alignment - 1);
}

/// Longest message that is sent unasked. Two packets of Ethernet's jumbo frames; above it the
/// copies cost more than a rendezvous.
inline constexpr std::size_t eager_limit = 8192;
static_assert(slot_bytes >= eager_limit + sizeof(envelope));

}  // namespace peal::verbs
