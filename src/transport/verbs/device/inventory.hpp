// transport/verbs/device/inventory.hpp
// What there is of RDMA on this machine, as plain facts: for the choice of a device, and for
// peal-info.
//
// Layer    transport/verbs: may include topology/, base/. Includes no verbs header.
// Units    bytes; bits per second of a link in 10^9.
// Errors   none: a device that cannot be opened stands there with the reason.
// Source   ibv_query_device(3), ibv_query_port(3), ibv_query_gid_table(3).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transport/verbs/device/rail_choice.hpp"

namespace peal {
class machine;
}

namespace peal::verbs {

struct port_report : port_facts {
  std::string state;  // "active", "down", ...
  int most_mtu = 0;
  std::uint64_t longest_message = 0;
};

struct device_report {
  std::string name;
  std::string problem;  // why it cannot be opened; the rest is empty then
  std::string firmware;
  std::uint64_t longest_registration = 0;
  int queue_pairs = 0;
  int queue_depth = 0;
  int completions = 0;  // entries of a completion queue
  int shared_receives = 0;
  int pieces = 0;  // of a work request
  int reads = 0;   // RDMA READs that one queue pair may have under way
  std::vector<port_report> ports;
};
std::vector<device_report> inventory(const machine&);

}  // namespace peal::verbs
