#include "progress/event_descriptor.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
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
  bell = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (set_ < 0 || alarm_ < 0 || bell < 0) {
    close();
    return false;
  }
  watch(alarm_);
  watch(bell);
  for (const pollfd& each : watched) watch(each.fd);
  return true;
}

void event_descriptor::close() noexcept {
  for (int* each : {&set_, &alarm_, &bell}) {
    if (*each >= 0) ::close(*each);
    *each = -1;
  }
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

void event_descriptor::set_alarm(std::chrono::steady_clock::time_point at) noexcept {
  // A time of zero would set none.
  const auto since = std::max<std::int64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count(), 1);
  itimerspec time{};
  time.it_value = {since / 1'000'000'000, since % 1'000'000'000};
  ::timerfd_settime(alarm_, TFD_TIMER_ABSTIME, &time, nullptr);
}

event_descriptor::news event_descriptor::take() noexcept {
  news found;
  if (!is_open()) return found;
  std::array<epoll_event, 16> events;
  const int count = ::epoll_wait(set_, events.data(), events.size(), 0);
  for (int each = 0; each < count; ++each) {
    const int source = events[static_cast<std::size_t>(each)].data.fd;
    (source == alarm_ ? found.timed : source == bell ? found.rung : found.watched) = true;
    std::uint64_t times = 0;
    if (source == alarm_ || source == bell) [[maybe_unused]]
      const ssize_t got = ::read(source, &times, sizeof times);
  }
  return found;
}

}  // namespace peal
