// peal/detail/queue_entries.hpp
// The requests of a completion queue, whatever their types.
//
// Threads  as the queue: one at a time. What ends in other threads is told by a list with a lock.
// Errors   as completion_queue.
#pragma once

#include <cstddef>
#include <source_location>

#include <peal/detail/core.hpp>
#include <peal/detail/export.hpp>
#include <peal/detail/request_body.hpp>

namespace peal::detail {

/// A request and what to do with it.
class queue_entry {
 public:
  queue_entry() = default;
  queue_entry(const queue_entry&) = delete;
  queue_entry& operator=(const queue_entry&) = delete;
  virtual ~queue_entry() = default;
  virtual void subscribe(hook&) = 0;
  virtual void finish(const location&) = 0;
};

/// Move-only; what was moved from is empty and may be used again.
class PEAL_EXPORT queue_entries {
 public:
  queue_entries() noexcept = default;
  queue_entries(queue_entries&& from) noexcept;
  queue_entries& operator=(queue_entries&& from) noexcept;
  ~queue_entries();

  /// Takes it over, also when it throws.
  void add(queue_entry*);
  [[nodiscard]] std::size_t size() const noexcept;
  std::size_t poll(const location&);
  std::size_t wait(time_point until, const location&);
  [[nodiscard]] int event_fd(const location&);
  [[nodiscard]] bool arm(const location&);

 private:
  struct content;  // src/comm/calls/queue_entries.cpp
  content& own();

  content* content_ = nullptr;  // once there was anything
};

}  // namespace peal::detail
