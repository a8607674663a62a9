// Handles as integers, for languages that have no pointers.
#include "mpi/communicators/communicator.hpp"
#include "mpi/datatypes/datatype.hpp"
#include "mpi/environment/session.hpp"
#include "mpi/errors/errhandler.hpp"
#include "mpi/groups/group_table.hpp"
#include "mpi/info/info.hpp"
#include "mpi/operations/op.hpp"
#include "mpi/point_to_point/message.hpp"
#include "mpi/requests/request.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

#define PEAL_MPI_INTEGERS(name, argument, table)                 \
  PEAL_MPI_FUNCTION(int, name##_toint, MPI_##argument handle) {  \
    return std::remove_cvref_t<decltype(table)>::to_int(handle); \
  }                                                              \
  PEAL_MPI_FUNCTION(MPI_##argument, name##_fromint, int number) { return (table).from_int(number); }

PEAL_MPI_INTEGERS(Comm, Comm, communicators())
PEAL_MPI_INTEGERS(Type, Datatype, datatypes())
PEAL_MPI_INTEGERS(Errhandler, Errhandler, errhandlers())
PEAL_MPI_INTEGERS(Group, Group, groups())
PEAL_MPI_INTEGERS(Info, Info, infos())
PEAL_MPI_INTEGERS(Message, Message, messages())
PEAL_MPI_INTEGERS(Op, Op, ops())
PEAL_MPI_INTEGERS(Request, Request, requests())
PEAL_MPI_INTEGERS(Session, Session, sessions())

// There are none but the null handles, which are small numbers.
#define PEAL_MPI_NULL_INTEGERS(name)                                          \
  PEAL_MPI_FUNCTION(int, name##_toint, MPI_##name handle) {                   \
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(handle));        \
  }                                                                           \
  PEAL_MPI_FUNCTION(MPI_##name, name##_fromint, int number) {                 \
    return reinterpret_cast<MPI_##name>(static_cast<std::uintptr_t>(number)); \
  }

PEAL_MPI_NULL_INTEGERS(File)
PEAL_MPI_NULL_INTEGERS(Win)
