// transport/verbs/endpoint/endpoint.hpp
// What all connections of an endpoint share: the completion queue, the receive queue, the slots,
// and the counters. Further rails have a completion queue each, for bulk data.
//
// Receives: as many are posted as all peers together may send, and a few more. So a message never
// finds the receive queue empty. With many peers windows get smaller, since pinned memory has a
// limit: receive_budget.hpp. When the device tells that the queue runs low all the same, windows
// get smaller still.
//
// Layer    transport/verbs.
// Threads  one at a time.
// Errors   what could not be made says false, and was logged.
// Source   ibv_create_srq(3), ibv_modify_srq(3), ibv_resize_cq(3).
#pragma once

#include <infiniband/verbs.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "transport/verbs/device/interface.hpp"
#include "transport/verbs/endpoint/bulk_pairs.hpp"
#include "transport/verbs/endpoint/counters.hpp"
#include "transport/verbs/endpoint/pair_choice.hpp"
#include "transport/verbs/endpoint/receive_budget.hpp"
#include "transport/verbs/endpoint/settings.hpp"
#include "transport/verbs/endpoint/work_id.hpp"

namespace peal::verbs {

/// For how long a peer may leave a packet unanswered before a warning says so.
inline constexpr std::chrono::seconds complaint_after{8};
/// For a peer's place in the network. Each takes the kernel a second or more.
inline constexpr int most_searches = 16;
/// Bytes. The least of a message that is worth a work request of its own.
inline constexpr std::uint64_t smallest_part = 64 << 10;

/// What polls must look at besides the completion queue of the first rail.
struct bulk_pending {
  std::uint32_t refused = 0;   // parts that a queue did not take
  std::uint32_t unposted = 0;  // connections with parts to be posted at the end of this poll
  // Work requests under way on further rails, and shares that wait for notices there.
  std::uint32_t elsewhere = 0;
  // Connections of which a rail was left out, and whose peer has not been told: at most so many.
  std::uint32_t left_out = 0;
  // Queue pairs for messages that are on further rails.
  std::uint32_t controls = 0;
  [[nodiscard]] bool any() const noexcept {
    return (refused | unposted | elsewhere | left_out | controls) != 0;
  }
};

class endpoint {
 public:
  /// Enough for the envelope and 184 bytes: about what devices have (rxe 400–512, mlx5 a few
  /// hundred), and copying more costs as much as letting the device fetch it.
  static constexpr std::uint32_t inline_wanted = 200;

  /// Throws errc::no_device or errc::locked_memory.
  endpoint(std::vector<device>& rails, const settings&);
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;

  /// Room for one connection more: completions and receives. How much its peer may send at first;
  /// 0: the device or the kernel gives no more, or memory has its limit.
  [[nodiscard]] std::uint16_t make_room() noexcept;
  /// A connection whose peer has this window has ended; its receives stay posted for the next.
  void leave_room(std::uint16_t window) noexcept;

  // ---- windows: receive_budget.hpp
  /// What none is ever above.
  [[nodiscard]] std::uint16_t largest_window() const noexcept {
    return static_cast<std::uint16_t>(receives_ ? budget_.largest() : own_window_);
  }
  /// Whether this one may have to change when credits return.
  [[nodiscard]] bool window_changes(std::uint16_t window) const noexcept {
    return receives_ && budget_.changes(window);
  }
  struct window_change {
    bool grows = false;
    std::size_t receives = 0;
  };
  /// By how much a window is to change whose peer has used so much of it. The receives are there.
  [[nodiscard]] window_change resize_window(std::uint16_t window, std::uint16_t used) noexcept;
  /// So many credits were given up.
  void shrank_window(std::size_t by) noexcept { budget_.shrank(by); }
  /// A peer wanted more than there was, or gets less than others, since the last call.
  [[nodiscard]] bool wants_credits_back() const noexcept { return wants_back_; }
  void asked_for_credits() noexcept { wants_back_ = false; }
  /// The device says that the shared queue has few receives left.
  void receives_low() noexcept;

  /// A slab more to send from. False: there are as many as there may be.
  [[nodiscard]] bool add_send_slots() noexcept;

  [[nodiscard]] std::size_t posted() const noexcept { return posted_; }
  [[nodiscard]] const receive_budget& budget() const noexcept { return budget_; }

  /// A queue pair for messages, in INIT, whose peer may send so much; and one for bulk data, for
  /// whose completions there is room, to which the peer may write where it is asked to, or not.
  /// Null: errno says why.
  [[nodiscard]] queue_pair make_control(std::uint8_t rail, std::uint16_t window) noexcept;
  [[nodiscard]] queue_pair make_bulk(std::uint8_t rail, bool written_to) noexcept;
  /// Whether this process may have so many more than the first ones of a connection: what the
  /// device has for it is left to connections that may still come.
  [[nodiscard]] bool may_have_more(std::size_t pairs) const noexcept;
  /// Posts a receive for a notice (writer.hpp), or as many as there may be. False: the queue pair
  /// takes none.
  static bool expect_notice(ibv_qp&, work_id) noexcept;
  void expect_notices(ibv_qp&, work_id) const noexcept;
  /// Posts the receives of a queue pair that has a receive queue of its own; its slots are free
  /// when it is gone.
  [[nodiscard]] bool fill(ibv_qp&, std::uint8_t rail, std::uint16_t window,
                          std::vector<slot_id>& own) noexcept;

