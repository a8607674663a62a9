// transport/verbs/authenticator.hpp
// Proves that a datagram comes from a process of this job: tags that only one who has the job's
// secret can make. The secret itself never travels over the network of the devices.
//
// A packet of the handshake changes what a process is connected to, and there are few: all of it
// goes through HMAC-SHA-512, of which 128 bits travel. A packet of messages has a tag of 64 bits
// (SipHash-2-4) of its header alone. Over the whole packet it would take as long as the copy of it
// several times; what that leaves open is said in doc/internals/rdma.md. The Q_Keys of datagram
// queue pairs follow from the secret too: so a device drops most of what is not of this job.
//
// Each use has a key of its own, so that a tag of one says nothing about another.
//
// Layer    transport/verbs.
// Units    bytes.
// Threads  any.
// Errors   making one throws errc::bootstrap_failed where libsodium is missing.
// Source   libsodium, crypto_auth(HMAC-SHA512-256, truncated as in RFC 2104, 5), crypto_shorthash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "transport/contract.hpp"

namespace peal::verbs {

/// Of the job: it travels through PMIx once. None is all zeros.
using secret = std::array<std::uint64_t, 2>;

/// From the kernel's source of random numbers (getrandom).
secret random_secret();
std::uint64_t random_word();

class authenticator {
 public:
  /// What proves a packet of the handshake.
  using tag = std::array<std::byte, 16>;

  explicit authenticator(const secret& job);

  [[nodiscard]] tag tag_of(const void* packet, std::size_t bytes) const noexcept;
  /// Takes as long whatever is wrong.
  [[nodiscard]] bool matches(const tag& told, const void* packet, std::size_t bytes) const noexcept;
  /// Of a header in front of messages.
  [[nodiscard]] std::uint64_t short_tag_of(const void* header, std::size_t bytes) const noexcept;
  /// The Q_Key of that process's datagram queue pairs. Another process with the same rank has
  /// another incarnation, and gets nothing that was meant for it.
  [[nodiscard]] std::uint32_t queue_key(peer_id, std::uint64_t incarnation) const noexcept;

 private:
  using short_key = std::array<unsigned char, 16>;
  std::array<unsigned char, 32> handshakes_{};
  short_key datagrams_{}, queues_{};
};

}  // namespace peal::verbs
