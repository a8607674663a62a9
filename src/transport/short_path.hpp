// transport/short_path.hpp
// Short messages to one peer, written without a call: where a transport has memory that the peer
// reads, it hands this out.
//
// A message is one cache line, written with plain stores and published by the release store of its
// stamp. The ends share no index: the receiver tells by the stamp's lap that a cell is new; the
// sender knows how far it may write.
//
// Layer    transport: may include transport/contract.hpp, base/.
// Units    bytes.
// Threads  one at a time on this side; the peer reads meanwhile.
// Errors   none.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "base/copy.hpp"
#include "transport/contract.hpp"
#include "transport/receiver.hpp"

namespace peal {

/// How far ahead lines are fetched, so that they change cores while others are worked on. Without
/// it stores that wait for their lines fill the store buffer, and then fewer lines are on their way
/// at a time. A window of 64 messages of 8 B took, in turn on an EPYC of family 26, without and
/// with it at 8, 16 and 32 lines, 4.1 and 2.0, 1.6 and 1.6 µs where the cores are slow to each
/// other, 0.69 and 0.60 to 0.61 µs where they are quick. That was an ordinary fetch. Between two
/// cores of a Xeon, 146 ns a line from each other, peal_mbw_mr moves 13 to 15 million messages a
/// second with that, and 42 to 54 with a fetch to write; 8 and 32 lines ahead are no different.
inline constexpr std::uint32_t lines_ahead_to_write = 16;
/// The same for the receiver. What it fetches before it is written, the sender has to take back.
/// Between two cores of a Xeon (family 6, model 167), 147 ns a line from each other, peal_mbw_mr
/// moves 45 million messages a second without it, 51 with 3, 53 with 4, 50, 47, 39 and 24 with 5 to
/// 8 lines; on an EPYC 7003 whose cores are slow to each other, a window of 64 takes 3.4, 3.1, 3.3
/// and 5.0 µs with 4, 8, 12 and 16, and 2.0 with the first three of them where they are quick.
inline constexpr std::uint32_t lines_ahead_to_read = 4;

class short_path {
 public:
  static constexpr std::uint32_t cells = 256;
  static constexpr std::size_t longest = 40;

  /// One message, envelope and payload. `stamp` says by the lap whether the cell is written, so
  /// that sender and receiver share nothing else per message: lap << 2 in the lower half, and what
  /// else the transport writes there (0: nothing). A lap begins with 1.
  struct alignas(cache_line) cell {
    std::uint64_t match;
    std::uint64_t rest;
    std::byte payload[longest];
    std::atomic<std::uint64_t> stamp;
  };
  static_assert(sizeof(cell) == cache_line);
  static constexpr std::uint32_t lap_of(std::uint32_t position) noexcept {
    return (position / cells + 1) << 2;
  }

  /// Where the cell of a position lies. Cells that follow each other lie in different pages, by
  /// steps of which no more than two in a row are equal. Where they lay side by side, the
  /// receiver's core fetched the next ones by itself, as cores do when memory is read in a regular
  /// way, and took lines that the sender had fetched to write them. On an EPYC 7003 whose cores are
  /// slow to each other an `isend` of 8 B took 37 ns then, in a window of 64, and 20 now; 35 and 36
  /// by steps of 65 and 75, three or four of which are equal in a row; 14 where they are quick.
  static constexpr std::uint32_t place_of(std::uint32_t position) noexcept {
    return position * next_cell % cells;
  }
  /// Where the cell lies that comes so many positions behind that one.
  static constexpr std::uint32_t place_behind(std::uint32_t place,
                                              std::uint32_t positions = 1) noexcept {
    return (place + positions * next_cell) % cells;
  }

  /// Whether a message of that length is one for `write_short`, that is, whether it fits into a
  /// cell and nothing is unusual: there is room, as far as is known, and the receiver wants payload
  /// unasked.
  [[nodiscard, gnu::always_inline]] bool takes(std::size_t bytes) const noexcept {
    return cell_ != cell_limit_ && bytes <= longest &&
           // As transport::wants_eager.
           to_.says->refuses_eager.load(std::memory_order_relaxed) == 0;
  }
  /// A message in a few stores and without a call. Requires: takes(bytes), `bytes` are the
  /// envelope's, and the receiver needs no fences. A line that has to be taken from the other core
  /// holds up every store behind it, so each store spared, of saved registers too, lets the next
  /// line come earlier.
  [[gnu::always_inline]] void write_short(envelope e, const void* payload,
                                          std::size_t bytes) noexcept {
    const std::uint32_t at = cell_;
    const std::uint32_t where = place_of(at);
    cell& place = cells_[where];
    fetch_to_write(&cells_[place_behind(where, lines_ahead_to_write)]);
    place.match = e.match;
    place.rest = e.rest;
    copy_short(place.payload, payload, bytes);
    // Pairs with the acquire of the peer's look.
    place.stamp.store(lap_of(at), std::memory_order_release);
    cell_ = at + 1;
    to_.wake_unfenced();
  }

 private:
  // From one cell to the next.
  static constexpr std::uint32_t next_cell = 101;
  // Odd, so that each has a place of its own.
  static_assert(next_cell % 2 == 1 && std::has_single_bit(cells));

 protected:
  short_path() = default;
  short_path(cell* where, const receiver& to) noexcept : to_{to}, cells_{where} {}

  receiver to_;  // the first: where it lies need not be worked out before it is known to sleep
  cell* cells_ = nullptr;
  std::uint32_t cell_ = 0;        // next to write; free-running
  std::uint32_t cell_limit_ = 0;  // first that may still be unread; as `cell_`: none can be written
};

/// Cells of one lap that follow each other, which their receiver reads next.
struct short_run {
  const short_path::cell* cells;  // all of the ring
  std::uint32_t place;            // of the first
  std::uint32_t most;             // cells, one at least
  /// Of a cell that has been written: its message is short, and nothing is unusual.
  std::uint64_t stamp;
};

}  // namespace peal
