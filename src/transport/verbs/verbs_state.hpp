// transport/verbs/verbs_state.hpp
// What the verbs transport consists of, for the two files that put the parts together:
// verbs_transport.cpp, where messages and completions pass, and verbs_failures.cpp, where
// connections and peers end.
//
// Layer    transport/verbs.
// Threads  as the contract says.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transport/verbs/addresses.hpp"
#include "transport/verbs/bulk/interface.hpp"
#include "transport/verbs/connect/interface.hpp"
#include "transport/verbs/connections.hpp"
#include "transport/verbs/datagram/interface.hpp"
#include "transport/verbs/device/interface.hpp"
#include "transport/verbs/eager/interface.hpp"
#include "transport/verbs/endpoint/interface.hpp"
#include "transport/verbs/peer_events.hpp"
#include "transport/verbs/sleeper.hpp"
#include "transport/verbs/verbs_transport.hpp"

namespace peal {

/// The ports that were opened, and how others reach them: before it is known which of them are used
/// there is a way in to each.
struct verbs_transport::open_ports {
  struct door {
    std::unique_ptr<verbs::handshake_port> port;
    std::unique_ptr<verbs::kernel_prober> prober;
  };

  open_ports(sink& into, const machine& here, peer_id self, std::uint32_t peers,
             const verbs_options&);
  /// Of these ports the one that was told as this one, and the address of those it reaches.
  open_ports(open_ports& all, std::uint8_t port, verbs::addresses over);
  /// From the order in which they were told to the one of `addresses::meet`; the rest is closed.
  /// `before_a_change` is called when the rails that are used are other ones than before.
  template <class BeforeAChange>
  void put_in_order(const std::vector<std::uint8_t>& order, std::size_t used,
                    BeforeAChange before_a_change);

  [[nodiscard]] std::vector<verbs::handshake_port*> all_ports() const {
    std::vector<verbs::handshake_port*> made;
    for (const door& each : doors) made.push_back(each.port.get());
    return made;
  }
  [[nodiscard]] std::vector<verbs::prober*> all_probers() const {
    std::vector<verbs::prober*> made;
    for (const door& each : doors) made.push_back(each.prober.get());
    return made;
  }

  sink& out;
  const peer_id self;
  const std::uint32_t peers;
  const verbs_options from;
  std::vector<verbs::device> rails;  // that are used, and
  std::vector<verbs::device> spare;
  std::vector<door> doors, spare_doors;  // of these
  verbs::addresses addresses;
  std::string told;  // the own address as others are told it
};

struct verbs_transport::state final : private verbs::peer_events {
  static constexpr int batch = 32;  // completions taken at a time

  explicit state(open_ports&);

  bool post(verbs::connection& to, envelope e, const void* payload) noexcept {
    const bool taken = sender.send(to, e, payload);
    if (sleeper.armed() && sender.holds()) [[unlikely]]
      sleeper.wake();  // a thread that sleeps posts what is held
    return taken;
  }
  bool sent(envelope e) noexcept {
    if (e.kind() == envelope_kind::announce) [[unlikely]] {
      parts_wait = true;
      payloads.announced();
    }
    return true;
  }
  /// Its pieces are registered, or packed, in polls.
  remote_region noted(const remote_region& made) noexcept {
    parts_wait = true;
    if (payloads.wants_polling()) sleeper.wake();
    return made;
  }
  int read_some() noexcept;
  void read_completions() noexcept;
  void take(const ibv_wc&) noexcept;
  void receive(const ibv_wc&, verbs::slot_id, std::uint8_t rail) noexcept;
  [[nodiscard]] const char* hear(verbs::connection&, std::uint32_t said,
                                 std::size_t bytes) noexcept;
  void deliver(verbs::connection&, std::span<const std::byte> packet) noexcept;
  void failed(const ibv_wc&, verbs::connection*) noexcept;
  void drop(const ibv_wc&, verbs::slot_id, std::uint8_t rail) noexcept;
  [[gnu::always_inline]] void recycle(verbs::slot_id which,
                                      const verbs::connection& from) noexcept {
    if (from.eager.rail == 0) [[likely]]
      endpoint.recycle(which, from.eager.pair.get());
    else endpoint.recycle(which, from.eager.rail, from.eager.pair.get());
  }
  void go_on_with_broken(std::chrono::steady_clock::time_point now) noexcept;
  void look_at_the_clock() noexcept;
  void tell_address(std::chrono::steady_clock::time_point now) noexcept;
  bool poll_parts(bool all) noexcept;
  bool poll_port() noexcept;
  void arrived(const std::byte* packet, std::size_t bytes, std::uint8_t rail) noexcept;
  void close(verbs::connection&) noexcept;

