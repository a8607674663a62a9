// simulator/machine.hpp
// The machine for which a time is predicted: processors, network adapters, a network of two levels.
// doc/internals/simulator.md names the source of each default.
//
// Layer    simulator: may include collective/, base/.
// Units    nanoseconds, bytes, bytes a nanosecond (GB/s); each member says which.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "collective/choice/cost_parameters.hpp"

namespace peal::simulator {

/// One adapter, which all ranks of a node share.
struct adapter {
  std::string_view name = "connectx7";
  double link_rate = 50;   // bytes/ns, each way
  int units = 8;           // processing units, for each direction
  int pairs_per_unit = 1;  // so many queue pairs, made one after another, are served by one unit
  double unit_ns = 21.6;   // of a unit, for each packet
  double pcie_ns = 1000;   // there and back
  std::size_t context_bytes = 375;     // of a queue pair
  std::size_t cache_bytes = 4u << 20;  // for contexts, on the adapter
  std::size_t inline_bytes = 200;      // so much goes with the doorbell
  std::size_t packet_bytes = 4096;     // payload of a packet
  std::size_t header_bytes = 60;       // around it, on the wire
};

/// Leaf switches under a spine that has room for all. Routes are perfectly spread.
struct network {
  int leaf_nodes = 32;          // nodes a leaf switch
  double oversubscription = 1;  // links down for each link up
  double switch_ns = 130;       // from port to port
  double cable_ns = 25;         // one cable
};

enum class doorbells { batched, each };

struct machine {
  // What cores do, by the rules that prices have, too (cost_rules.hpp). How long messages are on
  // their way between nodes follows from the adapter and the network instead.
  cost_parameters costs;
  adapter nic;
  network net;
  int ranks_per_node = 1;
  int cores = 0;        // of a node, among which its ranks are dealt; 0: as many as ranks
  int queue_pairs = 1;  // for large messages, to each peer; there is one more for all others
  // One for all requests of a round to a queue pair, or one for each request.
  doorbells ring = doorbells::batched;
};

/// The machine with costs that were measured (peal-info --tune). If they were so between nodes the
/// adapter gets the rate, and its way to memory and back takes what of the flight of a short
/// message under one switch neither the adapter's units nor cables and switch account for.
void take_costs(machine&, const cost_parameters&) noexcept;

/// The adapters that are known by name.
std::span<const adapter> known_adapters() noexcept;
/// Null when there is none of that name.
const adapter* find_adapter(std::string_view name) noexcept;

}  // namespace peal::simulator
