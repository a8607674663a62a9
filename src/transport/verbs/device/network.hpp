// transport/verbs/device/network.hpp
// Which network carries the messages of a job: found by every process from what all have told at
// the start, without asking anybody.
//
// A process tells of one port in each network that it has, best first (rail_choice.hpp). The first
// rail of all is in one network, the best that all have; so each reaches each. Where no network has
// all of them, it is the one that has most, and the others use a port from which a router may lead
// there. Storage and management networks are never chosen so, unless nothing else is common to all.
// Where no network has all, each two processes use the best one that both have (way_between).
//
// What cannot be known: two InfiniBand fabrics that both have the default prefix fe80::/64 and
// subnet managers with the same LID look like one.
//
// Layer    transport/verbs: may include base/. Includes no verbs header.
// Errors   none: processes that no network joins are told apart by reach_of.
// Source   InfiniBand specification, 4.1.1 and 14.2.5.6 (MasterSMLID: one of each subnet).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/verbs/device/rail_address.hpp"

namespace peal::verbs {

/// What ports have in common that reach each other without a router.
struct network {
  std::uint8_t link_layer = 0;
  std::uint8_t version = 0;  // of RoCE
  std::uint8_t bits = 0;
  std::uint16_t partition = 0;  // of InfiniBand
  std::uint16_t manager = 0;    // where the prefix is the default one
  gid_bytes prefix{};
  auto operator<=>(const network&) const = default;
};
network network_of(const rail_address&) noexcept;

enum class reach : std::uint8_t {
  same_network,
  perhaps,  // where a router stands between them
  none
};
reach reach_of(const rail_address&, const rail_address&) noexcept;

/// Which of its ports each process uses for messages, by rank. Those that have told none (an empty
/// span) count for nothing.
std::vector<std::uint8_t> first_rails(const std::vector<std::span<const rail_address>>& everyone);

/// Whether these ports of theirs are all in one network.
bool in_one_network(const std::vector<std::span<const rail_address>>& everyone,
                    const std::vector<std::uint8_t>& chosen) noexcept;

struct way {
  std::uint8_t own = 0, remote = 0;  // ports
};
/// The ports by which two processes reach each other best, each of the own ones as it was told; the
/// same on both sides. `lower`: whether the own rank is the lower one. Nothing: none do.
std::optional<way> way_between(std::span<const rail_address> own,
                               std::span<const rail_address> remote, bool lower) noexcept;

/// Why two processes cannot reach each other, with both lists of ports.
std::string no_network(std::span<const rail_address> own, std::span<const rail_address> remote);

}  // namespace peal::verbs
