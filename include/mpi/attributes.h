/* mpi/attributes.h
 * Attributes of communicators and datatypes, and info objects. */
#ifndef PEAL_MPI_ATTRIBUTES_H
#define PEAL_MPI_ATTRIBUTES_H

#include "callbacks.h"
#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

PEAL_MPI(int, Comm_create_keyval, MPI_Comm_copy_attr_function* comm_copy_attr_fn,
         MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval, void* extra_state);
PEAL_MPI(int, Comm_delete_attr, MPI_Comm comm, int comm_keyval);
PEAL_MPI(int, Comm_free_keyval, int* comm_keyval);
PEAL_MPI(int, Comm_get_attr, MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag);
PEAL_MPI(int, Comm_set_attr, MPI_Comm comm, int comm_keyval, void* attribute_val);
PEAL_MPI(int, Type_create_keyval, MPI_Type_copy_attr_function* type_copy_attr_fn,
         MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval, void* extra_state);
PEAL_MPI(int, Type_delete_attr, MPI_Datatype datatype, int type_keyval);
PEAL_MPI(int, Type_free_keyval, int* type_keyval);
PEAL_MPI(int, Type_get_attr, MPI_Datatype datatype, int type_keyval, void* attribute_val,
         int* flag);
PEAL_MPI(int, Type_set_attr, MPI_Datatype datatype, int type_keyval, void* attribute_val);
PEAL_MPI(int, Info_create, MPI_Info* info);
PEAL_MPI(int, Info_create_env, int argc, char* argv[], MPI_Info* info);
PEAL_MPI(int, Info_delete, MPI_Info info, const char* key);
PEAL_MPI(int, Info_dup, MPI_Info info, MPI_Info* newinfo);
PEAL_MPI(int, Info_free, MPI_Info* info);
PEAL_MPI(int, Info_get_nkeys, MPI_Info info, int* nkeys);
PEAL_MPI(int, Info_get_nthkey, MPI_Info info, int n, char* key);
PEAL_MPI(int, Info_get_string, MPI_Info info, const char* key, int* buflen, char* value, int* flag);
PEAL_MPI(int, Info_set, MPI_Info info, const char* key, const char* value);

/* Deprecated. */
PEAL_MPI(int, Attr_delete, MPI_Comm comm, int keyval);
PEAL_MPI(int, Attr_get, MPI_Comm comm, int keyval, void* attribute_val, int* flag);
PEAL_MPI(int, Attr_put, MPI_Comm comm, int keyval, void* attribute_val);
PEAL_MPI(int, Info_get, MPI_Info info, const char* key, int valuelen, char* value, int* flag);
PEAL_MPI(int, Info_get_valuelen, MPI_Info info, const char* key, int* valuelen, int* flag);

#ifdef __cplusplus
}
#endif

#endif
