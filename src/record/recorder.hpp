// record/recorder.hpp
// What a rank notes of its run for pealrun's report and trace: messages by peer and length, calls
// by place, how long they took and waited, algorithms of collectives; with events, each call.
//
// A call that moves no message at once and waits for nothing costs about as much as to read the
// clock. So calls are counted all, but of those the time is taken of one in `period`, and counts
// for so many. Waits and copies are timed each.
//
// Layer    record: may include base/.
// Units    bytes; ticks of base/timing/ticks.hpp; peers are ranks of the world.
// Threads  any, where `threads` was said; the innermost call is the thread's own.
// Errors   `open` logs why nothing is recorded. Nothing throws.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <source_location>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/timing/copy_time.hpp"
#include "base/timing/ticks.hpp"
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
  /// Makes the one of this process. Null: it cannot; the log says why.
  static recorder* open(const recorder_options&);
  /// The run is over. `counters`: lines of name, tab, value, tab, meaning.
  void close(std::string_view counters) noexcept;
  /// In a forked child.
  static void forget() noexcept;

  /// Calls of this thread from now on are that function's, called from that address, whatever the
  /// place that comes with them. Null: not any more.
  static void name_calls(const char* function, const void* from) noexcept;

  /// A message of so many bytes has come in, not by a blocking receive.
  void received(int peer, std::uint64_t bytes) noexcept;
  /// With events: an operation that receives was started, has its message, and goes.
  void posted(const void* operation) noexcept;
  void arrived(const void* operation, const std::source_location& where, int peer, int tag,
               std::uint32_t context, std::uint64_t bytes) noexcept;
  void withdrawn(const void* operation) noexcept;
  /// A message on behalf of a collective.
  void collective_sent(int peer, std::uint64_t bytes) noexcept;
  void used(call_kind, std::string_view algorithm, std::uint64_t bytes,
            std::uint64_t ticks) noexcept;

  [[nodiscard]] event_log& events() noexcept { return events_; }

 private:
  friend call_scope;
  friend class wait_scope;

  static constexpr std::uint32_t period = 61;  // a prime, so that no loop of a program keeps step

  recorder(rank_file& into, const recorder_options&, event_log) noexcept;
  /// Counts one. `where` null: it belongs to no call.
  std::uint32_t count(call_kind, const std::source_location* where, int peer,
                      std::uint64_t bytes) noexcept;
  [[gnu::noinline]] void replace(message_run&, const message_run& by,
                                 const std::source_location* where) noexcept;
  [[nodiscard]] std::uint32_t site_of(call_kind, const std::source_location& where) noexcept;
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

  static recorder* active_;
  // The one before. Calls that were under way in other threads may still end in it.
  static recorder* last_;

  rank_file& file_;
  peer_traffic* const peers_;
  const bool threads_;
  std::uint32_t until_timed_ = period;
  std::uint32_t until_touched_ = 0;
  std::atomic<std::uint64_t> copied_{0};
  event_log events_;
  std::array<std::uint64_t, most_sites> keys_{};          // of the sites
  std::unordered_map<const void*, std::uint32_t> posts_;  // with events: numbers of receives
  std::mutex lock_;
};

/// One call of the program, or a call within one, which is counted and not timed.
class call_scope {
 public:
  /// `timed`: in any case; else now and then.
  call_scope(recorder&, call_kind, const std::source_location& where, int peer, std::uint64_t bytes,
             bool timed) noexcept;
  ~call_scope();
  call_scope(const call_scope&) = delete;
  call_scope& operator=(const call_scope&) = delete;

  /// What a blocking receive has got.
  void received(int peer, std::uint64_t bytes) noexcept {
    got_peer_ = peer;
    got_bytes_ = bytes;
  }
  /// For the event of the call: a message's peer, tag and context.
  void is_message(int peer, int tag, std::uint32_t context) noexcept {
    peer_ = peer;
    tag_ = tag;
    context_ = context;
  }
  /// A blocking receive: it takes its place among the others.
  void is_posted() noexcept { posted_ = in_.events_.on() ? in_.events_.post() : 0; }
  /// So far, of one that is timed.
  [[nodiscard]] std::uint64_t ticks_so_far() const noexcept {
    return began_ == 0 ? 0 : ticks() - began_;
  }

 private:
  friend class wait_scope;

  recorder& in_;
  call_scope* const outer_;
  const call_kind kind_;
  const std::source_location& where_;
  std::uint32_t site_ = 0, weight_ = 0;
  std::uint64_t began_ = 0, copied_before_ = 0, waited_ = 0;
  int got_peer_ = -1;
  std::uint64_t got_bytes_ = 0;
  // of the event
  int peer_ = -1, tag_ = 0;
  std::uint32_t context_ = 0, posted_ = 0;
  std::uint64_t bytes_ = 0;
};

/// While a thread waits for an operation.
class wait_scope {
 public:
  wait_scope() noexcept : in_{recorder::active()} {
    if (in_ != nullptr) [[unlikely]]
      begin();
  }
  ~wait_scope() {
    if (in_ != nullptr) [[unlikely]]
      end();
  }
  wait_scope(const wait_scope&) = delete;
  wait_scope& operator=(const wait_scope&) = delete;

 private:
  void begin() noexcept;
  void end() noexcept;

  recorder* const in_;
  call_scope* of_ = nullptr;
  std::uint64_t began_ = 0, copied_before_ = 0;
};

}  // namespace peal::record
