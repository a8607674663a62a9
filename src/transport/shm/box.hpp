// transport/shm/box.hpp
// The two ends of a box: the mailbox that one sender writes and one receiver reads.
//
// Short messages are written as short_path.hpp says; the payload of a longer one lies in the data
// ring. The sender knows how far it may write, and looks at `consumed` only when it has come so
// far.
//
// Layer    transport/shm.
// Threads  a writer and a reader of the same box may work at the same time, each from one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "base/cache_line.hpp"
#include "base/copy.hpp"
#include "peal/detail/core.hpp"
#include "transport/shm/bells.hpp"
#include "transport/shm/lap_choice.hpp"
#include "transport/shm/layout.hpp"
#include "transport/shm/write_choice.hpp"

namespace peal::shm {

/// From here on a payload is worth more than one memcpy. AMD EPYC 9004, virtual, one way, in ns,
/// when its caches are quick to each other (and when they are slow; other runs). memcpy against
/// past the caches, in turn: 1 KiB 227 : 437 (860 : 477), 2 KiB 274 : 558 (1110 : 590), 4 KiB 603 :
/// 655 (2500 : 900). In two parts, the first of which the receiver fetches meanwhile, against one
/// piece, peal_latency in turn: 2 KiB 327–376 : 296–352 by memcpy, 4 KiB 488–505 : 700–823 past the
/// caches. A stream of 8 to 64 KiB, peal_bw, AMD EPYC of family 26, quick: past the caches 20 to 25
/// GB/s, in parts 41 to 60; EPYC 9004, of 4 KiB: 2.5–3.2 M messages a second and 1.7–2.0 M.
inline constexpr std::size_t least_in_parts = 3072;

class box_writer final : public short_path {
 public:
  box_writer() = default;
  /// Goes on where the last use of the box ended. `units`: of the data ring, from its start, that
  /// have memory.
  box_writer(box& memory, const receiver& to, std::uint32_t units = units_per_box)
      : short_path{memory.cells, to}, rest_{std::make_unique<state>()} {
    const std::uint64_t all = memory.consumed.load(std::memory_order_acquire);
    cell_ = static_cast<std::uint32_t>(all);
    cell_limit_ = cell_ + cells_per_box;
    rest_->data = memory.data;
    rest_->consumed = &memory.consumed;
    rest_->unit = static_cast<std::uint32_t>(all >> 32);
    rest_->unit_limit = rest_->unit + units_per_box;
    rest_->units = units;
    rest_->seen.fill(cell_ - 1);  // not silent yet
    rest_->by_call = cell_;
  }

  [[nodiscard]] bool open() const noexcept { return cells_ != nullptr; }
  /// How many messages were written; wraps.
  [[nodiscard]] std::uint32_t position() const noexcept { return cell_; }
  [[nodiscard]] std::uint32_t unit_position() const noexcept { return rest_->unit; }

  /// Whether a message of that length does not go on where the last one ended, for want of memory
  /// there: more of it gives room, or longer laps.
  [[nodiscard]] bool wants_units(std::size_t bytes) const noexcept {
    return bytes > inline_payload && cell_ != cell_limit_ && rest_->units < units_per_box &&
           (lacks_units(bytes) || rest_->unit % units_per_box + units_of(bytes) > rest_->units);
  }
  /// Whether one may never go on, even where everything was read, for want of memory.
  [[nodiscard]] bool lacks_units(std::size_t bytes) const noexcept {
    return rest_->units < 2 * units_of(bytes);
  }
  /// The data ring has got memory for so many. The reader need not know.
  void set_units(std::uint32_t units) noexcept {
    rest_->units = units;
    rest_->laps = 0;
  }

