// peal/failure.hpp
// What a program learns of ranks that fail: which one, and why; and what those that live agree
// upon. The calls are members of environment and of basic_communicator.
//
// Units    ranks of the world in peer_failure, of the communicator in agreement.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include <peal/detail/export.hpp>

namespace peal {

/// Why a rank is gone.
enum class failure_cause : std::uint8_t {
  signal,      ///< a signal ended its process
  exit_code,   ///< it exited with a code other than 0
  left,        ///< it exited with 0, without the end of its environment
  unreachable  ///< the network does not reach it any more; it may live
};

/// A rank that is gone.
struct peer_failure {
  int rank = -1;                              ///< in the world
  failure_cause why = failure_cause::signal;  ///< what became of it
  int code = 0;  ///< the signal, or the exit code; 0 where the launcher does not tell

  /// Such as "rank 3 was ended by signal 9".
  [[nodiscard]] PEAL_EXPORT std::string text() const;
};

/// The same on all ranks that live.
struct agreement {
  std::uint64_t flags = 0;  ///< the bitwise AND of all their words
  std::vector<int> failed;  ///< ranks of the communicator that are gone, ascending
};

namespace detail {

struct communicator_state;

PEAL_EXPORT agreement agree(communicator_state&, std::uint64_t flags, const std::source_location&);
PEAL_EXPORT communicator_state& shrink(communicator_state&, const std::source_location&);
PEAL_EXPORT void revoke(communicator_state&, const std::source_location&);
PEAL_EXPORT std::vector<int> failed_ranks(communicator_state&, const std::source_location&);

/// Who is told of failures. `call` is called by progress calls, with no lock held, for each failure
/// that it has not been called for; `drop` when another one takes its place.
struct failure_watch {
  void (*call)(void* context, const peer_failure&) = nullptr;  // null: nobody
  void (*drop)(void* context) noexcept = nullptr;
  void* context = nullptr;
};
PEAL_EXPORT void watch_failures(const failure_watch&, const std::source_location&);

}  // namespace detail
}  // namespace peal
