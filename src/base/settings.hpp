// base/settings.hpp
// What the environment sets, typed: a member for each row of the table of PEAL_ variables
// (variables.cpp), in a struct by subject. What a member is here without an environment is the
// default of its variable.
//
// Layer    base.
// Units    bytes, seconds, microseconds as the names of the types in variables.cpp say.
// Threads  read once at the start of the job; afterwards constant.
// Errors   from_environment throws errc::invalid_config that names the variable, its value and what
//          is allowed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/log.hpp"
#include "peal/detail/core.hpp"

namespace peal {

/// What carries messages.
enum class transport_mode { automatic, shm, verbs };

/// How large messages move inside a node.
enum class shm_copy { automatic, direct, pipeline, alone };

/// How large messages move between nodes, but for their beginning.
enum class rendezvous_mode { automatic, read, write, both };

enum class wait_mode {
  adaptive,  // spin, then sleep; where ranks share cores, yield, then sleep
  poll,      // never give the core away
  block      // sleep at the first miss
};

/// How ranks of pealrun meet.
enum class bootstrap_mode { automatic, pmix };

/// Whether the way of blocking collectives follows what they take.
enum class learn_mode {
  automatic,  // where the result keeps its bits
  any,        // also where the order changes in which floating-point numbers are joined
  off
};

struct message_settings {
  std::size_t eager_limit = 32 << 10;  // a transport's own holds too
  std::size_t unexpected_limit = 64 << 20;
};

struct shm_settings {
  std::string dir = "/dev/shm";
  shm_copy copy = shm_copy::automatic;
  std::size_t heap = std::size_t{1} << 30;
};

/// Messages to a peer that has no connection until it gets one.
inline constexpr std::size_t usual_promote = 16;

/// Bytes of a large message that are sent unasked where a CPU does the work of the device.
inline constexpr std::size_t usual_push = 64 << 10;
inline constexpr std::size_t usual_blocks = 4 << 10;

struct verbs_settings {
  std::string device{};              // rail_choice.hpp; empty: the nearest
  std::optional<std::size_t> gid{};  // an index; nothing: the best
  std::size_t service_level = 0;
  std::size_t traffic_class = 0;
  std::size_t hop_limit = 64;           // what is usual for IP: routers lower it
  std::optional<std::uint16_t> pkey{};  // a value; nothing: the partition of everyone
  std::optional<std::size_t> mtu{};     // bytes, at most; nothing: the port's
  // Queue pairs for bulk data, to each peer; nothing: as many as the adapter gains from.
  std::optional<std::size_t> qps{};
  bool coalesce = true;            // small messages share packets
  bool srq = true;                 // one receive queue for all peers
  bool registration_cache = true;  // memory stays registered
  // Bytes of a large message that are sent unasked; nothing: usual_push on Soft-RoCE, else none.
  std::optional<std::size_t> push{};
  // Bytes of a block of a strided payload that is moved without packing, at least, and 0: none is;
  // nothing: usual_blocks, and none on Soft-RoCE.
  std::optional<std::size_t> blocks{};
  std::size_t max_rc = 1024;      // connections
  std::size_t pinned = 64 << 20;  // bytes registered for messages, at most
  // Messages to a peer before it gets a connection; nothing: usual_promote, and only where not all
  // may have one.
  std::optional<std::size_t> promote{};
  rendezvous_mode rendezvous = rendezvous_mode::automatic;
  double ack_timeout = 0.067;  // seconds: an adapter that has no answer sends again
  double timeout = 4;          // seconds: a peer that is not reached so long has failed
};

struct wait_settings {
  wait_mode mode = wait_mode::adaptive;
  std::optional<double> least{}, most{};  // microseconds; nothing: they are measured
};

/// What is noted of the run.
struct record_settings {
  std::string folder = "none";  // where each rank writes a file; none: nothing is
  std::size_t events = 0;       // most that a rank notes
};

/// By collective: the name of its algorithm, or "direct"; nothing: it is chosen.
using algorithm_settings = std::array<std::optional<std::string>, detail::collectives_in_all>;

struct job_settings {
  log_level log = log_level::warning;
  transport_mode transport = transport_mode::automatic;
  double unwind_timeout = 10;                            // seconds
  bootstrap_mode bootstrap = bootstrap_mode::automatic;  // pealrun reads it
  message_settings messages;
  shm_settings shm;
  verbs_settings verbs;
  wait_settings wait;
  record_settings record;
  bool stats = false;
  bool async = false;
  std::size_t restart = 0;
  std::optional<std::size_t> lanes{};
  std::optional<std::size_t> communicators{};
  bool check = false;
  double check_after = 30;  // seconds
  std::string tuning = "auto";
  learn_mode learn = learn_mode::automatic;
  algorithm_settings algorithms{};

  static job_settings from_environment();
};

}  // namespace peal
