// transport/verbs/datagram/datagrams.hpp
// Messages to peers without a connection: one channel for each peer to which, or from which, a
// message has gone, over the handshake's queue pair.
//
// With several rails a peer has as many ways that lead to it. Packets go over the one by which news
// of the peer came last, at first that of the first rails, and over another one where the own port
// is down or broken for good. What is repeated after silence goes over all of them, since the
// peer's port may have gone.
//
// poll reads what has come, and at its end acknowledges everything whose acknowledgement has not
// gone out with a message. The first message to a peer in a turn leaves at once; the ones behind it
// leave with the next poll or flush, and share packets. What leaves at the same time, to whichever
// peers, shares a doorbell. No peer is given up for lack of an acknowledgement, since it may
// compute; after 20 s a warning says so. node_watch.hpp finds peers whose node or process is no
// more.
//
// Layer    transport/verbs.
// Threads  one at a time.
// Errors   a peer to which no packet can be sent is told to peer_events::unsendable. What is not of
//          this job, or makes no sense, is dropped and counted.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "transport/verbs/addresses.hpp"
#include "transport/verbs/datagram/datagram_channel.hpp"
#include "transport/verbs/datagram/handshake_port.hpp"
#include "transport/verbs/datagram/node_watch.hpp"
#include "transport/verbs/endpoint/interface.hpp"
#include "transport/verbs/peer_events.hpp"

namespace peal::verbs {

class datagrams final : private datagram_output {
 public:
  using clock = datagram_channel::clock;
  /// `endpoint` counts what is refused. `ports`, and who asks kernels over their networks: of each
  /// rail.
  datagrams(endpoint&, std::vector<handshake_port*> ports, const addresses&,
            std::vector<prober*> askers, sink&, std::uint32_t peers, peer_events&);

  /// The addresses of all processes are known. Before the first message.
  void meet();
  /// Packets that each process may send to this one before it has heard of it, so that all together
  /// find receives.
  [[nodiscard]] std::uint32_t first_window() const noexcept {
    return static_cast<std::uint32_t>(ports_.front()->receives() /
                                      std::max<std::size_t>(channels_.size(), 2));
  }

  /// False: no room at the moment.
  [[nodiscard]] bool send(peer_id to, envelope e, const void* payload) noexcept;
  /// Sends what waits to leave with other messages.
  void flush() noexcept {
    if (!listed_.empty()) transmit_listed();
  }
  /// From now on the first message to a peer waits, too.
  void hold_together(bool wanted) noexcept { together_ = wanted; }
  [[nodiscard]] bool holds() const noexcept { return !listed_.empty(); }

  /// A packet that begins with datagram_header::mark, which came over this rail.
  void got(const std::byte* packet, std::size_t bytes, std::uint8_t rail) noexcept;
  /// After the port was polled: acknowledgements, and packets to be repeated. True when something
  /// was to be done.
  bool poll() noexcept;
  /// When `poll` may have something to repeat.
  [[nodiscard]] std::chrono::steady_clock::time_point due() const noexcept {
    return std::min(timed_.empty() ? datagram_channel::never : next_look_, watch_.due());
  }

  /// Everything sent to the peer, or to all peers that live, has been taken.
  [[nodiscard]] bool drained(peer_id to) const noexcept {
    return !channels_[to] || channels_[to]->drained();
  }
  [[nodiscard]] bool settled() const noexcept;
  [[nodiscard]] bool refuses_eager(peer_id of) const noexcept {
    return channels_[of] && channels_[of]->refuses_eager();
  }
  [[nodiscard]] bool left(peer_id which) const noexcept {
    return channels_[which] && channels_[which]->left();
  }
  /// Whether a message has ever gone, or come, this way.
  [[nodiscard]] bool used() const noexcept { return used_; }
  [[nodiscard]] bool knows(peer_id which) const noexcept { return channels_[which] != nullptr; }
  void set_refuses_eager(bool) noexcept;
  void send_last(peer_id to) noexcept;
  /// The peer has failed.
  void abandon(peer_id) noexcept;
  /// A connection tells from now on whether the peer is there; and does so no more.
  void connected(peer_id which) noexcept { watch_.end(which); }
  void disconnected(peer_id which) noexcept {
    if (channels_[which]) watch(which);
  }
  /// It is to be looked for at its new address.
  void reached_elsewhere(peer_id) noexcept;
  /// Its connection broke: its node is asked until there is one again.
  void interrupted(peer_id which) noexcept { watch(which); }
  [[nodiscard]] bool is_there(peer_id which, clock::time_point now) const noexcept {
    return watch_.is_there(which, now);
  }
  /// Now and then: looks for peers that are no more.
  void look_for_lost(clock::time_point now) noexcept { watch_.look(now); }
  /// Its node is asked now. False: there is nobody to ask.
  [[nodiscard]] bool look_at(peer_id which) noexcept { return watch_.doubt(which); }
  /// From now on what comes is acknowledged, but not delivered.
  void deliver_no_more() noexcept;

  [[nodiscard]] const datagram_counters& counted() const noexcept { return counters_; }

 private:
  [[nodiscard]] bool put(peer_id to, const datagram&) noexcept override;
  datagram_channel& channel(peer_id);
  void transmit(datagram_channel&) noexcept;
  void transmit_listed() noexcept;
  [[nodiscard]] bool is_usable(const rail_pair&) const noexcept;
  [[nodiscard]] std::uint8_t way_of(const datagram_channel&) const noexcept;
  void add(datagram_channel&, const rail_pair& way, const datagram&) noexcept;
  void refused(peer_id to, std::uint8_t rail, int why) noexcept;
  void came_over(datagram_channel&, std::uint8_t rail) noexcept;
  void post() noexcept;
  bool look_at_the_clock() noexcept;
  void note(datagram_channel&) noexcept;
  void time(datagram_channel&) noexcept;
  [[nodiscard]] bool trusts(const datagram_header&) const noexcept;
  void complain(datagram_channel&, clock::time_point now) noexcept;
  void watch(peer_id) noexcept;
  void count_sender(datagram_channel&) noexcept;
  [[nodiscard]] std::uint16_t room_for_each(const handshake_port&) const noexcept;

  endpoint& endpoint_;
  const std::vector<handshake_port*> ports_;  // by rail
  const addresses& addresses_;
  sink& sink_;
  peer_events& events_;
  node_watch watch_;
  std::optional<packet_store> store_;
  datagram_counters counters_;
  std::vector<std::unique_ptr<datagram_channel>> channels_;  // by peer; null: never talked to
  std::vector<datagram_channel*> listed_;                    // want to transmit
  std::vector<datagram_channel*> timed_;  // have something that may have to be repeated
  // Have had no room to say whether this process wants eager messages.
  std::vector<datagram_channel*> untold_;
  clock::time_point next_look_ = datagram_channel::never;
  // An era is over when as many packets have come as there are receives: so long those that sent
  // are counted.
  std::uint32_t era_ = 1, packets_of_era_ = 0;
  std::uint32_t senders_ = 0, senders_before_ = 0;
  bool together_ = false;
  bool refuses_ = false;
  bool delivers_ = true;
  bool used_ = false;
};

}  // namespace peal::verbs
