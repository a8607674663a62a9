// transport/shm/layout.hpp
// What stands in the node's segment, as every process of the node must see it.
//
// A process has a front, ready from the start: its inbox, its flags, and just enough of everything
// else to go on when /dev/shm is full. Its transport part holds boxes, parcels and staging rings,
// reserved when first needed. A process writes structures of its own part as it likes; in a peer's
// part it writes only what is said below.
//
// Layer    transport/shm: may include transport/contract.hpp, memory/, progress/, topology/,
//          base/.
// Units    bytes; `offset` counts from the start of the segment, 0 is nowhere.
// Threads  shared between processes: everything that two of them touch at a time is atomic.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "memory/node_segment.hpp"
#include "progress/wakeup.hpp"
#include "topology/distances.hpp"
#include "transport/contract.hpp"
#include "transport/learnt_table.hpp"
#include "transport/short_path.hpp"

namespace peal::shm {

/// Two lines: some processors fetch lines in pairs.
inline constexpr std::size_t apart = 2 * cache_line;

// ---- inbox: a list onto which any process of the node pushes, and which its owner takes as a
// whole

enum class inbox_kind : std::uint32_t {
  parcel,       // a message
  parcel_back,  // the receiver has read it
  box_opened,   // further messages of the peer come in this box
  box_closed,   // the receiver reads this box no more
  box_news,     // there are messages in this box, which the receiver does not poll
  transfer,     // the peer fetches, and would like help
};

/// Head of everything that can lie in an inbox.
struct inbox_entry {
  std::uint64_t next;  // offset
  inbox_kind kind;
  std::uint32_t from;  // local index of the process that pushed
};
static_assert(sizeof(inbox_entry) == 16);

// ---- box: messages of one sender to one receiver

inline constexpr std::uint32_t cells_per_box = short_path::cells;
inline constexpr std::uint32_t units_per_box = 4096;
inline constexpr std::size_t unit = cache_line;  // data rings are handed out in units
inline constexpr std::size_t inline_payload = short_path::longest;
inline constexpr std::size_t eager_limit = 4096;
/// Where the data ring has, or gets, memory for two of them.
inline constexpr std::size_t longest_eager = 32 << 10;
static_assert(units_per_box * unit >= 2 * longest_eager);
/// So much of the data ring has memory from the start; a pair that streams gets more. With two of
/// the longest messages a ring of which everything was read has room for any (box_writer).
inline constexpr std::uint32_t first_units = 128;
static_assert(first_units * unit >= 2 * eager_limit);

/// One message, envelope and payload in a cache line; or the envelope of one whose payload lies in
/// the data ring. The stamp: start in the data ring (units) << 32 | lap << 2 | cell_kind.
using cell = short_path::cell;
static_assert(offsetof(cell, payload) == 16);

// begun: no message yet, but the first part of one (first_part) lies in the ring already.
enum cell_kind : std::uint32_t { in_cell = 0, in_ring = 1, closing = 2, begun = 3 };

/// How much of a long payload the receiver may fetch while the rest is written.
constexpr std::size_t first_part(std::size_t bytes) {
  return (bytes / 2 + cache_line - 1) / cache_line * cache_line;
}

constexpr std::uint32_t lap_of(std::uint32_t position) { return short_path::lap_of(position); }

/// Whether the receiver of a box polls it, or reads it only when the sender tells it to.
///
/// A receiver of many boxes polls a few. The sender of another one tells it of messages by a
/// notice, the news: it pushes the box onto the receiver's inbox. News stand for all messages until
/// they are taken. The rules by which no message is missed, and nothing is pushed twice:
///
/// - The sender stores its message, then looks whether the receiver asks for news (in
///   attention::asks, at which it looks after every message in any case), then at the watch. If
///   that says `by_news` it sets `under_way`, and pushes if that was not set before.
/// - A receiver that takes news clears `under_way`, and only then reads. A sender that found it set
///   did so before it was cleared, and the read-modify-writes of both make its message visible. So
///   a box that stays `by_news` needs no barrier.
/// - A receiver that stops to poll a box says `by_news`, makes all senders finish their stores
///   (bells::keep_apart), and then reads the box once more. A sender that did not find `by_news`
///   has stored its message before.
/// - The link of the box belongs to the sender from when it has set `under_way` until the news are
///   taken. A receiver gives a box back with that link, so it first says `polled`: if `under_way`
///   was set, news come, and the box is given back then.
/// - Where the receiver asks for news at the time a box is opened as `by_news`, with `under_way`
///   set: the notice that it is open counts as news.
class box_watch {
 public:
  enum state : std::uint32_t { polled = 0, by_news = 1, under_way = 2 };

