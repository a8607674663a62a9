// transport/verbs/bulk/fetch_pacing.hpp
// How much is read at a time when several peers have large messages for this process, and whose
// turn it is.
//
// Everything that is read comes through one port. What is asked for beyond what fills it waits in
// switches, where it delays everybody else's packets, or makes a lossless network stop them. So
// only a few times what is on the way in a round trip is under way, and peers take turns, a part
// each. A single peer may have as much under way as its queue pairs take: then its own port sets
// the pace.
//
// Layer    transport/verbs. Data path.
// Units    bytes.
// Threads  one at a time.
// Errors   none.
// Source   B. Montazeri, Y. Li, M. Alizadeh, J. Ousterhout, Homa, SIGCOMM 2018 (the receiver grants
//          about a round trip's bytes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace peal::verbs {

class connection;

class fetch_pacing {
 public:
  /// A port of 400 Gbit/s brings 250 KB in a round trip of 5 us, and slower networks have longer
  /// ones: four times as much fills either, while several parts overlap.
  static constexpr std::uint64_t most = 1 << 20;

  /// A peer's first fetch begins, its last one is over.
  void began() noexcept { ++peers_; }
  void ended() noexcept { --peers_; }

  /// Whether a part may be posted for a peer, behind so many others at the same time; `turn`: it
  /// is the one whose turn it was.
  [[nodiscard]] bool admits(bool turn, std::size_t posted) const noexcept {
    return peers_ <= 1 || (under_way_ < most && (waiting_.empty() || (turn && posted == 0)));
  }
  void posted(std::uint64_t bytes) noexcept { under_way_ += bytes; }
  /// They have come, or will not come.
  void over(std::uint64_t bytes) noexcept { under_way_ -= bytes; }

  /// This peer has parts to be posted, and may not. Requires: it does not wait already.
  void wait(connection& which) { waiting_.push_back(&which); }
  void forget(const connection& gone) noexcept { std::erase(waiting_, &gone); }
  /// Whose turn it is; null: nobody's.
  [[nodiscard]] connection* next() noexcept {
    if (waiting_.empty() || (peers_ > 1 && under_way_ >= most)) return nullptr;
    connection* const first = waiting_.front();
    waiting_.pop_front();
    return first;
  }

  [[nodiscard]] std::uint64_t under_way() const noexcept { return under_way_; }

 private:
  std::uint32_t peers_ = 0;  // that anything is fetched from
  std::uint64_t under_way_ = 0;
  std::deque<connection*> waiting_;
};

}  // namespace peal::verbs
