// Copies of communicators.
#include <memory>
#include <utility>

#include "mpi/communicators/communicator.hpp"
#include "mpi/communicators/hints.hpp"
#include "mpi/errors/errhandler.hpp"
#include "mpi/info/info.hpp"
#include "mpi/requests/request.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/support/place.hpp"

using namespace peal::mpi;
namespace detail = peal::detail;
namespace mpi = peal::mpi;

namespace {

/// Ranks may give different hints, and those that were refused their arguments are heard of here.
bool all_want_named_tags(const communicator& among, const info& hints) {
  int mine = wants_named_tags(hints) ? 1 : 0, all = 0;
  detail::collective_call call;
  call.kind = detail::collective::allreduce;
  call.send = &mine;
  call.receive = &all;
  call.bytes = call.element_size = sizeof mine;
  call.type = detail::scalar::i32;
  call.op = {detail::builtin::min, true};
  detail::run_collective(*among.state, call, place);
  return all != 0;
}

enum class hints_are_given : bool { no, yes };

/// Hints are not copied. `given`: the same on all ranks.
void copy(MPI_Comm comm, hints_are_given given, MPI_Info info, MPI_Comm* newcomm) {
  const communicator& from = communicator_of(comm);
  const auto hints = check_for_all(from, [&] {
    need_place(newcomm, "newcomm");
    return hints_in(info);
  });
  *newcomm = MPI_COMM_NULL;
  const bool named = given == hints_are_given::yes && all_want_named_tags(from, hints);
  const auto make = named ? &detail::duplicate_with_named_tags : &detail::duplicate;
  MPI_Comm handle = hand_out(make(*from.state, place), from);
  communicator& made = communicator_of(handle);
  made.remote_first = from.remote_first;
  made.remote_size = from.remote_size;
  made.topology = from.topology;
  set_hints(made, hints);
  try {
    from.attributes.copy_to(made.attributes, comm);
  } catch (...) {
    free_communicator(handle);
    throw;
  }
  *newcomm = handle;
}

/// The communicator has its handle from the start, and is none before the request is finished.
class copy_request final : public request {
 public:
  copy_request(MPI_Comm from, MPI_Comm made, detail::pending_copy* pending,
               detail::operation* ends) noexcept
      : request{from}, made_{made}, pending_{pending} {
    run(ends);
  }
  int end(MPI_Status& status) noexcept override {
    const int code = request::end(status);
    return code == MPI_SUCCESS && !is_made_ ? MPI_ERR_NO_MEM : code;
  }
  void cancel() override { fail(MPI_ERR_REQUEST, "a copy of a communicator cannot be cancelled"); }

 private:
  void take_in(std::size_t /*bytes*/) noexcept override {
    detail::communicator_state* const state = detail::finish_duplicate(pending_);
    is_made_ = state != nullptr;
    communicator* const own = communicators().find(made_);
    if (own != nullptr) own->state = state;
    else if (is_made_) detail::release(*state);  // the call has failed on this rank
  }

  MPI_Comm made_;
  detail::pending_copy* pending_;
  bool is_made_ = false;
};

MPI_Request start_copy(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
                       const MPI_Request* request) {
  const communicator& from = communicator_of(comm);
  mpi::info hints;
  try {
    need_place(request, "request");
    need_place(newcomm, "newcomm");
    hints = hints_in(info);
  } catch (...) {
    take_no_part(from, detail::call_form::steps);
    throw;
  }
  auto own = std::make_unique<communicator>();
  own->errhandler = share_errhandler(from.errhandler);
  own->remote_first = from.remote_first;
  own->remote_size = from.remote_size;
  own->session_buffer = from.session_buffer;
  own->topology = from.topology;
  set_hints(*own, hints);
  communicator& made = *own;
  const MPI_Comm handle = communicators().add(std::move(own));
  const auto forget = [&] {
    release_errhandler(made.errhandler);
    communicators().remove(handle);
  };
  std::unique_ptr<copy_request> begun;
  try {
    detail::operation* ends = nullptr;
    detail::pending_copy* const pending =
        detail::start_duplicate(*from.state, wants_named_tags(hints), ends, place);
    begun = std::make_unique<copy_request>(comm, handle, pending, ends);
    from.attributes.copy_to(made.attributes, comm);
  } catch (...) {
    made.attributes.erase_all(handle);
    forget();
    if (begun) request::let_go(std::move(begun));  // the other ranks make theirs
    throw;
  }
  *newcomm = handle;
  return hand_out(std::move(begun));
}

}  // namespace

PEAL_MPI_FUNCTION(int, Comm_dup, MPI_Comm comm, MPI_Comm* newcomm) {
  return run("MPI_Comm_dup", comm,
             [&] { copy(comm, hints_are_given::no, MPI_INFO_NULL, newcomm); });
}

PEAL_MPI_FUNCTION(int, Comm_dup_with_info, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  return run("MPI_Comm_dup_with_info", comm,
             [&] { copy(comm, hints_are_given::yes, info, newcomm); });
}

PEAL_MPI_FUNCTION(int, Comm_idup, MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  return run("MPI_Comm_idup", comm,
             [&] { *request = start_copy(comm, MPI_INFO_NULL, newcomm, request); });
}

PEAL_MPI_FUNCTION(int, Comm_idup_with_info, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
                  MPI_Request* request) {
  return run("MPI_Comm_idup_with_info", comm,
             [&] { *request = start_copy(comm, info, newcomm, request); });
}
