// comm/end/report_list.hpp
// Which rank says of which peer that it does not reach it, in the order heard of: the list from
// which every lane learns it. Nobody is given up for a report: whoever said so may be the one whose
// adapter is broken.
//
// Layer    comm.
// Threads  any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "bootstrap/deaths.hpp"
#include "comm/end/failure_list.hpp"

namespace peal {

class report_list {
 public:
  report_list(int self, int ranks) : self_{self}, ranks_{ranks} {}

  /// False: it is known, is of or about this rank, or names none of the job.
  bool add(const unreachable_report& heard) {
    if (!is_other(heard.by) || !is_other(heard.peer) || heard.by == heard.peer) return false;
    const std::lock_guard hold{lock_};
    const auto same = [&](const unreachable_report& each) {
      return each.by == heard.by && each.peer == heard.peer;
    };
    if (std::ranges::any_of(all_, same)) return false;
    all_.push_back(heard);
    count_.store(all_.size(), std::memory_order_release);  // pairs with `count`
    return true;
  }
  /// Cheap: a line that is hardly ever written to.
  [[nodiscard]] std::size_t count() const noexcept {
    return count_.load(std::memory_order_acquire);
  }
  [[nodiscard]] unreachable_report at(std::size_t which) const {
    const std::lock_guard hold{lock_};
    return all_[which];
  }
  /// Whether no one before has named that peer.
  [[nodiscard]] bool is_first(std::size_t which) const {
    const std::lock_guard hold{lock_};
    return std::ranges::find(all_, all_[which].peer, &unreachable_report::peer) - all_.begin() ==
           static_cast<std::ptrdiff_t>(which);
  }
  /// Whether the other ranks are to be told that this one does not reach the peer: not where one
  /// that has not failed itself has told so, since those who find out after it, however many, need
  /// not repeat it. A rank that has told of many may well be the one that is cut off.
  [[nodiscard]] bool is_to_be_told(int peer, const failure_list& failed) {
    const std::lock_guard hold{lock_};
    const auto tells_so = [&](const unreachable_report& each) {
      return each.peer == peer && !failed.has(each.by);
    };
    return std::ranges::none_of(all_, tells_so) && ++told_ <= most_told;
  }

  /// Of one rank's own.
  static constexpr std::size_t most_told = 64;

 private:
  [[nodiscard]] bool is_other(int rank) const noexcept {
    return rank >= 0 && rank < ranks_ && rank != self_;
  }

  const int self_, ranks_;
  mutable std::mutex lock_;
  std::vector<unreachable_report> all_;
  std::size_t told_ = 0;
  std::atomic<std::size_t> count_{0};
};

}  // namespace peal
