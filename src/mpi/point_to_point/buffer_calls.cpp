// Buffers for buffered sends: of the process, of communicators and of sessions.
#include <cstring>

#include "mpi/communicators/communicator.hpp"
#include "mpi/datatypes/functions/arguments.hpp"
#include "mpi/environment/session.hpp"
#include "mpi/point_to_point/send_buffer.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

namespace {

template <class Count>
void detach(send_buffer& from, void* buffer_addr, Count* size) {
  need_place(buffer_addr, "buffer_addr");
  need_place(size, "size");
  const send_buffer::memory was = from.detach();
  std::memcpy(buffer_addr, &was.address, sizeof was.address);
  *size = result_of<Count>(was.bytes);
}

send_buffer& buffer_of(MPI_Comm comm) { return own_buffer(communicator_of(comm).buffer); }
send_buffer& buffer_of(MPI_Session session) { return own_buffer(session_of(session).buffer); }

}  // namespace

PEAL_MPI_FUNCTION(int, Buffer_attach, void* buffer, int size) {
  return run_in_job("MPI_Buffer_attach", [&] { process_buffer().attach(buffer, size); });
}

PEAL_MPI_FUNCTION(int, Buffer_detach, void* buffer_addr, int* size) {
  return run_in_job("MPI_Buffer_detach", [&] { detach(process_buffer(), buffer_addr, size); });
}

PEAL_MPI_FUNCTION(int, Buffer_attach_c, void* buffer, MPI_Count size) {
  return run_in_job("MPI_Buffer_attach_c", [&] { process_buffer().attach(buffer, size); });
}

PEAL_MPI_FUNCTION(int, Buffer_detach_c, void* buffer_addr, MPI_Count* size) {
  return run_in_job("MPI_Buffer_detach_c", [&] { detach(process_buffer(), buffer_addr, size); });
}

PEAL_MPI_FUNCTION(int, Buffer_flush, void) {
  return run_in_job("MPI_Buffer_flush", [&] { process_buffer().flush(); });
}

PEAL_MPI_FUNCTION(int, Buffer_iflush, MPI_Request* request) {
  return run_in_job("MPI_Buffer_iflush", [&] {
    need_place(request, "request");
    *request = process_buffer().start_flush(MPI_COMM_NULL);
  });
}

PEAL_MPI_FUNCTION(int, Comm_attach_buffer, MPI_Comm comm, void* buffer, int size) {
  return run("MPI_Comm_attach_buffer", comm, [&] { buffer_of(comm).attach(buffer, size); });
}

PEAL_MPI_FUNCTION(int, Comm_detach_buffer, MPI_Comm comm, void* buffer_addr, int* size) {
  return run("MPI_Comm_detach_buffer", comm, [&] { detach(buffer_of(comm), buffer_addr, size); });
}

PEAL_MPI_FUNCTION(int, Comm_attach_buffer_c, MPI_Comm comm, void* buffer, MPI_Count size) {
  return run("MPI_Comm_attach_buffer_c", comm, [&] { buffer_of(comm).attach(buffer, size); });
}

PEAL_MPI_FUNCTION(int, Comm_detach_buffer_c, MPI_Comm comm, void* buffer_addr, MPI_Count* size) {
  return run("MPI_Comm_detach_buffer_c", comm, [&] { detach(buffer_of(comm), buffer_addr, size); });
}

PEAL_MPI_FUNCTION(int, Comm_flush_buffer, MPI_Comm comm) {
  return run("MPI_Comm_flush_buffer", comm, [&] { buffer_of(comm).flush(); });
}

PEAL_MPI_FUNCTION(int, Comm_iflush_buffer, MPI_Comm comm, MPI_Request* request) {
  return run("MPI_Comm_iflush_buffer", comm, [&] {
    need_place(request, "request");
    *request = buffer_of(comm).start_flush(comm);
  });
}

PEAL_MPI_FUNCTION(int, Session_attach_buffer, MPI_Session session, void* buffer, int size) {
  return run("MPI_Session_attach_buffer", session,
             [&] { buffer_of(session).attach(buffer, size); });
}

PEAL_MPI_FUNCTION(int, Session_detach_buffer, MPI_Session session, void* buffer_addr, int* size) {
  return run("MPI_Session_detach_buffer", session,
             [&] { detach(buffer_of(session), buffer_addr, size); });
}

PEAL_MPI_FUNCTION(int, Session_attach_buffer_c, MPI_Session session, void* buffer, MPI_Count size) {
  return run("MPI_Session_attach_buffer_c", session,
             [&] { buffer_of(session).attach(buffer, size); });
}

PEAL_MPI_FUNCTION(int, Session_detach_buffer_c, MPI_Session session, void* buffer_addr,
                  MPI_Count* size) {
  return run("MPI_Session_detach_buffer_c", session,
             [&] { detach(buffer_of(session), buffer_addr, size); });
}

PEAL_MPI_FUNCTION(int, Session_flush_buffer, MPI_Session session) {
  return run("MPI_Session_flush_buffer", session, [&] { buffer_of(session).flush(); });
}

PEAL_MPI_FUNCTION(int, Session_iflush_buffer, MPI_Session session, MPI_Request* request) {
  return run("MPI_Session_iflush_buffer", session, [&] {
    need_place(request, "request");
    *request = buffer_of(session).start_flush(MPI_COMM_NULL);
  });
}
