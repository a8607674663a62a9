// simulator/shape.hpp
// What a schedule costs, without what it says: peers, sizes and rounds. Peers are told by their
// relation to the rank, so that ranks which do the same at another place have one shape, and a
// million ranks need the memory of a few.
//
// Layer    simulator: may include collective/, base/.
// Units    bytes.
// Threads  immutable once made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collective/schedule.hpp"

namespace peal::simulator {

/// How a peer is told from a rank: by the distance upward, in (-size/2, size/2], or by the bits in
/// which the numbers differ.
enum class relation : std::uint8_t { distance, bits };

int relate(relation, int rank, int peer, int size) noexcept;
/// What the peer calls the rank that calls it `other`.
int mirrored(relation, int other, int size) noexcept;

class shape {
 public:
  struct sent {
    std::size_t bytes = 0;
    std::int32_t peer = 0;         // related
    std::uint32_t connection = 0;  // the same number for the same peer
    std::uint32_t ordinal = 0;     // among the messages to this peer in this stream
    bool first = false;            // to this peer in its round

    friend bool operator==(const sent&, const sent&) = default;
  };
  struct stage {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::size_t copied = 0;
    std::size_t reduced = 0;
    std::uint32_t locals = 0;
    std::uint32_t first_send = 0;
    std::uint32_t sends = 0;
    std::uint32_t first_receive = 0;  // receives are counted through, in the order of the rounds
    std::uint32_t receives = 0;
    std::uint32_t stream = 0;
    std::uint32_t next = none;

    friend bool operator==(const stage&, const stage&) = default;
  };

  shape(const schedule&, int rank, int size, relation);

  [[nodiscard]] relation by() const noexcept { return by_; }
  [[nodiscard]] const std::vector<stage>& stages() const noexcept { return stages_; }
  [[nodiscard]] const std::vector<sent>& sends() const noexcept { return sends_; }
  [[nodiscard]] std::uint32_t streams() const noexcept {
    return static_cast<std::uint32_t>(first_.size());
  }
  [[nodiscard]] std::uint32_t first_stage(std::uint32_t stream) const noexcept {
    return first_[stream];
  }
  /// The receive that takes the message of that ordinal from this peer; stage::none when there is
  /// none.
  [[nodiscard]] std::uint32_t receive_of(std::int32_t peer, std::uint32_t stream,
                                         std::uint32_t ordinal) const noexcept;
  /// Related numbers of all ranks that it sends to or receives from, each once.
  [[nodiscard]] const std::vector<std::int32_t>& peers() const noexcept { return peers_; }
  [[nodiscard]] std::size_t hash() const noexcept;

  /// Stretches of rounds that are all alike (a ring) are cut to `most` rounds each.
  struct shortened;
  [[nodiscard]] shortened cut(std::uint32_t most) const;

  friend bool operator==(const shape&, const shape&) = default;

 private:
  struct received {
    std::int32_t peer = 0;
    std::uint32_t stream = 0;

    friend auto operator<=>(const received&, const received&) = default;
  };
  struct group {
    received from;
    std::uint32_t first = 0;  // in order_
    std::uint32_t count = 0;

    friend bool operator==(const group&, const group&) = default;
  };

  explicit shape(relation by) : by_{by} {}
  void finish();

  relation by_;
  std::vector<stage> stages_;
  std::vector<sent> sends_;
  std::vector<received> receives_;
  std::vector<std::uint32_t> first_;
  std::vector<group> groups_;         // sorted
  std::vector<std::uint32_t> order_;  // receives, by group
  std::vector<std::int32_t> peers_;   // sorted
};

struct shape::shortened {
  shape what;
  std::uint32_t dropped = 0;  // rounds
};

}  // namespace peal::simulator
