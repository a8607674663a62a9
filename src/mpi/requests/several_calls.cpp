// Functions that finish several requests.
#include <span>
#include <vector>

#include "mpi/requests/request.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

namespace {

request& request_in(MPI_Request handle) {
  return with_names({{"request", "array_of_requests"}},
                    [=]() -> request& { return request_of(handle); });
}

std::span<MPI_Request> handles_of(int count, MPI_Request* handles,
                                  const char* count_argument = "count") {
  need(count >= 0, MPI_ERR_COUNT, count_argument, count, "it must not be negative");
  if (count != 0) need_place(handles, "array_of_requests");
  return {handles, static_cast<std::size_t>(count)};
}

/// The requests of a call.
class given_requests {
 public:
  given_requests(int count, MPI_Request* handles, const char* count_argument = "count")
      : handles_{handles_of(count, handles, count_argument)} {
    found_.reserve(handles_.size());
    for (const MPI_Request each : handles_) {
      request* found = each == MPI_REQUEST_NULL ? nullptr : &request_in(each);
      if (found != nullptr && !found->is_active()) found = nullptr;
      found_.push_back(found);
      active_ += found != nullptr ? 1 : 0;
    }
    if (none_active()) need_job();
  }
  [[nodiscard]] std::size_t size() const noexcept { return found_.size(); }
  [[nodiscard]] bool none_active() const noexcept { return active_ == 0; }
  /// Null: it is not active.
  [[nodiscard]] request* at(std::size_t which) const noexcept { return found_[which]; }
  /// The first that is active and done from `from` on; size(): none.
  [[nodiscard]] std::size_t first_done(std::size_t from = 0) const noexcept {
    while (from != size() && (found_[from] == nullptr || !found_[from]->is_done())) ++from;
    return from;
  }
  [[nodiscard]] bool all_done() const noexcept {
    for (request* const each : found_)
      if (each != nullptr && !each->is_done()) return false;
    return true;
  }
  int finish_one(std::size_t which, MPI_Status* status) noexcept {
    const int code = finish(handles_[which], *found_[which], status);
    found_[which] = nullptr;
    return code;
  }
  /// All of them. MPI_ERR_IN_STATUS: some have ended with an error, as the statuses say.
  int finish_all(MPI_Status* statuses) noexcept {
    int worst = MPI_SUCCESS;
    for (std::size_t each = 0; each != size(); ++each) {
      MPI_Status ignored = empty_status(), *const status =
                                               statuses == nullptr ? &ignored : &statuses[each];
      if (found_[each] == nullptr) {
        *status = empty_status();
        continue;
      }
      if (worst == MPI_SUCCESS) comm_ = found_[each]->comm();
      status->MPI_ERROR = finish_one(each, status);
      if (status->MPI_ERROR != MPI_SUCCESS) worst = MPI_ERR_IN_STATUS;
    }
    return worst;
  }
  /// Of the first that has ended with an error.
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }

 private:
  std::span<MPI_Request> handles_;
  std::vector<request*> found_;
  std::size_t active_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// What a call that finishes several returns, whose body tells the code of the requests and the
/// communicator.
template <class Body>
int run_several(const char* function, Body&& body) noexcept {
  int code = MPI_SUCCESS;
  MPI_Comm comm = MPI_COMM_NULL;
  const int wrong = run(function, [&] { body(code, comm); });
  return wrong != MPI_SUCCESS ? wrong : ended(function, comm, code);
}

/// Those that are done, of Waitsome and Testsome. Returns the code.
int finish_some(given_requests& all, int* outcount, int* indices, MPI_Status* statuses,
                MPI_Comm& comm) noexcept {
  int worst = MPI_SUCCESS, count = 0;
  for (std::size_t each = all.first_done(); each != all.size(); each = all.first_done(each + 1)) {
    MPI_Status ignored = empty_status();
    MPI_Status* const status = statuses == nullptr ? &ignored : &statuses[count];
    if (worst == MPI_SUCCESS) comm = all.at(each)->comm();
    status->MPI_ERROR = all.finish_one(each, status);
    if (status->MPI_ERROR != MPI_SUCCESS) worst = MPI_ERR_IN_STATUS;
    indices[count++] = static_cast<int>(each);
  }
  *outcount = count;
  return worst;
}

}  // namespace

