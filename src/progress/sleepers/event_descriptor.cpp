#include "progress/sleepers/event_descriptor.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace peal {

bool event_descriptor::open(const std::vector<pollfd>& watched) noexcept {
  if (is_open()) return true;
  set_ = ::epoll_create1(EPOLL_CLOEXEC);
  alarm_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  bell = &bell_.emplace();
  if (set_ < 0 || alarm_ < 0 || !bell->able()) {
    close();
    return false;
  }
  watch(alarm_);
  watch(bell->descriptor());
  for (const pollfd& each : watched) watch(each.fd);
  return true;
}

void event_descriptor::close() noexcept {
  for (int* each : {&set_, &alarm_}) {
    if (*each >= 0) ::close(*each);
    *each = -1;
  }
  bell = nullptr;
  bell_.reset();
}

void event_descriptor::watch(int descriptor) noexcept {
  if (!is_open()) return;
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  wanted.data.fd = descriptor;
  ::epoll_ctl(set_, EPOLL_CTL_ADD, descriptor, &wanted);
}

void event_descriptor::unwatch(int descriptor) noexcept {
  if (is_open()) ::epoll_ctl(set_, EPOLL_CTL_DEL, descriptor, nullptr);
}

void event_descriptor::set_alarm(std::chrono::nanoseconds after) noexcept {
  // A time of zero would set none.
  const itimerspec time{{}, time_of(std::max(after, std::chrono::nanoseconds{1}))};
  ::timerfd_settime(alarm_, 0, &time, nullptr);
}

event_descriptor::news event_descriptor::take() noexcept {
  news found;
  if (!is_open()) return found;
  std::array<epoll_event, 16> events;
  const int count = ::epoll_wait(set_, events.data(), events.size(), 0);
  for (int each = 0; each < count; ++each) {
    const int source = events[static_cast<std::size_t>(each)].data.fd;
    bool& why = source == alarm_               ? found.timed
                : source == bell->descriptor() ? found.rung
                                               : found.watched;
    why = true;
  }
  std::uint64_t times = 0;
  if (found.timed) [[maybe_unused]]
    const ssize_t got = ::read(alarm_, &times, sizeof times);
  if (found.rung) bell->clear();
  return found;
}

}  // namespace peal
