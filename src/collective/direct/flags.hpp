// collective/direct/flags.hpp
// One rank's end of a block: it writes its own slot, and looks at the slots of the others.
//
// Every rank takes part in every operation of the block with one stamp, whether it has a payload or
// not. It writes the stamp of an operation when it has finished the operation before. So a rank
// that has stamped operation k has read everything of operation k - 1. Nothing else says when a
// line or an area may be written over: nothing is acknowledged, and no operation needs a barrier at
// its end.
//
// Layer    collective/direct: may include base/.
// Units    bytes.
// Threads  one; the other ranks at the same time, each with an object of its own.
// Errors   none.
#pragma once

#include <sched.h>

#include <array>
#include <cstring>

#include "base/copy.hpp"
#include "collective/direct/slot.hpp"

namespace peal::direct {

class flags {
 public:
  flags() = default;
  /// Requires: all stamps of the block were 0 before any rank began. `area`: bytes of one.
  flags(block& shared, int rank, int size, std::size_t area = area_bytes) noexcept
      : slots_{reinterpret_cast<std::byte*>(&slot_of(shared, 0, area))},
        stride_{slot_bytes(area)},
        own_{slots_ + static_cast<std::size_t>(rank) * stride_},
        area_bytes_{area},
        rank_{rank},
        size_{size} {}

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  /// The next operation begins. Requires: the last one has been stamped, and everything that this
  /// rank wanted of it is read.
  void next() noexcept { now_ += one_operation; }

  /// What all must have stamped before `now` may be, with a payload in an area that was last
  /// written for operation `written`.
  static constexpr std::uint64_t needs(std::uint64_t now, std::uint64_t written) noexcept {
    const std::uint64_t read = written + one_operation,
                        line_read = now - (depth - 1) * one_operation;
    // As distances, since numbers wrap while an area is not used.
    return now - read < now - line_read ? read : line_read;
  }
  /// Whether this rank may stamp the operation with a payload of so many bytes, since all ranks
  /// have read what would be written over.
  [[nodiscard]] bool has_room(std::size_t bytes) noexcept {
    const std::uint64_t needed =
        bytes > line_payload ? needs(now_, written_[area_]) : now_ - (depth - 1) * one_operation;
    return !later(needed, oldest_) || everybody_at(needed);
  }

  /// The first rank that keeps this one from having room for a payload in an area, or -1.
  [[nodiscard]] int behind() const noexcept {
    const std::uint64_t line_read = now_ - (depth - 1) * one_operation,
                        area_read = needs(now_, written_[area_]);
    for (int each = 0; each != size_; ++each)
      if (each != rank_ && (stamped_less(each, line_read) || stamped_less(each, area_read)))
        return each;
    return -1;
  }

  /// From this operation on, or not any more, only one rank reads what this one gives, and it is
  /// always the same.
  void to_one() noexcept {
    if (!to_one_) since_ = now_;
    to_one_ = true;
  }
  void to_all() noexcept { to_one_ = false; }
  /// As has_room, for a payload in an area that only `reader` reads: it need not wait for all once
  /// they have read what was for all.
  [[nodiscard]] bool has_room_for_one(int reader) noexcept {
    return has_read(now_ - depth * one_operation, reader) &&
           has_read(needs(now_, written_[area_]) - one_operation, reader);
  }
  /// Requires: has_room(bytes), and they fit into an area.
  [[gnu::always_inline]] void stamp(std::uint32_t kind, const void* payload,
                                    std::size_t bytes) noexcept {
    line& mine = own_line();
    std::uint64_t place = nowhere;
    if (bytes > line_payload) {
      std::memcpy(next_area(), payload, bytes);
      place = take_area();
    } else if (bytes > short_copy) {
      place = in_line;
      std::memcpy(mine.payload, payload, bytes);
    } else if (bytes != 0) {
      place = in_line;
      copy_short(mine.payload, payload, bytes);
    }
    mark(kind, place, bytes);
  }

  /// The area that the next payload will lie in. Requires: has_room for it; or all others have
  /// stamped this operation and this rank too, so that what comes next can be put there already.
  [[nodiscard]] std::byte* next_area() const noexcept { return area(rank_, area_); }
  /// Stamps, where the payload, if there is one, has been put into next_area. `says` goes along,
  /// instead of the payload's length; `is_spoilt`: it is not what it should be. Requires: has_room,
  /// for a payload of an area's length if there is one.
  void stamp_area(std::uint32_t kind, std::uint64_t says, bool has_payload,
                  bool is_spoilt) noexcept {
    const std::uint64_t place = has_payload ? take_area() : std::uint64_t{nowhere};
    mark(kind, place | (is_spoilt ? std::uint64_t{spoilt} : 0), says & bytes_mask);
  }

