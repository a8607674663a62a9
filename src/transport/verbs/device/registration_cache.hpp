// transport/verbs/device/registration_cache.hpp
// Keeps buffers registered with a device, so that sending twice from one buffer registers it once.
//
// A registration outlives its use where a log tells of every range that goes away: the log is read
// before a registration is looked for, so none is found whose memory has gone since. Without such a
// log, or once it is not complete any more, it ends with its last user. Pages that were given back
// stay pinned until the next look, within the limits.
//
// Layer    transport/verbs: may include memory/, base/.
// Units    bytes; ranges are half-open, [address, address + length), and grow to whole pages.
// Threads  one at a time. Memory may go away in any thread at any time.
// Errors   acquire returns null when the kernel refuses to pin the range, even after all idle ones
//          ended; the caller goes another way.
// Source   ibv_reg_mr(3), ibv_dereg_mr(3).
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "memory/unmap_log.hpp"
#include "transport/verbs/device/device_choice.hpp"

namespace peal::verbs {

/// What will be done with a range. A target can serve as a source too; read-only memory can be a
/// source only.
enum class range_use : std::uint8_t {
  source,  // peers read it, and the own device
  target,  // the own device writes to it
  // Peers write to it. It is registered for one user alone, exactly as long as it is acquired, and
  // not a byte more than was asked for: so no peer writes anywhere but where, and while, it was
  // asked to.
  written
};

/// A range with each rail, in their order.
using regions = std::array<ibv_mr*, most_rails>;

/// A range that is registered; belongs to its cache.
struct registration {
  regions on{};
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uint32_t users = 0;
  range_use use = range_use::source;
  bool indexed = false;  // can be found by further users
  // Among the idle ones while it has no user, else among the others.
  std::list<registration*>::iterator place;

  [[nodiscard]] std::uint32_t local_key(std::size_t rail) const noexcept { return on[rail]->lkey; }
  /// 0 where there is no such rail.
  [[nodiscard]] std::uint32_t remote_key(std::size_t rail) const noexcept {
    return on[rail] ? on[rail]->rkey : 0;
  }
};

struct registration_counters {
  std::uint64_t registered = 0;
  std::uint64_t hits = 0;
  std::uint64_t evicted = 0;    // idle ones that ended to make room
  std::uint64_t forgotten = 0;  // those that ended because their memory went away
};

/// What makes and ends regions: a device, or what stands for one in a test.
class registrar {
 public:
  registrar() = default;
  registrar(const registrar&) = delete;
  registrar& operator=(const registrar&) = delete;
  virtual ~registrar() = default;
  /// With every rail, or with none: then errno says why.
  [[nodiscard]] virtual bool make(void* begin, std::size_t bytes, int access,
                                  regions& into) noexcept = 0;
  virtual void end(const regions&) noexcept = 0;
};

/// The domains must outlive it.
class domain_registrar final : public registrar {
 public:
  explicit domain_registrar(std::vector<ibv_pd*> domains) : domains_{std::move(domains)} {}
  [[nodiscard]] bool make(void* begin, std::size_t bytes, int access,
                          regions& into) noexcept override;
  void end(const regions&) noexcept override;

 private:
  const std::vector<ibv_pd*> domains_;
};

/// What may stay registered without a user.
struct idle_limits {
  std::size_t bytes = 0;
  std::size_t count = 0;
  /// What suits this machine, this process's limit of locked memory, and so many devices with room
  /// for so many regions each.
  static idle_limits sensible(int most_regions, std::size_t devices) noexcept;
};

class registration_cache {
 public:
  /// `by` and `log` must outlive the cache. Without a log nothing stays registered without a user.
  registration_cache(registrar& by, idle_limits, const unmap_log* log);
  // Ends all, acquired ones too: of messages that were never received. Requires: the device uses
  // them no more.
  ~registration_cache();
  registration_cache(const registration_cache&) = delete;
  registration_cache& operator=(const registration_cache&) = delete;

  /// A registration that covers the range, until `release`. A hit makes no system call.
  [[nodiscard]] registration* acquire(const void* address, std::size_t length, range_use) noexcept;
  /// The same, if there is one already. Not of a range that is written.
  [[nodiscard]] registration* find(const void* address, std::size_t length, range_use) noexcept;
  void release(registration&) noexcept;
  /// One user more of one that is acquired.
  void share(registration& acquired) noexcept { ++acquired.users; }

  [[nodiscard]] const registration_counters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t idle_bytes() const noexcept { return idle_bytes_; }

 private:
  // Of one use. No indexed range lies within another, so both ends ascend, and the last range that
  // begins at or before an address is the one that reaches furthest.
  using index = std::map<std::uintptr_t, registration*>;

  [[nodiscard]] registration* find(const index&, std::uintptr_t begin,
                                   std::uintptr_t end) const noexcept;
  [[nodiscard]] registration* use(registration&) noexcept;
  [[nodiscard]] registration* find(std::uintptr_t begin, std::uintptr_t end, range_use) noexcept;
  [[nodiscard]] registration* make(std::uintptr_t begin, std::uintptr_t end, range_use) noexcept;
  void enter(registration&) noexcept;
  void retire(registration&) noexcept;
  void evict(registration&) noexcept;
  void trim(idle_limits) noexcept;
  void read_log() noexcept;
  void drop(std::uintptr_t begin, std::uintptr_t end) noexcept;
  index& index_of(range_use use) noexcept { return use == range_use::source ? sources_ : targets_; }

  registrar& registrar_;
  idle_limits limits_;
  std::optional<unmap_log::reader> log_;  // none: nothing stays
  index sources_, targets_;
  std::list<registration*> used_;
  std::list<registration*> idle_;  // least recently used first
  std::size_t idle_bytes_ = 0;
  registration_counters counters_;
};

}  // namespace peal::verbs