  // What peer_events says.
  void opened(verbs::connection&) noexcept override;
  void reopened(verbs::connection&) noexcept override;
  void mended(verbs::connection&) noexcept override;
  void broke(verbs::connection&, const char* cause) noexcept override;
  void violated(verbs::connection&, const char* what) noexcept override;
  void failed(verbs::connection&, const char* cause) noexcept override;
  void ended(verbs::connection&) noexcept override;
  void left_out(verbs::connection&, std::uint32_t link) noexcept override;
  bool tried(verbs::connection&, std::uint32_t detail, bool good) noexcept override;
  void completed(const ibv_wc&, std::uint8_t rail) noexcept override;
  void pairs_changed(verbs::connection&) noexcept override;
  void refused(peer_id) noexcept override;
  void unsendable(peer_id, int why) noexcept override;
  void vanished(peer_id, verbs::peer_loss) noexcept override;
  void gave_up(peer_id) noexcept override;
  void confirmed(peer_id) noexcept override;
  void reached_elsewhere(peer_id) noexcept override;
  void knows_address(peer_id) noexcept override;
  void moved() noexcept override;
  void unanswered() noexcept override;
  verbs::pair_progress pairs_wanted(verbs::connection&, bool needed) noexcept override;
  verbs::outcome pairs_told(verbs::connection&, const verbs::payload_view&) noexcept override;
  bool admits(peer_id, bool needed) noexcept override;
  bool needs(peer_id) noexcept override;
  bool waits_for_room(peer_id) noexcept override;
  bool sent_away(peer_id) noexcept override;
  bool may_take(peer_id) noexcept override;
  bool is_there(peer_id) noexcept override;
  bool is_given_up(peer_id) noexcept override;

  sink& out;
  std::vector<verbs::device>& rails;
  const verbs::device& on;  // the one that carries messages
  const std::vector<verbs::port_counters> ports;
  verbs::domain_registrar regions;
  verbs::registration_cache cache;
  verbs::endpoint endpoint;
  const unsigned ranks_of_node;
  verbs::handshake_port& port;                          // of the first rail,
  const std::vector<verbs::handshake_port*> all_ports;  // and of each
  verbs::addresses& addresses;
  verbs::connections connections;
  verbs::sender sender;
  verbs::window_keeper window_keeper;
  verbs::pair_maker pair_maker;
  verbs::link_returns link_returns;
  verbs::payloads payloads;
  verbs::retired_pairs retired_pairs;
  verbs::connector connector;
  verbs::reconnector reconnector;
  verbs::notices failure_notices;
  verbs::notices address_notices;
  verbs::datagrams datagrams;
  verbs::promoter promoter;
  verbs::device_events device_events;
  verbs::sleeper sleeper;
  std::vector<verbs::handshake_port::receiver> packets;  // that came over each rail
  std::vector<bool> dead;                                // peer_failed was called
  std::vector<bool> unreachable;  // there is no connection, and no use in trying
  std::vector<peer_id> lost;
  /// Some part besides `sender` may have something to do at the next poll. All parts are looked at
  /// now and then in any case.
  bool parts_wait = true;
  bool leaving = false;
  std::map<peer_id, int> searches;  // for the way to a peer, in vain
  std::chrono::steady_clock::time_point probe_at, events_at;
};

}  // namespace peal