  /// The lines of the operation, a rank each.
  struct lines {
    std::byte* first;
    std::size_t stride;
    [[nodiscard]] line& of(int rank) const noexcept {
      return *reinterpret_cast<line*>(first + static_cast<std::size_t>(rank) * stride);
    }
  };
  [[nodiscard]] lines lines_now() const noexcept { return {slots_ + offset_of(now_), stride_}; }
  /// What a rank stamps as this operation that gives so many bytes in such a collective, less the
  /// place of its payload.
  [[nodiscard]] std::uint64_t stamp_without_place(std::uint32_t kind,
                                                  std::size_t bytes) const noexcept {
    return now_ | std::uint64_t{kind} << kind_shift | bytes;
  }
  static constexpr std::uint64_t without_place(std::uint64_t stamp) noexcept {
    return stamp & ~(std::uint64_t{spoilt - 1} << place_shift);
  }
  /// Whether what is stamped is an operation before that of `other`, which is a stamp too.
  static bool is_before(std::uint64_t stamp, std::uint64_t other) noexcept {
    return later(other & ~(one_operation - 1), stamp);
  }
  /// Where ranks share cores: tells the others where this rank runs. 0: the system does not say.
  std::uint32_t note_core() noexcept {
    const auto core = static_cast<std::uint32_t>(sched_getcpu() + 1);
    std::atomic<std::uint32_t>& known = slot_at(rank_).ran_on;
    // relaxed, here and below: a guess, which may be out of date
    if (known.load(std::memory_order_relaxed) != core) known.store(core, std::memory_order_relaxed);
    return core;
  }
  /// Whether a rank that has not come runs on that core, where it has no turn before this one gives
  /// the core away; or it may.
  [[nodiscard]] bool misses_some_on(std::uint32_t core) const noexcept {
    for (int each = 0; each != size_; ++each) {
      if (each == rank_ || has_come(each)) continue;
      const std::uint32_t theirs = slot_at(each).ran_on.load(std::memory_order_relaxed);
      if (theirs == core || theirs == 0) return true;
    }
    return false;
  }
  /// All have stamped the operation, as the caller has seen.
  void all_came() noexcept { oldest_ = now_; }

  /// Whether that rank has stamped the operation, so that its payload can be read.
  [[nodiscard]] bool has_come(int rank) const noexcept {
    return !later(now_, line_of(rank, now_).stamp.load(std::memory_order_acquire));
  }
  /// Whether all others from `next` on have; moves `next` to the first that has not.
  [[nodiscard]] bool all_have_come(int& next) noexcept {
    for (; next != size_; ++next)
      if (next != rank_ && !has_come(next)) return false;
    oldest_ = now_;
    return true;
  }

  /// What the rank has stamped. Requires, here and below: has_come(rank), or it is this one and has
  /// stamped.
  [[nodiscard]] std::uint64_t stamp_of(int rank) const noexcept {
    return line_of(rank, now_).stamp.load(std::memory_order_relaxed);
  }
  static constexpr std::size_t bytes_in(std::uint64_t stamp) noexcept { return stamp & bytes_mask; }
  static constexpr std::uint32_t kind_in(std::uint64_t stamp) noexcept {
    return static_cast<std::uint32_t>(stamp >> kind_shift & 0xf);
  }
  /// Stays until this rank stamps its next operation. Requires: there is one.
  [[nodiscard]] const std::byte* payload_of(int rank) const noexcept {
    const auto place = static_cast<std::uint32_t>(stamp_of(rank) >> place_shift & (spoilt - 1));
    return place < in_area ? line_of(rank, now_).payload : area(rank, place - in_area);
  }
  /// Gives two places of the shared memory instead of a payload. The caller sees to it that they
  /// stay as they are until all have read them.
  void stamp_places(std::uint32_t kind, std::uint64_t says, const void* first, const void* second,
                    bool is_spoilt) noexcept {
    const std::array<std::ptrdiff_t, 2> offsets{static_cast<const std::byte*>(first) - slots_,
                                                static_cast<const std::byte*>(second) - slots_};
    std::memcpy(own_line().payload, offsets.data(), sizeof offsets);
    mark(kind, std::uint64_t{elsewhere} | (is_spoilt ? std::uint64_t{spoilt} : 0),
         says & bytes_mask);
  }
  [[nodiscard]] bool gave_places(int rank) const noexcept {
    return (stamp_of(rank) >> place_shift & (spoilt - 1)) == elsewhere;
  }
  /// The first or the second one. Requires: gave_places(rank).
  [[nodiscard]] std::byte* place_of(int rank, std::size_t which) const noexcept {
    std::array<std::ptrdiff_t, 2> offsets;
    std::memcpy(offsets.data(), line_of(rank, now_).payload, sizeof offsets);
    return slots_ + offsets[which];
  }

