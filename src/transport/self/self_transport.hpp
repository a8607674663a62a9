// transport/self/self_transport.hpp
// Messages of a process to itself.
//
// Layer    transport/self: may include transport/contract.hpp, progress/, base/.
// Threads  as the contract says.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "transport/contract.hpp"

namespace peal {

class self_transport final : public transport {
 public:
  /// The sink outlives the transport, and so does what wakes this process.
  self_transport(sink& into, peer_id self, wakeup* bell = nullptr)
      : transport{4096}, sink_{&into}, self_{self}, wakeup_{bell} {}

  [[nodiscard]] bool send(peer_id, envelope, const void* payload) noexcept override;
  [[nodiscard]] bool wants_eager(peer_id) const noexcept override { return wants_eager_; }
  void set_wants_eager(bool wants) noexcept override { wants_eager_ = wants; }
  remote_region expose(peer_id, const void* data, std::size_t bytes) noexcept override;
  void withdraw(peer_id, const remote_region&) noexcept override {}
  void start_fetch(fetch&) noexcept override;
  bool poll() noexcept override;
  bool arm() noexcept override { return armed_ = wakeup_ != nullptr; }
  void disarm() noexcept override { armed_ = false; }
  void peer_failed(peer_id) noexcept override {}  // it would not be told

 private:
  /// Aligned as the contract promises for payloads.
  struct alignas(16) block {
    std::byte bytes[16];
  };
  /// Most payload kept between two polls; the matching, which caps what it keeps, sees a message
  /// only then.
  static constexpr std::size_t most_queued = 256 * 1024;
  struct message {
    envelope head;
    std::vector<block> payload;
  };

  sink* sink_;
  peer_id self_;
  wakeup* wakeup_;
  bool armed_ = false;
  bool wants_eager_ = true;
  std::deque<message> queue_;
  std::size_t queued_ = 0;  // bytes of payload in it
};

}  // namespace peal
