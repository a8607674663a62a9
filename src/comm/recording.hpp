// comm/recording.hpp
// How calls tell the recorder of the run what they do: objects that live as long as the call. Where
// nothing is recorded each costs one load and a branch.
//
// Layer    comm: may include record/.
// Threads  that of the call.
// Errors   none.
#pragma once

#include <optional>
#include <string_view>

#include "comm/communicator_state.hpp"
#include "p2p/operation.hpp"
#include "peal/detail/core.hpp"
#include "record/call_scope.hpp"

namespace peal {

/// The rank in the world; -1: the number is none of a rank.
inline int recorded_peer(const team& on, int rank) noexcept {
  return rank >= 0 && rank < on.size() ? static_cast<int>(on.peer(rank)) : -1;
}

/// Any call.
class recorded_call {
 public:
  /// `timed`: it may wait, and without a wait_clock.
  recorded_call(record::call_kind kind, const detail::location& where, std::size_t bytes = 0,
                int peer = -1, bool timed = false) noexcept {
    if (record::recorder* const to = record::recorder::active()) [[unlikely]]
      noted_.emplace(*to, kind, where, peer, bytes, timed);
  }
  [[nodiscard]] record::call_scope* noted() noexcept { return noted_ ? &*noted_ : nullptr; }

 private:
  std::optional<record::call_scope> noted_;
};

class recorded_send : recorded_call {
 public:
  recorded_send(record::call_kind kind, const team& on, std::uint32_t context, std::size_t bytes,
                int dest, int tag, const detail::location& where) noexcept
      : recorded_call{kind, where, bytes, recorded_peer(on, dest)} {
    if (noted() != nullptr && noted()->has_event()) [[unlikely]]
      noted()->is_message(recorded_peer(on, dest), tag, context);
  }
};

/// A blocking one.
class recorded_receive : recorded_call {
 public:
  recorded_receive(const team& on, const detail::location& where) noexcept
      : recorded_call{record::call_kind::recv, where}, on_{on} {
    if (noted() != nullptr && noted()->has_event()) [[unlikely]]
      noted()->is_posted();
  }
  /// What it has got.
  detail::outcome got(const detail::outcome& of) noexcept {
    if (record::call_scope* const to = noted()) [[unlikely]] {
      const int peer = recorded_peer(on_, of.source);
      to->received(peer, of.bytes);
      if (to->has_event()) to->is_message(peer, of.tag, on_.context());
    }
    return of;
  }

 private:
  const team& on_;
};

/// One that is started.
class recorded_post : recorded_call {
 public:
  explicit recorded_post(const detail::location& where) noexcept
      : recorded_call{record::call_kind::start_recv, where} {}
  detail::operation* made(detail::operation* started) noexcept {
    if (noted() != nullptr) [[unlikely]]
      record::recorder::active()->posted(started);
    return started;
  }
};

class recorded_collective : recorded_call {
 public:
  /// `waits`: it is over when its call returns.
  recorded_collective(const detail::collective_call& call, const detail::location& where,
                      bool waits) noexcept
      : recorded_call{waits ? static_cast<record::call_kind>(
                                  static_cast<unsigned>(record::call_kind::barrier) +
                                  static_cast<unsigned>(call.kind))
                            : record::call_kind::start_collective,
                      where, call.bytes},
        call_{call} {}
  [[nodiscard]] bool on() noexcept { return noted() != nullptr; }
  void went_by(std::string_view algorithm) noexcept {
    if (noted() != nullptr) [[unlikely]]
      record::recorder::active()->used(
          static_cast<record::call_kind>(static_cast<unsigned>(record::call_kind::barrier) +
                                         static_cast<unsigned>(call_.kind)),
          algorithm, call_.bytes, noted()->ticks_so_far());
  }

 private:
  const detail::collective_call& call_;
};

/// An operation that the program gives back. Requires: it is recorded.
void record_end(record::recorder&, const detail::operation&) noexcept;

}  // namespace peal
