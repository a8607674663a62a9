#include "mpi/support/failure.hpp"

#include <fmt/format.h>

#include <utility>

#include <peal/error.hpp>

namespace peal::mpi {

void fail(int error_class, std::string what) { throw failure{error_class, std::move(what)}; }

void fail(int error_class, const char* argument, long long value, const char* why) {
  fail(error_class, fmt::format("{} is {}: {}", argument, value, why));
}

void fail_no_place(const char* argument) {
  fail(MPI_ERR_ARG, std::string{argument} + " is a null pointer");
}

void fail_handle(int error_class, const char* argument, const void* handle, const void* null,
                 const char* name_of_null, const char* kind) {
  fail(error_class, handle == null ? fmt::format("{} is {}", argument, name_of_null)
                                   : fmt::format("{} is {}: it is no {}, or one that was freed",
                                                 argument, handle, kind));
}

void rethrow_with(argument_names names, failure& what) {
  const std::size_t end = what.what.find(' ');
  for (const renamed_argument& each : names)
    if (what.what.compare(0, end, each.from) == 0) {
      what.what.replace(0, end, each.to);
      break;
    }
  throw std::move(what);
}

int class_of(const std::error_code& error) noexcept {
  if (!error) return MPI_SUCCESS;
  if (error.category() != error_category()) return MPI_ERR_OTHER;
  switch (static_cast<errc>(error.value())) {
    case errc::truncated: return MPI_ERR_TRUNCATE;
    case errc::invalid_rank: return MPI_ERR_RANK;
    case errc::invalid_tag: return MPI_ERR_TAG;
    case errc::invalid_root: return MPI_ERR_ROOT;
    case errc::invalid_argument: return MPI_ERR_ARG;
    case errc::peer_failed: return MPI_ERR_PROC_ABORTED;
    case errc::no_space:
    case errc::locked_memory: return MPI_ERR_NO_MEM;
    case errc::internal: return MPI_ERR_INTERN;
    default: return MPI_ERR_OTHER;
  }
}

const char* name_of_class(int error_class) noexcept {
  switch (error_class) {
    case MPI_SUCCESS: return "MPI_SUCCESS";
    case MPI_ERR_BUFFER: return "MPI_ERR_BUFFER";
    case MPI_ERR_COUNT: return "MPI_ERR_COUNT";
    case MPI_ERR_TYPE: return "MPI_ERR_TYPE";
    case MPI_ERR_TAG: return "MPI_ERR_TAG";
    case MPI_ERR_COMM: return "MPI_ERR_COMM";
    case MPI_ERR_RANK: return "MPI_ERR_RANK";
    case MPI_ERR_REQUEST: return "MPI_ERR_REQUEST";
    case MPI_ERR_ROOT: return "MPI_ERR_ROOT";
    case MPI_ERR_GROUP: return "MPI_ERR_GROUP";
    case MPI_ERR_OP: return "MPI_ERR_OP";
    case MPI_ERR_TOPOLOGY: return "MPI_ERR_TOPOLOGY";
    case MPI_ERR_DIMS: return "MPI_ERR_DIMS";
    case MPI_ERR_ARG: return "MPI_ERR_ARG";
    case MPI_ERR_UNKNOWN: return "MPI_ERR_UNKNOWN";
    case MPI_ERR_TRUNCATE: return "MPI_ERR_TRUNCATE";
    case MPI_ERR_OTHER: return "MPI_ERR_OTHER";
    case MPI_ERR_INTERN: return "MPI_ERR_INTERN";
    case MPI_ERR_PENDING: return "MPI_ERR_PENDING";
    case MPI_ERR_IN_STATUS: return "MPI_ERR_IN_STATUS";
    case MPI_ERR_ACCESS: return "MPI_ERR_ACCESS";
    case MPI_ERR_AMODE: return "MPI_ERR_AMODE";
    case MPI_ERR_ASSERT: return "MPI_ERR_ASSERT";
    case MPI_ERR_BAD_FILE: return "MPI_ERR_BAD_FILE";
    case MPI_ERR_BASE: return "MPI_ERR_BASE";
    case MPI_ERR_CONVERSION: return "MPI_ERR_CONVERSION";
    case MPI_ERR_DISP: return "MPI_ERR_DISP";
    case MPI_ERR_DUP_DATAREP: return "MPI_ERR_DUP_DATAREP";
    case MPI_ERR_FILE_EXISTS: return "MPI_ERR_FILE_EXISTS";
    case MPI_ERR_FILE_IN_USE: return "MPI_ERR_FILE_IN_USE";
    case MPI_ERR_FILE: return "MPI_ERR_FILE";
    case MPI_ERR_INFO_KEY: return "MPI_ERR_INFO_KEY";
    case MPI_ERR_INFO_NOKEY: return "MPI_ERR_INFO_NOKEY";
    case MPI_ERR_INFO_VALUE: return "MPI_ERR_INFO_VALUE";
    case MPI_ERR_INFO: return "MPI_ERR_INFO";
    case MPI_ERR_IO: return "MPI_ERR_IO";
    case MPI_ERR_KEYVAL: return "MPI_ERR_KEYVAL";
    case MPI_ERR_LOCKTYPE: return "MPI_ERR_LOCKTYPE";
    case MPI_ERR_NAME: return "MPI_ERR_NAME";
    case MPI_ERR_NO_MEM: return "MPI_ERR_NO_MEM";
    case MPI_ERR_NOT_SAME: return "MPI_ERR_NOT_SAME";
    case MPI_ERR_NO_SPACE: return "MPI_ERR_NO_SPACE";
    case MPI_ERR_NO_SUCH_FILE: return "MPI_ERR_NO_SUCH_FILE";
    case MPI_ERR_PORT: return "MPI_ERR_PORT";
    case MPI_ERR_QUOTA: return "MPI_ERR_QUOTA";
    case MPI_ERR_READ_ONLY: return "MPI_ERR_READ_ONLY";
    case MPI_ERR_RMA_ATTACH: return "MPI_ERR_RMA_ATTACH";
    case MPI_ERR_RMA_CONFLICT: return "MPI_ERR_RMA_CONFLICT";
    case MPI_ERR_RMA_RANGE: return "MPI_ERR_RMA_RANGE";
    case MPI_ERR_RMA_SHARED: return "MPI_ERR_RMA_SHARED";
    case MPI_ERR_RMA_SYNC: return "MPI_ERR_RMA_SYNC";
    case MPI_ERR_SERVICE: return "MPI_ERR_SERVICE";
    case MPI_ERR_SIZE: return "MPI_ERR_SIZE";
    case MPI_ERR_SPAWN: return "MPI_ERR_SPAWN";
    case MPI_ERR_UNSUPPORTED_DATAREP: return "MPI_ERR_UNSUPPORTED_DATAREP";
    case MPI_ERR_UNSUPPORTED_OPERATION: return "MPI_ERR_UNSUPPORTED_OPERATION";
    case MPI_ERR_WIN: return "MPI_ERR_WIN";
    case MPI_ERR_RMA_FLAVOR: return "MPI_ERR_RMA_FLAVOR";
    case MPI_ERR_PROC_ABORTED: return "MPI_ERR_PROC_ABORTED";
    case MPI_ERR_VALUE_TOO_LARGE: return "MPI_ERR_VALUE_TOO_LARGE";
    case MPI_ERR_SESSION: return "MPI_ERR_SESSION";
    case MPI_ERR_ERRHANDLER: return "MPI_ERR_ERRHANDLER";
    case MPI_ERR_ABI: return "MPI_ERR_ABI";
    case MPI_T_ERR_CANNOT_INIT: return "MPI_T_ERR_CANNOT_INIT";
    case MPI_T_ERR_NOT_ACCESSIBLE: return "MPI_T_ERR_NOT_ACCESSIBLE";
    case MPI_T_ERR_NOT_INITIALIZED: return "MPI_T_ERR_NOT_INITIALIZED";
    case MPI_T_ERR_NOT_SUPPORTED: return "MPI_T_ERR_NOT_SUPPORTED";
    case MPI_T_ERR_MEMORY: return "MPI_T_ERR_MEMORY";
    case MPI_T_ERR_INVALID: return "MPI_T_ERR_INVALID";
    case MPI_T_ERR_INVALID_INDEX: return "MPI_T_ERR_INVALID_INDEX";
    case MPI_T_ERR_INVALID_ITEM: return "MPI_T_ERR_INVALID_ITEM";
    case MPI_T_ERR_INVALID_SESSION: return "MPI_T_ERR_INVALID_SESSION";
    case MPI_T_ERR_INVALID_HANDLE: return "MPI_T_ERR_INVALID_HANDLE";
    case MPI_T_ERR_INVALID_NAME: return "MPI_T_ERR_INVALID_NAME";
    case MPI_T_ERR_OUT_OF_HANDLES: return "MPI_T_ERR_OUT_OF_HANDLES";
    case MPI_T_ERR_OUT_OF_SESSIONS: return "MPI_T_ERR_OUT_OF_SESSIONS";
    case MPI_T_ERR_CVAR_SET_NOT_NOW: return "MPI_T_ERR_CVAR_SET_NOT_NOW";
    case MPI_T_ERR_CVAR_SET_NEVER: return "MPI_T_ERR_CVAR_SET_NEVER";
    case MPI_T_ERR_PVAR_NO_WRITE: return "MPI_T_ERR_PVAR_NO_WRITE";
    case MPI_T_ERR_PVAR_NO_STARTSTOP: return "MPI_T_ERR_PVAR_NO_STARTSTOP";
    case MPI_T_ERR_PVAR_NO_ATOMIC: return "MPI_T_ERR_PVAR_NO_ATOMIC";
    default: return nullptr;
  }
}

}  // namespace peal::mpi
