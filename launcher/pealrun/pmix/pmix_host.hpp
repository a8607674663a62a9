// launcher/pealrun/pmix/pmix_host.hpp
// The PMIx server of one node and one job: what ranks ask to learn which rank they are and where
// the other ranks are.
//
// Layer    launcher: may include topology/, bootstrap/ (for the key).
// Threads  libpmix runs a thread of its own and calls up from it. Those calls only put an event
//          into a queue; every method here belongs to the thread that made the host.
// Errors   throws peal::error (errc::bootstrap_failed) with what PMIx said.
// Source   PMIx Standard 4.1; libpmix 4.2.2: never finalize the server (it crashes or hangs once
//          ranks have died): leave with _exit.
#pragma once

#include <string>
#include <vector>

#include "bootstrap/start_host.hpp"
#include "request/request.hpp"

struct hwloc_topology;

namespace peal::launcher {

struct host_event {
  enum kind { connected, finalized, lost, aborted } what = connected;
  int rank = -1;
  int code = 0;      // of aborted
  std::string text;  // of aborted: why
};

/// What the server tells ranks beyond their numbers.
struct host_facts {
  std::string job;     // the namespace
  std::string folder;  // private; PMIx keeps its files there
  int cores = 1;       // physical cores that the job may use
  hwloc_topology* topology = nullptr;
  std::string distances;  // between hardware threads: topology/distances.hpp
  bool direct = true;     // ranks of peal meet without the server (start_host.hpp)
};

class pmix_host {
 public:
  pmix_host(const host_facts&, const job_request&);

  /// `base` with what a rank needs to find this server.
  [[nodiscard]] std::vector<std::string> environment_for(
      int rank, const std::vector<std::string>& base) const;

  /// Readable when `events` has something to say.
  [[nodiscard]] int descriptor() const noexcept;
  std::vector<host_event> events();

  /// What a rank that met the others without the server says of itself.
  [[nodiscard]] start_state state_of(int rank) const;
  /// Whether any rank has connected to the server.
  [[nodiscard]] bool was_asked() const noexcept { return was_asked_; }

  /// Tells the other ranks that one has died. `code` is its exit code, or 128 + signal. `silent`:
  /// no more than peal needs, so that what waits for the dead ends.
  void tell_of_death(int rank, bool by_signal, int code, bool silent);

 private:
  std::string job_;
  start_host* direct_ = nullptr;  // never destroyed, as a thread waits there; null: not offered
  bool was_asked_ = false;
};

/// Meets the server in the name of the rank that the environment tells of, and ends the process
/// without a farewell.
[[noreturn]] void connect_and_vanish();

}  // namespace peal::launcher
