// collective/direct/channel.hpp
// A communicator's way to run blocking collectives past messages: whether there is one, and the waiting.
//
// All ranks must decide alike which calls go this way. At the first call that would, one of them, which the context names, reserves a
// block, and tells the others by a bcast of messages where it is. From then on a call goes directly if it fits, the same on every rank.
// Where there was no room such calls are messages, on a context of their own: a rank that does not know yet may have to make a call of
// another kind first, and so each kind keeps its order whatever becomes of it. Nonblocking calls are never direct; their messages move
// while a direct call waits.
//
// A continuation that runs in the wait of a call may make the next one, and so on. That one comes behind on every rank, so it first carries
// those in which it runs to their ends.
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
#include <optional>
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
  /// Takes context `of.context() + 2`. No calls of it may be compared.
  channel(site* in, collectives&, const collective_state&, const team& of);
  ~channel();  // Requires: no call is under way.
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  /// Whether this call is `run`'s. Requires: it is a blocking one, about to be made.
  [[nodiscard]] bool takes(const detail::collective_call& call) const noexcept {
    return state_ != state::none && fits(call, size_) && (kinds_ >> static_cast<unsigned>(call.kind) & 1) != 0;
  }
  /// Makes the call. Not null: there is no room, and it is under way as messages; the operation is the caller's.
  /// Requires: takes(call). Without the engine's lock held.
  operation* run(const detail::collective_call& call, std::error_code& became);

 private:
  enum class state : std::uint8_t { none, asks, told, open, full };

  class awaited;
  /// A call under way. A continuation that runs in its wait may make another one, of which it is the outer.
  struct entered {
    const detail::collective_call& what;
    entered* outer;
    std::optional<play> direct = {};  // from its turn on, where it goes so,
    operation* started = nullptr;     // or this
    awaited* waits = nullptr;         // while it waits
    std::exception_ptr thrown = {};   // by its operation, in a call inside of it

    [[nodiscard]] bool over() const noexcept { return started != nullptr || (direct && direct->over()); }
  };

  struct by_messages {
    by_messages(collectives& in, const team& of) : members{of.context() + 1, of.rank(), of.peers()}, state{in, members} {}
    team members;
    collective_state state;
  };

  void ask() noexcept;
  void hear() noexcept;
  void listen();
  void begin(entered&);
  void carry(entered&);
  [[nodiscard]] bool await(entered&);
  void carry_outer(entered&) noexcept;
  template <class Predicate>
  void wait(Predicate&& holds);
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

  state state_ = state::none;
  std::uint32_t kinds_ = 0;  // a bit each
  int size_;
  site* in_;
  collectives& together_;
  const team& members_;
  const std::atomic<bool>& failed_;
  std::uint32_t calls_ = 0;
  flags flags_;
  std::vector<shm::receiver> others_;
  std::optional<by_messages> apart_;  // from the first call on, unless it is open
  operation* telling_ = nullptr;      // the bcast
  std::uint64_t where_ = 0;           // offset of the block, once told
  block* shared_ = nullptr;
  std::size_t own_block_ = 0;  // offset, where this process gave it
  entered* innermost_ = nullptr;
  std::exception_ptr thrown_;  // by a continuation, in a wait
};

}  // namespace peal::direct
