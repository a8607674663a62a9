// transport/verbs/device/rail_choice.hpp
// Which devices a process opens, which of them it uses together, its rails, and which of these lead
// to a peer: decided on plain facts.
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

#include "transport/verbs/device/network.hpp"

namespace peal::verbs {

struct rails_result {
  // Best first. The first one carries messages, unless network.hpp finds that all processes have
  // the network of another one.
  std::vector<choice> rails;
  std::vector<skipped_port> skipped;
  std::string problem;  // when nothing was chosen: what is wrong, and the remedy
};
/// `wishes.device` may name up to most_rails devices, separated by commas, or be "all": every port
/// that can be used and is not far slower than the best one, near ones first ("all,^mlx5_2": but
/// this one). One name, none, or "^..." is one port of each network.
rails_result choose_rails(const std::vector<port_facts>&, const choice_wishes&);

struct rail_pair {
  std::uint8_t own = 0, remote = 0;
};
/// The rails over which two processes can talk: the first ones, then the others, in an order that
/// both sides find. `lower`: whether the own rank is the lower one.
std::vector<rail_pair> match_rails(std::span<const rail_address> own,
                                   std::span<const rail_address> remote, bool lower);

}  // namespace peal::verbs