  /// Of the sender, before it pushes the notice that the box is open.
  void open(bool told) noexcept {
    state_.store(told ? by_news | under_way : polled, std::memory_order_relaxed);
  }
  /// Of the receiver, when it takes that notice.
  [[nodiscard]] bool is_by_news() const noexcept {
    return (state_.load(std::memory_order_relaxed) & by_news) != 0;
  }
  /// Of the sender, after it has stored a message: whether it has to push news.
  [[nodiscard]] bool must_tell() noexcept {
    // relaxed: what this misses the receiver's barrier sees to. After an old `by_news` it sets
    // `under_way` in vain; beside `polled` that means nothing.
    if (!is_by_news()) return false;
    // Pairs with `set`: the message is seen by the receiver that clears this.
    return state_.fetch_or(under_way, std::memory_order_acq_rel) == by_news;
  }
  /// Of the receiver; where it has found news in its inbox, this takes them. True: news were under
  /// way.
  bool set(state to) noexcept {
    return state_.exchange(to, std::memory_order_acq_rel) == (by_news | under_way);
  }

 private:
  std::atomic<std::uint32_t> state_;
};

struct box {
  // Of the sender when it opens the box and when it tells of news, of the receiver when it gives
  // the box back.
  inbox_entry link;
  // Where this use of the box begins: free-running positions go on from the last use, so no stamp
  // is ever stale.
  std::uint32_t first_cell;
  std::uint32_t first_unit;
  // By the receiver: units << 32 | cells, both free-running.
  alignas(apart) std::atomic<std::uint64_t> consumed;
  // By the receiver, for itself: where among its boxes this one stands.
  std::uint32_t place;
  alignas(apart) box_watch watch;  // both
  alignas(4096) cell cells[cells_per_box];
  std::byte data[units_per_box * unit];
};
static_assert(sizeof(box) == 4096 + cells_per_box * cache_line + units_per_box * unit);

// ---- parcel: a message outside of boxes

struct parcel {
  inbox_entry link;
  envelope head;
  // The payload follows.
};
static_assert(sizeof(parcel) == 32);

inline constexpr std::size_t small_parcel = 128;
inline constexpr std::size_t large_parcel = 4096 + cache_line;
static_assert(large_parcel >= sizeof(parcel) + eager_limit);

// ---- transfer: two processes that copy one large payload

enum class transfer_mode : std::uint32_t {
  // Both copy straight from source to destination: receiver from the front, sender from the back.
  claims,
  // The sender copies pieces from the front into a ring, the receiver copies them out; or, from the
  // back, past the sender.
  staged,
};

inline constexpr std::uint32_t timed_pieces = 2;

enum class transfer_stage : std::uint32_t { waiting, filling, filled };

/// Stands in the front of the receiver, which alone reuses it: when the payload is there and the
/// sender has `left`.
struct alignas(4 * cache_line) transfer {
  // Written by the receiver before it pushes the record to the sender.
  inbox_entry link;
  std::uint64_t source;       // offset, or address at the sender
  std::uint64_t destination;  // offset, or address at the receiver; claims
  std::uint64_t bytes;
  transfer_mode mode;
  bool source_in_segment;
  bool source_packed;  // `source` is the address of a detail::packer at the sender
  bool destination_in_segment;
  bool in_large_pieces;  // staged
  // Both.
  alignas(cache_line) std::atomic<std::uint64_t> claimed;  // bulk/claim.hpp
  // Written by the sender.
  // pages that the sender has copied (claims), pieces it has filled (staged)
  alignas(cache_line) std::atomic<std::uint32_t> helped;
  std::atomic<std::uint32_t> left;  // 1: the sender looks at this record no more
  std::uint32_t returned_first;     // claims: pages that the sender could not copy; valid when left
  std::uint32_t returned_pages;
  // Staged; those that the receiver reads are valid when helped > 0. Piece k lies in the ring at
  // (first + k * piece_bytes) % ring_bytes.
  transfer_stage stage;
  // How the pieces are written, see pace.hpp; the sender's alone, as are the next two.
  bool past_caches;
  bool trial;  // the first piece the other way
  std::uint32_t write_time[timed_pieces];
  std::uint32_t piece_bytes;
  std::uint32_t ring_bytes;
  std::uint64_t ring;  // offset
  std::uint64_t first;
  // Written by the receiver.
  alignas(cache_line) std::atomic<std::uint32_t> emptied;  // staged: pieces read
  // Nanoseconds for the first pieces; valid when they are emptied.
  std::uint32_t read_time[timed_pieces];
};
static_assert(sizeof(transfer) == 4 * cache_line);

// ---- a process

inline constexpr std::uint32_t front_small_parcels = 32;
inline constexpr std::uint32_t front_large_parcels = 4;
inline constexpr std::uint32_t transfers = 32;
inline constexpr std::uint32_t front_slots = 2;
inline constexpr std::uint32_t front_slot_bytes = 8192;

using peal::attention;
using peal::receiver;
using enum peal::asking;
/// How a process keeps its stores and its look at `asks` apart: sleepers see to that, or it does
/// so itself.
enum ordering : std::uint32_t { not_known = 0, by_sleepers = 1, by_fences = 2 };

/// What large payloads have taken by each way: copy_choice.hpp. By kind of buffers, span and class
/// of length.
struct copy_rates {
  static constexpr std::size_t ways = 4, kinds = 4, classes = 10;
  struct alignas(cache_line / 2) cell {
    std::atomic<float> rate[ways];          // nanoseconds a KiB; 0: none was seen
    std::atomic<std::uint16_t> seen[ways];  // payloads that were measured, up to some
    std::atomic<std::uint32_t> mode;        // what all processes do: copy_choice.cpp; 0: as usual
  };
  static_assert(sizeof(cell) == cache_line / 2);
  cell cells[kinds * spans * classes];
};

struct front {
  alignas(apart) std::atomic<std::uint64_t> inbox;  // any peer pushes
  alignas(apart) attention says;
  alignas(apart) wakeup_address bell;  // of the owner, before it first sleeps
  transfer fetches[transfers];         // aligned by itself
  std::byte small_parcels[front_small_parcels][small_parcel];
  std::byte large_parcels[front_large_parcels][large_parcel];
  std::byte slots[front_slots][front_slot_bytes];
  copy_rates rates;     // of all pairs of the node, in the front of local index 0
  learnt_table learnt;  // by the collectives of this process
};

/// Further parcels are reserved this many at a time.
/// A slice of the segment.
inline constexpr std::uint32_t small_parcel_step = node_segment::slice_bytes / small_parcel;
inline constexpr std::uint32_t large_parcel_step = 16;

/// Records of one sender that are in use or not yet given back, at most: those in its inbox that it
/// has not come to are of no use.
inline constexpr std::uint32_t transfers_per_peer = 4;
inline constexpr std::uint32_t transfer_step = 4096 / sizeof(transfer);

/// Rings for pieces of payloads: reserved address space; how much of a ring is used says
/// bulk/staging.hpp.
inline constexpr std::uint32_t staging_rings = 4;
inline constexpr std::uint32_t most_ring_bytes = 4 << 20;
/// The ring of a peer that finds all of these in use by other peers. Two pieces: the peer reads one
/// while the other is written.
inline constexpr std::uint32_t small_ring_bytes = 32 << 10;

}  // namespace peal::shm
