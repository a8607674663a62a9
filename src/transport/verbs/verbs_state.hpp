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

#include "transport/verbs/connections.hpp"
#include "transport/verbs/connector.hpp"
#include "transport/verbs/datagrams.hpp"
#include "transport/verbs/device.hpp"
#include "transport/verbs/device_events.hpp"
#include "transport/verbs/failure_notices.hpp"
#include "transport/verbs/handshake_port.hpp"
#include "transport/verbs/kernel_asker.hpp"
#include "transport/verbs/lane.hpp"
#include "transport/verbs/payloads.hpp"
#include "transport/verbs/port_counters.hpp"
#include "transport/verbs/promoter.hpp"
#include "transport/verbs/registration_cache.hpp"
#include "transport/verbs/retired_pairs.hpp"
#include "transport/verbs/sender.hpp"
#include "transport/verbs/sleeper.hpp"
#include "transport/verbs/verbs_transport.hpp"

namespace peal {

struct verbs_transport::state {
  static constexpr int batch = 32;  // completions taken at a time

  state(sink& into, const machine& here, peer_id self, std::uint32_t peers, const verbs_settings& from);

  bool post(verbs::connection& to, envelope e, const void* payload) noexcept {
    const bool taken = posts.send(to, e, payload);
    if (rests.armed() && posts.holds()) [[unlikely]]
      rests.stir();  // a thread that sleeps posts what is held
    return taken;
  }
  bool sent(envelope e) noexcept {
    if (e.kind() == envelope_kind::announce) [[unlikely]]
      large.announced();
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
    if (at.tell_refusal) posts.note(at);
    mail.connected(at.peer);
    tiers.opened(at);
  }
  /// What is being taken away gives a place.
  bool full(peer_id peer) noexcept {
    if (!retired.any()) return tiers.full(peer);
    tiers.want_later(peer);
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
  verbs::kernel_asker kernels;
  verbs::handshake_port door;
  verbs::connections all;
  verbs::sender posts;
  verbs::payloads large;
  verbs::retired_pairs retired;
  verbs::connector meetings;
  verbs::failure_notices notices;
  verbs::datagrams mail;
  verbs::promoter tiers;
  verbs::device_events events;
  verbs::sleeper rests;
  const verbs::handshake_port::receiver packet;
  std::vector<bool> dead;         // peer_failed was called
  std::vector<bool> unreachable;  // there is no connection, and no use in trying
  std::vector<peer_id> lost;
  std::map<peer_id, int> searches;  // for the way to a peer, in vain
  std::chrono::steady_clock::time_point probe_at;
};

}  // namespace peal
