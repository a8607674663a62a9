// comm/end/notes.hpp
// Short messages that a rank of the world may send to another at any time, and that are taken
// whatever the other does meanwhile.
//
// Layer    comm.
// Threads  under the engine's lock.
// Errors   none. What is sent to a rank that has failed is dropped.
#pragma once

#include <atomic>
#include <cstdint>

#include "p2p/messaging.hpp"

namespace peal {

/// Sends a copy; the caller hears no more of it. Ranks of the world are peers.
template <class T>
void send_copy(messaging& messages, const team& world, std::uint32_t context, peer_id to,
               const T& what) noexcept {
  if (messages.has_failed(to)) return;
  auto* const said = new T{what};
  operation& sent =
      messages.start_send(world, context, said, sizeof *said, static_cast<int>(to), 0);
  const auto drop = [](void* gone) noexcept { delete static_cast<T*>(gone); };
  // relaxed: the engine's lock is held.
  if (!sent.finished.load(std::memory_order_relaxed)) return messages.detach(sent, drop, said);
  messages.release(sent);
  drop(said);
}

/// Takes all notes that come with this context of the world's.
template <class Note>
class note_listener {
 public:
  using taker = void (*)(void* owner, peer_id from, const Note&) noexcept;

  /// All must outlive this.
  note_listener(messaging& messages, const team& world, std::uint32_t context, taker take,
                void* owner)
      : messages_{messages}, world_{world}, context_{context}, take_{take}, owner_{owner} {
    listen();
  }
  note_listener(const note_listener&) = delete;
  note_listener& operator=(const note_listener&) = delete;

 private:
  void listen() noexcept {
    for (;;) {
      const completion_hook hook{[](void* context, operation& over) noexcept {
                                   auto& self = *static_cast<note_listener*>(context);
                                   self.take(over);
                                   self.listen();
                                 },
                                 this};
      operation& next = messages_.start_recv(world_, context_, &arriving_, sizeof arriving_,
                                             detail::any_source_value, detail::any_tag_value, hook);
      // relaxed: the engine's lock is held.
      if (!next.finished.load(std::memory_order_relaxed)) return;
      take(next);
    }
  }

  void take(operation& over) noexcept {
    const outcome got = over.result;
    messages_.release(over);
    // The news of a death ends one such receive.
    if (got.error || got.bytes != sizeof arriving_) return;
    const Note said = arriving_;
    take_(owner_, static_cast<peer_id>(got.source), said);
  }

  messaging& messages_;
  const team& world_;
  const std::uint32_t context_;
  const taker take_;
  void* const owner_;
  Note arriving_;
};

}  // namespace peal
