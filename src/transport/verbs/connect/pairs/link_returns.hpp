// transport/verbs/connect/pairs/link_returns.hpp
// Links that were left out (bulk/further_rails.hpp) come back: a cable is plugged in again, a
// switch has started again, and a job goes on for weeks. After some time both ranks make the queue
// pairs of such a link anew, as many as the other links have, beside what moves over those.
//
//   the lower rank  makes queue pairs (INIT), and tells their numbers (link_asked).
//   the other one   makes as many, takes them to RTR and RTS, and tells their numbers (link_given).
//                   It tells none where it has no such link that is left out, or no queue pairs.
//   the lower one   takes them to RTR and RTS, and reads nothing (0 bytes) through each. When all
//                   of that is answered the link is used again, and the other one is told
//                   (link_ready) and uses it too. If not, nothing was lost but the try.
//
// Tries follow each other after 4 s, then after twice as much each time, up to 17 minutes. Not the
// first link, whose queue pairs share their completions with messages; and not where payloads are
// written, since what an old WRITE might still do is known by its link.
//
// Layer    transport/verbs. Control path only.
// Threads  one at a time.
// Errors   what fits no try is left alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "transport/verbs/addresses.hpp"
#include "transport/verbs/bulk/interface.hpp"
#include "transport/verbs/connect/pairs/pair_maker.hpp"
#include "transport/verbs/endpoint/interface.hpp"

namespace peal::verbs {

class connections;

class link_returns {
 public:
  using clock = std::chrono::steady_clock;
  link_returns(endpoint& endpoint, connections& connections, pair_maker& pairs,
               const addresses& who)
      : endpoint_{endpoint}, connections_{connections}, pair_maker_{pairs}, addresses_{who} {}

  /// This link is used no more on the way to that peer.
  void left_out(const connection&, std::uint32_t link) noexcept;
  [[nodiscard]] bool any() const noexcept { return !all_.empty(); }
  /// When `step` has something to do.
  [[nodiscard]] clock::time_point due() const noexcept;
  /// Begins the tries that are due.
  void step(clock::time_point now) noexcept;
  /// A packet about a link, which was parsed without a problem.
  [[nodiscard]] outcome arrived(connection& from, const payload_view&) noexcept;
  /// Whether a READ with this detail in its work_id is of a try, and not of a link.
  static bool is_of_try(std::uint32_t detail) noexcept { return detail >> place_bits != 0; }
  /// Such a READ is over. True when it was expected.
  bool completed(connection&, std::uint32_t detail, bool good) noexcept;
  /// No link is tried any more.
  void leave() noexcept {
    leaving_ = true;
    std::erase_if(all_, [](const attempt& each) { return each.at == stage::waits; });
  }
  /// The connection broke, or is being taken away: its tries end.
  void forget(connection&) noexcept;

 private:
  static constexpr unsigned place_bits = 8;
  static_assert(most_bulk * most_rails <= 1u << place_bits);
  enum class stage : std::uint8_t { waits, asks, reads, gives };
  struct attempt {
    peer_id peer;
    std::uint8_t link;
    stage at;
    clock::time_point due;
    clock::duration pause;
    std::uint32_t number = 0;  // of the try; what is left of an older one does not count
    std::uint32_t first_psn = 0;
    std::uint32_t read_limit = 1;
    std::uint32_t unread = 0;  // queue pairs of which no answer is here
    std::uint8_t rail = 0;
    std::vector<queue_pair> made{};
  };
  using attempts = std::vector<attempt>;
  [[nodiscard]] attempts::iterator find(peer_id, std::uint32_t link) noexcept;
  /// Whether such a link ever comes back.
  [[nodiscard]] bool may_return(const connection&, std::uint32_t link) const noexcept;
  [[nodiscard]] bool make(attempt&, const connection&) noexcept;
  [[nodiscard]] bool connect(attempt&, const connection&, const pair_numbers& theirs) noexcept;
  [[nodiscard]] bool read(attempt&, const connection&) noexcept;
  void ask(attempt&, connection&) noexcept;
  void drop(attempt&) noexcept;
  void retreat(attempt&, connection&) noexcept;
  void settle(attempt&, connection&) noexcept;
  void say(connection&, payload_kind, std::uint32_t link, const attempt*) noexcept;
  void asked(connection& from, std::uint32_t link, const pair_numbers&) noexcept;
  void given(attempt&, connection& from, const pair_numbers&) noexcept;

  endpoint& endpoint_;
  connections& connections_;
  pair_maker& pair_maker_;
  const addresses& addresses_;
  attempts all_;
  std::uint32_t last_number_ = 0;
  bool leaving_ = false;
};

}  // namespace peal::verbs
