// launcher/info/report.hpp
// What peal-info has found out: this machine, its RDMA devices, which one a rank would use and why,
// the settings, and what is wrong.
//
// Layer    launcher: may include base/, topology/, collective/choice/tuning.hpp,
// memory/unmap_hooks.hpp,
//          transport/verbs/setup/trial.hpp.
// Units    bytes.
// Errors   throws peal::error (errc::internal) when the topology cannot be read. Everything else
//          that is wrong stands in `problems`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/verbs/setup/interface.hpp"

namespace peal::info {

struct machine_report {
  std::string host;
  int cores = 0;                               // that this process may use
  int usable_cores = 0;                        // at a time
  std::optional<std::uint64_t> locked_memory;  // limit; nothing: unlimited
  std::string shared_folder;
  std::optional<std::uint64_t> shared_free;  // nothing: the folder is not there
  std::string direct_copy_problem;  // why processes may not read each other; empty: they may
};

struct transport_report {
  std::string name;
  std::string carries;  // which messages
  std::string problem;  // why it cannot be used; empty: it can
};

struct setting {
  std::string_view name;
  std::string value;  // as set, or the default
  bool is_set = false;
  std::string_view allowed, meaning;
};

struct report {
  machine_report machine;
  std::vector<transport_report> transports;
  std::vector<verbs::device_report> devices;
  // What is used; the port is an index into all ports of `devices`, one after another.
  std::vector<verbs::choice> rails;
  std::vector<std::string> rail_names;
  struct skipped_port {
    std::string name, reason;
  };
  std::vector<skipped_port> skipped_ports;  // that could be used, and are not
  std::vector<verbs::granted_limit> limits;
  // Bytes registered for messages: of a rank with one peer, and at most.
  std::size_t pinned = 0, most_pinned = 0;
  std::string cache_problem;  // why no memory stays registered after its use; empty: it does
  // From which the choice of algorithms has its costs; empty: they are built in.
  std::string tuning_file;
  std::vector<setting> settings;
  std::vector<std::string> problems;  // each with its remedy
};

report look_around();

/// For people.
std::string to_text(const report&);
/// For programs: the same as one JSON object.
std::string to_json(const report&);

}  // namespace peal::info
