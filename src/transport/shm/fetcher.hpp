// transport/shm/fetcher.hpp
// The receiver's side of large payloads: copies them, together with the sender where that pays.
//
// Straight (claims): the payload lies in the segment, or the kernel lets this process read the sender's memory. The receiver copies chunks
// from the front whenever it polls; the sender, when it polls, copies chunks from the back. Who copies which is settled by one atomic
// counter pair, and the receiver gets along alone. Staged: otherwise; both must poll.
//
// Layer    transport/shm.
// Threads  one; the sender's helper works on the same records at the same time.
// Errors   told to fetch::done: errc::peer_failed, errc::internal.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/node_segment.hpp"
#include "transport/contract.hpp"
#include "transport/shm/claim.hpp"
#include "transport/shm/direct_copy.hpp"
#include "transport/shm/layout.hpp"

namespace peal::shm {

class fetcher {
 public:
  fetcher(node_segment&, direct_copy&);

  /// What a sender writes into its announcement.
  [[nodiscard]] remote_region describe(const void* data, std::size_t bytes) const noexcept;

  void start(fetch&, int from) noexcept;
  [[nodiscard]] bool busy() const noexcept { return first_ != nullptr; }
  /// Copies a chunk, or sees what the senders have done. Requires: busy.
  bool step() noexcept;
  void peer_failed(int index) noexcept;

 private:
  struct progress;  // of a fetch; lies in its scratch words
  enum class outcome { nothing, worked, finished };

  static progress& of(fetch&) noexcept;
  [[nodiscard]] transfer* take_record(int from) noexcept;
  void let_go(transfer*) noexcept;
  void open(fetch&) noexcept;
  [[nodiscard]] bool readable(fetch&) noexcept;
  outcome advance(fetch&) noexcept;
  outcome advance_alone(fetch&) noexcept;
  outcome advance_together(fetch&) noexcept;
  outcome advance_staged(fetch&) noexcept;
  outcome copy_piece(fetch&, piece) noexcept;
  [[nodiscard]] bool all_there(fetch&) noexcept;
  [[nodiscard]] int copy(fetch&, std::size_t at, std::size_t bytes) noexcept;
  outcome refused(fetch&, int error) noexcept;
  void finish(fetch* before, fetch&) noexcept;

  node_segment* segment_;
  direct_copy* direct_;
  fetch* first_ = nullptr;
  fetch* last_ = nullptr;
  struct record_use {
    transfer* record;
    int peer;     // who was asked last; -1: nobody who could still look
    bool in_use;  // by a fetch of ours
  };
  std::vector<record_use> records_;
  std::vector<bool> failed_;
};

}  // namespace peal::shm