  static constexpr bool spoilt_in(std::uint64_t stamp) noexcept {
    return (stamp >> place_shift & spoilt) != 0;
  }

 private:
  /// Whether a's operation comes behind b's; the numbers may wrap. The lower bits of `a` are 0.
  static bool later(std::uint64_t a, std::uint64_t b) noexcept {
    return static_cast<std::int64_t>(b - a) < 0;
  }
  /// Of an operation's line in a slot.
  static constexpr std::size_t offset_of(std::uint64_t operation) noexcept {
    return operation / one_operation % depth * sizeof(line);
  }
  [[nodiscard]] line& line_of(int rank, std::uint64_t operation) const noexcept {
    return *reinterpret_cast<line*>(slots_ + static_cast<std::size_t>(rank) * stride_ +
                                    offset_of(operation));
  }
  [[nodiscard]] line& own_line() const noexcept {
    return *reinterpret_cast<line*>(own_ + offset_of(now_));
  }
  [[nodiscard]] slot& slot_at(int rank) const noexcept {
    return *reinterpret_cast<slot*>(slots_ + static_cast<std::size_t>(rank) * stride_);
  }
  [[nodiscard]] std::byte* area(int rank, std::uint32_t which) const noexcept {
    return reinterpret_cast<std::byte*>(&slot_at(rank)) + sizeof(slot) + which * area_bytes_;
  }
  std::uint64_t take_area() noexcept {
    const std::uint64_t place = in_area + area_;
    written_[area_] = now_;
    area_ = (area_ + 1) % areas;
    return place;
  }
  void mark(std::uint32_t kind, std::uint64_t place, std::uint64_t says) noexcept {
    // release: pairs with the acquire in has_come, and in everybody_at for what this rank has read.
    own_line().stamp.store(now_ | std::uint64_t{kind} << kind_shift | place << place_shift | says,
                           std::memory_order_release);
  }
  /// A line holds the operation asked for, or one a whole round earlier or later.
  [[nodiscard]] bool everybody_stamped(std::uint64_t operation) const noexcept {
    for (int each = 0; each != size_; ++each)
      if (each != rank_ && stamped_less(each, operation)) return false;
    return true;
  }
  [[nodiscard]] bool stamped_less(int rank, std::uint64_t operation) const noexcept {
    return later(operation, line_of(rank, operation).stamp.load(std::memory_order_acquire));
  }
  /// Whether the rank that it was for has read what this rank gave as that operation.
  [[nodiscard]] bool has_read(std::uint64_t operation, int reader) noexcept {
    const std::uint64_t needed = operation + one_operation;
    if (!later(needed, oldest_)) return true;
    if (later(since_, operation)) return everybody_at(needed);
    return !later(needed, line_of(reader, needed).stamp.load(std::memory_order_acquire));
  }
  /// Also looks whether they are further than needed, so as not to ask at every operation.
  [[gnu::noinline]] bool everybody_at(std::uint64_t needed) noexcept {
    const std::uint64_t better = now_ - depth / 2 * one_operation;
    for (const std::uint64_t each : {later(better, needed) ? better : needed, needed}) {
      if (!everybody_stamped(each)) continue;
      oldest_ = each;
      return true;
    }
    return false;
  }

  std::byte* slots_ = nullptr;
  std::size_t stride_ = 0;  // from slot to slot
  std::byte* own_ = nullptr;
  std::size_t area_bytes_ = 0;
  int rank_ = 0;
  int size_ = 0;
  // Operations, as in a stamp.
  std::uint64_t now_ = 0;
  std::uint64_t oldest_ = 0;  // that the others have all stamped, as far as this rank has looked
  std::uint32_t area_ = 0;    // the next to be written
  bool to_one_ = false;
  std::uint64_t since_ = 0;  // to_one_: from which operation on
  std::array<std::uint64_t, areas> written_{0 - one_operation, 0 - one_operation};
};

}  // namespace peal::direct
