// transport/verbs/eager/eager_channel.hpp
// What a connection knows of its messages: the queue pair that carries them in order, the credits
// of both sides, packets that wait to be posted, and packets that the device may still read. The
// sender writes it; what the peer says comes in by `begin` and `hear`.
//
// Layer    transport/verbs. Data path.
// Units    packets, bytes.
// Threads  one at a time.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "transport/verbs/device/interface.hpp"
#include "transport/verbs/eager/credits.hpp"
#include "transport/verbs/eager/held_packets.hpp"
#include "transport/verbs/eager/inline_copies.hpp"
#include "transport/verbs/eager/kept_packets.hpp"
#include "transport/verbs/eager/sent_requests.hpp"
#include "transport/verbs/wire.hpp"

namespace peal::verbs {

class eager_channel {
 public:
  queue_pair pair;
  std::uint8_t rail = 0;  // that it is on
  verbs::credits credits;
  sent_requests sent;
  inline_copies copies;
  held_packets held;
  kept_packets kept;                  // of connections before this one, until it is open
  std::vector<slot_id> own_receives;  // posted to its own receive queue, where it has one

  // ---- what the peer says
  /// What the handshake says of the peer.
  void begin(std::uint16_t first_credits, std::uint16_t most_credits, bool refuses) noexcept {
    credits.begin_with(first_credits, most_credits);
    refuses_eager_ = refuses;
  }
  /// The same where the connection goes on over other queue pairs: the peer has read so many
  /// packets, ever.
  void go_on(std::uint32_t taken, std::uint16_t window, std::uint16_t most_credits,
             bool refuses) noexcept {
    credits.go_on(taken, window, most_credits);
    refuses_eager_ = refuses;
  }
  /// What the immediate data of a packet says of it. False: it returns credits that there are not.
  [[nodiscard]] bool hear(std::uint32_t said) noexcept {
    if (!(said & immediate::gives_up) && !credits.add(said & immediate::credit_bits)) [[unlikely]]
      return false;
    refuses_eager_ = (said & immediate::refuses_eager) != 0;
    if (said & immediate::leaving) has_left_ = true;
    return true;
  }
  /// A packet of the peer that used a credit has been read. True: the sender is to note this
  /// connection, or the peer had none.
  [[nodiscard]] bool took() noexcept {
    credits.owe();
    return credits.due() && (!listed_ || credits.overdrawn());
  }
  /// The peer wants announcements only.
  [[nodiscard]] bool refuses_eager() const noexcept { return refuses_eager_; }
  /// The peer said that it takes part no more.
  [[nodiscard]] bool has_left() const noexcept { return has_left_; }

  // ---- what the peer is to hear
  /// Whether this process wants eager messages has changed.
  void refusal_changed() noexcept { tell_refusal_ = true; }
  void told_refusal() noexcept { tell_refusal_ = false; }
  [[nodiscard]] bool is_to_tell_refusal() const noexcept { return tell_refusal_; }
  /// Worth a packet of its own. Only the return of credits needs none itself, so that it can always
  /// be sent; everything else waits for one.
  [[nodiscard]] bool has_news() const noexcept {
    return credits.due() || (tell_refusal_ && credits.left() > 0);
  }

  // ---- its place in the sender's list of those that want attention
  /// True: it was not there yet.
  [[nodiscard]] bool enter_list() noexcept { return !std::exchange(listed_, true); }
  /// True: it was there.
  bool leave_list() noexcept { return std::exchange(listed_, false); }

  // ---- the window keeper's notes (window_keeper.hpp)
  /// When something was last heard of the peer, as of the keeper's last look: false where that is
  /// what it was.
  [[nodiscard]] bool seen_anew(std::uint32_t heard) noexcept {
    return std::exchange(seen_, heard) != heard;
  }
  /// The peer was asked for credits, and nothing has come since.
  bool asked_back = false;

  // ---- the epoch of the endpoint in which something was last posted or held
  void used_in(std::uint32_t epoch) noexcept { last_use_ = epoch; }
  [[nodiscard]] std::uint32_t last_use() const noexcept { return last_use_; }

 private:
  bool refuses_eager_ = false;
  bool has_left_ = false;
  bool tell_refusal_ = false;
  bool listed_ = false;
  std::uint32_t last_use_ = 0;
  std::uint32_t seen_ = 0;
};

}  // namespace peal::verbs
