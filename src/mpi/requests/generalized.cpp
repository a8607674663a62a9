#include "mpi/requests/generalized.hpp"

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "mpi/requests/request.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

/// Outlives the request where the handle is freed before the program has completed it.
struct generalized_state {
  generalized_functions functions;
  // release, pairs with the acquire in is_done: whoever finds it complete also sees what the
  // program has written before.
  std::atomic<bool> complete{false};
  bool handle_gone = false;  // under the lock of the table
};

/// Those that are not complete, by their handles.
struct incomplete_table {
  std::mutex lock;
  std::unordered_map<MPI_Request, std::shared_ptr<generalized_state>> all;
};
incomplete_table& incomplete() noexcept {
  static auto* const only = new incomplete_table;
  return *only;
}

class generalized_request final : public request {
 public:
  explicit generalized_request(std::shared_ptr<generalized_state> of) noexcept
      : request{MPI_COMM_NULL}, state_{std::move(of)} {}

  [[nodiscard]] bool is_done() noexcept override {
    return state_->complete.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool has_callbacks() const noexcept override { return true; }
  int look(MPI_Status& status) noexcept override {
    status = empty_status();
    return state_->functions.query(state_->functions.extra_state, &status);
  }
  int end(MPI_Status& status) noexcept override {
    const int code = look(status);
    const int code_of_free = state_->functions.free(state_->functions.extra_state);
    return code != MPI_SUCCESS ? code : code_of_free;
  }
  void cancel() override {
    const int complete = is_done() ? 1 : 0;
    const int code = state_->functions.cancel(state_->functions.extra_state, complete);
    if (code != MPI_SUCCESS)
      fail(code, "the function that cancels a generalized request has ended with an error");
  }

 private:
  int end_unasked() noexcept override {
    {
      const std::lock_guard<std::mutex> guard{incomplete().lock};
      state_->handle_gone = true;
      // relaxed: it becomes complete under the lock
      if (!state_->complete.load(std::memory_order_relaxed)) return MPI_SUCCESS;
    }
    return state_->functions.free(state_->functions.extra_state);
  }

  std::shared_ptr<generalized_state> state_;
};

}  // namespace

MPI_Request start_generalized(const generalized_functions& functions) {
  auto state = std::make_shared<generalized_state>();
  state->functions = functions;
  const MPI_Request handle = hand_out(std::make_unique<generalized_request>(state));
  const std::lock_guard<std::mutex> guard{incomplete().lock};
  incomplete().all.emplace(handle, std::move(state));
  return handle;
}

int complete_generalized(MPI_Request handle) {
  std::shared_ptr<generalized_state> state;
  bool handle_gone = false;
  {
    const std::lock_guard<std::mutex> guard{incomplete().lock};
    const auto found = incomplete().all.find(handle);
    if (found == incomplete().all.end())
      fail_handle(MPI_ERR_REQUEST, "request", handle, MPI_REQUEST_NULL, "MPI_REQUEST_NULL",
                  "generalized request that is to be completed");
    state = std::move(found->second);
    incomplete().all.erase(found);
    handle_gone = state->handle_gone;
    state->complete.store(true, std::memory_order_release);
  }
  if (handle_gone) return state->functions.free(state->functions.extra_state);
  wake_waits();
  return MPI_SUCCESS;
}

}  // namespace peal::mpi
