// bootstrap/start_member.hpp
// A rank's side of the memory that pealrun shares with its ranks (start_host.hpp).
//
// Layer    bootstrap: may include base/.
// Units    exchanges are counted from 0 for the first of this member.
// Threads  one, but for `look` and those about news, which any may call.
// Errors   throws peal::error (errc::bootstrap_failed) with what the system said.
// Source   futex(2), proc(5): /proc/PID/fd.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/deaths.hpp"
#include "bootstrap/start_layout.hpp"

namespace peal {

class start_member {
 public:
  /// Null where pealrun has not started this process as a rank of the job that the PMIx variables
  /// name. Throws where it has, and its memory cannot be reached.
  static std::unique_ptr<start_member> of_environment();

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] int cores() const noexcept { return cores_; }
  [[nodiscard]] int application() const noexcept { return application_; }
  [[nodiscard]] const std::string& job() const noexcept { return job_; }
  [[nodiscard]] const std::string& distances() const noexcept { return distances_; }

  /// This rank's part of its next exchange; a fence has to follow.
  void tell(std::string_view what);
  /// What all told in the exchange before the last fence; empty: nothing.
  [[nodiscard]] std::vector<std::string> told_by_all() const;
  /// What one rank has told in the exchange of that number, 0 for the first of this member; empty:
  /// nothing yet.
  [[nodiscard]] std::string told_by(int rank, int exchange) const;

  /// Waits for all ranks. Once a death is known it is waited for those that are left no longer than
  /// `patience`. False then, and when `progress`, which is called meanwhile, says false.
  bool fence(std::chrono::milliseconds patience, const std::function<bool()>& progress);

  /// Whether a death was told since the last `look`: two relaxed loads.
  [[nodiscard]] bool has_news() const noexcept;
  /// Calls `dead` for each rank whose death was told so far.
  void look(const std::function<void(const rank_failure&)>& dead);
  /// How many times this rank was called; waits until it is called once more. False after `stop`.
  [[nodiscard]] std::uint32_t news() const noexcept;
  bool await_news(std::uint32_t& seen) const noexcept;
  void stop() noexcept;

  /// Asks pealrun to end the job.
  void abort(int code, std::string_view why) noexcept;
  void leave() noexcept;

 private:
  start_member() = default;
  [[nodiscard]] bool all_came(std::uint32_t fence) const noexcept;
  std::uint64_t append(std::string_view what) const;

  start_layout::segment_view view_;
  int rank_ = 0, size_ = 1, cores_ = 0, application_ = 0;
  std::string job_, distances_;
  std::uint32_t first_exchange_ = 0;  // exchanges of programs that were this rank before
  std::atomic<std::uint32_t> seen_deaths_{0};
  std::atomic<bool> stopped_{false};
};

}  // namespace peal
