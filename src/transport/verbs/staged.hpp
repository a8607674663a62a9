// transport/verbs/staged.hpp
// Large payloads of which one side cannot register its memory (the limit of locked memory is reached, or the memory is of a kind that no
// device can read): the receiver asks, the sender sends the bytes through its registered slots.
//
// Layer    transport/verbs.
// Units    bytes.
// Threads  one at a time.
// Errors   told to fetch::done: errc::peer_failed.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "transport/verbs/connections.hpp"
#include "transport/verbs/sender.hpp"

namespace peal::verbs {

enum class staged_kind : std::uint32_t { ask, data };

/// What a staged packet begins with.
struct staged_header {
  staged_kind kind = staged_kind::ask;
  std::uint32_t reserved = 0;
  std::uint64_t number = 0;    // of the fetch, as its receiver counts
  std::uint64_t position = 0;  // ask: the address in the sender; data: where in the payload the bytes belong
  std::uint64_t bytes = 0;     // ask: how many; data: how many follow
};
static_assert(sizeof(staged_header) == 32);

class staged {
 public:
  staged(lane& shared, connections& all, sender& out) : lane_{shared}, all_{all}, sender_{out} {}

  void start(connection&, fetch&) noexcept;
  /// A staged packet has come.
  void arrived(connection& from, const std::byte* packet, std::size_t bytes) noexcept;
  [[nodiscard]] bool busy() const noexcept { return !asks_.empty() || !jobs_.empty(); }
  /// Sends what can be sent. True when something was.
  bool step() noexcept;
  void abandon(peer_id) noexcept;

 private:
  struct incoming {
    peer_id from;
    fetch* into;
    std::uint64_t arrived = 0;
  };
  struct question {
    peer_id to;
    staged_header what;
  };
  struct job {
    peer_id to;
    const std::byte* data;
    std::uint64_t bytes;
    std::uint64_t number;
    std::uint64_t sent = 0;
  };
  bool ask() noexcept;
  bool serve(job&) noexcept;

  lane& lane_;
  connections& all_;
  sender& sender_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, incoming> incoming_;
  std::deque<question> asks_;  // ours, for which there was no room yet
  std::vector<job> jobs_;      // what peers have asked for
};

}  // namespace peal::verbs
