// record/recorder.hpp
// What a rank notes of its run for pealrun's report and trace: messages by peer and length, calls
// by place, how long they took and waited, algorithms of collectives; with events, each call.
//
// A call that waits for nothing costs about as much as to read the clock. So all calls are counted,
// but the time is taken of one in `period`, and counts for so many. Of waits that is only
// the beginning (wait_clock.hpp); what comes later is timed in each, as copies are.
//
// Layer    record: may include base/.
// Units    bytes; ticks of base/timing/ticks.hpp; peers are ranks of the world.
// Threads  any, where `threads` was said; the innermost call is the thread's own.
// Errors   `open` logs why nothing is recorded. Nothing throws.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <source_location>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/timing/copy_time.hpp"
#include "base/timing/ticks.hpp"
#include "peal/detail/core.hpp"
#include "record/event_log.hpp"
#include "record/layout.hpp"

namespace peal::record {

struct recorder_options {
  std::string folder;
  std::uint64_t events = 0;  // most that are kept
  int rank = 0, ranks = 1;
  bool threads = false;
};

class call_scope;

class recorder {
 public:
  /// Of this process; null: nothing is recorded.
  static recorder* active() noexcept { return active_; }
  /// The same, but null where the next call is more than to be counted: it is to be timed, or has
  /// an event, or several threads may call.
  static recorder* counting() noexcept { return counting_; }
  /// Makes the one of this process. Null: it cannot; the log says why.
  static recorder* open(const recorder_options&);
  /// The run is over. `counters`: lines of name, tab, value, tab, meaning.
  void close(std::string_view counters) noexcept;
  /// In a forked child.
  static void forget() noexcept;

  /// Counts a call, and the message that it moves; peer -1: none. Its site. Requires: one thread at
  /// a time, as where `counting` is not null.
  [[gnu::always_inline]] std::uint32_t count(call_kind kind, const std::source_location& where,
                                             int peer, std::uint64_t bytes) noexcept {
    const std::uint64_t place = detail::now_calling.place;
    const std::uint64_t key = key_of(kind, where);
    message_run& run = file_.recent[slot_of(key, peer, bytes)];
    if (run.key != key || run.bytes != bytes || run.peer != peer) [[unlikely]]
      return count_apart(kind, where, peer, bytes);
    if (place != 0) detail::now_calling.place = place | 1;
    const std::uint32_t site = run.site;
    if (--run.left == 0) [[unlikely]]
      put_away(run);
    return site;
  }
  /// Where such a call is counted by taking one off `left` and nothing else; null: it is not. So
  /// that a function that does it needs no registers saved. Requires: as `count`.
  [[gnu::always_inline]] message_run* run_of(call_kind kind, const std::source_location& where,
                                             int peer, std::uint64_t bytes) noexcept {
    const std::uint64_t key = key_of(kind, where);
    message_run& run = file_.recent[slot_of(key, peer, bytes)];
    const bool is_it = run.key == key && run.bytes == bytes && run.peer == peer && run.left > 1;
    return is_it ? &run : nullptr;
  }
  [[gnu::always_inline]] static void count_in(message_run& run) noexcept {
    --run.left;
    if (detail::now_calling.place != 0) detail::now_calling.place |= 1;
  }
  /// A message has come in, not by a blocking receive. Requires: as `count`.
  [[gnu::always_inline]] void count_received(int peer, std::uint64_t bytes) noexcept {
    ++peers_[peer].received;
    peers_[peer].received_bytes += bytes;
  }
  /// The same, of any thread.
  void received(int peer, std::uint64_t bytes) noexcept;
  /// With events: an operation that receives was started, has its message, and goes.
  void posted(const void* operation) noexcept;
  void arrived(const void* operation, const std::source_location& where, int peer, int tag,
               std::uint32_t context, std::uint64_t bytes) noexcept;
  void withdrawn(const void* operation) noexcept;
  /// A message on behalf of a collective.
  void collective_sent(int peer, std::uint64_t bytes) noexcept {
    if (threads_) return collective_sent_locked(peer, bytes);
    ++peers_[peer].collective_sent;
    peers_[peer].collective_bytes += bytes;
  }
  void used(call_kind, std::string_view algorithm, std::uint64_t bytes,
            std::uint64_t ticks) noexcept;

