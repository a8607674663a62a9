// comm/end/absences.hpp
// Ranks that take no part in a collective. A rank that is refused its arguments cannot give what
// the others wait for, and may not even know how much that is. It says so to all members instead,
// which leave it out of that collective: what depends on it ends with an error, no rank waits for
// it, and the next collective meets as it should.
//
// A collective by messages is named by its context and number. Each member answers when it sends
// nothing more to the rank that takes no part, which then throws away what has come. A blocking
// collective may go past messages; whether it does depends on lengths that the rank may not know.
// So the rank asks the members which way theirs went, and goes that way too, giving nothing
// (direct/channel.hpp). They answer when they have made the call.
//
// All these are messages between ranks of the world, on a context of the world's; answers to
// questions are on one of the communicator's contexts, of each lane. While all arguments are right
// there are none. A member may have let its communicator go before it is asked.
//
// Layer    comm.
// Threads  under the engine's lock, but for stay_out_of_blocking.
// Errors   none.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "collective/collectives.hpp"
#include "collective/direct/call_log.hpp"
#include "comm/communicator_state.hpp"
#include "comm/context_pool.hpp"
#include "comm/end/notes.hpp"
#include "p2p/messaging.hpp"

namespace peal {

class absences {
 public:
  /// All must outlive this.
  absences(messaging&, collectives&, const team& world);
  absences(const absences&) = delete;
  absences& operator=(const absences&) = delete;

  /// This rank takes no part in the next collective of these.
  void stay_out(collective_state&) noexcept;
  /// Nor in that one of these members.
  void tell(const team& members, const collective_name&) noexcept;
  /// Nor in the communicator's next blocking one, whichever way that goes. Waits until all other
  /// ranks have made it, or are refused it too; where such calls are messages always only if they
  /// tell each other then what calls took. Without the engine's lock held.
  void stay_out_of_blocking(detail::communicator_state&);

  /// Answers questions that can be answered now.
  void look() noexcept {
    if (!questions_.empty()) [[unlikely]]
      look_at_questions();
  }
  /// The communicator is about to go. What other ranks may still ask of it is remembered for the
  /// last communicators.
  void forget(detail::communicator_state&) noexcept;

 private:
  enum class kind : std::uint32_t {
    absent,  // I take no part in this collective
    noted,   // I send you nothing more in it
    // Which way did the call with this number in your log go? The context is the communicator's.
    asks
  };
  struct note {
    kind what = kind::absent;
    collective_name about;
  };
  struct reply {
    bool known = false;
    direct::way way = direct::way::refused;
    detail::collective kind = detail::collective::barrier;  // these of a long call past messages
    std::int32_t root = 0;
    std::uint64_t bytes = 0;
    std::uint64_t element_size = 1;
    bool shares = false;
  };
  struct question {
    peer_id from;
    std::uint32_t context;
    std::uint32_t number;
  };

  /// What is remembered of a communicator that has gone.
  struct past {
    std::uint32_t context;
    std::uint32_t calls;                                   // how many it had
    std::array<reply, direct::call_log::depth> last = {};  // of the last ones, by number
  };
  static constexpr std::size_t most_past = 64;

  void take(peer_id from, const note&) noexcept;
  void say(peer_id to, const note&) noexcept;
  void look_at_questions() noexcept;
  [[nodiscard]] bool try_answer(const question&) noexcept;
  [[nodiscard]] static reply reply_of(detail::communicator_state&, std::uint32_t number) noexcept;
  [[nodiscard]] const past* past_of(std::uint32_t context) const noexcept;
  [[nodiscard]] std::vector<reply> ask_all(detail::communicator_state&);
  void stay_out_of_messages(detail::communicator_state&);

  messaging& messages_;
  collectives& collectives_;
  const team& world_;
  std::vector<question> questions_;
  std::deque<past> past_;
  note_listener<note> notes_;  // last: there may be one at once
};

}  // namespace peal
