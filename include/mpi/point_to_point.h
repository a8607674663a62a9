/* mpi/point_to_point.h
 * Messages between two processes: blocking, nonblocking, persistent and partitioned, and buffers
 * for buffered sends. */
#ifndef PEAL_MPI_POINT_TO_POINT_H
#define PEAL_MPI_POINT_TO_POINT_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

PEAL_MPI(int, Bsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm);
PEAL_MPI(int, Bsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm);
PEAL_MPI(int, Bsend_init, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Bsend_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
         int tag, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Buffer_attach, void* buffer, int size);
PEAL_MPI(int, Buffer_attach_c, void* buffer, MPI_Count size);
PEAL_MPI(int, Buffer_detach, void* buffer_addr, int* size);
PEAL_MPI(int, Buffer_detach_c, void* buffer_addr, MPI_Count* size);
PEAL_MPI(int, Buffer_flush, void);
PEAL_MPI(int, Buffer_iflush, MPI_Request* request);
PEAL_MPI(int, Comm_attach_buffer, MPI_Comm comm, void* buffer, int size);
PEAL_MPI(int, Comm_attach_buffer_c, MPI_Comm comm, void* buffer, MPI_Count size);
PEAL_MPI(int, Comm_detach_buffer, MPI_Comm comm, void* buffer_addr, int* size);
PEAL_MPI(int, Comm_detach_buffer_c, MPI_Comm comm, void* buffer_addr, MPI_Count* size);
PEAL_MPI(int, Comm_flush_buffer, MPI_Comm comm);
PEAL_MPI(int, Comm_iflush_buffer, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ibsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ibsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Improbe, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
         MPI_Status* status);
PEAL_MPI(int, Imrecv, void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
         MPI_Request* request);
PEAL_MPI(int, Imrecv_c, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
         MPI_Request* request);
PEAL_MPI(int, Iprobe, int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
PEAL_MPI(int, Irecv, void* buf, int count, MPI_Datatype datatype, int source, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Irecv_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Irsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Irsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Isend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Isend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Isendrecv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
         int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Isendrecv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
         int dest, int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
         int source, int recvtag, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Isendrecv_replace, void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
         int source, int recvtag, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Isendrecv_replace_c, void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
         int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Issend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Issend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Mprobe, int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status);
PEAL_MPI(int, Mrecv, void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
         MPI_Status* status);
PEAL_MPI(int, Mrecv_c, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
         MPI_Status* status);
PEAL_MPI(int, Parrived, MPI_Request request, int partition, int* flag);
PEAL_MPI(int, Pready, int partition, MPI_Request request);
PEAL_MPI(int, Pready_list, int length, const int array_of_partitions[], MPI_Request request);
PEAL_MPI(int, Pready_range, int partition_low, int partition_high, MPI_Request request);
PEAL_MPI(int, Precv_init, void* buf, int partitions, int count, MPI_Datatype datatype, int source,
         int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request);
PEAL_MPI(int, Precv_init_c, void* buf, int partitions, MPI_Count count, MPI_Datatype datatype,
         int source, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request);
PEAL_MPI(int, Probe, int source, int tag, MPI_Comm comm, MPI_Status* status);
PEAL_MPI(int, Psend_init, const void* buf, int partitions, int count, MPI_Datatype datatype,
         int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request);
PEAL_MPI(int, Psend_init_c, const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype,
         int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request);
PEAL_MPI(int, Recv, void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
         MPI_Status* status);
PEAL_MPI(int, Recv_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
         MPI_Comm comm, MPI_Status* status);
PEAL_MPI(int, Recv_init, void* buf, int count, MPI_Datatype datatype, int source, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Recv_init_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Rsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm);
PEAL_MPI(int, Rsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm);
PEAL_MPI(int, Rsend_init, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Rsend_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
         int tag, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Send, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm);
PEAL_MPI(int, Send_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm);
PEAL_MPI(int, Send_init, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Send_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
         int tag, MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Sendrecv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
         int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
         MPI_Comm comm, MPI_Status* status);
PEAL_MPI(int, Sendrecv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
         int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source,
         int recvtag, MPI_Comm comm, MPI_Status* status);
PEAL_MPI(int, Sendrecv_replace, void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
         int source, int recvtag, MPI_Comm comm, MPI_Status* status);
PEAL_MPI(int, Sendrecv_replace_c, void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
         int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status* status);
PEAL_MPI(int, Ssend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm);
PEAL_MPI(int, Ssend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm);
PEAL_MPI(int, Ssend_init, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm, MPI_Request* request);
PEAL_MPI(int, Ssend_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
         int tag, MPI_Comm comm, MPI_Request* request);

/* Deprecated. */
PEAL_MPI(int, Keyval_create, MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn,
         int* keyval, void* extra_state);
PEAL_MPI(int, Keyval_free, int* keyval);

#ifdef __cplusplus
}
#endif

#endif