  [[nodiscard]] event_log& events() noexcept { return events_; }

 private:
  friend call_scope;
  friend class wait_clock;

  recorder(rank_file& into, const recorder_options&, event_log) noexcept;
  static std::uint64_t number_of(const std::source_location& where) noexcept {
    if constexpr (sizeof where == sizeof(std::uint64_t)) return std::bit_cast<std::uint64_t>(where);
    else
      return reinterpret_cast<std::uintptr_t>(where.file_name()) +
             std::uint64_t{where.line()} * mixer;
  }
  /// The key of a run of what this thread calls now.
  [[gnu::always_inline]] static std::uint64_t key_of(call_kind kind,
                                                     const std::source_location& where) noexcept {
    const detail::calling_function& now = detail::now_calling;
    if (now.place == 0) return key_of_run(number_of(where) * 2, kind);
    // The name too: a table of functions may be called from one place. Bits of both do not meet
    // where keys have others.
    return key_of_run(now.place, kind) + (reinterpret_cast<std::uintptr_t>(now.name) << 20);
  }
  static std::size_t slot_of(std::uint64_t key, int peer, std::uint64_t bytes) noexcept {
    static_assert(std::has_single_bit(recent_messages));
    const std::uint64_t all = key + (static_cast<std::uint64_t>(peer) << 36) + (bytes << 24);
    return all * mixer >> (64 - std::bit_width(recent_messages - 1));
  }
  static constexpr std::uint64_t mixer = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio

  [[gnu::noinline]] std::uint32_t count_apart(call_kind, const std::source_location& where,
                                              int peer, std::uint64_t bytes) noexcept;
  [[gnu::noinline]] void put_away(message_run&) noexcept;
  void flush(message_run&) noexcept;
  /// The next call is timed.
  void time_next() noexcept;
  [[nodiscard]] bool is_due() noexcept;
  /// For how many calls the one counts that is timed now.
  [[nodiscard]] std::uint32_t begin_timed() noexcept;
  /// Calls until the next one is timed: the first ones are all timed, then fewer and fewer. Primes,
  /// so that no loop of a program keeps step.
  [[nodiscard]] std::uint32_t period() const noexcept {
    const std::uint64_t timed = file_.head.timed;
    return timed < 32 ? 1 : timed < 64 ? 7 : timed < 1024 ? 61 : timed < 4096 ? 251 : 1021;
  }
  [[nodiscard]] std::uint32_t site_of(call_kind, const std::source_location& where) noexcept;
  void collective_sent_locked(int peer, std::uint64_t bytes) noexcept;
  [[nodiscard]] std::uint32_t kept(std::string_view text) noexcept;
  void place_address(call_site&, const void* address) noexcept;
  /// A rank that dies is known up to here.
  void seen(std::uint64_t now) noexcept {
    constexpr std::uint64_t often = 1 << 20;  // ticks; for the few of them that a read costs
    file_.head.seen_ticks = now;
    if (now - file_.head.last_ticks > often) [[unlikely]]
      touch(now);
  }
  void touch(std::uint64_t now) noexcept;
  [[nodiscard]] std::unique_lock<std::mutex> guard() {
    return threads_ ? std::unique_lock{lock_} : std::unique_lock<std::mutex>{};
  }

  [[gnu::visibility("hidden")]] static recorder* active_;
  [[gnu::visibility("hidden")]] static recorder* counting_;
  // The one before. Calls that were under way in other threads may still end in it.
  static recorder* last_;

  rank_file& file_;
  peer_traffic* const peers_;
  const bool threads_;
  std::uint32_t until_timed_ = 1;  // calls that stand in no run
  std::uint64_t since_timed_ = 0;  // calls, but for those that runs still have
  bool due_ = true;                // the first call is timed
  algorithm_use* last_use_ = nullptr;
  std::string_view last_algorithm_;
  std::atomic<std::uint64_t> copied_{0};
  event_log events_;
  std::array<std::uint64_t, most_sites> keys_{};          // of the sites
  std::unordered_map<const void*, std::uint32_t> posts_;  // with events: numbers of receives
  std::mutex lock_;
};

}  // namespace peal::record
