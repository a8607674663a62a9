// comm/end/end_watch.hpp
// Whether the ranks come that this rank waits for. A rank that comes to its end without having
// taken its part in something would let other ranks wait for ever, and so would a rank that has
// given up a communicator's collectives.
//
// A rank that has waited for another one for some time, a second or two, asks it. The rank that is
// asked answers when it is at its end, where nothing of the user's can start anything any more, or
// when the collectives of that communicator fail on it; until then it keeps the question. So no
// rank is asked while things go well, no rank asks all others, and what a rank hears it passes on
// to the ranks that wait for it.
//
// Questions and answers are messages on a context of the world's, of each lane. An answer comes
// behind everything that the peer has sent.
//
// Layer    comm.
// Threads  under the engine's lock.
// Errors   none.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <vector>

#include "collective/collectives.hpp"
#include "collective/direct/direct_context.hpp"
#include "comm/context_pool.hpp"
#include "comm/end/notes.hpp"
#include "comm/end/survivors.hpp"
#include "p2p/messaging.hpp"

namespace peal {

class end_watch {
 public:
  using clock = std::chrono::steady_clock;

  /// `past_messages` may be null. `alone`: one thread at a time calls, so that no thread sends to
  /// this rank itself while it waits. All must outlive this.
  end_watch(messaging&, collectives&, const direct::direct_context* past_messages,
            const team& world, bool alone);
  end_watch(const end_watch&) = delete;
  end_watch& operator=(const end_watch&) = delete;

  /// Once in a while, which the backstop of sleeps is enough for: asks the peers that have been
  /// waited for since the last time, and does what answers said. True: something may have ended.
  bool look();
  /// Whether it is time, as it is when there has been an answer.
  [[nodiscard]] bool due() const noexcept;

  /// This process starts nothing more: every peer that has asked is told, and every one that asks
  /// from now on.
  void declare_end() noexcept;
  /// Ends the calls past messages that wait for a rank that is at its end, or has left. True: there
  /// were such.
  bool end_calls_past_messages();
  /// What agreements wait for is waited for, too. Must outlive this.
  void wait_with(const survivors& agreeing) noexcept { agreeing_ = &agreeing; }
  /// The communicator with these contexts is no more.
  void forget(std::uint32_t context) noexcept;

  // ---- what travels
  // of the world's, whose first is 0
  static constexpr std::uint32_t own_context = contexts_of_one - 1;
  enum class kind : std::uint32_t {
    asks,    // I wait for you, in a collective of this communicator or in a message
    ended,   // I am at my end
    gave_up  // the collectives of this communicator fail here
  };
  // Instead of a communicator's context.
  static constexpr std::uint32_t message = ~std::uint32_t{0};
  struct note {
    kind what = kind::asks;
    std::uint32_t context = message;
  };

 private:
  /// A communicator's collective, or messages, in which this rank waits for a peer, or a peer for
  /// this rank.
  struct wait {
    peer_id peer = 0;
    std::uint32_t context = message;
    friend auto operator<=>(const wait&, const wait&) = default;
  };
  struct watched {
    wait what;
    unsigned looks = 0;  // that have seen it in a row
  };

  void take(peer_id from, const note&) noexcept;
  void answer(peer_id asker, std::uint32_t context) noexcept;
  void say(peer_id to, kind, std::uint32_t context) noexcept;
  bool take_news();
  void list_waits();
  void ask();

  messaging& messages_;
  collectives& collectives_;
  const direct::direct_context* past_messages_;
  const survivors* agreeing_ = nullptr;
  const team& world_;
  const bool alone_;
  clock::time_point next_;
  bool declared_ = false;
  std::vector<peer_id> ended_;           // peers that have come to their end since the last look
  std::vector<std::uint32_t> given_up_;  // communicators whose collectives have begun to fail
  std::vector<wait> askers_;             // peers that wait for this rank
  std::vector<awaited> found_;           // scratch, of list_waits
  std::vector<wait> waits_;              // in order
  std::vector<watched> watched_;         // in order
  note_listener<note> notes_;            // last: there may be one at once
};

}  // namespace peal
