#include "progress/sources.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

namespace peal {

void source_list::remove(progress_source& source) noexcept {
  std::erase(every_, &source);
  std::erase(sometimes_, &source);
}

void source_list::watch(int descriptor, progress_source* reader) {
  watched_.push_back({descriptor, POLLIN, 0});
  readers_.push_back(reader);
}

void source_list::unwatch(int descriptor) noexcept {
  for (std::size_t each = watched_.size(); each-- > 0;) {
    if (watched_[each].fd != descriptor) continue;
    watched_.erase(watched_.begin() + static_cast<std::ptrdiff_t>(each));
    readers_.erase(readers_.begin() + static_cast<std::ptrdiff_t>(each));
  }
}

bool source_list::arm() noexcept {
  if (std::exchange(rung_, false)) wakeup_.clear();
  armed_ = wakeup_.able() && !polling_;
  for (auto* sources : {&every_, &sometimes_})
    for (progress_source* each : *sources) armed_ = armed_ && each->arm();
  return armed_;
}

void source_list::disarm() noexcept {
  for (auto* sources : {&every_, &sometimes_})
    for (progress_source* each : *sources) each->disarm();
}

source_list::deadline source_list::wakes_at() const noexcept {
  deadline first = deadline::max();
  for (auto* sources : {&every_, &sometimes_})
    for (const progress_source* each : *sources) first = std::min(first, each->wakes_at());
  return first;
}

void source_list::read(std::span<const pollfd> found, bool at_once) noexcept {
  for (const pollfd& each : found) {
    const auto watched = std::ranges::find(watched_, each.fd, &pollfd::fd);
    if (each.revents == 0 || watched == watched_.end()) continue;
    if (each.fd != wakeup_.descriptor()) {
      if (auto* reader = readers_[static_cast<std::size_t>(watched - watched_.begin())])
        reader->rang(each.fd);
    } else if (at_once) {
      wakeup_.clear();
    } else {
      rung_ = true;
    }
  }
}

bool source_list::read_all(std::chrono::milliseconds within) noexcept {
  if (::poll(watched_.data(), watched_.size(), static_cast<int>(within.count())) <= 0) return false;
  read(watched_, true);
  return true;
}

}  // namespace peal
