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

#include "collective/cost_parameters.hpp"

namespace peal::simulator {

/// One adapter, which all ranks of a node share.
struct adapter {
  std::string_view name = "connectx7";
  double link_rate = 50;     // bytes/ns, each way
  int units = 8;             // processing units, for each direction
  int pairs_per_unit = 1;    // so many queue pairs, made one after another, are served by one unit
  double unit_ns = 21.6;     // of a unit, for each packet
  double doorbell_ns = 300;  // of the processor
  double pcie_ns = 1000;     // there and back
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

/// What a rank's core does. "Message" means between nodes, "local" inside a node.
struct processor {
  double send_ns = 60;           // to make a work request, without the doorbell
  double receive_ns = 60;        // to poll a completion and match
  double local_send_ns = 13;     // a message to a rank of the node
  double local_receive_ns = 15;  //
  double local_flight_ns = 54;   // until the other core sees it
  double copy_rate = 40;         // bytes/ns
  // bytes/ns, of large messages inside a node, which both sides copy at once
  double local_rate = 45.6;
  double local_large_ns = 0;  // of the receiver, for each of them
  // bytes/ns, of those that the receiver copies alone, since ranks share cores
  double direct_rate = 16;
  double switch_ns = 600;            // of a core that ranks share, to the next of them
  double reduce_rate = 28;           // bytes/ns of the result
  double step_ns = 3;                // each copy and reduction, besides its bytes
  std::size_t eager_bytes = 8192;    // longer ones are asked for
  std::size_t local_eager = 4096;    //
  std::size_t part_bytes = 1 << 20;  // a large message is cut so among its queue pairs
};

enum class doorbells { batched, each };

struct machine {
  adapter nic;
  network net;
  processor core;
  int ranks_per_node = 1;
  int cores = 0;        // of a node, among which its ranks are dealt; 0: as many as ranks
  int queue_pairs = 1;  // for large messages, to each peer; there is one more for all others
  // one for all requests of a round to a queue pair, or one for each request
  doorbells ring = doorbells::batched;
};

/// The machine with costs that were measured (peal-info --tune). An adapter gets its doorbell and
/// its rate; what a message takes between adapters stays as described.
void take_costs(machine&, const cost_parameters&) noexcept;

/// The adapters that are known by name.
std::span<const adapter> known_adapters() noexcept;
/// Null when there is none of that name.
const adapter* find_adapter(std::string_view name) noexcept;

}  // namespace peal::simulator
