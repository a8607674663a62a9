// collective/schedule.hpp
// A collective as data: what one rank sends, receives, copies and reduces, round by round.
//
// An algorithm is a pure function that fills a schedule for (rank, size, root, sizes). One executor
// runs schedules over p2p; tests run them on symbols instead, for every size and root, without
// starting a process.
//
// Within a round first all sends and receives are posted; when they have finished, its copies and
// reductions run in order; then the next round of the same stream begins. Streams run beside each
// other and share no bytes that one of them writes. Rules that the tests check:
//   - what a round receives overlaps nothing else that it sends or receives;
//   - the two ends of a message are in the same stream, and in the same order among the messages of
//     that pair and stream;
//   - every schedule ends when no send finishes before its receive is posted.
//
// Layer    collective: may include p2p/, base/.
// Units    bytes; offsets count from the start of the buffer named.
// Threads  none of its own; immutable once built.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace peal {

enum class place : std::uint8_t { send, receive, scratch };

/// A range of one of the three buffers of a call.
struct slice {
  place buffer = place::receive;
  std::size_t offset = 0;
  std::size_t bytes = 0;

  friend constexpr bool operator==(const slice&, const slice&) = default;
};

struct step {
  enum class action : std::uint8_t {
    send,     // `from` to `peer`
    receive,  // from `peer` into `into`
    copy,     // `from` → `into`, same length
    reduce    // into = from ∘ other, `from` being of the lower ranks
  };
  action what = action::copy;
  /// A receive and a reduction that may be made one: what arrives is joined at once and never
  /// stored. Then, of the receive, `from` is the other operand and `other` the result.
  bool fused = false;
  bool from_is_lower = false;  // of a fused receive
  // Of a reduction, and of a receive that is fused with it: no step reads the result again.
  bool final = false;
  int peer = -1;  // rank of the team
  slice from = {};
  slice other = {};
  slice into = {};
};

/// Steps [first, first + sends + receives + locals) of the schedule, in this order of kinds.
struct round {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t first = 0;
  std::uint32_t sends = 0;
  std::uint32_t receives = 0;
  std::uint32_t locals = 0;
  std::uint32_t stream = 0;
  std::uint32_t next = none;  // the next round of this stream
  bool repeats = false;       // two sends, one behind the other, go to one peer
};

class schedule {
 public:
  /// Streams are part of a message's tag, hence the limit.
  static constexpr std::uint32_t max_streams = 8;

  // ---- building. Steps of one round may come in any order. Empty slices are dropped, for both
  // sides of a message know its size.
  void send(int peer, slice from);
  void receive(int peer, slice into);
  /// A message without bytes: says only that this rank has come so far.
  void signal(int peer);
  void await(int peer);
  void copy(slice from, slice into);
  /// into = lower ∘ higher. `into` is `lower`, or `higher`, or overlaps neither. When it is
  /// `lower`, `higher` lies in scratch and may be overwritten: a user's function works in place on
  /// the higher operand.
  /// What the same round receives into scratch is undefined afterwards. `final`: this rank's
  /// schedule does not read the result.
  void reduce(slice lower, slice higher, slice into, bool final = false);
  /// Rounds without steps vanish.
  void end_round(std::uint32_t stream = 0);
  void need_scratch(std::size_t bytes) {
    if (bytes > scratch_bytes_) scratch_bytes_ = bytes;
  }
  void clear() noexcept;

  /// Adds the rounds of `part` in `stream`, its send and receive offsets moved by `offset`, its
  /// scratch offsets by `scratch_offset`.
  void append(const schedule& part, std::uint32_t stream, std::size_t offset,
              std::size_t scratch_offset);

  /// By place: where a buffer of a part begins in the whole.
  using places = std::array<slice, 3>;
  /// Makes the schedule of some of the ranks a part of that of all: `rank_of` turns numbers of the
  /// part into ranks.
  template <class RankOf>
  void become_part(RankOf rank_of, const places& where) {
    for (step& s : steps_) {
      if (s.peer >= 0) s.peer = rank_of(s.peer);
      for (slice* each : {&s.from, &s.other, &s.into}) {
        const slice& whole = where[static_cast<std::size_t>(each->buffer)];
        each->buffer = whole.buffer;
        each->offset += whole.offset;
      }
    }
    scratch_bytes_ += where[static_cast<std::size_t>(place::scratch)].offset;
  }

  // ---- reading
  [[nodiscard]] const std::vector<round>& rounds() const noexcept { return rounds_; }
  [[nodiscard]] std::span<const step> sends(const round& r) const noexcept {
    return {steps_.data() + r.first, r.sends};
  }
  [[nodiscard]] std::span<const step> receives(const round& r) const noexcept {
    return {steps_.data() + r.first + r.sends, r.receives};
  }
  [[nodiscard]] std::span<const step> locals(const round& r) const noexcept {
    return {steps_.data() + r.first + r.sends + r.receives, r.locals};
  }
  [[nodiscard]] std::size_t scratch_bytes() const noexcept { return scratch_bytes_; }
  /// Of the round that sends and receives most.
  [[nodiscard]] std::size_t most_messages() const noexcept { return most_messages_; }
  [[nodiscard]] std::uint32_t streams() const noexcept {
    return static_cast<std::uint32_t>(first_.size());
  }
  /// The first round of a stream; round::none where it has no round.
  [[nodiscard]] std::uint32_t first_round(std::uint32_t stream) const noexcept {
    return first_[stream];
  }

 private:
  void fuse(const round&) noexcept;

  std::vector<step> steps_;  // sorted up to open_
  std::size_t open_ = 0;     // first step of the round being built
  std::vector<round> rounds_;
  std::vector<std::uint32_t> first_;  // a stream: its first and its last round
  std::vector<std::uint32_t> last_;
  std::size_t scratch_bytes_ = 0;
  std::size_t most_messages_ = 0;
};

}  // namespace peal
