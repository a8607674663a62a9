/* mpi/fortran.h
 * Handles as Fortran programs have them, integers. These names are from before MPI 5.0, whose ABI
 * has the functions below instead; programs use them still. MPI_Fint is an INTEGER of 4 bytes. */
#ifndef PEAL_MPI_FORTRAN_H
#define PEAL_MPI_FORTRAN_H

#include "environment.h"
#include "files.h"
#include "handles.h"
#include "one_sided.h"

typedef int MPI_Fint;

#define PEAL_MPI_FORTRAN(type, name)                                                            \
  static inline MPI_Fint MPI_##name##_c2f(type handle) { return MPI_##name##_toint(handle); }   \
  static inline type MPI_##name##_f2c(MPI_Fint handle) { return MPI_##name##_fromint(handle); } \
  static inline MPI_Fint PMPI_##name##_c2f(type handle) { return PMPI_##name##_toint(handle); } \
  static inline type PMPI_##name##_f2c(MPI_Fint handle) { return PMPI_##name##_fromint(handle); }
PEAL_MPI_FORTRAN(MPI_Comm, Comm)
PEAL_MPI_FORTRAN(MPI_Datatype, Type)
PEAL_MPI_FORTRAN(MPI_Errhandler, Errhandler)
PEAL_MPI_FORTRAN(MPI_File, File)
PEAL_MPI_FORTRAN(MPI_Group, Group)
PEAL_MPI_FORTRAN(MPI_Info, Info)
PEAL_MPI_FORTRAN(MPI_Message, Message)
PEAL_MPI_FORTRAN(MPI_Op, Op)
PEAL_MPI_FORTRAN(MPI_Request, Request)
PEAL_MPI_FORTRAN(MPI_Session, Session)
PEAL_MPI_FORTRAN(MPI_Win, Win)
#undef PEAL_MPI_FORTRAN

#endif
