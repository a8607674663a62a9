// collective/direct/channel.hpp
// A communicator's way to run blocking collectives past messages: whether there is one, and the waiting.
//
// All ranks must decide alike which calls go this way. At the first call that would, one of them, which the context names, reserves a
// block, and tells the others by a bcast of messages where it is; if it has no room, all stay with messages. From then on a call goes
// directly if it fits, the same on every rank. Nonblocking calls never do; their messages move while a direct call waits, and each kind
// keeps the order of the calls.
//
// Layer    collective/direct: may include collective/, p2p/, transport/shm/, memory/, progress/, base/.
// Units    bytes.
// Threads  the one that calls the communicator's collectives; while it waits another one that polls may look in its place, with the
//          engine's lock held. A failure may be told by another at any time.
// Errors   an error code, or what a user's function or a continuation throws.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <system_error>
#include <vector>

#include "collective/collectives.hpp"
#include "collective/direct/flags.hpp"
#include "collective/direct/play.hpp"
#include "collective/direct/site.hpp"
#include "p2p/team.hpp"
#include "peal/detail/core.hpp"

namespace peal::direct {

class channel {
 public:
  /// `in` null: there is none. All must outlive this.
  channel(site* in, collectives&, collective_state&, const team&);
  ~channel();  // Requires: no call is under way.
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  /// Whether this call goes directly. May ask the others, in the first call for which that is the question; so only where a blocking call
  /// is about to be made. Without the engine's lock held.
  [[nodiscard]] bool takes(const detail::collective_call& call) noexcept {
    if (state_ == state::closed || !fits(call, size_) || (kinds_ >> static_cast<unsigned>(call.kind) & 1) == 0) return false;
    return state_ == state::open || open();
  }
  /// Requires: takes(call). Without the engine's lock held.
  std::error_code run(const detail::collective_call& call);

 private:
  enum class state : std::uint8_t { asks, open, closed };

  class awaited;
  /// A call under way. A continuation that runs in its wait may make another one, of which it is the outer.
  struct entered {
    play* call;
    awaited* waits = nullptr;        // while it waits
    std::exception_ptr thrown = {};  // by its operation, in a call inside of it
    entered* outer = nullptr;
  };

  [[nodiscard]] bool open() noexcept;
  void carry(entered&);
  [[nodiscard]] bool await(entered&);
  void carry_outer(entered&) noexcept;
  void wake_all() noexcept {
    for (const shm::receiver& each : others_) {
      if (each.fences) [[unlikely]]
        std::atomic_thread_fence(std::memory_order_seq_cst);
      std::atomic_signal_fence(std::memory_order_seq_cst);  // as in receiver::wake_unfenced
      if (each.says->asleep.load(std::memory_order_relaxed) != shm::awake) [[unlikely]]
        ring(each);
    }
  }
  [[gnu::noinline, gnu::cold]] void ring(const shm::receiver&) noexcept;
  [[nodiscard]] bool tell(std::uint64_t& where, int giver) noexcept;

  state state_ = state::closed;
  std::uint32_t kinds_ = 0;  // a bit each
  int size_;
  site* in_;
  collectives& together_;
  collective_state& plain_;
  const team& members_;
  const std::atomic<bool>& failed_;
  std::uint32_t calls_ = 0;
  flags flags_;
  std::vector<shm::receiver> others_;
  block* shared_ = nullptr;
  std::size_t own_block_ = 0;  // offset, where this process gave it
  entered* innermost_ = nullptr;
  std::exception_ptr thrown_;  // by a continuation, in a wait
};

}  // namespace peal::direct
