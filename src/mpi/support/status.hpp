// mpi/support/status.hpp
// What a status tells, also in its hidden words.
//
// Layer    mpi/support.
// Errors   none.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "peal/detail/core.hpp"

namespace peal::mpi {

/// Of a message; -1: not known, as of a generalized request that has set elements that are no whole
/// number of bytes.
inline void set_bytes(MPI_Status& status, std::int64_t bytes) noexcept {
  std::memcpy(&status.MPI_internal[0], &bytes, sizeof bytes);
}
[[nodiscard]] inline std::int64_t bytes_of(const MPI_Status& status) noexcept {
  std::int64_t bytes = 0;
  std::memcpy(&bytes, &status.MPI_internal[0], sizeof bytes);
  return bytes;
}
inline void set_cancelled(MPI_Status& status, bool cancelled) noexcept {
  status.MPI_internal[2] = cancelled ? 1 : 0;
}
[[nodiscard]] inline bool is_cancelled(const MPI_Status& status) noexcept {
  return status.MPI_internal[2] != 0;
}
/// As the standard wants it of what is empty: no source, no tag, no bytes, no error.
[[nodiscard]] inline MPI_Status empty_status() noexcept {
  return {MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, {}};
}

/// Of a message. What has its error in an outcome of its own is not told here.
inline void set_outcome(MPI_Status& status, const detail::outcome& of) noexcept {
  status.MPI_SOURCE = of.source;
  status.MPI_TAG = of.tag;
  set_bytes(status, static_cast<std::int64_t>(of.bytes));
  set_cancelled(status, of.error && of.error == make_error_code(errc::cancelled));
}

/// The source of a message of an intercommunicator, whose remote group begins at `remote_first` in
/// what the status has; 0 for all others. What is no rank stays.
inline void tell_source(MPI_Status& status, int remote_first) noexcept {
  if (status.MPI_SOURCE >= 0) status.MPI_SOURCE -= remote_first;
}

/// For a program, which may not want it. Only calls that finish several requests say something in
/// MPI_ERROR, so that stays.
inline void tell_status(MPI_Status* wanted, MPI_Status status) noexcept {
  if (wanted == MPI_STATUS_IGNORE) return;
  status.MPI_ERROR = wanted->MPI_ERROR;
  *wanted = status;
}
/// Where there was nothing to finish. That has an error, too: none.
inline void tell_empty_status(MPI_Status* wanted) noexcept {
  if (wanted != MPI_STATUS_IGNORE) *wanted = empty_status();
}

}  // namespace peal::mpi
