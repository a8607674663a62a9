// transport/verbs/peer_events.hpp
// What the rooms of this transport tell about peers and connections, and what they ask of each
// other. A room does not know the other rooms that it needs for an answer: verbs_state.hpp has all
// of them, and answers.
//
// Layer    transport/verbs. Control path, but for the questions about packets.
// Threads  one at a time.
// Errors   none.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>

#include "transport/contract.hpp"

namespace peal::verbs {

class connection;
struct outcome;
struct payload_view;

/// Whether a connection has queue pairs for large payloads.
enum class pair_progress : std::uint8_t {
  ready,
  coming,  // peer_events::pairs_changed will tell
  refused  // there are none at the moment, of one side's device
};

/// How a peer without a connection was found to be gone.
enum class peer_loss : std::uint8_t { node_silent, process_gone };

class peer_events {
 public:
  // ---- of a connection
  /// Messages may be sent over it.
  virtual void opened(connection&) noexcept = 0;
  /// It goes on over other queue pairs.
  virtual void reopened(connection&) noexcept = 0;
  /// The peer's adapter has answered over one that was made again.
  virtual void mended(connection&) noexcept = 0;
  /// Its queue pairs are of no more use: it is made again, as long as its peer has time.
  virtual void broke(connection&, const char* cause) noexcept = 0;
  /// It cannot go on, and with it the peer has failed.
  virtual void failed(connection&, const char* cause) noexcept = 0;
  /// The peer sent what no process of this job that is in order sends: "it sent ...". There is no
  /// use in going on with it, over this connection or another.
  virtual void violated(connection&, const char* what) noexcept = 0;
  /// It never opened, or both sides have ended it. It is gone after the call.
  virtual void ended(connection&) noexcept = 0;

  /// What its queue pairs for large payloads are has changed, or will not change for a while.
  virtual void pairs_changed(connection&) noexcept = 0;
  /// Nothing moves over this link of it any more.
  virtual void left_out(connection&, std::uint32_t link) noexcept = 0;
  /// A READ over a queue pair that is in no link is over: its detail, and whether it was answered.
  /// False: it was of one that is gone.
  virtual bool tried(connection&, std::uint32_t detail, bool good) noexcept = 0;
  /// Of the queue pair for messages of a connection over another rail than the first.
  virtual void completed(const ibv_wc&, std::uint8_t rail) noexcept = 0;

  // ---- of a peer
  /// There will be no connection to it; the cause was logged.
  virtual void refused(peer_id) noexcept = 0;
  /// A packet to it did not leave: errno.
  virtual void unsendable(peer_id, int error) noexcept = 0;
  virtual void vanished(peer_id, peer_loss) noexcept = 0;
  /// The peer says that it has given this process up.
  virtual void gave_up(peer_id) noexcept = 0;
  /// The peer says that it has heard that this process has given it up.
  virtual void confirmed(peer_id) noexcept = 0;
  /// The peer's ports have other addresses now.
  virtual void reached_elsewhere(peer_id) noexcept = 0;
  /// The peer says that it has heard where this process's ports are.
  virtual void knows_address(peer_id) noexcept = 0;

  // ---- of this process
  /// A port of its own has another address now.
  virtual void moved() noexcept = 0;
  /// A datagram was not acknowledged in time: the own devices may know why.
  virtual void unanswered() noexcept = 0;

  // ---- questions
  /// Large payloads are to move over it, over as many queue pairs as `pair_choice` says. `needed`:
  /// what has begun cannot go on without.
  [[nodiscard]] virtual pair_progress pairs_wanted(connection&, bool needed) noexcept = 0;
  /// A packet about them has come.
  [[nodiscard]] virtual outcome pairs_told(connection&, const payload_view&) noexcept = 0;
  /// The peer asks for a connection; `needed`: something there waits that only a connection can
  /// carry. False: not now; it asks again.
  [[nodiscard]] virtual bool admits(peer_id, bool needed) noexcept = 0;
  /// Whether something here waits that only a connection to the peer can carry.
  [[nodiscard]] virtual bool needs(peer_id) noexcept = 0;
  /// The device gives no queue pair for a connection to it. False: then there will be none.
  [[nodiscard]] virtual bool waits_for_room(peer_id) noexcept = 0;
  /// The peer has no room for a connection at the moment. True: something waits that only a
  /// connection can carry.
  [[nodiscard]] virtual bool sent_away(peer_id) noexcept = 0;
  /// Whether datagrams of the peer may be delivered now.
  [[nodiscard]] virtual bool may_take(peer_id) noexcept = 0;
  /// Whether the kernel of its node says that the process is there.
  [[nodiscard]] virtual bool is_there(peer_id) noexcept = 0;
  /// A packet came. True: this process has given the peer up, and tells it so.
  [[nodiscard]] virtual bool is_given_up(peer_id) noexcept = 0;

 protected:
  ~peer_events() = default;
};

}  // namespace peal::verbs
