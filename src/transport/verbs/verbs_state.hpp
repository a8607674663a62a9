// transport/verbs/verbs_state.hpp
// What the verbs transport consists of, for the two files that put the parts together: verbs_transport.cpp, where messages and completions
// pass, and verbs_failures.cpp, where connections and peers end.
//
// Layer    transport/verbs.
// Threads  as the contract says.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include "transport/verbs/bulk/payloads.hpp"
#include "transport/verbs/connect/connections.hpp"
#include "transport/verbs/connect/connector.hpp"
#include "transport/verbs/connect/failure_notices.hpp"
#include "transport/verbs/connect/handshake_port.hpp"
#include "transport/verbs/connect/kernel_asker.hpp"
#include "transport/verbs/connect/promoter.hpp"
#include "transport/verbs/connect/retired_pairs.hpp"
#include "transport/verbs/datagram/datagrams.hpp"
#include "transport/verbs/device/device.hpp"
#include "transport/verbs/device/device_events.hpp"
#include "transport/verbs/device/port_counters.hpp"
#include "transport/verbs/device/registration_cache.hpp"
#include "transport/verbs/eager/sender.hpp"
#include "transport/verbs/lane.hpp"
#include "transport/verbs/sleeper.hpp"
#include "transport/verbs/verbs_transport.hpp"

namespace peal {

struct verbs_transport::state {
  static constexpr int batch = 32;  // completions taken at a time

  state(sink& into, const machine& here, peer_id self, std::uint32_t peers, const verbs_options& from);

  bool post(verbs::connection& to, envelope e, const void* payload) noexcept {
    const bool taken = sender.send(to, e, payload);
    if (sleeper.armed() && sender.holds()) [[unlikely]]
      sleeper.stir();  // a thread that sleeps posts what is held
    return taken;
  }
  bool sent(envelope e) noexcept {
    if (e.kind() == envelope_kind::announce) [[unlikely]]
      payloads.announced();
    return true;
  }
  int read_some() noexcept;
  void read_completions() noexcept;
  void take(const ibv_wc&) noexcept;
  void receive(const ibv_wc&, verbs::slot_id) noexcept;
  void deliver(verbs::connection&, const std::byte* packet, std::size_t bytes) noexcept;
  void failed(const ibv_wc&, verbs::connection*) noexcept;
  void broke(verbs::connection&, const char* cause) noexcept;
  void look_at_the_clock() noexcept;
  bool poll_port() noexcept;
  void arrived(const std::byte* packet, std::size_t bytes) noexcept;
  void unsendable(peer_id, int why) noexcept;
  void vanished(peer_id, verbs::node_watch::verdict) noexcept;
  void remove(verbs::connection&) noexcept;
  void close(verbs::connection&) noexcept;
  void opened(verbs::connection& at) noexcept {
    if (at.tell_refusal) sender.note(at);
    datagrams.connected(at.peer);
    promoter.opened(at);
  }
  /// What is being taken away gives a place.
  bool full(peer_id peer) noexcept {
    if (!retired.any()) return promoter.full(peer);
    promoter.want_later(peer);
    return true;
  }
  void refused(peer_id) noexcept;
  void refused_by(peer_id) noexcept;
  /// Whether a packet comes from one that counts as failed: then it is told so.
  bool given_up(peer_id from) noexcept {
    if (!unreachable[from]) return false;
    notices.remind(from);
    return true;
  }

  sink& out;
  const std::vector<verbs::device> rails;
  const verbs::device& on;  // the one that carries messages
  const std::vector<verbs::port_counters> ports;
  verbs::domain_registrar regions;
  verbs::registration_cache cache;
  verbs::lane shared;
  const unsigned ranks_of_node;
  verbs::kernel_asker kernel_asker;
  verbs::handshake_port port;
  verbs::connections all;
  verbs::sender sender;
  verbs::payloads payloads;
  verbs::retired_pairs retired;
  verbs::connector connector;
  verbs::failure_notices notices;
  verbs::datagrams datagrams;
  verbs::promoter promoter;
  verbs::device_events events;
  verbs::sleeper sleeper;
  const verbs::handshake_port::receiver packet;
  std::vector<bool> dead;         // peer_failed was called
  std::vector<bool> unreachable;  // there is no connection, and no use in trying
  std::vector<peer_id> lost;
  std::map<peer_id, int> searches;  // for the way to a peer, in vain
  std::chrono::steady_clock::time_point probe_at;
};

}  // namespace peal