  /// Whether the next message, of that length, had better be announced than written.
  [[nodiscard]] bool is_to_announce(std::size_t bytes) noexcept {
    return !lacks_units(bytes) && rest_->choice.is_to_announce(bytes, rest_->exposed);
  }
  /// Whether the last one like it was.
  [[nodiscard]] bool announces(std::size_t bytes) const noexcept {
    return rest_->choice.announces(bytes);
  }
  /// Payloads that are announced to the receiver, until it has them. `bytes`: of one that might
  /// have been written, else 0.
  void count_exposed(std::size_t bytes) noexcept {
    if (!open()) return;
    ++rest_->exposed;
    if (bytes <= longest_eager) rest_->choice.take_announced(bytes);
  }
  void count_withdrawn() noexcept {
    if (open() && rest_->exposed > 0) --rest_->exposed;  // 0: from before the box was opened
  }

  /// False: no room; or `wants_units`, and more memory would make it faster.
  [[nodiscard, gnu::always_inline]] bool write(envelope e, const void* payload) noexcept {
    if (cell_ == cell_limit_) [[unlikely]]
      if (!look()) return false;
    const std::size_t bytes = e.bytes();
    if (bytes > inline_payload) return write_long(e, payload);
    write_short(e, payload, bytes);
    ++rest_->by_call;
    if (to_.fences) [[unlikely]]
      to_.wake_for_message();
    return true;
  }

  /// As write, of a payload longer than `inline_payload` that is packed into the ring.
  [[nodiscard]] bool write_packed(envelope e, const detail::packer& from) noexcept {
    if (cell_ == cell_limit_ && !look()) return false;
    return write_into_ring(e, [&](cell& place, std::uint32_t start, std::byte* target) {
      fill_in_parts(place, e, start, target, [&](std::byte* to, std::size_t at, std::size_t bytes) {
        from.pack(from, at, to, bytes);
      });
    });
  }

  /// Tells the receiver to read no further. Requires: `drained`.
  void close() noexcept {
    cells_[place_of(cell_)].stamp.store(lap_of(cell_) | closing, std::memory_order_release);
    to_.wake_for_message();  // the receiver gives the box back, for others to use
    *this = {};
  }

  /// The receiver is dead: what it has not read is dropped.
  void abandon(box& memory) noexcept {
    memory.consumed.store(std::uint64_t{rest_->unit} << 32 | cell_, std::memory_order_relaxed);
    *this = {};
  }

  /// How many messages went out since the last call by `write_short`, which does not count them,
  /// and not by `write`.
  [[nodiscard]] std::uint32_t take_uncounted() noexcept {
    return cell_ - std::exchange(rest_->by_call, cell_);
  }

  /// Whether nothing was written since the same question was asked last, and all of it was read.
  enum question : std::uint32_t { for_others, for_silence };
  [[nodiscard]] bool is_idle(question which) noexcept {
    return std::exchange(rest_->seen[which], cell_) == cell_ && drained();
  }

  /// Whether the receiver has read everything, as far as it has said so.
  [[nodiscard]] bool drained() const noexcept {
    return static_cast<std::uint32_t>(rest_->consumed->load(std::memory_order_acquire)) == cell_;
  }

 private:
  static constexpr std::uint32_t laps_before_growth = 4;
  /// Units of the data ring that are enough where each message is answered: their lines stay in the
  /// first caches of both cores. A bare loop that goes to and fro between two cores of an EPYC 9004
  /// takes 178 and 231 ns one way for 1 KiB in rings of 8 KiB and of 256 KiB, for 2 KiB 248 and
  /// 368, for 4 KiB 438 and 639; in rings of 16 KiB 239, 359 and 536.
  static constexpr std::uint32_t shortest_lap = 128;
  static_assert(lap_choice::period_units == units_per_box);
  /// Where few lines are slower the next look is so much later.
  static constexpr std::uint32_t until_next_look = 2048;
  /// Up to here few lines are faster, or as fast, on each processor that was measured.
  static constexpr std::size_t most_by_few_lines = 1024;
  /// The lines of a payload up to that length are fetched before it is written, all at once: stores
  /// wait for theirs one after the other. Two cores of an Intel Xeon (family 6, model 167,
  /// virtual), of the time before: one way of 512 B to 4 KiB 0.89 to 0.92, streams of 2 and 4 KiB
  /// 0.79; 8 KiB gain nothing.
  static constexpr std::size_t most_fetched = 4096;

