// transport/verbs/connection.hpp
// All that this process knows of one peer that it has, or begins, a connection to: what each room
// of the transport knows of it.
//
// Layer    transport/verbs.
// Threads  one at a time.
#pragma once

#include <cstdint>

#include "transport/contract.hpp"
#include "transport/verbs/bulk/interface.hpp"
#include "transport/verbs/connect/interface.hpp"
#include "transport/verbs/eager/interface.hpp"
#include "transport/verbs/endpoint/interface.hpp"

namespace peal::verbs {

enum class connection_state : std::uint8_t {
  requesting,  // our request is on its way; the queue pairs are in INIT
  // We know theirs, they may not know ours yet: we can receive, and send once we hear from them.
  answered,
  open,
  // The queue pair for messages is in the error state, or gone, the others are gone:
  // reconnector.hpp
  interrupted,
  lost  // an error ended it; the queue pairs are there until peer_failed is called
};

class connection {
 public:
  explicit connection(peer_id with) noexcept : peer{with} {}
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  [[nodiscard]] bool is_requesting() const noexcept {
    return state_ == connection_state::requesting;
  }
  [[nodiscard]] bool is_answered() const noexcept { return state_ == connection_state::answered; }
  [[nodiscard]] bool is_open() const noexcept { return state_ == connection_state::open; }
  [[nodiscard]] bool is_interrupted() const noexcept {
    return state_ == connection_state::interrupted;
  }
  [[nodiscard]] bool is_lost() const noexcept { return state_ == connection_state::lost; }
  void become(connection_state next) noexcept { state_ = next; }
  /// Open, and its last message has not been said and heard.
  [[nodiscard]] bool is_in_use() const noexcept { return is_open() && !lifetime.is_over(); }
  /// Messages go this way.
  [[nodiscard]] bool carries() const noexcept { return lifetime.carries() && is_open(); }

  /// Where it stands among all connections: connections.hpp, which says so once.
  void stand_at(std::uint32_t index, std::uint8_t generation) noexcept {
    index_ = index;
    generation_ = generation;
  }
  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  [[nodiscard]] std::uint8_t generation() const noexcept { return generation_; }
  /// What a completion of its work requests says.
  [[nodiscard]] work_id id(work kind, std::uint32_t detail) const noexcept {
    return work_id::make(kind, index_, generation_, detail);
  }

  const peer_id peer;

 private:
  connection_state state_ = connection_state::requesting;
  std::uint8_t generation_ = 0;
  std::uint32_t index_ = 0;

 public:
  verbs::lifetime lifetime;    // connect/
  verbs::eager_channel eager;  // eager/
  verbs::links links;          // bulk/
  verbs::reads reads;
  verbs::handshake handshake;  // connect/
  verbs::pairing pairing;
};

}  // namespace peal::verbs
