// transport/verbs/registration_cache.hpp
// Keeps buffers registered with a device, so that sending twice from one buffer registers it once.
//
// A registration outlives its use only where somebody calls `forget` for every range that goes away (`idle_limit` > 0 says so); otherwise
// it ends with its last user.
//
// Layer    transport/verbs: may include memory/, base/.
// Units    bytes; ranges are half-open, [address, address + length), and grow to whole pages.
// Threads  acquire and release: one at a time. forget: any thread, also inside munmap, called by a malloc inside ibv_reg_mr.
// Errors   acquire returns null when the kernel refuses to pin the range, even after all idle ones ended; the caller goes another way.
// Source   ibv_reg_mr(3), ibv_dereg_mr(3).
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <vector>

namespace peal::verbs {

/// What the device will do with a range. A target can serve as a source too; read-only memory can be a source only.
enum class range_use : std::uint8_t { source, target };

/// A range that is registered; belongs to its cache.
struct registration {
  ibv_mr* region = nullptr;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uint32_t users = 0;
  range_use use = range_use::source;
  bool indexed = false;                     // can be found by further users
  std::list<registration*>::iterator idle;  // its place in the list of idle ones, while it has no user
};

struct registration_counters {
  std::uint64_t registered = 0;
  std::uint64_t hits = 0;
  std::uint64_t forgotten = 0;  // registrations that ended because their memory went away
};

class registration_cache {
 public:
  /// `domain` must outlive the cache. `idle_limit` caps the bytes kept registered but unused.
  registration_cache(ibv_pd* domain, std::size_t idle_limit);
  ~registration_cache();  // Requires: nothing is acquired.
  registration_cache(const registration_cache&) = delete;
  registration_cache& operator=(const registration_cache&) = delete;

  /// A registration that covers the range, until `release`. A hit makes no system call.
  [[nodiscard]] registration* acquire(const void* address, std::size_t length, range_use) noexcept;
  void release(registration&) noexcept;

  /// The range goes away, or gets other memory. Only writes it down: what it touches ends at the next acquire or release. More than fit:
  /// everything idle ends.
  void forget(const void* address, std::size_t length) noexcept;

  [[nodiscard]] const registration_counters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t idle_bytes() const noexcept { return idle_bytes_; }

 private:
  // Of one use. No indexed range lies within another, so both ends ascend, and the last range that begins at or before an address is
  // the one that reaches furthest.
  using index = std::map<std::uintptr_t, registration*>;

  [[nodiscard]] registration* find(const index&, std::uintptr_t begin, std::uintptr_t end) const noexcept;
  [[nodiscard]] registration* use(registration&) noexcept;
  [[nodiscard]] registration* make(std::uintptr_t begin, std::uintptr_t end, range_use) noexcept;
  void enter(registration&) noexcept;
  void retire(registration&) noexcept;
  void destroy(registration&) noexcept;
  void trim(std::size_t limit) noexcept;
  void take_notes() noexcept;
  void drop(std::uintptr_t begin, std::uintptr_t end) noexcept;
  index& index_of(range_use use) noexcept { return use == range_use::source ? sources_ : targets_; }

  // Written by forget, read by the owner. `turn` of note n is n + 1 once it is written.
  struct note {
    std::atomic<std::uint64_t> turn{0};
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
  };
  static constexpr std::size_t most_notes = 1024;

  ibv_pd* const domain_;
  const std::size_t idle_limit_;
  index sources_, targets_;
  std::list<registration*> idle_;  // least recently used first
  std::size_t idle_bytes_ = 0;
  registration_counters counters_;
  std::atomic<std::uint64_t> first_note_{0};
  std::atomic<std::uint64_t> next_note_{0};
  std::atomic<bool> overflow_{false};
  std::array<note, most_notes> notes_;
};

}  // namespace peal::verbs
