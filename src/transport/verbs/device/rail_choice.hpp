// transport/verbs/device/rail_choice.hpp
// Which devices a process uses when it uses several, its rails, and which of them lead to a peer:
// decided on plain facts.
//
// The first rail carries everything; the others carry parts of large messages. Rails of two
// processes belong together that are in one network. Where the first ones are in different networks
// there is a router between, and the others belong together by their place.
//
// Layer    transport/verbs: may include base/. Includes no verbs header.
// Errors   none: where nothing can be chosen the result has the reason as text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "transport/verbs/device/device_choice.hpp"

namespace peal::verbs {

struct rails_result {
  std::vector<choice> rails;  // the first is the one that carries messages
  std::string problem;        // when nothing was chosen: what is wrong, and the remedy
};
/// `wishes.device` may name up to most_rails devices, separated by commas, or be "all": every port
/// that can be used, near ones first. One name, or none, is what `choose` makes of it.
rails_result choose_rails(const std::vector<port_facts>&, const choice_wishes&);

/// What peers must know of a rail.
struct rail_address {
  gid_bytes gid{};
  std::uint16_t lid = 0;          // InfiniBand; 0 on Ethernet
  std::uint8_t mtu = 0;           // ibv_mtu
  std::uint8_t link_layer = 0;    // IBV_LINK_LAYER_…
  std::uint8_t network_bits = 0;  // as in gid_entry
  std::uint8_t reads_out = 0;     // RDMA READs that a queue pair can have under way,
  std::uint8_t reads_in = 0;      // and can serve at a time
  std::uint8_t reserved = 0;
};
static_assert(sizeof(rail_address) == 24);

struct rail_pair {
  std::uint8_t own = 0, remote = 0;
};
/// The rails over which two processes can talk: the first ones, then the others, in an order that
/// both sides find. `lower`: whether the own rank is the lower one.
std::vector<rail_pair> match_rails(std::span<const rail_address> own,
                                   std::span<const rail_address> remote, bool lower);

}  // namespace peal::verbs
