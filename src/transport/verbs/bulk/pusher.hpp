// transport/verbs/bulk/pusher.hpp
// The beginning of a large payload, which the sender sends unasked right behind its announcement,
// while the receiver fetches the rest.
//
// The pieces go through the slots of ordinary messages, over the same queue pair as the
// announcement. Pieces that come before the receiver takes the payload are kept in a store; a piece
// that finds no room there is dropped, and fetched like the rest. A payload is pushed only while
// credits and slots are plentiful, and while not too many payloads that were pushed to the peer are
// unanswered. With each piece the sender says which of its pushes is the oldest unanswered one: the
// receiver then drops older ones that it never took.
//
// Layer    transport/verbs.
// Units    bytes.
// Threads  one at a time.
// Errors   none: what cannot be pushed is fetched.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "transport/verbs/bulk/fetch_progress.hpp"
#include "transport/verbs/bulk/payload_header.hpp"
#include "transport/verbs/eager/interface.hpp"

namespace peal::verbs {

class connections;
struct payload_view;

class pusher {
 public:
  pusher(endpoint& endpoint, connections& connections, sender& out)
      : endpoint_{endpoint}, connections_{connections}, sender_{out} {}

  // ---- the sender of payloads

  /// Decides how much of the beginning is pushed. Returns what the announcement must say of it: 0
  /// for nothing.
  [[nodiscard]] std::uint64_t plan(connection& to, const std::byte* data,
                                   std::size_t bytes) noexcept;
  /// How much that is.
  [[nodiscard]] static std::size_t planned(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word);
  }
  /// Sends what was planned and not sent, as far as there is room. True when something was.
  bool step() noexcept;
  [[nodiscard]] bool busy() const noexcept { return !jobs_.empty(); }
  /// The payload was taken, or is not wanted any more.
  void withdraw(peer_id to, std::uint64_t word) noexcept;

  // ---- the receiver

  /// Gives the fetch what was pushed for it already, or will when it comes. Returns how much that
  /// is: whole pages, or all of it. What has come already is not counted (fetch_progress.hpp) but
  /// in `here`.
  [[nodiscard]] std::size_t claim(fetch&, std::size_t& here) noexcept;
  [[nodiscard]] outcome arrived(peer_id from, const payload_view&) noexcept;

  /// Pieces for this peer have not left, or a fetch waits for pieces of this peer's.
  [[nodiscard]] bool under_way(peer_id) const noexcept;

  /// Forgets the peer; adds its fetches to `ending`.
  void abandon(peer_id, std::vector<fetch*>& ending) noexcept;

 private:
  struct job {
    peer_id to;
    std::uint32_t number;
    const std::byte* data;
    std::size_t bytes;
    std::size_t sent;
  };
  struct unanswered {
    std::uint32_t number;
    std::size_t bytes;
  };
  struct outgoing {
    std::uint32_t last_number = 0;
    std::size_t bytes = 0;
    std::vector<unanswered> all;  // oldest first
  };
  struct beginning {
    std::uint32_t number;
    std::uint32_t planned;
    std::uint32_t arrived;
    std::unique_ptr<std::byte[]> data;  // null: it goes to `into`, or was dropped
    fetch* into;
  };
  using beginnings = std::vector<beginning>;
  [[nodiscard]] bool serve(job&) noexcept;
  void begin(beginnings&, const payload_view&) noexcept;
  void forget(beginnings&, beginnings::iterator) noexcept;

  endpoint& endpoint_;
  connections& connections_;
  sender& sender_;
  std::unordered_map<peer_id, outgoing> outgoing_;
  std::deque<job> jobs_;
  std::unordered_map<peer_id, beginnings> incoming_;
  std::size_t kept_ = 0;  // bytes that incoming_ holds
};

}  // namespace peal::verbs
