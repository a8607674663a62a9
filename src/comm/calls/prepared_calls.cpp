// The functions of peal/detail/core.hpp about collectives that are made ready once and started
// again and again.
#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <optional>

#include "comm/checks/checked_calls.hpp"
#include "comm/checks/checks.hpp"
#include "comm/start/job.hpp"
#include "peal/error.hpp"

namespace peal::detail {

struct prepared {
  prepared(lane& here, communicator_state& of, const collective_call& what, std::uint32_t number)
      : on{of}, call{what}, work{*here.collectives, of.collective, what, number} {
    if (on.checked) checked.emplace(*on.checked, number);
  }

  communicator_state& on;  // stays, since this counts as one of its operations
  collective_call call;    // told where calls are compared
  prepared_collective work;
  std::optional<checked_plan> checked;
};

prepared* prepare_collective(communicator_state& on, const collective_call& call,
                             const location& where) {
  lane& here = job::require_lane(on, where);
  if (!is_right(on, call)) [[unlikely]] {
    take_no_part(on, call_form::plan, where);
    check_collective(on, call, where);
  }
  const std::lock_guard<engine> guard{here.progress};
  const std::uint32_t number = on.collective.number_prepared();
  prepared* const made = new prepared{here, on, call, number};
  here.given(on);
  return made;
}

operation* start_prepared(prepared& it, const location& where) {
  lane& here = job::require_lane(it.on, where);
  const std::lock_guard<engine> guard{here.progress};
  operation& started = it.checked ? it.checked->start(it.call, it.work, where) : it.work.start();
  here.flush();
  if (!finished(started)) here.progress.started(it.call.bytes);
  return here.hand_out(started, it.on, where);
}

void refuse_start(const operation& under_way, const location& where) {
  throw error(
      errc::invalid_argument,
      fmt::format("this plan is under way: it was started at {}:{} and has not been waited for",
                  under_way.origin.file_name(), under_way.origin.line()),
      -1, where);
}

void discard(prepared* unwanted) noexcept {
  if (unwanted == nullptr || forked_child()) return;
  std::unique_ptr<prepared> gone{unwanted};
  if (job::running() == nullptr) return;  // the communicator went with the job
  communicator_state& on = gone->on;
  lane& here = on.home;
  const std::lock_guard<engine> guard{here.progress};
  gone.reset();  // before the communicator, which it needs
  here.given_back(on);
}

}  // namespace peal::detail
