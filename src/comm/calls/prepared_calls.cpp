// The functions of peal/detail/core.hpp about collectives and messages that are made ready once and
// started again and again.
#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <optional>

#include "comm/checks/checked_calls.hpp"
#include "comm/checks/checks.hpp"
#include "comm/recording.hpp"
#include "comm/start/job.hpp"
#include "peal/error.hpp"

namespace peal::detail {

namespace {

struct prepared_steps {
  prepared_steps(lane& here, communicator_state& of, const collective_call& what,
                 std::uint32_t number)
      : call{what}, work{*here.collectives, of.collective, what, number} {
    if (of.checked) checked.emplace(*of.checked, number);
  }

  collective_call call;  // told where calls are compared
  prepared_collective work;
  std::optional<checked_plan> checked;
};

}  // namespace

struct prepared {
  communicator_state& on;  // stays, since this counts as one of its operations
  message_call message;
  std::optional<prepared_steps> collective;  // else it is a message
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
  std::unique_ptr<prepared> made{new prepared{on, {}, {}}};
  made->collective.emplace(here, on, call, number);
  here.given(on);
  return made.release();
}

prepared* prepare_message(communicator_state& asked, const message_call& call,
                          const location& where) {
  communicator_state& on = asked.way_of(call.tag);
  lane& here = job::require_lane(on, where);
  if (call.send != nullptr) {
    check_dest(on, call.peer, where);
    check_send_tag(call.tag, where);
  } else {
    check_source(on, call.peer, where);
    check_recv_tag(on, call.tag, where);
  }
  prepared* const made = new prepared{on, call, {}};
  const std::lock_guard<engine> guard{here.progress};
  here.given(on);
  return made;
}

operation* start_prepared(prepared& it, const location& where) {
  if (!it.collective) {
    const message_call& call = it.message;
    return call.send != nullptr
               ? start_send(it.on, call.send, call.bytes, call.peer, call.tag, where)
               : start_recv(it.on, call.receive, call.bytes, call.peer, call.tag, where);
  }
  lane& here = job::require_lane(it.on, where);
  prepared_steps& steps = *it.collective;
  const recorded_collective noted{steps.call, where, false};
  const std::lock_guard<engine> guard{here.progress};
  operation& started =
      steps.checked ? steps.checked->start(steps.call, steps.work, where) : steps.work.start();
  here.flush();
  if (!finished(started)) here.progress.started(steps.call.bytes);
  return here.hand_out(started, it.on, where);
}

void refuse_start(const location& under_way, const location& where) {
  throw error(
      errc::invalid_argument,
      fmt::format("this plan is under way: it was started at {}:{} and has not been waited for",
                  under_way.file_name(), under_way.line()),
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
