// record/layout.hpp
// What a rank writes of its run, as it lies in a file that is mapped into memory: so it is there
// for the reader, whatever the rank ends by. Beside it, where events are asked for, lies a file of
// them.
//
// Layer    record: may include base/. pealrun reads it.
// Units    bytes; ticks of the clock of base/timing/ticks.hpp, and nanoseconds of the steady clock
//          at two ticks.
// Threads  one writer; the reader comes after its end.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace peal::record {

inline constexpr std::size_t most_sites = 1024, most_uses = 512, most_strings = 64 << 10,
                             most_counters = 16 << 10, recent_messages = 128;

/// What a call does, by which it is named.
enum class call_kind : std::uint8_t {
  send,
  recv,
  start_send,
  start_synchronous_send,
  start_recv,
  probe,
  wait,
  test,
  barrier,  // collectives, in the order of detail::collective
  bcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce_scatter,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_alltoall,
  start_collective,
  received,  // no call: a message has come in
};

struct file_header {
  std::uint64_t layout;
  std::int32_t rank, ranks;
  std::int64_t pid;
  std::uint64_t began_ticks, last_ticks;
  std::int64_t began_ns, last_ns;   // the same times
  std::uint64_t seen_ticks;         // the last time of all, of a call
  std::uint32_t ended;              // 1: the environment has ended
  std::uint32_t sites;              // so many are in use
  std::uint64_t homeless;           // calls from places for which there was no room
  std::uint32_t strings, counters;  // bytes in use
  std::uint64_t event_limit, events_lost;
  std::uint64_t timed;  // calls whose whole time was taken
  std::array<char, 64> host;
};

/// A place of the program that calls, with the call.
struct call_site {
  std::uint64_t address;     // in the file, where there is no line; else 0
  std::uint32_t name, file;  // offsets of strings; name 0: as the kind is called
  std::uint32_t line;
  call_kind kind;
  std::uint64_t calls, bytes;
  std::uint64_t handling_ticks, wait_ticks, copy_ticks, longest_ticks;
};

/// Messages to and from a rank.
struct peer_traffic {
  std::uint64_t sent, sent_bytes, received, received_bytes;
  std::uint64_t collective_sent, collective_bytes;  // sent on behalf of collectives
};

/// Messages sent, by length: class 0 is the empty ones, class k those from 2^(k-1) on.
struct length_class {
  std::uint64_t messages, bytes;
};
constexpr std::size_t class_of(std::uint64_t bytes) noexcept {
  return static_cast<std::size_t>(std::bit_width(bytes));
}
inline constexpr std::size_t length_classes = 65;

/// By which algorithm a collective went.
struct algorithm_use {
  std::array<char, 24> name;
  call_kind kind;
  std::uint8_t length;  // its class
  std::uint64_t calls, ticks;
};

/// Messages alike, one after another, that stand in no table yet. To count one is to take one off
/// `left`; at 0 they are put into the tables.
struct message_run {
  std::uint64_t key;  // made by key_of_run; 0: none
  std::uint64_t bytes;
  std::int32_t peer;  // -1: no message
  std::uint32_t site;
  std::uint32_t left, from;  // so many have been counted: from - left

  [[nodiscard]] std::uint32_t count() const noexcept { return from - left; }
  [[nodiscard]] call_kind kind() const noexcept { return static_cast<call_kind>(key % kinds); }
  /// Not the first thing that a call of the program does, which has been counted.
  [[nodiscard]] bool further() const noexcept { return key / kinds % 2 != 0; }
  static constexpr std::uint64_t kinds = 32;
};
/// `place`: a number of the place that calls, times 2; plus 1 for what is not the first thing.
constexpr std::uint64_t key_of_run(std::uint64_t place, call_kind kind) noexcept {
  return place * message_run::kinds + static_cast<std::uint64_t>(kind);
}

/// The whole file but for the peers, which follow.
struct rank_file {
  file_header head;
  std::array<call_site, most_sites> sites;
  std::array<length_class, length_classes> lengths;
  std::array<algorithm_use, most_uses> uses;
  std::array<message_run, recent_messages> recent;
  std::array<char, most_strings> strings;    // each ends with 0; the first one is empty
  std::array<char, most_counters> counters;  // lines: name, tab, value, tab, meaning
};
inline std::size_t file_bytes(int ranks) noexcept {
  return sizeof(rank_file) + static_cast<std::size_t>(ranks) * sizeof(peer_traffic);
}

struct event {
  std::uint64_t begin_ticks, end_ticks, bytes;
  std::uint32_t site;
  std::int32_t peer, tag;  // rank of the world; -1: none
  std::uint32_t context;
  // Of a receive: its number among those that this rank has posted.
  std::uint32_t posted;
  std::uint16_t thread;  // a number that the threads of a rank have by their first events
  call_kind kind;
};

/// Another number whenever anything above changes: what a number means counts in the lower half,
/// sizes in the upper one.
inline constexpr std::uint64_t layout_number = [] {
  std::uint64_t sizes = 0;
  for (const std::size_t each :
       {sizeof(file_header), sizeof(call_site), sizeof(peer_traffic), sizeof(length_class),
        sizeof(algorithm_use), sizeof(message_run), sizeof(rank_file), sizeof(event)})
    sizes = sizes * 31 + each;
  return sizes << 32 | 2;
}();

/// Puts messages alike into the tables. `into.sites` and the peers behind are written.
inline void enter(rank_file& into, peer_traffic* peers, const message_run& run) noexcept {
  const std::uint64_t count = run.count();
  if (run.key == 0 || count == 0) return;
  call_site& site = into.sites[run.site];
  const std::uint64_t bytes = run.bytes * count;
  if (!run.further()) site.calls += count;
  site.bytes += bytes;
  if (run.peer < 0) return;
  peer_traffic& peer = peers[run.peer];
  if (run.kind() == call_kind::recv) {
    peer.received += count;
    peer.received_bytes += bytes;
    return;
  }
  peer.sent += count;
  peer.sent_bytes += bytes;
  length_class& lengths = into.lengths[class_of(run.bytes)];
  lengths.messages += count;
  lengths.bytes += bytes;
}

}  // namespace peal::record
