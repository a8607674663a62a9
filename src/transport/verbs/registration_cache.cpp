#include "transport/verbs/registration_cache.hpp"

#include <unistd.h>

#include <limits>

namespace peal::verbs {

namespace {

std::uintptr_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

int access_of(range_use use) noexcept {
  // Without a local write the kernel does not ask for writable pages, so a constant can be sent.
  return IBV_ACCESS_REMOTE_READ | (use == range_use::target ? IBV_ACCESS_LOCAL_WRITE : 0);
}

}  // namespace

registration_cache::registration_cache(ibv_pd* domain, std::size_t idle_limit) : domain_{domain}, idle_limit_{idle_limit} {}

registration_cache::~registration_cache() { trim(0); }

registration* registration_cache::acquire(const void* address, std::size_t length, range_use wanted) noexcept {
  take_notes();
  const std::uintptr_t page = page_bytes();
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t begin = first & ~(page - 1);
  const std::uintptr_t end = (first + length + page - 1) & ~(page - 1);
  registration* found = find(targets_, begin, end);
  if (!found && wanted == range_use::source) found = find(sources_, begin, end);
  if (found) {
    ++counters_.hits;
    return use(*found);
  }
  return make(begin, end, wanted);
}

registration* registration_cache::find(const index& in, std::uintptr_t begin, std::uintptr_t end) const noexcept {
  auto after = in.upper_bound(begin);
  if (after == in.begin()) return nullptr;
  registration* candidate = std::prev(after)->second;
  return candidate->end >= end ? candidate : nullptr;
}

registration* registration_cache::use(registration& found) noexcept {
  if (found.users++ == 0) {
    idle_.erase(found.idle);
    idle_bytes_ -= found.end - found.begin;
  }
  return &found;
}

registration* registration_cache::make(std::uintptr_t begin, std::uintptr_t end, range_use wanted) noexcept {
  const auto attempt = [&] { return ibv_reg_mr(domain_, reinterpret_cast<void*>(begin), end - begin, access_of(wanted)); };
  ibv_mr* region = attempt();
  if (!region && !idle_.empty()) {
    trim(0);
    region = attempt();
  }
  if (!region) return nullptr;
  ++counters_.registered;
  auto* made = new registration;
  made->region = region;
  made->begin = begin;
  made->end = end;
  made->users = 1;
  made->use = wanted;
  if (idle_limit_ > 0) enter(*made);
  return made;
}

void registration_cache::enter(registration& made) noexcept {
  index& in = index_of(made.use);
  for (auto each = in.lower_bound(made.begin); each != in.end() && each->second->end <= made.end;) {
    registration& within = *each->second;
    each = in.erase(each);
    within.indexed = false;
    if (within.users == 0) retire(within);
  }
  in.emplace(made.begin, &made);
  made.indexed = true;
}

void registration_cache::release(registration& over) noexcept {
  if (--over.users > 0) return;
  if (!over.indexed) {
    destroy(over);
    return;
  }
  over.idle = idle_.insert(idle_.end(), &over);
  idle_bytes_ += over.end - over.begin;
  take_notes();
  trim(idle_limit_);
}

/// Ends an idle one that is not indexed any more.
void registration_cache::retire(registration& idle) noexcept {
  idle_.erase(idle.idle);
  idle_bytes_ -= idle.end - idle.begin;
  destroy(idle);
}

void registration_cache::destroy(registration& over) noexcept {
  ibv_dereg_mr(over.region);
  delete &over;
}

void registration_cache::trim(std::size_t limit) noexcept {
  while (idle_bytes_ > limit) {
    registration& oldest = *idle_.front();
    index_of(oldest.use).erase(oldest.begin);
    retire(oldest);
  }
}

// ---- memory that goes away

void registration_cache::forget(const void* address, std::size_t length) noexcept {
  if (idle_limit_ == 0) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  std::uint64_t turn = next_note_.load(std::memory_order_relaxed);
  do {
    // acquire: pairs with the release in take_notes, so that a note is not overwritten before it was read.
    if (turn - first_note_.load(std::memory_order_acquire) >= most_notes) {
      overflow_.store(true, std::memory_order_release);  // pairs with the exchange in take_notes
      return;
    }
  } while (!next_note_.compare_exchange_weak(turn, turn + 1, std::memory_order_relaxed));
  note& mine = notes_[turn % most_notes];
  mine.begin = begin;
  mine.end = begin + length;
  mine.turn.store(turn + 1, std::memory_order_release);  // pairs with the acquire in take_notes
}

// A note that is taken but not written yet belongs to a system call that has not been made yet, so the memory is still there.
void registration_cache::take_notes() noexcept {
  if (overflow_.load(std::memory_order_relaxed) && overflow_.exchange(false, std::memory_order_acquire))
    drop(0, std::numeric_limits<std::uintptr_t>::max());
  std::uint64_t turn = first_note_.load(std::memory_order_relaxed);  // relaxed: only we write it
  for (;; ++turn) {
    note& next = notes_[turn % most_notes];
    if (next.turn.load(std::memory_order_acquire) != turn + 1) return;
    const std::uintptr_t begin = next.begin, end = next.end;
    first_note_.store(turn + 1, std::memory_order_release);
    drop(begin, end);
  }
}

void registration_cache::drop(std::uintptr_t begin, std::uintptr_t end) noexcept {
  for (index* in : {&sources_, &targets_}) {
    auto each = in->lower_bound(begin);
    // Ends ascend like beginnings, so the ranges that reach into this one from before stand right before it.
    while (each != in->begin() && std::prev(each)->second->end > begin) --each;
    while (each != in->end() && each->first < end) {
      registration& gone = *each->second;
      each = in->erase(each);
      gone.indexed = false;
      ++counters_.forgotten;
      if (gone.users == 0) retire(gone);
    }
  }
}

}  // namespace peal::verbs
