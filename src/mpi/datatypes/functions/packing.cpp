// Packing into buffers of the program.

#include <fmt/format.h>

#include <cstring>

#include "mpi/communicators/communicator.hpp"
#include "mpi/datatypes/functions/arguments.hpp"
#include "mpi/datatypes/packing/external32.hpp"
#include "mpi/datatypes/packing/packing.hpp"
#include "mpi/support/function.hpp"

namespace peal::mpi {

namespace {

/// The packed stream that a program has, with the place where it goes on.
template <class Count>
struct stream_argument {
  void* buffer;
  Count size;
  Count* position;
  const char* name;
  const char* size_name;

  /// Where `bytes` begin.
  [[nodiscard]] std::byte* place_for(std::int64_t bytes) const {
    need_place(position, "position");
    need(size >= 0, MPI_ERR_ARG, size_name, size, "it must not be negative");
    need(*position >= 0 && *position <= size, MPI_ERR_ARG, "position", *position,
         "it is not inside of the buffer");
    if (bytes > size - *position)
      fail(MPI_ERR_TRUNCATE, fmt::format("{} is {}: from position {} on {} bytes are needed",
                                         size_name, size, *position, bytes));
    if (bytes != 0 && buffer == nullptr)
      fail(MPI_ERR_BUFFER, std::string{name} + " is a null pointer");
    return static_cast<std::byte*>(buffer) + *position;
  }
  void advance(std::int64_t bytes) const noexcept {
    *position = static_cast<Count>(*position + bytes);
  }
};

template <class Count>
void pack_into(const void* data, Count count, MPI_Datatype datatype,
               const stream_argument<Count>& to, MPI_Comm comm) {
  (void)communicator_of(comm);
  const definition& type = committed_datatype_of(datatype).type();
  const std::int64_t bytes =
      with_names({{"count", "incount"}}, [&] { return bytes_of(type, count); });
  std::byte* const place = to.place_for(bytes);
  need_memory(data, type, bytes, "inbuf");
  (void)pack(type.plan(), data, count, 0, place, static_cast<std::size_t>(bytes));
  to.advance(bytes);
}

template <class Count>
void unpack_from(const stream_argument<Count>& from, void* data, Count count, MPI_Datatype datatype,
                 MPI_Comm comm) {
  (void)communicator_of(comm);
  const definition& type = committed_datatype_of(datatype).type();
  const std::int64_t bytes =
      with_names({{"count", "outcount"}}, [&] { return bytes_of(type, count); });
  const std::byte* const place = from.place_for(bytes);
  need_memory(data, type, bytes, "outbuf");
  (void)unpack(type.plan(), data, count, 0, place, static_cast<std::size_t>(bytes));
  from.advance(bytes);
}

template <class Count>
void tell_pack_size(Count count, MPI_Datatype datatype, MPI_Comm comm, Count* size) {
  (void)communicator_of(comm);
  need_place(size, "size");
  const definition& type = committed_datatype_of(datatype).type();
  *size =
      result_of<Count>(with_names({{"count", "incount"}}, [&] { return bytes_of(type, count); }));
}

void need_external32(const char* representation) {
  need_place(representation, "datarep");
  if (std::strcmp(representation, "external32") != 0)
    fail(MPI_ERR_UNSUPPORTED_DATAREP,
         fmt::format("datarep is {:?}: only \"external32\" is known", representation));
}

template <class Count>
void pack_external_into(const char* representation, const void* data, std::int64_t count,
                        MPI_Datatype datatype, const stream_argument<Count>& to) {
  need_external32(representation);
  const definition& type = committed_datatype_of(datatype).type();
  const std::int64_t bytes =
      with_names({{"count", "incount"}}, [&] { return external_bytes_of(type.layout(), count); });
  std::byte* const place = to.place_for(bytes);
  need_memory(data, type, bytes, "inbuf");
  pack_external(type.layout(), data, count, place);
  to.advance(bytes);
}

template <class Count>
void unpack_external_from(const char* representation, const stream_argument<Count>& from,
                          void* data, std::int64_t count, MPI_Datatype datatype) {
  need_external32(representation);
  const definition& type = committed_datatype_of(datatype).type();
  const std::int64_t bytes =
      with_names({{"count", "outcount"}}, [&] { return external_bytes_of(type.layout(), count); });
  const std::byte* const place = from.place_for(bytes);
  need_memory(data, type, bytes, "outbuf");
  unpack_external(type.layout(), data, count, place);
  from.advance(bytes);
}

template <class Count>
void tell_external_size(const char* representation, std::int64_t count, MPI_Datatype datatype,
                        Count* size) {
  need_external32(representation);
  need_place(size, "size");
  const layout& of = committed_datatype_of(datatype).type().layout();
  *size = with_names({{"count", "incount"}}, [&] { return external_bytes_of(of, count); });
}

}  // namespace

PEAL_MPI_FUNCTION(int, Pack, const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf,
                  int outsize, int* position, MPI_Comm comm) {
  return run("MPI_Pack", comm, [&] {
    pack_into<int>(inbuf, incount, datatype, {outbuf, outsize, position, "outbuf", "outsize"},
                   comm);
  });
}
PEAL_MPI_FUNCTION(int, Pack_c, const void* inbuf, MPI_Count incount, MPI_Datatype datatype,
                  void* outbuf, MPI_Count outsize, MPI_Count* position, MPI_Comm comm) {
  return run("MPI_Pack_c", comm, [&] {
    pack_into<MPI_Count>(inbuf, incount, datatype, {outbuf, outsize, position, "outbuf", "outsize"},
                         comm);
  });
}
PEAL_MPI_FUNCTION(int, Unpack, const void* inbuf, int insize, int* position, void* outbuf,
                  int outcount, MPI_Datatype datatype, MPI_Comm comm) {
  return run("MPI_Unpack", comm, [&] {
    unpack_from<int>({const_cast<void*>(inbuf), insize, position, "inbuf", "insize"}, outbuf,
                     outcount, datatype, comm);
  });
}
PEAL_MPI_FUNCTION(int, Unpack_c, const void* inbuf, MPI_Count insize, MPI_Count* position,
                  void* outbuf, MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm) {
  return run("MPI_Unpack_c", comm, [&] {
    unpack_from<MPI_Count>({const_cast<void*>(inbuf), insize, position, "inbuf", "insize"}, outbuf,
                           outcount, datatype, comm);
  });
}
PEAL_MPI_FUNCTION(int, Pack_size, int incount, MPI_Datatype datatype, MPI_Comm comm, int* size) {
  return run("MPI_Pack_size", comm, [&] { tell_pack_size(incount, datatype, comm, size); });
}
PEAL_MPI_FUNCTION(int, Pack_size_c, MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm,
                  MPI_Count* size) {
  return run("MPI_Pack_size_c", comm, [&] { tell_pack_size(incount, datatype, comm, size); });
}
PEAL_MPI_FUNCTION(int, Pack_external, const char* datarep, const void* inbuf, int incount,
                  MPI_Datatype datatype, void* outbuf, MPI_Aint outsize, MPI_Aint* position) {
  return run_in_job("MPI_Pack_external", [&] {
    pack_external_into<MPI_Aint>(datarep, inbuf, incount, datatype,
                                 {outbuf, outsize, position, "outbuf", "outsize"});
  });
}
PEAL_MPI_FUNCTION(int, Pack_external_c, const char* datarep, const void* inbuf, MPI_Count incount,
                  MPI_Datatype datatype, void* outbuf, MPI_Count outsize, MPI_Count* position) {
  return run_in_job("MPI_Pack_external_c", [&] {
    pack_external_into<MPI_Count>(datarep, inbuf, incount, datatype,
                                  {outbuf, outsize, position, "outbuf", "outsize"});
  });
}
PEAL_MPI_FUNCTION(int, Unpack_external, const char datarep[], const void* inbuf, MPI_Aint insize,
                  MPI_Aint* position, void* outbuf, int outcount, MPI_Datatype datatype) {
  return run_in_job("MPI_Unpack_external", [&] {
    unpack_external_from<MPI_Aint>(datarep,
                                   {const_cast<void*>(inbuf), insize, position, "inbuf", "insize"},
                                   outbuf, outcount, datatype);
  });
}
PEAL_MPI_FUNCTION(int, Unpack_external_c, const char datarep[], const void* inbuf, MPI_Count insize,
                  MPI_Count* position, void* outbuf, MPI_Count outcount, MPI_Datatype datatype) {
  return run_in_job("MPI_Unpack_external_c", [&] {
    unpack_external_from<MPI_Count>(datarep,
                                    {const_cast<void*>(inbuf), insize, position, "inbuf", "insize"},
                                    outbuf, outcount, datatype);
  });
}
PEAL_MPI_FUNCTION(int, Pack_external_size, const char* datarep, int incount, MPI_Datatype datatype,
                  MPI_Aint* size) {
  return run_in_job("MPI_Pack_external_size",
                    [&] { tell_external_size(datarep, incount, datatype, size); });
}
PEAL_MPI_FUNCTION(int, Pack_external_size_c, const char* datarep, MPI_Count incount,
                  MPI_Datatype datatype, MPI_Count* size) {
  return run_in_job("MPI_Pack_external_size_c",
                    [&] { tell_external_size(datarep, incount, datatype, size); });
}

}  // namespace peal::mpi
