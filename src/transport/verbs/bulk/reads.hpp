// transport/verbs/bulk/reads.hpp
// What this process reads of one peer's payloads, and which parts of it have not been posted. The
// fetcher writes it.
//
// Layer    transport/verbs.
// Threads  one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "transport/verbs/bulk/fetch_pacing.hpp"
#include "transport/verbs/bulk/links.hpp"

namespace peal::verbs {

class reads {
 public:
  /// Fetches are under way.
  [[nodiscard]] bool any() const noexcept { return !fetches_.empty(); }
  /// Parts wait to be posted.
  [[nodiscard]] bool any_unposted() const noexcept {
    return any_again() || oldest_unposted() != nullptr;
  }
  /// The oldest fetch that is not posted to its end; null: there is none.
  [[nodiscard]] fetch* oldest_unposted() const noexcept {
    return first_unposted_ < fetches_.size() ? fetches_[first_unposted_] : nullptr;
  }

  void add(fetch& begun) { fetches_.push_back(&begun); }
  /// The oldest one is posted to its end now.
  void posted_one() noexcept { ++first_unposted_; }
  /// Requires: it is posted to its end.
  void remove(const fetch& over) noexcept {
    fetches_.erase(std::ranges::find(fetches_, &over));
    --first_unposted_;
  }
  /// All of them, which are under way no more.
  [[nodiscard]] std::vector<fetch*> take() noexcept {
    first_unposted_ = 0;
    return std::exchange(fetches_, {});
  }

  // ---- parts that were under way over a link that was left out
  [[nodiscard]] bool any_again() const noexcept { return !again_.empty(); }
  [[nodiscard]] std::size_t count_again() const noexcept { return again_.size(); }
  void read_again(const bulk_part& part) { again_.push_back(part); }
  [[nodiscard]] bulk_part take_again() noexcept {
    const bulk_part made = again_.back();
    again_.pop_back();
    return made;
  }
  void forget_again() noexcept { again_.clear(); }

  fetch_pacing::peer pace;
  /// The queue pair whose turn it is.
  std::uint8_t next_queue = 0;
  bool noted = false;  // the fetcher posts what waits at the end of this poll

 private:
  std::vector<fetch*> fetches_;     // oldest first
  std::size_t first_unposted_ = 0;  // the first of them that is not posted to its end
  std::vector<bulk_part> again_;
};

}  // namespace peal::verbs
