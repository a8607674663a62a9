// tests/unit/transport/verbs/double/fabric/fabric.hpp
// A fabric for jobs, described by a small text: which nodes have which cards with which ports.
//
// VERBS_DOUBLE_FABRIC holds it, as JSON:
//
//     {"nodes": 2,
//      "cards": [{"network": 1, "infiniband": true, "gigabits": 200},
//                {"name": "storage0", "network": 2, "gigabits": 25, "mtu": 1024}],
//      "of": {"1": [{"ports": [{"network": 1, "infiniband": true, "down": true}]}]}}
//
// Each node has the `cards`, but those that stand in `of` have the ones named there. A card with
// one port may name what is the port's itself.
//
// of all      nodes (1), cards, of, routers (false): between networks
// of a card   name (double0, ...), ports, limits, resizes (true)
// of a port   network (1), host (the node's number and 1), infiniband (false), gigabits (100),
//             mtu (4096), keys (["0xffff"]), lmc (0), grh (false), down (false), switch_takes
//             (bytes in a packet, of the switch before it: no limit)
// limits      pairs, reliable, regions, locked (bytes), entries (of a completion queue),
//             receives (of a shared queue), handles, reads, inline
//
// Without it VERBS_DOUBLE_NODES and the others that wire.hpp names make the cards.
//
// Layer    tests.
// Units    bytes; Gbit/s.
// Threads  under `guard()`.
// Errors   what cannot be read, and words that are not known, are a std::invalid_argument.
// Source   none.
#pragma once

#include <string>

namespace peal::verbs_double {

/// The cards of all nodes; those of nodes but `self` are elsewhere.
void make_fabric(const std::string& text, unsigned self);
/// As the environment says.
void make_fabric();

}  // namespace peal::verbs_double