  /// What was received has been read: the slot goes back to the device, together with others. `at`:
  /// the queue pair that it came through; null when that takes nothing any more.
  [[gnu::always_inline]] void recycle(slot_id which, ibv_qp* at) noexcept {
    if (!receives_) [[unlikely]] {
      post_own(which, 0, at);
      return;
    }
    recycled_.push_back(which);
    if (recycled_.size() >= most_waiting_) post_recycled();
  }
  /// The same where it came over another rail.
  void recycle(slot_id which, std::uint8_t rail, ibv_qp* at) noexcept { post_own(which, rail, at); }
  /// Nothing has come: time to give slots back, which a message that has come would wait for.
  void idle() noexcept {
    if (recycled_.size() >= std::min(refill, most_waiting_) || !limit_armed_) [[unlikely]]
      fill_up();
  }

  [[nodiscard]] ibv_cq* completions() const noexcept { return completions_.get(); }
  /// Of another rail than the first.
  [[nodiscard]] ibv_cq* completions(std::size_t rail) const noexcept {
    return further_[rail - 1].get();
  }
  [[nodiscard]] bool shared() const noexcept { return receives_ != nullptr; }

  std::vector<device>& rails;
  const device& on;  // the first of them
  const settings set;
  slot_pool slots;
  verbs::counters counters;
  bulk_pending bulk;
  pair_choice choice;
  std::uint64_t longest_part = 0;  // that every rail takes
  std::uint32_t epoch = 1;         // one more at each poll
  std::uint8_t down = 0;           // a bit for each rail whose port, or device, is known to be so
  std::uint32_t inline_bytes = 0;  // that a control queue pair takes; known once one was made
  /// With fewer free slots than this, each that goes out asks for a completion.
  std::size_t few_slots = 16;
  verbs::bulk_pairs bulk_pairs{epoch};

  /// What time it is.
  [[nodiscard]] std::uint64_t nanoseconds() const noexcept { return set.nanoseconds(); }

 private:
  static constexpr std::size_t refill = 8;  // receives a chain

  void post_recycled() noexcept;
  void post_own(slot_id, std::uint8_t rail, ibv_qp*) noexcept;
  [[nodiscard]] bool carry_messages(std::uint8_t rail) noexcept;
  void make_shared() noexcept;
  void fill_up() noexcept;
  void arm_limit() noexcept;
  [[nodiscard]] bool post_more(std::size_t count) noexcept;
  [[nodiscard]] bool supply(std::size_t receives) noexcept;
  [[nodiscard]] bool get_ready() noexcept;
  /// Of the shared queue, when so many connections have the largest window.
  [[nodiscard]] std::size_t shared_receives_for(std::size_t connections) const noexcept {
    return std::min(connections * (set.window + receive_budget::uncounted), budget_.capacity()) +
           reserve_;
  }
  /// Of a connection that has a receive queue of its own.
  [[nodiscard]] std::size_t own_receives() const noexcept {
    return own_window_ + receive_budget::uncounted;
  }
  /// Slots that a connection may hold until it asks for a completion (sender::wants_signal).
  [[nodiscard]] std::size_t slots_to_send() const noexcept {
    return std::max<std::size_t>(set.send_depth / 4, 1);
  }
  [[nodiscard]] bool grow_completions(std::size_t connections, std::size_t bulk) noexcept;
  [[nodiscard]] bool grow_further(std::uint8_t rail, std::size_t connections, std::size_t bulk,
                                  bool messages) noexcept;

  completion_queue completions_;
  std::vector<completion_queue> further_;  // of rails 1, 2, ...
  shared_receive_queue receives_;
  receive_budget budget_;    // of the shared queue
  std::size_t reserve_ = 0;  // receives beyond it: those that wait to be posted again
  const std::uint32_t own_window_;
  /// Receives that are not posted again yet, at most: fewer where the shared queue is so short that
  /// it would be empty meanwhile.
  std::size_t most_waiting_ = 2 * refill;
  std::size_t posted_ = 0;   // receives of the shared queue, refills included, or of all others
  bool limit_armed_ = true;  // the device tells when the shared queue runs low
  bool wants_back_ = false;
  std::size_t connections_ = 0;
  std::size_t most_connections_ = 0;  // for whose completions there is room
  bool told_short_ = false;           // that memory for a further connection is lacking
  std::vector<slot_id> recycled_;
};

}  // namespace peal::verbs
