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
  /// The oldest fetch of which more can be posted; null: there is none.
  [[nodiscard]] fetch* oldest_unposted() const noexcept {
    return unposted_.empty() ? nullptr : unposted_.front();
  }

  void add(fetch& begun) { fetches_.push_back(&begun); }
  /// More of it can be posted. Requires: it was added, and does not stand among the unposted ones.
  void ready(fetch& more) { unposted_.push_back(&more); }
  /// The oldest one is posted to its end now, or as far as its memory is registered.
  void posted_one() noexcept { unposted_.erase(unposted_.begin()); }
  /// Requires: it does not stand among the unposted ones.
  void remove(const fetch& over) noexcept { fetches_.erase(std::ranges::find(fetches_, &over)); }
  /// All of them, which are under way no more.
  [[nodiscard]] std::vector<fetch*> take() noexcept {
    unposted_.clear();
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
  std::vector<fetch*> fetches_;
  std::vector<fetch*> unposted_;  // oldest first
  std::vector<bulk_part> again_;
};

}  // namespace peal::verbs
