#include "bootstrap/pmix_fence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>

#include "bootstrap/deaths.hpp"
#include "bootstrap/pmix_library.hpp"
#include "peal/error.hpp"

namespace peal {

namespace {

// What a fence in the background tells its waiter. Never destroyed, since PMIx may answer after the
// waiter gave up, or never.
struct fence_answer {
  std::mutex lock;
  std::condition_variable changed;
  bool done = false;
  pmix_status_t status = PMIX_SUCCESS;
  pmix_info_t how{};  // of the fence, which may read it as long as it lasts
};

fence_answer& new_fence_answer() {
  static auto* all = new std::list<fence_answer>;
  return all->emplace_back();
}

void on_fence_done(pmix_status_t status, void* context) {
  auto& answer = *static_cast<fence_answer*>(context);
  const std::lock_guard hold{answer.lock};
  answer.status = status;
  answer.done = true;
  answer.changed.notify_all();
}

}  // namespace

pmix_status_t fence_all(const pmix_proc_t& everyone, std::chrono::milliseconds patience,
                        const std::function<bool()>& progress) {
  fence_answer& answer = new_fence_answer();
  const bool collect = true;
  PMIX_INFO_CONSTRUCT(&answer.how);
  pmix().info_load(&answer.how, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
  const pmix_status_t started =
      pmix().fence_nb(&everyone, 1, &answer.how, 1, on_fence_done, &answer);
  if (started == PMIX_OPERATION_SUCCEEDED) return PMIX_SUCCESS;
  if (started != PMIX_SUCCESS)
    throw error(errc::bootstrap_failed,
                fmt::format("PMIx_Fence_nb: {} ({})", pmix().error_string(started), started));
  std::optional<std::chrono::steady_clock::time_point> until;
  // A fence takes about as long as two messages through the server, so a short sleep between two
  // rounds of progress costs nothing and leaves the core to PMIx's threads.
  for (auto pause = std::chrono::microseconds{20};;
       pause = std::min(pause * 2, std::chrono::microseconds{500})) {
    const bool given_up = progress && !progress();
    if (!until && somebody_died()) until = std::chrono::steady_clock::now() + patience;
    std::unique_lock hold{answer.lock};
    if (answer.changed.wait_for(hold, pause, [&] { return answer.done; })) return answer.status;
    if (given_up || (until && std::chrono::steady_clock::now() >= *until))
      return PMIX_ERR_PARTIAL_SUCCESS;
  }
}

}  // namespace peal
