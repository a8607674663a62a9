// peal/error.hpp
// What can go wrong, as error codes and as the exception that carries one.
//
// Errors   setup, arguments and configuration throw peal::error; what happens to a message travels
//          in its request as a std::error_code and becomes a peal::error when a blocking call has
//          nowhere else to put it.
#pragma once

#include <source_location>
#include <string>
#include <system_error>

#include <peal/detail/export.hpp>

namespace peal {

/// What can go wrong.
enum class errc {
  truncated = 1,     ///< the receive buffer was too small; the message is consumed
  invalid_rank,      ///< a rank outside the communicator
  invalid_tag,       ///< a negative tag, or any_tag in a send
  invalid_root,      ///< the root of a collective is no rank of the communicator
  invalid_argument,  ///< counts, sizes or options that contradict each other; an empty handle
  invalid_config,    ///< a PEAL_ variable that has no meaning
  not_started,       ///< no environment is alive: before the first or after the end
  already_started,   ///< a second environment in one process
  /// The other side died, cannot be reached, left the job without taking its part, or a rank has
  /// given the communicator up.
  peer_failed,
  cancelled,         ///< the request was cancelled before it was matched
  no_space,          ///< /dev/shm or memory is full
  locked_memory,     ///< the kernel refuses to pin more memory
  bootstrap_failed,  ///< PMIx did not answer as it must
  decode_failed,     ///< the bytes received are no value of the type asked for
  /// On some rank an operation given to a reduction threw, or it could not take its part in a
  /// collective.
  operation_failed,
  no_device,  ///< no RDMA device that can be used, and ranks that need one
  /// Ranks called different collectives, or one with different arguments; told where PEAL_CHECK=1.
  mismatch,
  internal  ///< a bug in peal
};

/// The category of errc.
PEAL_EXPORT const std::error_category& error_category() noexcept;

/// For std::error_code, which is made of an errc where one is wanted.
inline std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

/// Thrown by calls of the user's thread. what() names the call site, the peer where there is one,
/// and the cause.
class PEAL_EXPORT error : public std::system_error {
 public:
  /// For the library: `peer` is the rank of the other side, or -1.
  error(std::error_code code, const std::string& what, int peer = -1,
        std::source_location where = std::source_location::current());

  /// The rank, in the communicator used, of the other side; -1 where there is none.
  [[nodiscard]] int peer() const noexcept { return peer_; }
  /// Where the user called peal.
  [[nodiscard]] const std::source_location& where() const noexcept { return where_; }

 private:
  int peer_;
  std::source_location where_;
};

}  // namespace peal

/// An errc is an error code.
template <>
struct std::is_error_code_enum<peal::errc> : std::true_type {};
