// The functions of peal/detail/core.hpp about probes.
#include <mutex>

#include "comm/calls/waiting.hpp"
#include "comm/checks/checks.hpp"
#include "comm/recording.hpp"
#include "comm/start/job.hpp"
#include "peal/error.hpp"

namespace peal::detail {

namespace {

/// messaging::probe, which leaves the message, or messaging::take.
using finder = matched_message* (messaging::*)(const team&, std::uint32_t, int, int,
                                               outcome&) noexcept;

matched_message* try_find(finder find, communicator_state& on, int source, int tag, outcome& of,
                          const location& where) {
  lane& here = job::require_lane(on, where);
  check_source(on, source, where);
  check_recv_tag(on, tag, where);
  // A thread that probes again and again may owe progress in another lane.
  if (here.progress.has_family()) here.progress.progress();
  else here.progress.run_deferred();
  const std::lock_guard<engine> guard{here.progress};
  of.error.clear();
  messaging& messages = *here.messages;
  matched_message* found = (messages.*find)(on, on.context(), source, tag, of);
  if (found == nullptr && !of.error) {
    here.progress.poll();
    found = (messages.*find)(on, on.context(), source, tag, of);
  }
  // Where any source will do, a message of this rank's own may still come.
  if (found == nullptr && !messages.note_probe(on, source) && source != any_source_value)
    of.error = errc::peer_failed;
  if (found == nullptr && of.error) throw_failure(of.error, "probe of", source, where);
  return found;
}

matched_message* wait_and_find(finder find, communicator_state& on, int source, int tag,
                               outcome& of, const location& where) {
  const recorded_call noted{record::call_kind::probe, where, 0, -1, true};
  if (matched_message* found = try_find(find, on, source, tag, of, where)) return found;
  lane& here = job::require_lane(on, where);
  matched_message* found = nullptr;
  const auto look = [&] {
    found = (*here.messages.*find)(on, on.context(), source, tag, of);
    if (found != nullptr || of.error) return true;
    const bool may_come =
        here.messages->note_probe(on, source) ||
        (source == any_source_value && (on.size() == 1 || here.progress.shared()));
    if (!may_come) of.error = errc::peer_failed;
    return !may_come;
  };
  const auto subject = [&] {
    return state::wait_subject{.kind = state::wait_kind::probe,
                               .members = &on,
                               .peer = source == any_source_value ? state::any_rank : source,
                               .tag = tag};
  };
  here.progress.wait_until(state::described{look, subject});
  if (found == nullptr) throw_failure(of.error, "probe of", source, where);
  return found;
}

/// A probe of proc_null tells of an empty message of no rank; there is none to take.
bool is_of_nobody(communicator_state& on, int source, int tag, outcome& of, const location& where) {
  if (source != proc_null_value) return false;
  (void)job::require_lane(on, where);
  check_recv_tag(on, tag, where);
  of = {.tag = any_tag_value, .source = proc_null_value, .bytes = 0, .error = {}};
  return true;
}
void refuse_nobody(int source, const location& where) {
  if (source == proc_null_value)
    throw_failure(errc::invalid_rank, "a probe of proc_null finds no message to take", -1, where);
}

}  // namespace

outcome probe(communicator_state& on, int source, int tag, const location& where) {
  outcome of;
  if (!is_of_nobody(on, source, tag, of, where))
    (void)wait_and_find(&messaging::probe, on.way_of(tag), source, tag, of, where);
  return of;
}

bool try_probe(communicator_state& on, int source, int tag, outcome& of, const location& where) {
  return is_of_nobody(on, source, tag, of, where) ||
         try_find(&messaging::probe, on.way_of(tag), source, tag, of, where) != nullptr;
}

matched_message* try_probe_take(communicator_state& on, int source, int tag, outcome& of,
                                const location& where) {
  refuse_nobody(source, where);
  return try_find(&messaging::take, on.way_of(tag), source, tag, of, where);
}

matched_message* probe_take(communicator_state& on, int source, int tag, outcome& of,
                            const location& where) {
  refuse_nobody(source, where);
  return wait_and_find(&messaging::take, on.way_of(tag), source, tag, of, where);
}

operation* start_recv_matched(matched_message* taken, void* data, std::size_t capacity,
                              const location& where) {
  lane& here = job::require(where).lane_of(taken->context);
  const std::lock_guard<engine> guard{here.progress};
  operation& started = here.messages->start_recv_matched(*taken, data, capacity);
  started.members = nullptr;  // the message has left its communicator
  started.origin = where;
  return &started;
}

void discard(matched_message* taken) noexcept {
  job* const here = job::running();
  if (here == nullptr || taken == nullptr) return;
  lane& in = here->lane_of(taken->context);
  const std::lock_guard<engine> guard{in.progress};
  in.messages->discard(*taken);
}

}  // namespace peal::detail