PEAL_MPI_FUNCTION(int, Waitall, int count, MPI_Request array_of_requests[],
                  MPI_Status array_of_statuses[]) {
  return run_several("MPI_Waitall", [&](int& code, MPI_Comm& comm) {
    const std::span<MPI_Request> all = handles_of(count, array_of_requests);
    bool any = false;
    // None is finished where one of them is wrong.
    for (const MPI_Request each : all) {
      if (each == MPI_REQUEST_NULL) continue;
      if (each != request_that_is_over() && requests().find(each) == nullptr) [[unlikely]]
        (void)request_in(each);
      any = true;
    }
    if (!any) need_job();
    for (std::size_t each = 0; each != all.size(); ++each) {
      MPI_Comm of = MPI_COMM_NULL;
      MPI_Status* const status =
          array_of_statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &array_of_statuses[each];
      const int ended_with = wait_and_finish(all[each], status, of);
      if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = ended_with;
      if (ended_with == MPI_SUCCESS || code != MPI_SUCCESS) continue;
      code = MPI_ERR_IN_STATUS;
      comm = of;
    }
  });
}

PEAL_MPI_FUNCTION(int, Testall, int count, MPI_Request array_of_requests[], int* flag,
                  MPI_Status array_of_statuses[]) {
  return run_several("MPI_Testall", [&](int& code, MPI_Comm& comm) {
    need_place(flag, "flag");
    given_requests all{count, array_of_requests};
    if (!all.all_done()) make_progress();
    *flag = all.all_done() ? 1 : 0;
    if (*flag == 0) return;
    code = all.finish_all(array_of_statuses);
    comm = all.comm();
  });
}

PEAL_MPI_FUNCTION(int, Waitany, int count, MPI_Request array_of_requests[], int* index,
                  MPI_Status* status) {
  return run_several("MPI_Waitany", [&](int& code, MPI_Comm& comm) {
    need_place(index, "indx");
    given_requests all{count, array_of_requests};
    *index = MPI_UNDEFINED;
    if (all.none_active()) return tell_empty_status(status);
    await_until([&] { return all.first_done() != all.size(); });
    const std::size_t which = all.first_done();
    comm = all.at(which)->comm();
    code = all.finish_one(which, status);
    *index = static_cast<int>(which);
  });
}

PEAL_MPI_FUNCTION(int, Testany, int count, MPI_Request array_of_requests[], int* index, int* flag,
                  MPI_Status* status) {
  return run_several("MPI_Testany", [&](int& code, MPI_Comm& comm) {
    need_place(index, "indx");
    need_place(flag, "flag");
    given_requests all{count, array_of_requests};
    *index = MPI_UNDEFINED;
    *flag = 1;
    if (all.none_active()) return tell_empty_status(status);
    if (all.first_done() == all.size()) make_progress();
    const std::size_t which = all.first_done();
    *flag = which != all.size() ? 1 : 0;
    if (*flag == 0) return;
    comm = all.at(which)->comm();
    code = all.finish_one(which, status);
    *index = static_cast<int>(which);
  });
}

PEAL_MPI_FUNCTION(int, Waitsome, int incount, MPI_Request array_of_requests[], int* outcount,
                  int array_of_indices[], MPI_Status array_of_statuses[]) {
  return run_several("MPI_Waitsome", [&](int& code, MPI_Comm& comm) {
    need_place(outcount, "outcount");
    given_requests all{incount, array_of_requests, "incount"};
    if (incount != 0) need_place(array_of_indices, "array_of_indices");
    *outcount = MPI_UNDEFINED;
    if (all.none_active()) return;
    await_until([&] { return all.first_done() != all.size(); });
    code = finish_some(all, outcount, array_of_indices, array_of_statuses, comm);
  });
}

PEAL_MPI_FUNCTION(int, Testsome, int incount, MPI_Request array_of_requests[], int* outcount,
                  int array_of_indices[], MPI_Status array_of_statuses[]) {
  return run_several("MPI_Testsome", [&](int& code, MPI_Comm& comm) {
    need_place(outcount, "outcount");
    given_requests all{incount, array_of_requests, "incount"};
    if (incount != 0) need_place(array_of_indices, "array_of_indices");
    *outcount = MPI_UNDEFINED;
    if (all.none_active()) return;
    if (all.first_done() == all.size()) make_progress();
    code = finish_some(all, outcount, array_of_indices, array_of_statuses, comm);
  });
}
