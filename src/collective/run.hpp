// collective/run.hpp
// One collective under way: executes a schedule over messages, round by round in each stream, until
// it ends or fails.
//
// When something goes wrong: a run that has an error goes on with its messages, so that no rank
// waits for it in vain, but what it sends from then on is empty. The receiver knows how much it
// should get; so it sees that the data are spoilt, and does the same. A rank without memory for its
// part has an error from the beginning, and throws away what comes. A rank that takes no part is
// left out by the others: what it should send counts as empty, and nothing is sent to it. When a
// member of the team dies the run gives up instead: its receives are withdrawn, no further round
// begins, and it ends when its sends have ended.
//
// Layer    collective: may include p2p/, base/.
// Units    bytes.
// Threads  one at a time, as messaging.
// Errors   nothing throws; the operation's outcome says what happened.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "collective/kernels/reduction.hpp"
#include "collective/schedule.hpp"
#include "p2p/messaging.hpp"
#include "p2p/team.hpp"

namespace peal {

/// Memory between rounds; kept from run to run while it is small.
class scratch_memory {
 public:
  static constexpr std::size_t most_kept = std::size_t{8} << 20;

  /// At least so many bytes, aligned to a cache line, content undefined.
  std::byte* at_least(std::size_t bytes) {
    if (bytes > size_) grow(bytes);
    return memory_.get();
  }
  void forget_large() noexcept {
    if (size_ > most_kept) grow(0);
  }

 private:
  struct aligned_delete {
    void operator()(std::byte*) const noexcept;
  };
  void grow(std::size_t bytes);

  std::unique_ptr<std::byte, aligned_delete> memory_;
  std::size_t size_ = 0;
};

/// Where a run's three buffers lie, and what it works for.
struct run_task {
  const schedule* plan = nullptr;  // lives until the end
  const team* members = nullptr;
  std::uint32_t first_tag = 0;  // stream k uses first_tag + k
  // Written to by a user's function only where schedule::reduce allows that, so never.
  std::byte* send = nullptr;
  std::byte* receive = nullptr;
  std::size_t bytes = 0;  // for the outcome
  reduction join;
  bool reduces = false;
  // Has no buffers: nothing is sent but empty messages, and what comes is thrown away.
  bool spoilt = false;
};

class run {
 public:
  explicit run(messaging& messages) : messages_{messages} {}
  run(const run&) = delete;
  run& operator=(const run&) = delete;

  /// What the next start will execute. To be filled field by field: a task handed over as a whole
  /// would be read back in pieces larger than those it was just written in, and the core waits for
  /// all its stores then.
  [[nodiscard]] run_task& task() noexcept { return task_; }
  /// Begins, and may come to its end before it returns. `ended` is called at the end, after which
  /// the run may be used again; it finishes the operation. Requires: the last run has ended.
  void start(void (*ended)(void* context, run&) noexcept, void* context) noexcept;

  /// Takes all memory that its task needs now, and keeps it from start to start, however much it
  /// is, until `forget_reserve`.
  void reserve();
  void forget_reserve() noexcept;

  /// A member of the team died: gives up.
  void give_up() noexcept;
  /// That rank takes no part in what is under way; where nothing is, in what is started next.
  void leave_out(int rank) noexcept;

  [[nodiscard]] std::error_code error() const noexcept { return error_; }
  /// The rank that took no part in it, as far as this one knows, or -1. Requires: an error.
  [[nodiscard]] int absent_rank() const noexcept { return absent_rank_; }
  /// What the user's function threw, or null.
  [[nodiscard]] std::exception_ptr take_exception() noexcept {
    return std::exchange(thrown_, nullptr);
  }

 private:
  // A message under way.
  struct pending_message {
    run* owner = nullptr;
    operation* message = nullptr;  // null: it has ended
    std::uint32_t stream = 0;
    bool receives = false;
    std::size_t expected = 0;
    const step* what = nullptr;  // of a receive
  };
  struct stream_state {
    std::uint32_t round = round::none;
    std::uint32_t pending = 0;  // messages not ended, and one while the round is being posted
    pending_message* slots = nullptr;  // as many as a round of the schedule has messages
  };

  void make_slots(std::size_t count) {
    if (slots_.size() < count) slots_.resize(count);
  }
  [[nodiscard]] bool find_scratch(std::size_t bytes) noexcept;
  /// Whether there are to be no messages with that rank. Requires: skips_.
  [[nodiscard]] bool skips(int rank) const noexcept;
  void execute(std::uint32_t stream) noexcept;
  void post(std::uint32_t stream, const round&) noexcept;
  void post_send(std::uint32_t stream, const step&, pending_message&) noexcept;
  void post_receive(std::uint32_t stream, const step&, pending_message&) noexcept;
  void work(const round&) noexcept;
  static void absorb(fetch&, const std::byte* data, std::size_t at, std::size_t bytes) noexcept;
  void received(const operation&, std::size_t expected) noexcept;
  void note(std::error_code) noexcept;
  void note_wrong_length(std::size_t bytes) noexcept;
  void stream_ended() noexcept;
  static void message_ended(void* context, operation&) noexcept;

  [[nodiscard]] std::byte* address(const slice& s) const noexcept {
    return base_[static_cast<std::size_t>(s.buffer)] + s.offset;
  }
  [[nodiscard]] std::uint32_t context() const noexcept {
    return task_.members->collective_context();
  }
  [[nodiscard]] int tag(std::uint32_t stream) const noexcept {
    return static_cast<int>(task_.first_tag + stream);
  }

  messaging& messages_;
  run_task task_;
  std::array<std::byte*, 3> base_{};  // by place
  std::array<stream_state, schedule::max_streams> streams_;
  std::uint32_t open_streams_ = 0;  // and one while the run is started or given up
  bool given_up_ = false;
  bool skips_ = false;  // has given up, or leaves a rank out
  bool spoilt_ = false;
  bool fuses_ = false;  // what arrives is joined at once, where the schedule allows it
  bool reserved_ = false;
  bool past_caches_ = false;  // final results are so long that they would not stay in them
  std::error_code error_;
  std::exception_ptr thrown_;
  void (*ended_)(void*, run&) noexcept = nullptr;
  void* ended_context_ = nullptr;
  std::vector<pending_message> slots_;
  std::vector<int> absent_;  // ranks that take no part
  int absent_rank_ = -1;
  scratch_memory scratch_;
};

}  // namespace peal
