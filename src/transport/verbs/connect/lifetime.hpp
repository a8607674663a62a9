// transport/verbs/connect/lifetime.hpp
// From when on a connection carries messages, how much it is used, and how it ends while both sides
// live. The promoter writes it.
//
// Layer    transport/verbs.
// Threads  one at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "transport/verbs/connect/least_used.hpp"

namespace peal::verbs {

class lifetime {
 public:
  using clock = std::chrono::steady_clock;

  /// Messages go this way: none that went as a datagram is unacknowledged.
  [[nodiscard]] bool carries() const noexcept { return carries_; }
  void opened(std::uint32_t epoch) noexcept {
    heard_epoch_ = epoch;
    opened_at_ = clock::now();
  }
  void carry() noexcept { carries_ = true; }

  /// Something came, in this epoch of the endpoint.
  void heard(std::uint32_t epoch) noexcept { heard_epoch_ = epoch; }
  [[nodiscard]] std::uint32_t heard_epoch() const noexcept { return heard_epoch_; }
  [[nodiscard]] clock::time_point opened_at() const noexcept { return opened_at_; }

  // ---- its traffic, in packets
  /// So many went before there was the connection; `total`: what the connection itself has counted
  /// so far. `age` as in least_used.hpp.
  void count(std::uint32_t packets, std::uint32_t total, std::uint32_t age) noexcept {
    packets_ = packets;
    total_ = total;
    age_ = age;
  }
  void look(std::uint32_t total, std::uint32_t terms) noexcept {
    packets_ = of_late(packets_, total - total_, terms);
    total_ = total;
  }
  [[nodiscard]] std::uint32_t packets() const noexcept { return packets_; }
  [[nodiscard]] std::uint32_t age() const noexcept { return age_; }

  /// Nothing new is begun.
  void begin_to_end() noexcept {
    ending_ = true;
    carries_ = false;
  }
  [[nodiscard]] bool is_ending() const noexcept { return ending_; }
  /// Our last message is posted, and the peer's is here.
  void said_last() noexcept {
    said_last_ = true;
    says_again_ = false;
  }
  /// It may have got lost with the queue pair.
  void say_last_again() noexcept { says_again_ = said_last_; }
  [[nodiscard]] bool is_to_say_last() const noexcept { return !said_last_ || says_again_; }
  void heard_last() noexcept { heard_last_ = true; }
  [[nodiscard]] bool has_said_last() const noexcept { return said_last_; }
  [[nodiscard]] bool has_heard_last() const noexcept { return heard_last_; }
  /// No message comes or goes this way any more.
  [[nodiscard]] bool is_over() const noexcept { return said_last_ && heard_last_ && !says_again_; }

 private:
  bool carries_ = false;
  bool ending_ = false;
  bool said_last_ = false;
  bool says_again_ = false;
  bool heard_last_ = false;
  std::uint32_t heard_epoch_ = 0;
  std::uint32_t packets_ = 0;  // of late
  std::uint32_t total_ = 0;    // since it was opened, at the last look
  std::uint32_t age_ = 0;
  clock::time_point opened_at_;
};

}  // namespace peal::verbs