  static constexpr std::uint32_t units_of(std::size_t bytes) noexcept {
    return static_cast<std::uint32_t>((bytes + unit - 1) / unit);
  }

  bool look() noexcept {
    // Pairs with the release in box_reader::publish: what was read may be written over.
    const std::uint64_t all = rest_->consumed->load(std::memory_order_acquire);
    cell_limit_ = static_cast<std::uint32_t>(all) + cells_per_box;
    const std::uint32_t limit = static_cast<std::uint32_t>(all >> 32) + units_per_box;
    // It is further already where a lap ended early, and nothing of the next one was read yet.
    if (static_cast<std::int32_t>(limit - rest_->unit_limit) > 0) rest_->unit_limit = limit;
    return cell_ != cell_limit_;
  }

  [[gnu::noinline]] bool write_long(envelope e, const void* payload) noexcept {
    return write_into_ring(e, [&](cell& place, std::uint32_t start, std::byte* target) {
      if (e.bytes() >= least_in_parts) return fill(place, e, start, target, payload);
      fetch_lines(target, e.bytes());
      std::memcpy(target, payload, e.bytes());
      place.match = e.match;
      place.rest = e.rest;
    });
  }

  /// `fill` writes all but the last stamp. Requires: there is a cell.
  template <class Fill>
  [[gnu::always_inline]] bool write_into_ring(envelope e, Fill fill) noexcept {
    const std::size_t bytes = e.bytes();
    if (lacks_units(bytes)) [[unlikely]]
      return false;
    const std::uint32_t units = units_of(bytes);
    const std::uint32_t at = rest_->unit % units_per_box;
    // A payload lies in one piece, where there is memory. Positions are those of a whole ring: one
    // with less memory leaves the rest of each lap out.
    const bool fits = at + units <= rest_->units;
    const bool anew =
        at != 0 && at + units > rest_->lap && gains_by_short_laps(bytes) && may_begin_anew(bytes);
    const std::uint32_t start = fits && !anew ? rest_->unit : rest_->unit + units_per_box - at;
    if (anew) rest_->unit_limit = start + units_per_box;
    const std::uint32_t needed = start - rest_->unit + units;
    // Each lap ends with a look at what the receiver has read, a line that comes from its core:
    // with little memory that is every second message.
    if (!fits && !anew && rest_->units < units_per_box && ++rest_->laps > laps_before_growth) {
      rest_->laps = 0;
      return false;
    }
    if (rest_->unit_limit - rest_->unit < needed) {
      look();
      if (rest_->unit_limit - rest_->unit < needed) return false;
    }
    std::byte* const target = rest_->data + std::size_t{start % units_per_box} * unit;
    cell& place = cells_[place_of(cell_)];
    fill(place, start, target);
    // Pairs with box_reader::peek.
    place.stamp.store(std::uint64_t{start} << 32 | lap_of(cell_) | in_ring,
                      std::memory_order_release);
    ++cell_;
    ++rest_->by_call;
    if (target == rest_->data) rest_->lap = shortest_lap;
    rest_->asked += start - rest_->unit;  // left out
    rest_->unit = start + units;
    to_.wake_for_message();
    return true;
  }

