// Functions that look at requests, and leave them as they are.
#include <span>
#include <vector>

#include "mpi/requests/request.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

namespace {

/// Requests that a call looks at.
class looked_at {
 public:
  looked_at(const char* count_argument, int count, const MPI_Request* handles) {
    need(count >= 0, MPI_ERR_COUNT, count_argument, count, "it must not be negative");
    if (count != 0) need_place(handles, "array_of_requests");
    for (const MPI_Request each : std::span{handles, static_cast<std::size_t>(count)}) {
      request* found = each == MPI_REQUEST_NULL
                           ? nullptr
                           : &with_names({{"request", "array_of_requests"}},
                                         [=]() -> request& { return request_of(each); });
      if (found != nullptr && !found->is_active()) found = nullptr;
      found_.push_back(found);
      none_active_ = none_active_ && found == nullptr;
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return found_.size(); }
  [[nodiscard]] bool none_active() const noexcept { return none_active_; }
  [[nodiscard]] bool is_active(std::size_t which) const noexcept {
    return found_[which] != nullptr;
  }
  [[nodiscard]] bool is_done(std::size_t which) const {
    return found_[which] != nullptr && found_[which]->is_done();
  }
  /// The first that is active and done; size(): none.
  [[nodiscard]] std::size_t first_done() const {
    std::size_t which = 0;
    while (which != size() && !is_done(which)) ++which;
    return which;
  }
  [[nodiscard]] bool all_done() const {
    for (std::size_t each = 0; each != size(); ++each)
      if (is_active(each) && !is_done(each)) return false;
    return true;
  }
  /// Tells how it ends. What a function of the program's ends with is kept for `code`.
  void look(std::size_t which, MPI_Status& status) {
    request& of = *found_[which];
    status = empty_status();
    status.MPI_ERROR = of.look(status);
    if (status.MPI_ERROR == MPI_SUCCESS || !of.has_callbacks() || code != MPI_SUCCESS) return;
    code = status.MPI_ERROR;
    comm = of.comm();
  }

  int code = MPI_SUCCESS;
  MPI_Comm comm = MPI_COMM_NULL;

 private:
  std::vector<request*> found_;
  bool none_active_ = true;
};

/// `body` gives the code and the communicator of the first callback that has failed.
template <class Body>
int run_look(const char* function, bool several, const char* count_argument, int count,
             const MPI_Request* handles, Body&& body) noexcept {
  int code = MPI_SUCCESS;
  MPI_Comm comm = MPI_COMM_NULL;
  const int wrong = run_in_job(function, [&] {
    looked_at all{count_argument, count, handles};
    body(all);
    if (all.code != MPI_SUCCESS) code = several ? MPI_ERR_IN_STATUS : all.code;
    comm = all.comm;
  });
  return wrong != MPI_SUCCESS ? wrong : ended(function, comm, code);
}

}  // namespace

// Programs ask again and again, so it makes no list.
PEAL_MPI_FUNCTION(int, Request_get_status, MPI_Request request, int* flag, MPI_Status* status) {
  int code = MPI_SUCCESS;
  MPI_Comm comm = MPI_COMM_NULL;
  const int wrong = run_in_job("MPI_Request_get_status", [&] {
    need_place(flag, "flag");
    *flag = 1;
    auto* const found = request == MPI_REQUEST_NULL ? nullptr : &request_of(request);
    if (found == nullptr || !found->is_active()) return tell_empty_status(status);
    if (!found->is_done()) make_progress();
    *flag = found->is_done() ? 1 : 0;
    if (*flag == 0) return;
    MPI_Status end;
    const int ended_with = found->look(end);
    if (found->has_callbacks()) code = ended_with;
    comm = found->comm();
    tell_status(status, end);
  });
  return wrong != MPI_SUCCESS ? wrong : ended("MPI_Request_get_status", comm, code);
}

PEAL_MPI_FUNCTION(int, Request_get_status_any, int count, const MPI_Request array_of_requests[],
                  int* index, int* flag, MPI_Status* status) {
  return run_look("MPI_Request_get_status_any", false, "count", count, array_of_requests,
                  [&](looked_at& all) {
                    need_place(index, "indx");
                    need_place(flag, "flag");
                    *index = MPI_UNDEFINED;
                    *flag = 1;
                    if (all.none_active()) return tell_empty_status(status);
                    if (all.first_done() == all.size()) make_progress();
                    const std::size_t which = all.first_done();
                    *flag = which != all.size() ? 1 : 0;
                    if (*flag == 0) return;
                    MPI_Status end;
                    all.look(which, end);
                    tell_status(status, end);
                    *index = static_cast<int>(which);
                  });
}

PEAL_MPI_FUNCTION(int, Request_get_status_all, int count, const MPI_Request array_of_requests[],
                  int* flag, MPI_Status array_of_statuses[]) {
  return run_look("MPI_Request_get_status_all", true, "count", count, array_of_requests,
                  [&](looked_at& all) {
                    need_place(flag, "flag");
                    if (!all.all_done()) make_progress();
                    *flag = all.all_done() ? 1 : 0;
                    if (*flag == 0) return;
                    for (std::size_t each = 0; each != all.size(); ++each) {
                      MPI_Status end = empty_status();
                      if (all.is_active(each)) all.look(each, end);
                      if (array_of_statuses != nullptr) array_of_statuses[each] = end;
                    }
                  });
}

PEAL_MPI_FUNCTION(int, Request_get_status_some, int incount, const MPI_Request array_of_requests[],
                  int* outcount, int array_of_indices[], MPI_Status array_of_statuses[]) {
  return run_look("MPI_Request_get_status_some", true, "incount", incount, array_of_requests,
                  [&](looked_at& all) {
                    need_place(outcount, "outcount");
                    if (all.size() != 0) need_place(array_of_indices, "array_of_indices");
                    *outcount = MPI_UNDEFINED;
                    if (all.none_active()) return;
                    if (all.first_done() == all.size()) make_progress();
                    *outcount = 0;
                    for (std::size_t each = all.first_done(); each != all.size(); ++each) {
                      if (!all.is_done(each)) continue;
                      MPI_Status end;
                      all.look(each, end);
                      if (array_of_statuses != nullptr) array_of_statuses[*outcount] = end;
                      array_of_indices[(*outcount)++] = static_cast<int>(each);
                    }
                  });
}
