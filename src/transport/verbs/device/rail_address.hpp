// transport/verbs/device/rail_address.hpp
// What the other processes of the job are told of a port, so that each finds the same network for
// every pair of processes.
//
// Layer    transport/verbs: may include base/. Includes no verbs header.
// Units    10^8 bits per second.
// Errors   none.
// Source   InfiniBand specification, 10.9.2 (P_Keys: two members reach each other when their 15 low
//          bits are the same and one is a full member), 4.1.1 (GIDs, the default prefix).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "transport/verbs/device/device_choice.hpp"

namespace peal::verbs {

/// Membership in a partition, and the partition.
inline constexpr std::uint16_t full_member = 0x8000, partition_bits = 0x7fff;

struct rail_address {
  static constexpr std::uint8_t infiniband = 1, ethernet = 2;  // IBV_LINK_LAYER_…
  static constexpr std::uint8_t carries_parts = 1;  // of large messages, where it is not the first
  static constexpr std::uint8_t needs_grh = 2;      // IBV_QPF_GRH_REQUIRED
  static constexpr std::uint8_t roce_v1 = 4;

  gid_bytes gid{};
  std::uint32_t handshake_qp = 0;  // number of the UD queue pair on this port
  std::uint16_t lid = 0;           // InfiniBand; 0 on Ethernet
  std::uint16_t manager = 0;       // LID of its subnet manager; 0: none, or not told
  std::uint16_t pkey = 0;          // 0: not told
  std::uint16_t rate = 0;          // 0: not told
  // UDP port that is there as long as the process: kernel_prober.hpp; 0: none
  std::uint16_t door = 0;
  std::uint8_t mtu = 0;           // ibv_mtu
  std::uint8_t link_layer = 0;    // IBV_LINK_LAYER_…
  std::uint8_t network_bits = 0;  // as in gid_entry
  std::uint8_t reads_out = 0;     // RDMA READs that a queue pair can have under way,
  std::uint8_t reads_in = 0;      // and can serve at a time
  std::uint8_t flags = 0;
  std::array<char, 16> name{};  // "mlx5_0:1", cut where it is longer

  void set_name(const std::string&) noexcept;
};
static_assert(sizeof(rail_address) == 52);

/// "mlx5_0:1 (InfiniBand fe80::/64, P_Key 0xffff, 200 Gb/s)"
std::string to_text(const rail_address&);

/// A port as others are told of it, without what only an open device knows.
rail_address address_of(const port_facts&, const gid_entry&, const choice_wishes&);

}  // namespace peal::verbs
