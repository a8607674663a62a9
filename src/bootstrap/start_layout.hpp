// bootstrap/start_layout.hpp
// What lies where in the memory that pealrun shares with its ranks: start_host.hpp says what it is
// for.
//
// A header, a slot for each rank, and what was written, one piece after the other. The file is
// longer than that: it has pages only where something was written.
//
// Layer    bootstrap: may include base/.
// Units    bytes, from the file's begin. Exchanges and fences are counted from the job's start, for
//          a rank may be several programs, one after the other.
// Threads  members that are atomic belong to all processes of the job; each says what it pairs with
//          where it is used.
// Errors   throws peal::error (errc::bootstrap_failed) with what the system said.
// Source   futex(2), memfd_create(2).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "peal/failure.hpp"

namespace peal::start_layout {

// Changes with the layout: a rank of another version of peal meets by PMIx.
inline constexpr std::uint64_t magic = 0x7065616c'73740002;

inline constexpr std::size_t line = 64;

struct piece {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct header {
  std::uint64_t magic = 0;  // written last
  std::uint32_t ranks = 0;
  std::uint32_t cores = 0;
  piece job, distances;
  std::atomic<std::uint64_t> end{0};  // of the file: where the next value goes
  // What follows is written often while ranks meet.
  alignas(line) std::atomic<std::uint64_t> arrivals{0};  // at all fences
  std::atomic<std::uint32_t> completed{0};               // fences; futex
  alignas(line) std::atomic<std::uint32_t> deaths{0};    // told
  std::atomic<std::uint32_t> changes{0};                 // deaths and leaves
  std::atomic<std::uint32_t> calls{0};                   // to pealrun; futex
};

/// A value, with the number of the exchange it belongs to, counted from 1. A rank tells the next
/// but one only when all have read this one, so two are enough.
struct told_value {
  std::atomic<std::uint32_t> number{0};
  std::atomic<std::uint32_t> bytes{0};
  std::atomic<std::uint64_t> offset{0};
};

struct alignas(2 * line) slot {
  enum : std::uint32_t { connected = 1, finalized = 2, aborted = 4, dead = 8 };
  std::atomic<std::uint32_t> state{0};
  std::atomic<std::uint32_t> arrived{0};  // fences that this rank has come to
  std::atomic<std::uint32_t> told{0};     // exchanges that it has told its part of
  std::atomic<std::uint32_t> news{0};     // futex: this rank is to look
  std::uint32_t application = 0;
  std::int32_t abort_code = 0;
  piece abort_text;
  // Written before the death is counted.
  struct {
    failure_cause why;
    bool silent;
    std::int32_t code;
  } death{};
  std::array<told_value, 2> values;
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free &&
              std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(sizeof(slot) == 2 * line);

inline constexpr const char* variable_name = "PEALRUN_JOB";
// Scripts use small numbers for files of their own.
inline constexpr int first_descriptor = 200;
// Of what a rank tells during its start; the file is as long at first, and has pages only where
// something was written. More makes it longer.
inline constexpr std::uint64_t expected_bytes = 64 << 10;

/// A mapping of the fixed part, and the file.
class segment_view {
 public:
  segment_view() = default;
  ~segment_view();
  segment_view(const segment_view&) = delete;
  segment_view& operator=(const segment_view&) = delete;

  [[nodiscard]] header& head() const noexcept;
  [[nodiscard]] slot& at(int rank) const noexcept;
  /// A piece of the file; shorter where there is less.
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t bytes) const;

  int file = -1;
  std::byte* base = nullptr;
  std::size_t size = 0;
};

[[nodiscard]] std::size_t fixed_bytes(std::size_t ranks);
/// Maps header and slots.
void map_fixed(segment_view& view, std::size_t bytes);
/// Without a signal, which would end the process: false where the limit of the size of files is in
/// the way. Other processes may make the file longer at the same time.
[[nodiscard]] bool lengthen(int file, std::uint64_t bytes);
void write_all(int file, std::string_view what, std::uint64_t offset);
[[noreturn]] void fail(const std::string& what, int problem);

/// Between processes. Without a limit as long as the word is the same.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t same,
                const std::chrono::nanoseconds* limit) noexcept;
void futex_wake(const std::atomic<std::uint32_t>& word) noexcept;

}  // namespace peal::start_layout
