#include "mpi/errors/errhandler.hpp"

#include <utility>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

errhandler_table& errhandlers() {
  // Never destroyed: errors happen in destructors of static objects, too.
  static errhandler_table& all = *[] {
    using ending = errhandler::ending;
    auto* const made = new errhandler_table;
    made->set(MPI_ERRORS_ARE_FATAL, *new errhandler{ending::fatal});
    made->set(MPI_ERRORS_ABORT, *new errhandler{ending::abort});
    made->set(MPI_ERRORS_RETURN, *new errhandler{ending::give_code});
    return made;
  }();
  return all;
}

errhandler& errhandler_of(MPI_Errhandler handle) {
  errhandler* const found = errhandlers().find(handle);
  if (found == nullptr) [[unlikely]]
    fail_handle(MPI_ERR_ERRHANDLER, "errhandler", handle, MPI_ERRHANDLER_NULL,
                "MPI_ERRHANDLER_NULL", "error handler");
  return *found;
}

MPI_Errhandler share_errhandler(MPI_Errhandler handle) {
  errhandler& found = errhandler_of(handle);
  // relaxed: the caller holds it already, so it cannot end meanwhile
  if (!errhandler_table::is_predefined(handle)) found.uses.fetch_add(1, std::memory_order_relaxed);
  return handle;
}

void release_errhandler(MPI_Errhandler handle) noexcept {
  if (errhandler_table::is_predefined(handle)) return;
  errhandler* const found = errhandlers().find(handle);
  // acq_rel: whoever ends it comes after all that others did with it
  if (found != nullptr && found->uses.fetch_sub(1, std::memory_order_acq_rel) == 1)
    errhandlers().remove(handle);
}

bool ends_job(MPI_Errhandler handle) noexcept {
  const errhandler* const found = errhandlers().find(handle);
  if (found == nullptr) return true;
  const auto* const ending = std::get_if<errhandler::ending>(&found->action);
  return ending != nullptr && *ending != errhandler::ending::give_code;
}

template <class Function>
void replace_errhandler(MPI_Errhandler& held, MPI_Errhandler by) {
  const errhandler::kind& action = errhandler_of(by).action;
  if (!std::holds_alternative<errhandler::ending>(action) &&
      !std::holds_alternative<Function*>(action))
    fail(MPI_ERR_ERRHANDLER, "errhandler was made for another kind of object");
  release_errhandler(std::exchange(held, share_errhandler(by)));
}

template void replace_errhandler<MPI_Comm_errhandler_function>(MPI_Errhandler&, MPI_Errhandler);
template void replace_errhandler<MPI_Session_errhandler_function>(MPI_Errhandler&, MPI_Errhandler);
template void replace_errhandler<MPI_File_errhandler_function>(MPI_Errhandler&, MPI_Errhandler);

MPI_Errhandler& file_errhandler() noexcept {
  static MPI_Errhandler held = MPI_ERRORS_RETURN;
  return held;
}

}  // namespace peal::mpi
