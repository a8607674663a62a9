#include "comm/context_pool.hpp"

#include <algorithm>
#include <limits>

namespace peal {

namespace {

/// Groups but the world's, dealt evenly.
std::uint32_t share_of_each(std::uint32_t processes) noexcept {
  return (std::numeric_limits<std::uint32_t>::max() / contexts_of_one - 1) / processes;
}

}  // namespace

context_pool::context_pool(peer_id self, std::uint32_t processes,
                           std::optional<std::size_t> most) noexcept
    : self_{self},
      processes_{processes},
      most_{static_cast<std::uint32_t>(std::min<std::size_t>(
          share_of_each(processes), most.value_or(share_of_each(processes))))} {}

context_pool::offer context_pool::take_unused() {
  const std::lock_guard guard{lock_};
  if (!unused_.empty()) {
    const std::uint32_t context = unused_.back();
    unused_.pop_back();
    return {context, false};
  }
  if (given_ == most_) return {};
  return {contexts_of_one * (1 + self_ + given_++ * processes_), false};
}

context_pool::offer context_pool::take() {
  const std::lock_guard guard{lock_};
  if (!unused_.empty()) {
    const std::uint32_t context = unused_.back();
    unused_.pop_back();
    return {context, false};
  }
  if (given_ < most_ && free_.size() < most_free)
    return {contexts_of_one * (1 + self_ + given_++ * processes_), false};
  if (free_.empty()) return {};
  const std::uint32_t context = free_.front();
  free_.pop_front();
  return {context, true};
}

void context_pool::give_back(const offer& unwanted) {
  if (unwanted.context == 0) return;
  const std::lock_guard guard{lock_};
  if (unwanted.used_before) free_.push_back(unwanted.context);
  else unused_.push_back(unwanted.context);
}

bool context_pool::hold(std::uint32_t context) {
  const std::lock_guard guard{lock_};
  return held_.insert(context).second;
}

void context_pool::let_go(std::uint32_t context) {
  const std::lock_guard guard{lock_};
  held_.erase(context);
}

void context_pool::free(std::uint32_t context, bool sound) {
  if (!sound) return;
  const std::lock_guard guard{lock_};
  held_.erase(context);
  if (is_own(context)) free_.push_back(context);
}

}  // namespace peal
