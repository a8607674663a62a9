// transport/verbs/connect/reconnector.hpp
// Connections that broke while both processes live: when they are made again, and for how long that
// is tried.
//
// The way of one, on each side (doc/internals/rdma.md, Reconnection, has all cases):
//   interrupted  The queue pairs for large payloads are destroyed. That for messages goes into the
//                error state, and stays until everything that came over it has been read: then the
//                count of packets read is final.
//   again        New queue pairs, and a handshake (connector.hpp) that says those counts.
//   open         What the peer has not read is sent again. When the peer's adapter has answered,
//                the failure is over.
// The time of a peer runs from the first error to that answer: so a connection that is made and
// breaks again at once does not last for ever. Time in which this process does not look, since it
// computes or is stopped, does not count, but for a process that never looks in time.
//
// Layer    transport/verbs. Control path only.
// Threads  one at a time. `step` may call anything of the sink; not while completions are dealt
// out. Errors   peer_events::failed when the time is over. Source   InfiniBand
// specification, 10.3.1.6 (affiliated event: last work request reached).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "transport/verbs/bulk/interface.hpp"
#include "transport/verbs/connect/connector.hpp"
#include "transport/verbs/connect/pairs/pair_maker.hpp"
#include "transport/verbs/eager/interface.hpp"
#include "transport/verbs/endpoint/interface.hpp"
#include "transport/verbs/peer_events.hpp"

namespace peal::verbs {

class connections;

/// A peer whose process is there, as the kernel of its node says, may compute, and answer later. It
/// has so many times as long: not for ever, since the device's way to it may be cut for good where
/// the kernel's is not.
inline constexpr int longer_when_there = 10;

class reconnector {
 public:
  using clock = std::chrono::steady_clock;
  reconnector(endpoint& endpoint, connections& connections, connector& connector, pair_maker& pairs,
              sender& sender, payloads& payloads, peer_events& told)
      : endpoint_{endpoint},
        connections_{connections},
        connector_{connector},
        pair_maker_{pairs},
        sender_{sender},
        payloads_{payloads},
        events_{told} {}

  /// Its queue pairs are of no more use. Requires: it was open once, and is not lost.
  void interrupt(connection&, const char* cause) noexcept;
  /// It is open again.
  void reopened(connection&) noexcept;
  /// It is being taken away.
  void forget(const connection&) noexcept;
  /// The device says that everything that came over the queue pair with this number can be read.
  void last_reached(std::uint32_t number) noexcept;

  [[nodiscard]] bool any() const noexcept { return !all_.empty(); }
  /// It broke, and the peer's adapter has not answered since.
  [[nodiscard]] bool holds(const connection& which) const noexcept {
    return std::ranges::find(all_, &which, &broken::which) != all_.end();
  }
  /// A connection is not open yet.
  [[nodiscard]] bool any_interrupted() const noexcept;
  /// When `step` has something to do.
  [[nodiscard]] clock::time_point due() const noexcept;
  /// Gives up peers whose time is over, and goes on with the others. `read_all()` reads the
  /// completion queue to its end.
  template <class Read>
  void step(clock::time_point now, Read&& read_all) noexcept {
    give_up(now);
    if (std::ranges::none_of(all_, [&](const broken& each) { return is_drained(each, now); }))
      return;
    // As of before: what breaks during the reading is not at its end.
    std::vector<connection*> drained;
    for (const broken& each : all_)
      if (is_drained(each, now)) drained.push_back(each.which);
    read_all();
    for (connection* each : drained) go_on(each, now);
  }

 private:
  struct broken {
    connection* which;
    clock::time_point since;   // the first error
    clock::time_point until;   // then everything that has come can be read, at the latest
    bool over;                 // so it can
    std::uint32_t answer = 0;  // once it is open: the request whose completion ends the failure
    unsigned late_looks = 0;   // whose time does not count
    std::string cause;
  };
  using brokens = std::vector<broken>;
  [[nodiscard]] brokens::iterator find(const connection*) noexcept;
  [[nodiscard]] static bool is_drained(const broken&, clock::time_point now) noexcept;
  [[nodiscard]] clock::duration patience() const noexcept;
  void give_up(clock::time_point now) noexcept;
  void go_on(connection*, clock::time_point now) noexcept;

  endpoint& endpoint_;
  connections& connections_;
  connector& connector_;
  pair_maker& pair_maker_;
  sender& sender_;
  payloads& payloads_;
  peer_events& events_;
  brokens all_;
  clock::time_point looked_;  // when `step` was called last
};

}  // namespace peal::verbs
