// state/wait_subject.hpp
// What a wait is for, as far as the code that waits knows; asked for only when a wait has become
// long.
//
// Layer    state: may include base/.
// Units    bytes; ranks of the communicator.
// Threads  values.
// Errors   none.
#pragma once

#include <cstdint>
#include <utility>

#include "state/rank_page.hpp"

namespace peal::state {

struct wait_subject {
  wait_kind kind = wait_kind::other;
  const void* operation = nullptr;  // a detail::operation, which tells the rest
  const void* members = nullptr;    // else: a team
  std::int32_t peer = nobody;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::int32_t collective = -1;
  std::int32_t root = nobody;
};

/// A condition of a wait that can tell what it is about.
template <class Holds, class Tell>
struct described {
  Holds holds;
  Tell tell;
  bool operator()() { return holds(); }
  [[nodiscard]] wait_subject describe() const { return tell(); }
};
template <class Holds, class Tell>
described(Holds, Tell) -> described<Holds, Tell>;

/// Hears of waits that have become long.
class wait_observer {
 public:
  /// The wait lasts, since that time. `entry` is null at first, and is the observer's until `over`.
  /// With the lock of the engine held.
  virtual void lasts(const wait_subject&, std::int64_t since, wait_entry*& entry) noexcept = 0;
  /// It is over. Without the lock.
  virtual void over(wait_entry* entry) noexcept = 0;

 protected:
  ~wait_observer() = default;
};

}  // namespace peal::state
