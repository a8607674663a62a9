// transport/verbs/sleeper.hpp
// Whether the transport may sleep, what wakes it, and until when it sleeps: the contract's arm,
// disarm and wakes_at for all parts together.
//
// Completions wake it (completion_channel.hpp): of received messages, of sent ones, which make
// room, of handshake packets and datagrams, of errors. Everything that waits for none of these
// names a time at which it must be polled, or keeps the process awake.
//
// Layer    transport/verbs. Control path: the edges of a sleep.
// Threads  one at a time. While the transport is armed one thread sleeps, and another that gives it
//          something to do calls `wake`.
// Errors   none of its own.
#pragma once

#include <chrono>
#include <vector>

#include "progress/wakeup.hpp"
#include "transport/verbs/bulk/interface.hpp"
#include "transport/verbs/connect/interface.hpp"
#include "transport/verbs/datagram/interface.hpp"
#include "transport/verbs/eager/interface.hpp"

namespace peal::verbs {

class sleeper {
 public:
  using clock = std::chrono::steady_clock;

  /// What `poll` does now and then only is done when the epoch is a multiple of this.
  static constexpr std::uint32_t turns_between_looks = 256;

  /// `bell` null: this process never sleeps.
  sleeper(endpoint& endpoint, sender& sender, payloads& payloads, const connector& connector,
          datagrams& datagrams, const promoter& promoter, device_events& events, wakeup* bell)
      : endpoint_{endpoint},
        sender_{sender},
        payloads_{payloads},
        connector_{connector},
        datagrams_{datagrams},
        promoter_{promoter},
        events_{events},
        bell_{bell} {}

  [[nodiscard]] bool armed() const noexcept { return armed_; }
  [[nodiscard]] bool arm() noexcept;
  void disarm() noexcept;
  /// Of completions and events, of all rails.
  [[nodiscard]] std::vector<int> descriptors() const;
  /// This descriptor can be read; it may be one of another part.
  void rang(int descriptor) noexcept;
  /// `probe_at`: when idle connections are asked for a sign of life.
  [[nodiscard]] clock::time_point wakes_at(clock::time_point probe_at) const noexcept;
  /// Ends the sleep of another thread, which polls then.
  void wake() noexcept;
  /// The same if what was done since `before`, taken from `due`, must not wait for the end of that
  /// sleep.
  void wake_if_needed(clock::time_point before) noexcept {
    if (armed_ && (sender_.holds() || datagrams_.holds() || due() < before)) wake();
  }
  /// When something is to be repeated.
  [[nodiscard]] clock::time_point due() const noexcept;

 private:
  [[nodiscard]] bool arm_all() noexcept;
  void look_at_everything() noexcept;

  endpoint& endpoint_;
  sender& sender_;
  payloads& payloads_;
  const connector& connector_;
  datagrams& datagrams_;
  const promoter& promoter_;
  device_events& events_;
  wakeup* const bell_;
  bool armed_ = false;
};

}  // namespace peal::verbs
