// record/event_log.hpp
// The events of a rank, in a file that grows in pieces up to a limit; what comes later is counted.
//
// Layer    record: may include base/.
// Threads  one at a time.
// Errors   where there is no more space, the limit is what is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "record/layout.hpp"

namespace peal::record {

/// Of the calling thread, among those of the process that have asked.
std::uint16_t number_of_thread() noexcept;

class event_log {
 public:
  /// Keeps nothing.
  event_log() = default;
  /// In that file, which is made. Throws std::system_error.
  event_log(const std::string& file, std::uint64_t limit);
  event_log(event_log&& other) noexcept;
  event_log(const event_log&) = delete;
  event_log& operator=(const event_log&) = delete;
  ~event_log();

  [[nodiscard]] bool on() const noexcept { return limit_ != 0; }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }
  void add(const event& e) noexcept {
    if (used_ == room_ && (full_ || !grow())) {
      ++lost_;
      return;
    }
    at_[used_++] = e;
  }
  /// A receive is posted: its number.
  std::uint32_t post() noexcept { return ++posted_; }

 private:
  static constexpr std::uint64_t piece = 16384;  // events, about a megabyte

  bool grow() noexcept;

  int descriptor_ = -1;
  event* at_ = nullptr;  // room for the limit is mapped
  std::uint64_t limit_ = 0, room_ = 0, used_ = 0, lost_ = 0;
  std::uint32_t posted_ = 0;
  bool full_ = false;
};

}  // namespace peal::record