  /// Whether the lap ends here, before a message of that length: the receiver has read everything,
  /// and few lines are faster. Asked where a lap gets longer than the shortest one; as long as not
  /// all was read, it is asked again at twice the length.
  [[gnu::noinline]] bool may_begin_anew(std::size_t bytes) noexcept {
    look();
    const std::uint32_t since = rest_->unit - std::exchange(rest_->asked, rest_->unit);
    if (cell_limit_ != cell_ + cells_per_box) {
      rest_->lap_choice.disturb();
      rest_->lap = std::min(2 * rest_->lap, units_per_box);
      return false;
    }
    if (bytes <= most_by_few_lines) {
      rest_->lap_choice.disturb();
      return true;
    }
    if (rest_->lap_choice.ends_early(since)) return true;
    rest_->lap = std::min(rest_->lap + until_next_look, units_per_box);
    return false;
  }

  /// No cache has the lines of what goes past the caches, and the first ones hold no two payloads
  /// that are longer.
  [[nodiscard]] bool gains_by_short_laps(std::size_t bytes) const noexcept {
    return bytes <= shortest_lap * unit &&
           (bytes < least_in_parts || !rest_->choice.goes_past_caches(bytes));
  }

  // Writes all of a long message but the last stamp.
  void fill(cell& place, envelope e, std::uint32_t start, std::byte* target,
            const void* payload) noexcept {
    if (rest_->choice.take(e.bytes()) == write_choice::way::past_caches)
      fill_past_caches(place, e, target, payload);
    else
      fill_in_parts(place, e, start, target, [&](std::byte* to, std::size_t at, std::size_t bytes) {
        std::memcpy(to, static_cast<const std::byte*>(payload) + at, bytes);
      });
  }

  static void fill_past_caches(cell& place, envelope e, std::byte* target,
                               const void* payload) noexcept {
    copy_past_caches(target, payload, e.bytes());
    // Only now: the receiver looks at this line all the time, and each look takes it away from
    // here.
    place.match = e.match;
    place.rest = e.rest;
  }

  static void fetch_lines(const std::byte* target, std::size_t bytes) noexcept {
    for (std::size_t at = 0; at < bytes; at += cache_line) fetch_to_write(target + at);
  }

  /// `copy` copies what lies at a place of the payload.
  template <class Copy>
  void fill_in_parts(cell& place, envelope e, std::uint32_t start, std::byte* target,
                     Copy copy) const noexcept {
    const std::size_t first = first_part(e.bytes());
    if (e.bytes() <= most_fetched) fetch_lines(target, e.bytes());
    copy(target, std::size_t{0}, first);
    place.match = e.match;
    place.rest = e.rest;
    // Pairs with box_reader::warm_up.
    place.stamp.store(std::uint64_t{start} << 32 | lap_of(cell_) | begun,
                      std::memory_order_release);
    copy(target + first, first, e.bytes() - first);
  }

  /// What an open box has besides: a peer without one costs nothing of it.
  struct state {
    std::byte* data = nullptr;
    const std::atomic<std::uint64_t>* consumed = nullptr;
    std::uint32_t by_call = 0;  // as cell_, less what take_uncounted has to tell
    write_choice choice;
    shm::lap_choice lap_choice;
    std::uint32_t unit = 0;  // as cell_, in the data ring
    std::uint32_t unit_limit = 0;
    std::uint32_t units = 0;           // as `set_units` says
    std::uint32_t laps = 0;            // since then, where that is less than the ring has
    std::uint32_t lap = shortest_lap;  // so long at least: may_begin_anew
    std::uint32_t asked = 0;           // where it was called last, or the lap began behind it
    std::uint32_t exposed = 0;
    std::array<std::uint32_t, 2> seen = {};  // positions when it was asked, by a question
  };
  std::unique_ptr<state> rest_;  // null: not open
};

class box_reader {
 public:
  explicit box_reader(box& memory) noexcept
      : cells_{memory.cells},
        data_{memory.data},
        box_{&memory},
        cell_{memory.first_cell},
        published_{memory.first_cell},
        unit_{memory.first_unit} {}

  struct message {
    envelope head;
    const std::byte* payload;
  };
  enum class state { empty, message, closed };

