// tests/unit/transport/verbs/double/port.hpp
// A port of a card of the double: what it says of itself, and which ports it reaches.
//
// Ports of one network are connected. On InfiniBand a packet goes to a LID (of a port's base LID
// and its LMC), with a GID as well where the port requires one (IBV_QPF_GRH_REQUIRED); on Ethernet
// it goes to a GID of the same kind as the sender's. Networks are connected where
// `world::routers` says so, for packets that carry a GID. A packet that nobody takes vanishes.
//
// Units    bytes; Gbit/s.
// Threads  under `guard()`.
// Source   InfiniBand specification, 4.1 (addressing), 10.9 (partitions), 8.3 (GRH).
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace peal::verbs_double {

/// What a test wants a port to be.
struct port_plan {
  unsigned network = 1;
  unsigned host = 1;  // LID on InfiniBand, and the last part of the GID
  bool infiniband = false;
  bool grh_required = false;
  std::uint8_t lmc = 0;
  ibv_mtu mtu = IBV_MTU_4096;
  unsigned gigabits = 100;  // of 25, 50, 100, 200, 400
  /// The table of partitions. Bit 15: full member.
  std::vector<std::uint16_t> keys = {0xffff};
  bool down = false;
  std::size_t switch_takes = ~std::size_t{0};  // bytes in a packet, of the switch before it
};

/// The first GID of such a port.
[[nodiscard]] ibv_gid gid_of(const port_plan&);

struct port {
  explicit port(const port_plan& plan);

  ibv_port_attr attributes{};
  std::vector<ibv_gid_entry> gids;
  std::vector<std::uint16_t> keys;
  unsigned network = 0;
  bool cut = false;  // nothing comes here, nothing leaves; nobody is told
  // Of the packets that come here from other processes every Nth is lost; 0: none.
  unsigned loses_every = 0;
  std::uint64_t came = 0;
  std::size_t switch_takes;

  void add_gid(ibv_gid_type kind, const ibv_gid& gid);
  [[nodiscard]] bool ethernet() const { return attributes.link_layer == IBV_LINK_LAYER_ETHERNET; }
  [[nodiscard]] bool works() const { return !cut && attributes.state == IBV_PORT_ACTIVE; }
  [[nodiscard]] std::size_t longest_packet() const {
    return std::size_t{128} << attributes.active_mtu;
  }
  /// Whether so long a packet comes here.
  [[nodiscard]] bool gets(std::size_t bytes) const {
    return bytes <= longest_packet() && bytes <= switch_takes;
  }
  /// Whether a packet sent by `way` from this port comes to `to`.
  [[nodiscard]] bool reaches(const port& to, const ibv_ah_attr& way, bool routers) const;
};

/// Whether queue pairs with these keys are members of one partition: of two limited members neither
/// takes packets of the other.
[[nodiscard]] bool same_partition(std::uint16_t one, std::uint16_t other);

}  // namespace peal::verbs_double
