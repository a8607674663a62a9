/* mpi/requests.h
 * Requests and statuses. */
#ifndef PEAL_MPI_REQUESTS_H
#define PEAL_MPI_REQUESTS_H

#include "callbacks.h"
#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

PEAL_MPI(int, Cancel, MPI_Request* request);
PEAL_MPI(int, Grequest_complete, MPI_Request request);
PEAL_MPI(int, Grequest_start, MPI_Grequest_query_function* query_fn,
         MPI_Grequest_free_function* free_fn, MPI_Grequest_cancel_function* cancel_fn,
         void* extra_state, MPI_Request* request);
PEAL_MPI(int, Request_free, MPI_Request* request);
PEAL_MPI(int, Request_get_status, MPI_Request request, int* flag, MPI_Status* status);
PEAL_MPI(int, Request_get_status_all, int count, const MPI_Request array_of_requests[], int* flag,
         MPI_Status* array_of_statuses);
PEAL_MPI(int, Request_get_status_any, int count, const MPI_Request array_of_requests[], int* indx,
         int* flag, MPI_Status* status);
PEAL_MPI(int, Request_get_status_some, int incount, const MPI_Request array_of_requests[],
         int* outcount, int array_of_indices[], MPI_Status* array_of_statuses);
PEAL_MPI(int, Start, MPI_Request* request);
PEAL_MPI(int, Startall, int count, MPI_Request array_of_requests[]);
PEAL_MPI(int, Status_get_error, const MPI_Status* status, int* error);
PEAL_MPI(int, Status_get_source, const MPI_Status* status, int* source);
PEAL_MPI(int, Status_get_tag, const MPI_Status* status, int* tag);
PEAL_MPI(int, Status_set_cancelled, MPI_Status* status, int flag);
PEAL_MPI(int, Status_set_error, MPI_Status* status, int error);
PEAL_MPI(int, Status_set_source, MPI_Status* status, int source);
PEAL_MPI(int, Status_set_tag, MPI_Status* status, int tag);
PEAL_MPI(int, Test, MPI_Request* request, int* flag, MPI_Status* status);
PEAL_MPI(int, Test_cancelled, const MPI_Status* status, int* flag);
PEAL_MPI(int, Testall, int count, MPI_Request array_of_requests[], int* flag,
         MPI_Status* array_of_statuses);
PEAL_MPI(int, Testany, int count, MPI_Request array_of_requests[], int* indx, int* flag,
         MPI_Status* status);
PEAL_MPI(int, Testsome, int incount, MPI_Request array_of_requests[], int* outcount,
         int array_of_indices[], MPI_Status* array_of_statuses);
PEAL_MPI(int, Wait, MPI_Request* request, MPI_Status* status);
PEAL_MPI(int, Waitall, int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses);
PEAL_MPI(int, Waitany, int count, MPI_Request array_of_requests[], int* indx, MPI_Status* status);
PEAL_MPI(int, Waitsome, int incount, MPI_Request array_of_requests[], int* outcount,
         int array_of_indices[], MPI_Status* array_of_statuses);

#ifdef __cplusplus
}
#endif

#endif