  /// A cell_kind when the next cell is new, else more: one load, for polls that mostly find
  /// nothing.
  [[nodiscard]] std::uint32_t next_kind() const noexcept {
    // relaxed: peek looks again.
    const std::uint64_t stamp =
        cells_[short_path::place_of(cell_)].stamp.load(std::memory_order_relaxed);
    return static_cast<std::uint32_t>(stamp) ^ lap_of(cell_);
  }
  /// Requires: next_kind() was `begun`. Fetches what is there of the message.
  void warm_up() noexcept {
    if (warm_ == cell_) return;
    const cell& place = cells_[short_path::place_of(cell_)];
    // Pairs with the release in box_writer::fill_in_parts.
    const std::uint64_t stamp = place.stamp.load(std::memory_order_acquire);
    const std::byte* const from =
        data_ + std::size_t{static_cast<std::uint32_t>(stamp >> 32) % units_per_box} * unit;
    const std::size_t ready = first_part(envelope{place.match, place.rest}.bytes());
    for (std::size_t at = 0; at < ready; at += cache_line) __builtin_prefetch(from + at);
    warm_ = cell_;
  }
  /// The next message; it stays until `pop`. After `closed` the box is the sender's again, once
  /// told so.
  [[nodiscard, gnu::always_inline]] state peek(message& out) noexcept {
    const cell& place = cells_[short_path::place_of(cell_)];
    // Pairs with the release in box_writer.
    const std::uint64_t stamp = place.stamp.load(std::memory_order_acquire);
    const std::uint32_t kind = static_cast<std::uint32_t>(stamp) ^ lap_of(cell_);
    if (kind > closing) return state::empty;
    out.head = {place.match, place.rest};
    __builtin_prefetch(&cells_[short_path::place_of(cell_ + lines_ahead_to_read)]);
    out.payload = place.payload;
    if (kind != in_cell) [[unlikely]] {
      if (kind == closing) {
        ++cell_;  // the next use of the box must not meet this cell again
        publish();
        return state::closed;
      }
      const auto start = static_cast<std::uint32_t>(stamp >> 32);
      out.payload = data_ + std::size_t{start % units_per_box} * unit;
      unit_ = start + static_cast<std::uint32_t>((out.head.bytes() + unit - 1) / unit);
    }
    return state::message;
  }
  /// How many messages were read; wraps.
  [[nodiscard]] std::uint32_t position() const noexcept { return cell_; }
  void pop(std::uint32_t messages = 1) noexcept { cell_ += messages; }
  /// The next cells, so many at most, up to the end of the lap.
  [[nodiscard]] short_run next_run(std::uint32_t most) const noexcept {
    return {cells_, short_path::place_of(cell_),
            std::min(most, cells_per_box - cell_ % cells_per_box), lap_of(cell_) | in_cell};
  }

  /// Tells the sender how much room there is, when that is worth a line that passes between the
  /// cores. True: it did.
  bool publish_some() noexcept {
    const bool worth =
        cell_ - published_ >= cells_per_box / 4 || unit_ - published_unit_ >= units_per_box / 4;
    if (worth) publish();
    return worth;
  }
  bool publish_all() noexcept {
    if (cell_ == published_) return false;
    publish();
    return true;
  }

  [[nodiscard]] box& memory() const noexcept { return *box_; }

 private:
  void publish() noexcept {
    // Pairs with box_writer::look.
    box_->consumed.store(std::uint64_t{unit_} << 32 | cell_, std::memory_order_release);
    published_ = cell_;
    published_unit_ = unit_;
  }

  const cell* cells_;
  const std::byte* data_;
  box* box_;
  std::uint32_t cell_;
  std::uint32_t published_;
  std::uint32_t unit_;
  std::uint32_t published_unit_ = unit_;
  std::uint32_t warm_ = cell_ - 1;  // the cell that was warmed up last
};

}  // namespace peal::shm
