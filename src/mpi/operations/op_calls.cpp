// Operations of the program, and reductions inside a process.
#include "mpi/operations/op.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

namespace {

MPI_Op add(op made) { return ops().add(std::make_unique<op>(made)); }

void reduce_local(const void* from, void* into, std::int64_t count, MPI_Datatype type, MPI_Op how) {
  joining with{how, type};
  const definition& of = committed_datatype_of(type).type();
  const std::int64_t bytes = bytes_of(of, count);
  need_memory(from, of, bytes, "inbuf");
  need_memory(into, of, bytes, "inoutbuf");
  with.join(from, into, static_cast<std::size_t>(count));
}

}  // namespace

PEAL_MPI_FUNCTION(int, Op_create, MPI_User_function* user_fn, int commute, MPI_Op* op) {
  return run_in_job("MPI_Op_create", [&] {
    if (user_fn == nullptr) fail(MPI_ERR_ARG, "user_fn is a null pointer");
    need_place(op, "op");
    *op = add({.commutative = commute != 0, .function = user_fn});
  });
}

PEAL_MPI_FUNCTION(int, Op_create_c, MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
  return run_in_job("MPI_Op_create_c", [&] {
    if (user_fn == nullptr) fail(MPI_ERR_ARG, "user_fn is a null pointer");
    need_place(op, "op");
    *op = add({.commutative = commute != 0, .large_function = user_fn});
  });
}

PEAL_MPI_FUNCTION(int, Op_free, MPI_Op* op) {
  return run_in_job("MPI_Op_free", [&] {
    need_place(op, "op");
    const auto& gone = op_of(*op);
    if (op_table::is_predefined(*op))
      fail(MPI_ERR_OP, std::string{"op is "} + gone.name + ", which is never freed");
    ops().remove(*op);
    *op = MPI_OP_NULL;
  });
}

PEAL_MPI_FUNCTION(int, Op_commutative, MPI_Op op, int* commute) {
  return run_in_job("MPI_Op_commutative", [&] {
    need_place(commute, "commute");
    *commute = op_of(op).commutative ? 1 : 0;
  });
}

PEAL_MPI_FUNCTION(int, Reduce_local, const void* inbuf, void* inoutbuf, int count,
                  MPI_Datatype datatype, MPI_Op op) {
  return run_in_job("MPI_Reduce_local",
                    [&] { reduce_local(inbuf, inoutbuf, count, datatype, op); });
}

PEAL_MPI_FUNCTION(int, Reduce_local_c, const void* inbuf, void* inoutbuf, MPI_Count count,
                  MPI_Datatype datatype, MPI_Op op) {
  return run_in_job("MPI_Reduce_local_c",
                    [&] { reduce_local(inbuf, inoutbuf, count, datatype, op); });
}
