#include "progress/engine_sleeper.hpp"

#include <algorithm>
#include <utility>

namespace peal {

void sleeper_list::count(const engine_sleeper& of, int one) noexcept {
  if (of.on == engine_sleeper::kind::descriptors) on_descriptors_ += one;
  if (of.hears_of_moves()) hearing_ += one;
}

void sleeper_list::add(engine_sleeper& who) {
  all_.push_back(&who);
  who.asleep = true;
  count(who, 1);
}

bool sleeper_list::remove(engine_sleeper& who) noexcept {
  std::erase(all_, &who);
  if (!std::exchange(who.asleep, false)) return false;
  count(who, -1);
  return true;
}

void sleeper_list::call(engine_sleeper& who) noexcept {
  if (!std::exchange(who.asleep, false)) return;
  count(who, -1);
  who.called.store(1, std::memory_order_relaxed);
  if (who.bell != nullptr) who.bell->ring();
  else if (who.on == engine_sleeper::kind::word) futex_wake(who.called);
}

void sleeper_list::call_for_move() noexcept {
  for (engine_sleeper* each : all_)
    if (each->hears_of_moves()) call(*each);
}

void sleeper_list::call_for_end(const void* operation) noexcept {
  for (engine_sleeper* each : all_)
    if (each->awaited == operation) call(*each);
}

void sleeper_list::call_first_on_word() noexcept {
  const auto first = std::ranges::find(all_, engine_sleeper::kind::word, &engine_sleeper::on);
  if (first != all_.end()) call(**first);
}

void thread_sleep::add(engine_sleeper& who, const source_list& sources) {
  end = std::min(end, sources.wakes_at());
  who.first = on.size();
  who.count = sources.watched().size();
  on.insert(on.end(), sources.watched().begin(), sources.watched().end());
}

void thread_sleep::sleep(std::chrono::nanoseconds most) noexcept {
  using clock = std::chrono::steady_clock;
  const timespec time = time_of(std::min<clock::duration>(end - clock::now(), most));
  const int found = ::ppoll(on.data(), on.size(), &time, nullptr);
  if (found < 0)  // a signal came
    for (pollfd& each : on) each.revents = 0;
  by_backstop = found == 0 && clock::now() < end;
}

}  // namespace peal
