// transport/verbs/bulk/staged.hpp
// Large payloads of which one side cannot register its memory (the limit of locked memory is
// reached, or the memory is of a kind that no device can read): the receiver asks, the sender sends
// the bytes through its registered slots.
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

#include "transport/verbs/bulk/exposures.hpp"
#include "transport/verbs/bulk/fetch_progress.hpp"
#include "transport/verbs/bulk/payload_header.hpp"
#include "transport/verbs/eager/interface.hpp"

namespace peal::verbs {

class connections;

class staged {
 public:
  staged(endpoint& endpoint, connections& connections, sender& out, const exposures& to_peers)
      : endpoint_{endpoint}, connections_{connections}, sender_{out}, exposures_{to_peers} {}

  /// Its share is [begin, end) of the payload; `begin` is a multiple of a page.
  void start(connection&, fetch&, std::size_t begin, std::size_t end) noexcept;
  /// A peer asks for bytes of what was exposed under this number. What is being sent already is not
  /// sent twice.
  [[nodiscard]] outcome asked(connection& from, const payload_header&,
                              std::uint64_t exposed) noexcept;
  /// Nothing more is sent of what was exposed under this number.
  void withdraw(std::uint64_t number) noexcept;
  /// Bytes have come.
  [[nodiscard]] outcome arrived(connection& from, const payload_header&,
                                const std::byte* data) noexcept;
  [[nodiscard]] bool busy() const noexcept { return !asks_.empty() || !jobs_.empty(); }
  /// Sends what can be sent. True when something was.
  bool step() noexcept;
  /// Whether something of this peer's is on its way here, or asked for.
  [[nodiscard]] bool awaits(peer_id) const noexcept;
  /// Forgets the peer; adds its fetches to `ending`.
  void abandon(peer_id, std::vector<fetch*>& ending) noexcept;

 private:
  struct incoming {
    peer_id from;
    fetch* into;
    std::uint64_t begin;    // of what was asked for
    std::uint64_t bytes;    // of it,
    std::uint64_t missing;  // and how many have not come
  };
  struct question {
    peer_id to;
    payload_header what;
    std::uint64_t number;  // exposures.hpp
  };
  struct job {
    peer_id to;
    const std::byte* data;         // of all that was exposed
    const packed_payload* packed;  // null: all of it is there
    std::uint64_t begin, bytes;    // of what was asked for
    std::uint64_t number;
    std::uint64_t exposed;  // its number there
    std::uint64_t sent = 0;
  };
  bool ask() noexcept;
  bool serve(job&) noexcept;

  endpoint& endpoint_;
  connections& connections_;
  sender& sender_;
  const exposures& exposures_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, incoming> incoming_;
  std::deque<question> asks_;  // ours, for which there was no room yet
  std::vector<job> jobs_;      // what peers have asked for
};

}  // namespace peal::verbs
