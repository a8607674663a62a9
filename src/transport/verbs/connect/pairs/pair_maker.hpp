// transport/verbs/connect/pairs/pair_maker.hpp
// Queue pairs for large payloads. A connection has none at first; the first large payload brings
// one (and one for WRITEs where those are used), and more come when the adapter gains from more
// (endpoint/pair_choice.hpp). Their numbers travel in packets over the connection itself, which are
// neither lost nor doubled, and come in order.
//
//   who asks   makes queue pairs (INIT), and tells their numbers.
//   who gives  makes as many, takes them to RTR and RTS, and tells their numbers. It makes fewer,
//   or
//              none, where its device gives no more.
//   who asked  takes as many to RTR and RTS, uses them, and says that they are ready; who gave uses
//              them from then on.
//
// When both ask at once, the lower rank's question is answered and the other one ignored: its queue
// pairs are those that the answer names. Where there can be none at all, payloads go through slots
// (bulk/staged.hpp), and after some time one asks again.
//
// A link besides that of the messages that gives no queue pair at its beginning is left out
// (bulk/further_rails.hpp). A queue pair more that cannot be had is done without.
//
// A connection that breaks loses them, and all that was agreed upon; when it goes on all begins
// anew. Packets of before mean nothing then (payloads::interrupt).
//
// Layer    transport/verbs. Control path only.
// Threads  one at a time.
// Errors   what does not fit what was agreed is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "transport/verbs/addresses.hpp"
#include "transport/verbs/bulk/interface.hpp"
#include "transport/verbs/connect/pairs/pairing.hpp"
#include "transport/verbs/eager/interface.hpp"
#include "transport/verbs/endpoint/interface.hpp"
#include "transport/verbs/peer_events.hpp"

namespace peal::verbs {

class connections;

class pair_maker {
 public:
  pair_maker(endpoint& endpoint, connections& connections, sender& out, const addresses& who,
             peer_events& told)
      : endpoint_{endpoint},
        connections_{connections},
        sender_{out},
        addresses_{who},
        events_{told} {}

  /// Asks for what is missing. `needed`: what has begun cannot go on without. Requires: open.
  pair_progress want(connection&, bool needed) noexcept;
  /// A packet about queue pairs, which was parsed without a problem.
  [[nodiscard]] outcome arrived(connection& from, const payload_view&) noexcept;
  /// A packet about a link that returns goes with the next poll.
  void say(const connection& to, payload_kind, std::uint32_t link, const pair_numbers&) noexcept;
  /// How this queue pair reaches the peer's.
  [[nodiscard]] remote_queue remote_of(const connection&, const bulk_queue&) const noexcept;
  /// Packets that found no room, or wait.
  [[nodiscard]] bool busy() const noexcept { return !notes_.empty(); }
  bool poll() noexcept { return busy() && tell(); }
  /// The connection broke, and is made again. Requires: its queue pairs for large payloads are
  /// destroyed, and nothing stands there as under way.
  void interrupt(connection&) noexcept;
  /// The connection is being taken away.
  void forget(const connection&) noexcept;

 private:
  struct note {
    peer_id to;
    std::uint8_t generation;  // of the connection
    payload_header what;
    pair_numbers numbers;
  };
  using missing = pairing::range;
  void lay(connection&) noexcept;
  [[nodiscard]] std::uint8_t make(connection&, const missing&, bool& writes) noexcept;
  [[nodiscard]] bool make_at(connection&, std::size_t place) noexcept;
  void connect(connection&, missing&, const pair_numbers& theirs) noexcept;
  [[nodiscard]] bool connect_at(connection&, std::size_t place, const pair_numbers&) noexcept;
  void drop(connection&, const missing&, const missing& kept) noexcept;
  void leave_out(connection&, std::size_t place, const char* cause) noexcept;
  [[nodiscard]] bool asked(connection&, const pair_numbers&) noexcept;
  [[nodiscard]] bool given(connection&, const pair_numbers&) noexcept;
  [[nodiscard]] bool ready(connection&, const pair_numbers&) noexcept;
  void settle(connection&, const missing& agreed) noexcept;
  void say(connection&, payload_kind, const missing&) noexcept;
  bool tell() noexcept;

  endpoint& endpoint_;
  connections& connections_;
  sender& sender_;
  const addresses& addresses_;
  peer_events& events_;
  std::deque<note> notes_;
};

}  // namespace peal::verbs
