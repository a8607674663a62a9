#include "mpi/errors/class_texts.hpp"

#include <mpi.h>

namespace peal::mpi {

namespace {

const char* text_of_tool_class(int error_class) noexcept {
  switch (error_class) {
    case MPI_T_ERR_CANNOT_INIT: return "the tool interface cannot start now";
    case MPI_T_ERR_NOT_ACCESSIBLE: return "what was asked for cannot be reached now";
    case MPI_T_ERR_NOT_INITIALIZED: return "the tool interface was not started";
    case MPI_T_ERR_NOT_SUPPORTED: return "the tool interface does not support this";
    case MPI_T_ERR_MEMORY: return "there is no memory left";
    case MPI_T_ERR_INVALID: return "an argument of a function of the tool interface is not valid";
    case MPI_T_ERR_INVALID_INDEX: return "there is nothing with this index";
    case MPI_T_ERR_INVALID_ITEM: return "the item is beyond the end of the enumeration";
    case MPI_T_ERR_INVALID_SESSION: return "this is no session of the tool interface";
    case MPI_T_ERR_INVALID_HANDLE: return "this is no handle of the tool interface";
    case MPI_T_ERR_INVALID_NAME: return "there is no variable, category or event of this name";
    case MPI_T_ERR_OUT_OF_HANDLES: return "no more handles can be made";
    case MPI_T_ERR_OUT_OF_SESSIONS: return "no more sessions can be made";
    case MPI_T_ERR_CVAR_SET_NOT_NOW: return "the variable cannot be set now";
    case MPI_T_ERR_CVAR_SET_NEVER: return "the variable can only be read";
    case MPI_T_ERR_PVAR_NO_WRITE: return "the performance variable can only be read";
    case MPI_T_ERR_PVAR_NO_STARTSTOP: return "the performance variable always runs";
    case MPI_T_ERR_PVAR_NO_ATOMIC:
      return "the performance variable cannot be read and reset in one";
    default: return nullptr;
  }
}

}  // namespace

const char* text_of_class(int error_class) noexcept {
  switch (error_class) {
    case MPI_SUCCESS: return "there was no error";
    case MPI_ERR_BUFFER: return "a buffer is not valid";
    case MPI_ERR_COUNT: return "a count is negative, or too large";
    case MPI_ERR_TYPE: return "a datatype is not valid, or was not committed";
    case MPI_ERR_TAG: return "a tag is negative, or above MPI_TAG_UB";
    case MPI_ERR_COMM: return "a communicator is not valid here";
    case MPI_ERR_RANK: return "a rank is outside the communicator or the group";
    case MPI_ERR_REQUEST: return "a request is not valid here";
    case MPI_ERR_ROOT: return "the root is no rank of the communicator";
    case MPI_ERR_GROUP: return "a group is not valid";
    case MPI_ERR_OP: return "an operation of a reduction is not valid for this datatype";
    case MPI_ERR_TOPOLOGY: return "the communicator has no topology of this kind";
    case MPI_ERR_DIMS: return "the dimensions of a grid do not fit";
    case MPI_ERR_ARG: return "an argument is not valid";
    case MPI_ERR_UNKNOWN: return "it is not known what went wrong";
    case MPI_ERR_TRUNCATE: return "a message was longer than the buffer to receive it in";
    case MPI_ERR_OTHER: return "something went wrong that no other class describes";
    case MPI_ERR_INTERN: return "the library has a defect";
    case MPI_ERR_PENDING: return "the request is not finished";
    case MPI_ERR_IN_STATUS: return "the error of each request is in its status";
    case MPI_ERR_ACCESS: return "permission for a file was denied";
    case MPI_ERR_AMODE: return "the access mode of a file is not valid";
    case MPI_ERR_ASSERT: return "an assertion about a window is not valid";
    case MPI_ERR_BAD_FILE: return "the name of a file is not valid";
    case MPI_ERR_BASE: return "the base of a window's memory is not valid";
    case MPI_ERR_CONVERSION: return "a function that converts data of a file failed";
    case MPI_ERR_DISP: return "a displacement is not valid";
    case MPI_ERR_DUP_DATAREP: return "a data representation of this name was already registered";
    case MPI_ERR_FILE_EXISTS: return "the file exists already";
    case MPI_ERR_FILE_IN_USE: return "the file is open in some process";
    case MPI_ERR_FILE: return "a handle of a file is not valid";
    case MPI_ERR_INFO_KEY: return "a key of an info object is empty, or too long";
    case MPI_ERR_INFO_NOKEY: return "the info object has no such key";
    case MPI_ERR_INFO_VALUE:
      return "a value of an info object is too long, or not valid for its key";
    case MPI_ERR_INFO: return "an info object is not valid here";
    case MPI_ERR_IO: return "input or output failed";
    case MPI_ERR_KEYVAL: return "a key of attributes is not valid here";
    case MPI_ERR_LOCKTYPE: return "the kind of a lock is not valid";
    case MPI_ERR_NAME: return "no service of this name was published";
    case MPI_ERR_NO_MEM: return "there is no memory left";
    case MPI_ERR_NOT_SAME: return "an argument must be the same in all processes, and is not";
    case MPI_ERR_NO_SPACE: return "there is no space left";
    case MPI_ERR_NO_SUCH_FILE: return "there is no such file";
    case MPI_ERR_PORT: return "the name of a port is not valid";
    case MPI_ERR_QUOTA: return "a quota was exceeded";
    case MPI_ERR_READ_ONLY: return "the file or its file system can only be read";
    case MPI_ERR_RMA_ATTACH: return "memory cannot be attached to the window";
    case MPI_ERR_RMA_CONFLICT: return "accesses to a window conflict";
    case MPI_ERR_RMA_RANGE: return "the memory is outside the window";
    case MPI_ERR_RMA_SHARED: return "the memory cannot be shared";
    case MPI_ERR_RMA_SYNC: return "calls that synchronize a window are not in their order";
    case MPI_ERR_SERVICE: return "no service of this name can be withdrawn";
    case MPI_ERR_SIZE: return "a size is not valid";
    case MPI_ERR_SPAWN: return "processes could not be started";
    case MPI_ERR_UNSUPPORTED_DATAREP: return "there is no such data representation";
    case MPI_ERR_UNSUPPORTED_OPERATION: return "the library does not support this";
    case MPI_ERR_WIN: return "a window is not valid";
    case MPI_ERR_RMA_FLAVOR: return "the window is of the wrong kind";
    case MPI_ERR_PROC_ABORTED: return "another process of the job has ended early";
    case MPI_ERR_VALUE_TOO_LARGE: return "a value does not fit into the integer that is to hold it";
    case MPI_ERR_SESSION: return "a session is not valid";
    case MPI_ERR_ERRHANDLER: return "an error handler is not valid here";
    case MPI_ERR_ABI: return "the ABI does not allow this";
    case MPI_ERR_LASTCODE: return "this is the last of the codes that the library itself gives";
    default: return text_of_tool_class(error_class);
  }
}

}  // namespace peal::mpi
