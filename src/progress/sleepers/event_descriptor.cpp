#include "progress/sleepers/event_descriptor.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>

#include "progress/engine.hpp"
#include "progress/sleepers/helper_thread.hpp"

namespace peal {

using clock = std::chrono::steady_clock;

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

event_descriptor::news event_descriptor::take() {
  news found;
  if (!is_open()) return found;
  std::array<epoll_event, 16> events;
  const int count = ::epoll_wait(set_, events.data(), events.size(), 0);
  for (int each = 0; each < count; ++each) {
    const int source = events[static_cast<std::size_t>(each)].data.fd;
    if (source == alarm_) found.timed = true;
    else if (source == bell->descriptor()) found.rung = true;
    else found.watched.push_back({source, POLLIN, POLLIN});
  }
  std::uint64_t times = 0;
  if (found.timed) [[maybe_unused]]
    const ssize_t got = ::read(alarm_, &times, sizeof times);
  return found;
}

// ---- what the engine does with one

bool engine::open(event_descriptor& made) {
  const std::lock_guard<engine> guard{*this};
  if (!made.open(sources_.watched())) return false;
  loops_.push_back(&made);
  return true;
}

void engine::close(event_descriptor& gone) noexcept {
  const std::lock_guard<engine> guard{*this};
  std::erase(loops_, &gone);
  if (!sleepers_.remove(gone) || slept_in()) return;
  sources_.disarm();
  left_alone(false);
  resume_helper();
}

bool engine::arm(event_descriptor& to) {
  const std::lock_guard<engine> guard{*this};
  if (helper_ != nullptr) helper_->dismiss();
  if (settle(to) || deferred_.any()) return false;
  if (begin_sleep(to, true) != readiness::ready) {
    to.nap = shortest_nap;
    to.look = second_look;
    return false;
  }
  const std::chrono::nanoseconds time =
      sources_.armed()
          ? std::min<clock::duration>(next_look(to.look), sources_.wakes_at() - clock::now())
          : next_nap(to.nap);
  to.set_alarm(time);
  to.until_backstop = time == backstop;
  return true;
}

bool engine::disarm(event_descriptor& of) {
  bool moved = false;
  {
    const std::lock_guard<engine> guard{*this};
    if (helper_ != nullptr) helper_->dismiss();
    moved = settle(of);
  }
  run_deferred();
  return moved;
}

/// This one sleeps no more, and everything is polled.
bool engine::settle(event_descriptor& of) {
  const event_descriptor::news why = of.take();
  const bool by_backstop =
      why.timed && !why.rung && why.watched.empty() && of.until_backstop && !has_leader_;
  const bool moved = end_sleep(of, why.watched, by_backstop);
  if (moved) {
    of.nap = shortest_nap;
    of.look = second_look;
  }
  resume_helper();
  return moved;
}

}  // namespace peal
