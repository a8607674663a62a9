// Messages that are sent and received in partitions.
#include "mpi/datatypes/functions/arguments.hpp"
#include "mpi/info/info.hpp"
#include "mpi/partitioned/partitioned_receive.hpp"
#include "mpi/partitioned/partitioned_send.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

namespace {

/// `Request`: the class of the requests that the function is for.
template <class Request>
Request& request_for(MPI_Request handle, const char* function) {
  auto* const found = dynamic_cast<Request*>(&request_of(handle));
  if (found == nullptr) fail(MPI_ERR_REQUEST, std::string{"request was not made by "} + function);
  return *found;
}
partitioned_send& send_of(MPI_Request handle) {
  return request_for<partitioned_send>(handle, "MPI_Psend_init");
}

}  // namespace

PEAL_MPI_FUNCTION(int, Psend_init, const void* buf, int partitions, int count,
                  MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Psend_init", comm, [&] {
    need_place(request, "request");
    (void)hints_of(info);  // peal knows of none
    *request = hand_out(std::make_unique<partitioned_send>(partitioned_call{
        const_cast<void*>(buf), partitions, count, datatype, dest, tag, comm, "dest"}));
  });
}

PEAL_MPI_FUNCTION(int, Precv_init, void* buf, int partitions, int count, MPI_Datatype datatype,
                  int source, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return run("MPI_Precv_init", comm, [&] {
    need_place(request, "request");
    (void)hints_of(info);  // peal knows of none
    *request = hand_out(std::make_unique<partitioned_receive>(
        partitioned_call{buf, partitions, count, datatype, source, tag, comm, "source"}));
  });
}

PEAL_MPI_FUNCTION(int, Psend_init_c, const void* buf, int partitions, MPI_Count count,
                  MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Psend_init_c", comm, [&] {
    need_place(request, "request");
    (void)hints_of(info);  // peal knows of none
    *request = hand_out(std::make_unique<partitioned_send>(partitioned_call{
        const_cast<void*>(buf), partitions, count, datatype, dest, tag, comm, "dest"}));
  });
}

PEAL_MPI_FUNCTION(int, Precv_init_c, void* buf, int partitions, MPI_Count count,
                  MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return run("MPI_Precv_init_c", comm, [&] {
    need_place(request, "request");
    (void)hints_of(info);  // peal knows of none
    *request = hand_out(std::make_unique<partitioned_receive>(
        partitioned_call{buf, partitions, count, datatype, source, tag, comm, "source"}));
  });
}

PEAL_MPI_FUNCTION(int, Pready, int partition, MPI_Request request) {
  return run("MPI_Pready", [&] { send_of(request).ready(partition); });
}

PEAL_MPI_FUNCTION(int, Pready_range, int partition_low, int partition_high, MPI_Request request) {
  return run("MPI_Pready_range", [&] {
    partitioned_send& of = send_of(request);
    of.check(partition_low, "partition_low");
    of.check(partition_high, "partition_high");
    for (int each = partition_low; each <= partition_high; ++each) of.ready(each);
  });
}

PEAL_MPI_FUNCTION(int, Pready_list, int length, const int array_of_partitions[],
                  MPI_Request request) {
  return run("MPI_Pready_list", [&] {
    partitioned_send& of = send_of(request);
    with_names({{"count", "length"}, {"partition", "array_of_partitions"}}, [&] {
      for (const int each : span_of(array_of_partitions, length, "array_of_partitions"))
        of.ready(each);
    });
  });
}

PEAL_MPI_FUNCTION(int, Parrived, MPI_Request request, int partition, int* flag) {
  return run("MPI_Parrived", [&] {
    need_place(flag, "flag");
    *flag =
        request_for<partitioned_receive>(request, "MPI_Precv_init").has_arrived(partition) ? 1 : 0;
  });
}
