// transport/verbs/bulk/fetch_pacing.hpp
// How much is read at a time when several peers have large messages for this process, and whose
// turn it is.
//
// Everything that is read comes through one port. What is asked for beyond what fills it waits in
// switches, where it delays everybody else's packets, or makes a lossless network stop them. So
// only a few times what is on the way in a round trip is under way, in short parts, and peers take
// turns, a part each. Several peers have a part under way in any case, since what serves one of
// them may be slower than this process's port. A single peer may have as much under way as its
// queue pairs take: then its own port sets the pace.
//
// Layer    transport/verbs. Data path.
// Units    bytes.
// Threads  one at a time.
// Errors   none.
// Source   B. Montazeri, Y. Li, M. Alizadeh, J. Ousterhout, Homa, SIGCOMM 2018 (the receiver grants
//          about a round trip's bytes).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>

namespace peal::verbs {

class connection;

class fetch_pacing {
 public:
  /// A port of 400 Gbit/s brings 250 KB in a round trip of 5 us, and slower networks have longer
  /// ones: four times as much fills either, while several parts overlap.
  static constexpr std::uint64_t most = 1 << 20;
  /// Of one peer, when there are several: short, so that many of them overlap.
  static constexpr std::uint64_t longest_part = 128 << 10;
  /// Peers that have a part under way in any case: as many parts as make up `most`.
  static constexpr std::uint32_t at_once = most / longest_part;

  /// What is known of a peer.
  struct peer {
    std::uint64_t under_way = 0;
    bool waits = false;  // for its turn
  };

  /// A peer's first fetch begins, its last one is over.
  void began() noexcept { ++peers_; }
  void ended() noexcept { --peers_; }

  /// How long a part may be at the moment.
  [[nodiscard]] std::uint64_t longest() const noexcept {
    return peers_ <= 1 ? std::numeric_limits<std::uint64_t>::max() : longest_part;
  }
  /// Whether a part may be posted for a peer, behind so many others at the same time; `turn`: it
  /// is the one whose turn it was.
  [[nodiscard]] bool admits(const peer& of, bool turn, std::size_t posted) const noexcept {
    return peers_ <= 1 || (has_room(of) && (waiting_.empty() || (turn && posted == 0)));
  }
  void posted(peer& of, std::uint64_t bytes) noexcept {
    busy_ += of.under_way == 0;
    of.under_way += bytes;
    under_way_ += bytes;
  }
  /// They have come, or will not come.
  void over(peer& of, std::uint64_t bytes) noexcept {
    of.under_way -= bytes;
    under_way_ -= bytes;
    busy_ -= of.under_way == 0;
  }

  /// This peer has parts to be posted, and may not.
  void wait(connection& which, peer& of) {
    if (of.waits) return;
    of.waits = true;
    waiting_.push_back({&which, &of});
  }
  void forget(const connection& gone, peer& of) noexcept {
    of.waits = false;
    std::erase_if(waiting_, [&](const waiting& each) { return each.which == &gone; });
  }
  /// Whose turn it is, who does not wait any more; null: nobody's.
  [[nodiscard]] connection* next() noexcept {
    const auto first = std::ranges::find_if(
        waiting_, [this](const waiting& each) { return peers_ <= 1 || has_room(*each.of); });
    if (first == waiting_.end()) return nullptr;
    connection* const found = first->which;
    first->of->waits = false;
    waiting_.erase(first);
    return found;
  }

  [[nodiscard]] std::uint64_t under_way() const noexcept { return under_way_; }

 private:
  struct waiting {
    connection* which;
    peer* of;
  };
  [[nodiscard]] bool has_room(const peer& of) const noexcept {
    return under_way_ < most || (of.under_way == 0 && busy_ < at_once);
  }

  std::uint32_t peers_ = 0;  // that anything is fetched from,
  std::uint32_t busy_ = 0;   // and those of which anything is under way
  std::uint64_t under_way_ = 0;
  std::deque<waiting> waiting_;
};

}  // namespace peal::verbs
