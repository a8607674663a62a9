#include "memory/unmap_log.hpp"

#include "base/page.hpp"

namespace peal {

namespace {

constinit unmap_log of_this_process;

}  // namespace

unmap_log& unmapped() noexcept { return of_this_process; }

void unmap_log::record(std::uintptr_t begin, std::size_t length) noexcept {
  if (length == 0) return;
  const std::uintptr_t first = begin & ~(page - 1);
  const std::uintptr_t end = begin + length + page - 1;
  write(first, end < begin || end < length ? end_of_memory : end & ~(page - 1));
}

void unmap_log::record_everything() noexcept { write(0, end_of_memory); }

void unmap_log::write(std::uintptr_t begin, std::uintptr_t end) noexcept {
  // acq_rel: pairs with the acquire in reader::take. From here on readers know that there is a
  // note, written or not.
  const std::uint64_t turn = head_.fetch_add(1, std::memory_order_acq_rel);
  note& mine = notes_[turn % most_notes];
  std::uint64_t was = mine.state.load(std::memory_order_relaxed);
  // Another writer, a whole round of the ring behind or ahead, has this place. This range gets no
  // note then, and readers that miss it take all memory for unmapped.
  if (was % 2 != 0 || was > 2 * turn) return;
  if (!mine.state.compare_exchange_strong(was, 2 * turn + 1, std::memory_order_acq_rel,
                                          std::memory_order_relaxed))
    return;
  mine.begin.store(begin, std::memory_order_release);
  mine.end.store(end, std::memory_order_release);
  // Pairs with the acquire in take_notes.
  mine.state.store(2 * turn + 2, std::memory_order_release);
}

}  // namespace peal
