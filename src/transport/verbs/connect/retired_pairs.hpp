// transport/verbs/connect/retired_pairs.hpp
// Queue pairs for messages whose connection has ended. They are kept until the device says that
// they take no more receives of the shared queue.
//
// On some devices (mlx5) a queue pair that is destroyed takes its completions along, also those of
// receives that it took from the shared queue: their slots would be lost to all connections. So it
// goes into the error state first; IBV_EVENT_QP_LAST_WQE_REACHED says that the completions of all
// receives that it took are in the completion queue. When they have been read it is destroyed.
// Older kernels of Soft-RoCE never send that event, but leave completions where they are: there it
// is enough to wait for some time.
//
// Layer    transport/verbs. Control path.
// Threads  one at a time.
// Errors   none: a queue pair that cannot go into the error state is destroyed at once.
// Source   InfiniBand specification, 10.2.9.2 and 10.3.1.6 (affiliated event: last work request
//          reached); ibv_create_srq(3).
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "transport/verbs/device/interface.hpp"
#include "transport/verbs/endpoint/interface.hpp"

namespace peal::verbs {

class retired_pairs {
 public:
  using clock = std::chrono::steady_clock;
  explicit retired_pairs(endpoint& endpoint) : endpoint_{endpoint} {}

  /// Takes a queue pair, the slots that it may still read, and its connection's room in the
  /// endpoint (`window`: of its peer), all of which it gives back at its end.
  void add(queue_pair, std::vector<slot_id> slots, std::uint16_t window) noexcept;
  /// The device has said so of the queue pair with this number.
  void last_reached(std::uint32_t number) noexcept;

  [[nodiscard]] bool holds(std::uint32_t number) const noexcept;
  [[nodiscard]] bool any() const noexcept { return !all_.empty(); }
  /// When `step` has something to do even if the device tells nothing.
  [[nodiscard]] clock::time_point due() const noexcept;
  /// Destroys those that can be, when `read_all()` has read the completion queue to its end. Not
  /// while completions are being dealt out.
  template <class Read>
  void step(clock::time_point now, Read&& read_all) noexcept {
    std::vector<retired> over = take(now);
    if (over.empty()) return;
    read_all();  // which may retire other queue pairs
    for (retired& each : over) end(each);
  }

 private:
  struct retired {
    queue_pair pair;
    std::vector<slot_id> slots;
    std::uint16_t window = 0;
    clock::time_point until;
    bool over = false;  // all its completions are in the queue
  };
  [[nodiscard]] std::vector<retired> take(clock::time_point now) noexcept;
  void end(retired&) noexcept;

  endpoint& endpoint_;
  std::vector<retired> all_;
};

}  // namespace peal::verbs
