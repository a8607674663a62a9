#include "bootstrap/deaths.hpp"

namespace peal {

death_list& deaths() {
  static death_list* list = new death_list;
  return *list;
}

void note_death(std::string_view job, const rank_failure& of) {
  death_list& box = deaths();
  const std::lock_guard hold{box.lock};
  if (box.job != job || !box.dead.insert(of.rank).second) return;
  box.not_fetched.push_back(of);
  box.filled.store(true, std::memory_order_relaxed);  // a hint; the lock orders the list
  if (box.tell) box.tell();
}

void note_report(std::string_view job, const unreachable_report& heard) {
  death_list& box = deaths();
  const std::lock_guard hold{box.lock};
  if (box.job != job) return;
  box.reports.push_back(heard);
  box.reported.store(true, std::memory_order_relaxed);  // as `filled`
  if (box.tell) box.tell();
}

bool somebody_died() {
  const std::lock_guard hold{deaths().lock};
  return !deaths().dead.empty();
}

void begin_to_hear(const std::string& job) {
  death_list& box = deaths();
  const std::lock_guard hold{box.lock};
  box.job = job;
  box.dead.clear();
  box.not_fetched.clear();
  box.filled.store(false, std::memory_order_relaxed);
  box.reports.clear();
  box.reported.store(false, std::memory_order_relaxed);
}

}  // namespace peal
