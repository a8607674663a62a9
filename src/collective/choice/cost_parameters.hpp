// collective/choice/cost_parameters.hpp
// What messages, copies and reductions cost on a machine: the numbers from which cost.hpp makes
// prices. Every rank of a job must use the same ones, or ranks would choose different algorithms:
// rank 0's are told to all when the job starts (cost_basis.hpp).
//
// Layer    collective: may include base/.
// Units    nanoseconds, bytes a nanosecond (GB/s).
// Threads  a value.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace peal {

/// The defaults inside a node are what peal-info --tune measured on two cores of an AMD EPYC 9004
/// (medians; doc/internals/simulator.md has the runs); those between nodes are the simulator's
/// ConnectX-7 through two switches, assumed and measured nowhere.
struct cost_parameters {
  // A message of a few bytes to a rank of the node, of the sender's core.
  double local_send_ns = 13;
  double local_receive_ns = 15;  // of the receiver's
  double local_flight_ns = 54;   // until the other core sees it
  // A message up to the eager limit is copied by either side at this rate.
  double local_copy_rate = 40;
  double local_large_ns = 700;     // a longer one is announced and answered
  double local_large_rate = 45.6;  // and copied by both sides at once
  double local_direct_rate = 16;   // by the receiver alone, where ranks outnumber cores
  // A message to another node, of the sender's core, without the doorbell.
  double remote_send_ns = 60;
  double remote_doorbell_ns = 300;  // a write to the device
  double remote_receive_ns = 60;    // of the receiver's core
  double remote_flight_ns = 1500;   // adapters, cables and switches
  // Announcement, read request and answer of a message beyond the eager limit.
  double remote_large_ns = 3500;
  double remote_rate = 48;  // of an adapter, shared by the ranks of its node
  double reduce_rate = 28;  // of the result
  double step_ns = 3;       // each copy and reduction, besides its bytes
  double switch_ns = 600;   // of a core from one rank to the next, where ranks outnumber cores

  friend bool operator==(const cost_parameters&, const cost_parameters&) = default;
};

/// Longer messages are announced, by default. Not among the parameters, since PEAL_EAGER_LIMIT is a
/// variable on which ranks need not agree.
inline constexpr double local_eager_bytes = 32768;
inline constexpr double remote_eager_bytes = 8192;

struct cost_field {
  std::string_view name;
  double cost_parameters::* value;
  double least, most;  // what can be true of any machine
  std::string_view meaning;
};

/// All of them, in the order of the struct.
std::span<const cost_field> cost_fields() noexcept;

/// Whether those of messages inside a node, or between nodes, were measured: what is built in was
/// so elsewhere, or nowhere.
bool measured_inside(const cost_parameters&) noexcept;
bool measured_between(const cost_parameters&) noexcept;

/// The values in that order, with commas, to the last bit.
std::string to_note(const cost_parameters&);
/// Nothing where that is not what `to_note` makes.
std::optional<cost_parameters> from_note(std::string_view) noexcept;

}  // namespace peal
