// comm/end/survivors.hpp
// What the ranks of a communicator that live do together after a failure: they agree
// (agreement_round.hpp), and give the communicator up.
//
// All of it are messages between ranks of the world on a context of the world's, of each lane. A
// rank answers them whatever it does, as long as it makes progress: a coordinator that takes over
// may ask for a result that others have had for long. Such a one may also be in the next agreement
// already, whose coordinator has not heard the result of the last one: that one is kept, too.
// Nobody is further ahead, since an agreement takes the word of all that live.
//
// A communicator that one rank gives up, all give up: each tells others of it, so that all hear of
// it although the first one dies meanwhile.
//
// Layer    comm.
// Threads  under the engine's lock.
// Errors   none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

#include "collective/collectives.hpp"
#include "comm/context_pool.hpp"
#include "comm/end/agreement_round.hpp"
#include "p2p/messaging.hpp"
#include "progress/engine.hpp"

namespace peal {

class survivors {
 public:
  /// All must outlive this.
  survivors(engine&, messaging&, collectives&, const team& world);
  survivors(const survivors&) = delete;
  survivors& operator=(const survivors&) = delete;

  /// The agreement of these members with that number, one after the other, with this rank's word;
  /// `gone` of it is filled in here. The operation ends when the result is known. One at a time for
  /// each communicator.
  operation& agree(const team& members, std::uint32_t number, verdict mine);
  /// Requires: the last agreement of that context has ended.
  [[nodiscard]] const verdict& result_of(std::uint32_t context) const;
  /// Everything of the communicator that is under way ends with errc::peer_failed, here and, as
  /// soon as they hear of it, on all other ranks, and so does what is started later.
  void revoke(const team&);
  /// A communicator has been made: another rank may have given it up already.
  void made(const team&);

  /// Ranks may have died or left.
  void look() {
    if (open_ != 0) [[unlikely]]
      look_at_ranks();
  }
  /// Appends the ranks that agreements wait for.
  void list_awaited(std::vector<awaited>&) const;
  [[nodiscard]] bool is_gone(peer_id peer) const noexcept {
    return messages_.has_failed(peer) || messages_.has_ended(peer);
  }

 private:
  /// The last agreement of a communicator, which may have gone since.
  struct agreement {
    team members;
    std::uint32_t number;
    agreement_round round;
    operation* ends;              // null: it has ended
    std::optional<verdict> last;  // the result of the agreement before, if there was one
  };
  // of the world's, whose first is 0
  static constexpr std::uint32_t own_context = contexts_of_one - 4;
  struct header {
    std::uint32_t what = 0;  // an agreement_round::kind, or `revoked`
    std::uint32_t context = 0;
    std::uint32_t number = 0;
    std::int32_t coordinator = 0;
    std::int32_t from = 0;  // a rank of the communicator
    std::uint32_t offered = 0;
    std::uint64_t flags = 0;
    std::uint32_t some_make = 0, all_make = 0;
  };
  static constexpr std::uint32_t revoked = 100;
  /// For an agreement that this rank has not come to, or a communicator that it has not made.
  struct early {
    header of;
    agreement_round::saying said;
  };
  /// A message that is under way.
  struct outgoing {
    std::vector<std::byte> text;
    std::list<outgoing>* among;
    std::list<outgoing>::iterator self{};
  };
  struct early_end {
    std::uint32_t context;
    peer_id from;
  };
  /// So many results are kept of communicators that may have gone.
  static constexpr std::size_t most_kept = 4096;

  void listen() noexcept;
  void take(operation&) noexcept;
  void take(peer_id from, const std::vector<std::byte>&);
  void take(const header&, const agreement_round::saying&);
  void tell_last(const agreement&, const header& asked, agreement_round::kind);
  void send(const team& members, std::uint32_t context, std::uint32_t number,
            const std::vector<agreement_round::letter>&);
  void send(peer_id to, std::vector<std::byte>) noexcept;
  void look_at_ranks();
  void end_if_decided(agreement&);
  void forget_oldest();

  engine& progress_;
  messaging& messages_;
  collectives& collectives_;
  const team& world_;
  std::map<std::uint32_t, agreement> last_;  // by context
  std::deque<std::uint32_t> order_;          // of the contexts there, the oldest first
  std::size_t open_ = 0;                     // agreements that this rank waits for
  std::list<outgoing> outgoing_;
  std::vector<early> early_;
  std::vector<early_end> early_ends_;
  std::unordered_set<std::uint32_t> revoked_;  // contexts; none of them is given again
  std::vector<std::byte> arriving_;
};

}  // namespace peal
