// Calls the program's OpenMP runtime, if it has one.
#include "collective/crew.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>

// Null where the program has no such runtime. With default visibility, else the linker would say so
// once and for all.
#define PEAL_OF_PROGRAM __attribute__((weak, visibility("default")))
extern "C" {
PEAL_OF_PROGRAM void GOMP_parallel(void (*part)(void*), void* data, unsigned threads,
                                   unsigned flags);
PEAL_OF_PROGRAM int omp_get_max_threads(void);
PEAL_OF_PROGRAM int omp_in_parallel(void);
PEAL_OF_PROGRAM int omp_get_num_places(void);
}
#undef PEAL_OF_PROGRAM

namespace peal::crew {

namespace {

std::atomic<int> own{1};

// A piece takes some microseconds; the threads take them one after the other, so that one that
// wakes late takes fewer.
constexpr std::size_t piece = 64 << 10;

struct work {
  kernel k;
  const std::byte* lower;
  const std::byte* higher;
  std::byte* into;
  std::size_t bytes, element;
  std::size_t each;  // bytes of a piece
  // acquire, release: who takes a piece sees what the caller has written
  std::atomic<std::size_t> next{0};
  // release: pairs with the acquire of the caller, who then has what all have computed
  std::atomic<int> over{0};

  static void part(void* data) noexcept {
    work& it = *static_cast<work*>(data);
    for (std::size_t at; (at = it.next.fetch_add(it.each, std::memory_order_acq_rel)) < it.bytes;)
      it.k(it.lower + at, it.higher + at, it.into + at,
           std::min(it.each, it.bytes - at) / it.element);
    it.over.fetch_add(1, std::memory_order_release);
  }
};

}  // namespace

void set_own(int hardware_threads) noexcept {
  own.store(hardware_threads, std::memory_order_relaxed);
}  // relaxed: a number, which guards nothing

bool there() noexcept {
  if (!GOMP_parallel || !omp_get_max_threads || !omp_in_parallel) return false;
  const int threads = omp_get_max_threads();
  if (threads < 2 || omp_in_parallel() != 0 || ::gettid() != ::getpid()) return false;
  // Where threads are bound, the thread that asks has one core left to itself; those of all are the
  // runtime's places.
  const int places = omp_get_num_places ? omp_get_num_places() : 0;
  return threads <= std::max(places, own.load(std::memory_order_relaxed));
}

void apply(kernel k, const std::byte* lower, const std::byte* higher, std::byte* into,
           std::size_t bytes, std::size_t element) noexcept {
  work all{
      k, lower, higher, into, bytes, element, std::max(piece / element, std::size_t{1}) * element};
  all.next.store(0, std::memory_order_release);
  // 0 threads: as many as the program's own parts; with fewer it would end the others
  GOMP_parallel(work::part, &all, 0, 0);
  static_cast<void>(all.over.load(std::memory_order_acquire));
}

}  // namespace peal::crew
