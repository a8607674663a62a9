// memory/unmap_log.hpp
// Which pages have left the address space of this process, or were exchanged for others, of late:
// what a cache of addresses must forget.
//
// Writers note a range before its system call is made, readers ask before they trust what they
// remember. A ring: a reader that was outrun, or meets a note that is being written, is told that
// everything has gone. That suffices, and it need not be told of such a note again: what it
// remembers from then on was put there by code that used the memory while it was being given back.
//
// Layer    memory: may include base/.
// Units    bytes; ranges are half-open, and grow to whole pages.
// Threads  record: any thread, signal handlers, inside of malloc and of system calls: it never
//          waits, allocates or fails. A reader belongs to one thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace peal {

class unmap_log {
 public:
  static constexpr std::uintptr_t end_of_memory = std::numeric_limits<std::uintptr_t>::max();

  constexpr unmap_log() = default;
  unmap_log(const unmap_log&) = delete;
  unmap_log& operator=(const unmap_log&) = delete;

  void record(std::uintptr_t begin, std::size_t length) noexcept;
  void record_everything() noexcept;

  /// From now on ranges may go away without a note.
  void give_up() noexcept {
    complete_.store(false, std::memory_order_relaxed);
    record_everything();  // its release publishes the line above
  }

  class reader {
   public:
    /// Sees what is recorded from now on.
    explicit reader(const unmap_log& of) noexcept
        : log_{&of}, seen_{of.head_.load(std::memory_order_acquire)} {}

    /// Calls drop(begin, end) for each range since the last call.
    template <class Drop>
    void take(Drop&& drop) {
      // acquire: pairs with the increment in record, by which a writer says that it is about to
      // make its system call.
      if (log_->head_.load(std::memory_order_acquire) != seen_) [[unlikely]]
        take_notes(drop);
    }
    /// False: ranges may go away without a note. As of the last take.
    [[nodiscard]] bool complete() const noexcept {
      return log_->complete_.load(std::memory_order_relaxed);
    }

   private:
    template <class Drop>
    void take_notes(Drop&& drop);

    const unmap_log* log_;
    std::uint64_t seen_;
  };

 private:
  // `state` of note n is 2n + 1 while it is written and 2n + 2 once it is; it never falls.
  struct note {
    std::atomic<std::uint64_t> state{0};
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};
  };
  /// A burst of free() between two messages is some hundred; a longer one costs registrations, not
  /// correctness.
  static constexpr std::size_t most_notes = 1024;

  void write(std::uintptr_t begin, std::uintptr_t end) noexcept;

  alignas(64) std::atomic<std::uint64_t> head_{0};
  std::atomic<bool> complete_{true};
  alignas(64) std::array<note, most_notes> notes_{};
};

template <class Drop>
void unmap_log::reader::take_notes(Drop&& drop) {
  const std::uint64_t head = log_->head_.load(std::memory_order_acquire);
  bool outrun = head - seen_ > most_notes;
  while (!outrun && seen_ != head) {
    const note& next = log_->notes_[seen_ % most_notes];
    // Pairs with the last release in write.
    const std::uint64_t state = next.state.load(std::memory_order_acquire);
    // acquire: pairs with the releases in write, so that a reader that sees anything of a later
    // note sees its state too.
    const std::uintptr_t begin = next.begin.load(std::memory_order_acquire),
                         end = next.end.load(std::memory_order_acquire);
    outrun = state != 2 * seen_ + 2 || next.state.load(std::memory_order_relaxed) != state;
    if (outrun) break;
    ++seen_;  // before the call: dropping frees memory, which may write notes
    drop(begin, end);
  }
  if (!outrun) return;
  seen_ = head;
  drop(std::uintptr_t{0}, end_of_memory);
}

/// The log of this process.
unmap_log& unmapped() noexcept;

}  // namespace peal
