// collective/choice/cost_rules.hpp
// What a message, a copy and a reduction cost, and which core pays for it: the rules that the
// prices of the choice (cost_sum.hpp) and peal-sim (simulator/) have in common. Prices add them up
// round by round, the simulator plays them event by event; on a machine where nothing else runs
// both find about the same time, and tests/unit/simulator/agreement_test.cpp says how nearly.
//
// Layer    collective: may include base/.
// Units    nanoseconds, bytes. "Far" means between nodes, otherwise inside one.
// Threads  a value; the parameters must outlive it.
#pragma once

#include <algorithm>

#include "collective/choice/cost_parameters.hpp"

namespace peal {

/// The cost of one message, by what is busy with it.
struct message_cost {
  double sender = 0;    // its core
  double receiver = 0;  // its core
  double both = 0;      // both cores at once
  double link = 0;      // the adapters, which move one message after another
  double between = 0;   // on the way, while no core is busy
  double answer = 0;    // until the sender, too, knows that it is over
};

class cost_rules {
 public:
  /// `oversubscribed`: ranks share cores, so the receiver of a long message of its node copies it
  /// alone.
  cost_rules(const cost_parameters& costs, bool oversubscribed) noexcept
      : costs_{costs}, oversubscribed_{oversubscribed} {}

  /// Up to so many bytes go with the envelope; longer messages are announced, fetched by their
  /// receivers, and answered.
  [[nodiscard]] static constexpr double eager_limit(bool far) noexcept {
    return far ? remote_eager_bytes : local_eager_bytes;
  }

  // ---- of a core
  /// To post a message or an answer.
  [[nodiscard]] double post(bool far, bool rings = true) const noexcept {
    return far ? costs_.remote_send_ns + (rings ? costs_.remote_doorbell_ns : 0)
               : costs_.local_send_ns;
  }
  /// To find that one has come.
  [[nodiscard]] double take(bool far) const noexcept {
    return far ? costs_.remote_receive_ns : costs_.local_receive_ns;
  }
  /// To copy the bytes of an eager message, on either side.
  [[nodiscard]] double slot(double bytes) const noexcept { return bytes / costs_.local_copy_rate; }
  /// Of the receiver of an announced message of its node, besides bytes and answer.
  [[nodiscard]] double fetch() const noexcept {
    return std::max(costs_.local_large_ns - costs_.local_send_ns, 0.0);
  }
  /// To copy the bytes of such a message: by both cores at once, or by the receiver's.
  [[nodiscard]] double fetched(double bytes) const noexcept {
    return bytes / (oversubscribed_ ? costs_.local_direct_rate : costs_.local_large_rate);
  }
  [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }
  /// Copies and reductions of a round, so many steps of so many bytes in all.
  [[nodiscard]] double local(double steps, double copied, double reduced) const noexcept {
    return copied / costs_.local_copy_rate + reduced / costs_.reduce_rate + steps * costs_.step_ns;
  }
  [[nodiscard]] double change_of_ranks() const noexcept { return costs_.switch_ns; }

  // ---- time that keeps no core busy
  [[nodiscard]] double flight(bool far) const noexcept {
    return far ? costs_.remote_flight_ns : costs_.local_flight_ns;
  }

  /// The whole cost of a message that does not wait for other messages.
  [[nodiscard]] message_cost message(double bytes, bool far) const noexcept {
    message_cost made{.sender = post(far), .receiver = take(far), .between = flight(far)};
    if (far) made.link = bytes / costs_.remote_rate;
    if (bytes <= eager_limit(far)) {
      made.sender += slot(bytes);
      made.receiver += slot(bytes);
      return made;
    }
    // The receiver's request, its end, and the answer; between nodes the rest is the adapters'.
    const double busy = far ? 2 * post(far) + take(far) : fetch() + post(far);
    made.receiver += busy;
    if (far) made.between += std::max(costs_.remote_large_ns - busy, 0.0);
    else (oversubscribed_ ? made.receiver : made.both) += fetched(bytes);
    made.answer = flight(far) + take(far);
    return made;
  }

 private:
  const cost_parameters& costs_;
  bool oversubscribed_;
};

}  // namespace peal
