// state/rank_page.hpp
// What a rank shows of itself to other programs of the same user: what it waits for, how far its
// collectives have come, and whether anything moves. The launcher reads it
// (launcher/pealrun/shown/) without a word to the rank.
//
// The page is a file without a name (memfd "peal-state"), found as /proc/PID/fd/N; so it is there
// under every launcher, and without one.
//
// Layer    state: may include base/.
// Units    bytes; nanoseconds on CLOCK_MONOTONIC; ranks of the world unless a member says
//          otherwise.
// Threads  one process writes, others read at any time. Words are atomic; what a wait consists of
//          is read by its sequence, which is odd while it is written.
// Errors   none. A reader compares magic, version and size first.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"

namespace peal::state {

inline constexpr std::uint64_t page_magic = 0x70'65'61'6c'73'74'61'74;  // "pealstat"
/// Counts the layouts: one more whenever anything below changes.
inline constexpr std::uint32_t page_version = 1;
inline constexpr const char* page_name = "peal-state";

/// Instead of a rank.
inline constexpr std::int32_t nobody = -1, any_rank = -2;
/// Instead of a tag.
inline constexpr std::int32_t any_tag = -2;
/// Instead of a length.
inline constexpr std::uint64_t unknown_bytes = ~std::uint64_t{0};

enum class phase : std::uint32_t { starting, running, ending, ended };

/// Whether anything moves in a lane. Every word is written by one thread at a time.
struct alignas(cache_line) lane_activity {
  std::atomic<std::uint32_t> turns{0};     // of the engine
  std::atomic<std::uint32_t> moves{0};     // of these, those that moved something
  std::atomic<std::uint64_t> messages{0};  // sent
  std::atomic<std::uint64_t> bytes{0};     // of these, but for the shortest within the node
};
static_assert(sizeof(lane_activity) == cache_line);

struct alignas(cache_line) communicator_entry {
  std::atomic<std::uint32_t> used{0};  // written last, and first when it goes
  std::uint32_t context = 0;           // names it, the same on all its ranks; 0: the world
  std::int32_t rank = 0;               // of this process in it
  std::int32_t size = 0;
  // Collectives begun in the upper half; the lower one is the library's own (direct/call_log.hpp).
  std::atomic<std::uint64_t> calls{0};
  std::array<char, 40> name{};  // that the user gave it, cut; empty: none
};
static_assert(sizeof(communicator_entry) == cache_line);

enum class wait_kind : std::uint32_t {
  other,
  receive,
  send,
  probe,
  collective,  // a blocking one, or the request of one
  several      // any of several requests, or whatever comes
};

/// A message that is under way in this process, or lies here.
struct pending {
  enum class what : std::uint32_t { posted, unexpected, sending };
  what kind = what::posted;
  std::int32_t peer = nobody;  // of the world, or any_rank
  std::int32_t tag = 0;        // or any_tag
  std::uint32_t context = 0;
  std::uint64_t bytes = 0;  // room, where it is posted
};

/// A wait that has become long. It is written again about once a second while it lasts.
struct alignas(cache_line) wait_entry {
  static constexpr std::size_t most_frames = 32, most_awaited = 16, most_pending = 32;

  std::atomic<std::uint32_t> sequence{0};  // odd while it is written
  std::atomic<std::uint32_t> used{0};
  std::uint32_t thread = 0;  // as gettid has it
  wait_kind kind = wait_kind::other;
  std::int64_t since = 0;
  std::int64_t written = 0;
  std::int32_t peer = nobody;   // of the communicator, or any_rank
  std::int32_t world = nobody;  // the same, of the world
  std::int32_t tag = 0;         // or any_tag
  std::uint32_t context = 0;
  std::uint64_t bytes = 0;       // of a message, of the room for one, or that a collective moves
  std::int32_t collective = -1;  // which one: detail::collective; -1: not known
  std::int32_t root = nobody;    // of it
  std::uint32_t number = 0;      // collectives begun on this communicator when the wait began
  std::uint32_t frames = 0;
  std::uint32_t awaited_count = 0;  // ranks that the collective waits for
  std::uint32_t pending_count = 0;  // all that there are, more perhaps than there is room for
  std::array<std::uint64_t, most_frames> frame{};  // return addresses, the innermost first
  std::array<std::int32_t, most_awaited> awaited{};
  std::array<pending, most_pending> held{};
};

struct rank_page {
  static constexpr std::size_t most_lanes = 16, most_communicators = 256, most_waits = 8;

  std::uint64_t magic = 0;
  std::uint32_t version = 0;
  std::uint32_t bytes = 0;  // of the page
  std::int32_t rank = 0;
  std::int32_t size = 0;  // ranks of the job
  std::int64_t process = 0;
  std::int64_t started = 0;
  std::atomic<phase> now{phase::starting};
  std::atomic<std::int64_t> now_since{0};
  std::atomic<std::uint32_t> helper{0};    // a helper thread polls, so turns say nothing
  std::atomic<std::uint32_t> left_out{0};  // communicators and waits that found no room
  std::array<char, 64> host{};
  std::array<char, 256> job{};
  std::array<lane_activity, most_lanes> lanes{};
  std::array<communicator_entry, most_communicators> communicators{};
  std::array<wait_entry, most_waits> waits{};
};

}  // namespace peal::state
