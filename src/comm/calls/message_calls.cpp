// The functions of peal/detail/core.hpp that start and finish messages.
#include <utility>

#include "comm/calls/waiting.hpp"
#include "comm/checks/checks.hpp"
#include "comm/recording.hpp"
#include "comm/start/job.hpp"
#include "peal/error.hpp"

namespace peal::detail {

namespace {

const outcome of_nobody{.tag = any_tag_value, .source = proc_null_value, .bytes = 0, .error = {}};

operation* keep(lane& here, communicator_state& on, operation& started, const location& where) {
  here.given(on);
  started.members = &on;
  started.origin = where;
  return &started;
}

/// What every send returns that was over at once: a window of small sends takes no operation out of
/// the pool. Never written to.
struct common_operation final : operation {
  common_operation() noexcept {
    finished.store(true, std::memory_order_relaxed);  // relaxed: before any thread can ask
    common = true;
  }
} sent_at_once;

/// An operation with proc_null: finished, without a message.
operation* finished_with_nobody(lane& here, communicator_state& on, const location& where) {
  operation& made = here.messages->make_operation();
  here.messages->finish(made, of_nobody);
  return keep(here, on, made, where);
}

/// Waits for a blocking call's operation, gives it back, and returns what became of it, or throws.
outcome complete(lane& here, operation& awaited, const char* what, int peer,
                 const location& where) {
  const finished_release guard{here, awaited};
  if (!finished(awaited)) wait_for(here, awaited);
  const outcome& became = awaited.result;
  if (became.error) [[unlikely]]
    throw_failure(
        became.error, what,
        became.source >= 0 && awaited.kind == operation_kind::receive ? became.source : peer,
        where);
  // Member by member: one load of what has just been stored in parts would wait until these stores
  // have left the core.
  return {.tag = became.tag, .source = became.source, .bytes = became.bytes, .error = became.error};
}

}  // namespace

// Each of the following four tries the shortest way first: one thread, nothing recorded, nothing
// unusual, no call on the way that needs registers saved. Beside a helper thread the same is tried
// one call further on, inside its lock. The way around has the locks, the checks with their words,
// and the rest; only there can a communicator have several ways for its messages, since these need
// several threads.

namespace {

/// Beside a helper thread. False: nothing happened.
[[gnu::always_inline]] inline bool send_beside_helper(communicator_state& on, const void* data,
                                                      std::size_t bytes, int dest,
                                                      int tag) noexcept {
  lane* const here = job::biased();
  if (here == nullptr || !may_send(on, dest, tag) || !here->progress.enter()) return false;
  const bool sent = here->messages->try_send_short(on, on.context(), data, bytes, dest, tag);
  here->progress.leave();
  return sent;
}

/// Beside a helper thread. Null: nothing happened.
[[gnu::always_inline]] inline operation* post_beside_helper(communicator_state& on, void* data,
                                                            std::size_t capacity, int source,
                                                            int tag) noexcept {
  lane* const here = job::biased();
  if (here == nullptr || !may_receive(on, source, tag) || !here->progress.enter()) return nullptr;
  operation* const posted =
      here->messages->try_post(on, on.context(), data, capacity, match_pattern::of(source, tag));
  here->progress.leave();
  return posted;
}

[[gnu::noinline]] void send_checked(communicator_state& asked, const void* data, std::size_t bytes,
                                    int dest, int tag, const location& where) {
  communicator_state& on = asked.way_of(tag);
  lane& here = job::require_lane(on, where);
  check_dest(on, dest, where);
  check_send_tag(tag, where);
  if (dest == proc_null_value) return;
  here.progress.lock();
  if (here.messages->try_send_now(on, on.context(), data, bytes, dest, tag)) {
    here.flush();
    here.progress.unlock();
    return;
  }
  operation& started = here.messages->start_send(on, on.context(), data, bytes, dest, tag);
  here.progress.unlock();
  (void)complete(here, started, "send to", dest, where);
}

/// The shortest way of a message that is counted and not timed, without a call that needs registers
/// saved. False: nothing happened.
[[gnu::always_inline]] inline bool send_counted(record::call_kind kind, communicator_state& on,
                                                const void* data, std::size_t bytes, int dest,
                                                int tag, const location& where) noexcept {
  record::recorder* const to = record::recorder::counting();
  lane* const here = job::unlocked();
  if (to == nullptr || here == nullptr || !may_send(on, dest, tag)) return false;
  record::message_run* const run = to->run_of(kind, where, static_cast<int>(on.peer(dest)), bytes);
  if (run == nullptr || !here->messages->try_send_short(on, on.context(), data, bytes, dest, tag))
    return false;
  to->count_in(*run);
  return true;
}

[[gnu::noinline]] void send_recorded(communicator_state& on, const void* data, std::size_t bytes,
                                     int dest, int tag, const location& where) {
  const recorded_send noted{record::call_kind::send, on, on.context(), bytes, dest, tag, where};
  lane* const here = job::unlocked();
  if (here != nullptr && may_send(on, dest, tag) &&
      here->messages->try_send_short(on, on.context(), data, bytes, dest, tag)) [[likely]]
    return;
  send_checked(on, data, bytes, dest, tag, where);
}

// What the transport takes at once, but in more than a few stores.
[[gnu::noinline]] void send_by_call(communicator_state& on, const void* data, std::size_t bytes,
                                    int dest, int tag, const location& where) {
  if (record::recorder::active() != nullptr) [[unlikely]]
    return send_recorded(on, data, bytes, dest, tag, where);
  if (lane* const here = job::unlocked(); here != nullptr && may_send(on, dest, tag)) [[likely]]
    if (here->messages->try_send(on, on.context(), data, bytes, dest, tag)) [[likely]] {
      here->flush();
      return;
    }
  if (send_beside_helper(on, data, bytes, dest, tag)) return;
  send_checked(on, data, bytes, dest, tag, where);
}

// Where there is no shortest way.
[[gnu::noinline]] void send_otherwise(communicator_state& on, const void* data, std::size_t bytes,
                                      int dest, int tag, const location& where) {
  if (send_counted(record::call_kind::send, on, data, bytes, dest, tag, where)) return;
  send_by_call(on, data, bytes, dest, tag, where);
}

/// The shortest way of a receive, by which those that name source and tag go. Null: nothing
/// happened.
[[gnu::always_inline]] inline operation* post_exact(lane& here, communicator_state& on, void* data,
                                                    std::size_t capacity, int source,
                                                    int tag) noexcept {
  return here.messages->try_post(on, on.context(), data, capacity,
                                 match_pattern::exact(source, tag));
}

/// The same for those with wildcards. Null: nothing happened.
[[gnu::always_inline]] inline operation* post_any(communicator_state& on, void* data,
                                                  std::size_t capacity, int source,
                                                  int tag) noexcept {
  lane* const here = job::unlocked();
  return here == nullptr || !may_receive(on, source, tag)
             ? nullptr
             : here->messages->try_post(on, on.context(), data, capacity,
                                        match_pattern::of(source, tag));
}

outcome recv_unrecorded(communicator_state& asked, void* data, std::size_t capacity, int source,
                        int tag, const location& where) {
  if (operation* const posted = post_any(asked, data, capacity, source, tag))
    return complete(*job::unlocked(), *posted, "receive from", source, where);
  communicator_state& on = asked.way_of(tag);
  if (operation* const posted = post_beside_helper(on, data, capacity, source, tag))
    return complete(*job::biased(), *posted, "receive from", source, where);
  lane& here = job::require_lane(on, where);
  check_source(on, source, where);
  check_recv_tag(on, tag, where);
  if (source == proc_null_value) return of_nobody;
  here.progress.lock();
  operation& started = here.messages->start_recv(on, on.context(), data, capacity, source, tag);
  here.progress.unlock();
  return complete(here, started, "receive from", source, where);
}

[[gnu::noinline]] outcome recv_slow(communicator_state& on, void* data, std::size_t capacity,
                                    int source, int tag, const location& where) {
  record::recorder* const to = record::recorder::counting();
  if (lane* const here = job::unlocked();
      to != nullptr && here != nullptr && may_receive_exactly(on, source, tag))
    if (operation* const posted = post_exact(*here, on, data, capacity, source, tag)) [[likely]] {
      record::call_scope noted{*to, record::call_kind::recv, where, -1, 0, false};
      const outcome got = complete(*here, *posted, "receive from", source, where);
      noted.received(static_cast<int>(on.peer(source)), got.bytes);
      return got;
    }
  recorded_receive noted{on, where};
  return noted.got(recv_unrecorded(on, data, capacity, source, tag, where));
}

}  // namespace

void send(communicator_state& on, const void* data, std::size_t bytes, int dest, int tag,
          const location& where) {
  lane* const here = job::shortest();
  if (here == nullptr) [[unlikely]]
    return send_otherwise(on, data, bytes, dest, tag, where);
  if (may_send(on, dest, tag)) [[likely]]
    if (here->messages->try_send_short(on, on.context(), data, bytes, dest, tag)) [[likely]]
      return;
  send_by_call(on, data, bytes, dest, tag, where);
}

outcome recv(communicator_state& on, void* data, std::size_t capacity, int source, int tag,
             const location& where) {
  if (lane* const here = job::shortest(); here != nullptr && may_receive_exactly(on, source, tag))
      [[likely]]
    if (operation* const posted = post_exact(*here, on, data, capacity, source, tag)) [[likely]]
      return complete(*here, *posted, "receive from", source, where);
  return recv_slow(on, data, capacity, source, tag, where);
}

outcome recv_growing(communicator_state& asked, const growing_buffer& into, int source, int tag,
                     const location& where) {
  communicator_state& on = asked.way_of(tag);
  lane& here = job::require_lane(on, where);
  check_source(on, source, where);
  check_recv_tag(on, tag, where);
  if (source == proc_null_value) {
    if (into.allocate(into.owner, 0) == nullptr)
      throw_failure(errc::no_space, "memory for an empty message", -1, where);
    return of_nobody;
  }
  recorded_receive noted{on, where};
  here.progress.lock();
  operation& started = here.messages->start_recv_growing(on, on.context(), into, source, tag);
  here.progress.unlock();
  return noted.got(complete(here, started, "receive from", source, where));
}

namespace {

[[gnu::noinline]] operation* start_send_slow(communicator_state& asked, const void* data,
                                             std::size_t bytes, int dest, int tag,
                                             const location& where) {
  communicator_state& on = asked.way_of(tag);
  lane& here = job::require_lane(on, where);
  check_dest(on, dest, where);
  check_send_tag(tag, where);
  if (dest == proc_null_value) [[unlikely]]
    return &sent_at_once;
  const std::lock_guard<engine> guard{here.progress};
  if (here.messages->try_send(on, on.context(), data, bytes, dest, tag)) [[likely]] {
    operation* const posting = here.posting();
    return posting == nullptr ? &sent_at_once : keep(here, on, *posting, where);
  }
  operation& started = here.messages->start_send(on, on.context(), data, bytes, dest, tag);
  if (!finished(started)) here.progress.started(bytes);
  return keep(here, on, started, where);
}

[[gnu::noinline]] operation* start_send_recorded(communicator_state& on, const void* data,
                                                 std::size_t bytes, int dest, int tag,
                                                 const location& where) {
  const recorded_send noted{
      record::call_kind::start_send, on, on.context(), bytes, dest, tag, where};
  lane* const here = job::unlocked();
  if (here != nullptr && may_send(on, dest, tag) &&
      here->messages->try_send_short(on, on.context(), data, bytes, dest, tag)) [[likely]]
    return &sent_at_once;
  return start_send_slow(on, data, bytes, dest, tag, where);
}

[[gnu::noinline]] operation* start_send_by_call(communicator_state& on, const void* data,
                                                std::size_t bytes, int dest, int tag,
                                                const location& where) {
  if (record::recorder::active() != nullptr) [[unlikely]]
    return start_send_recorded(on, data, bytes, dest, tag, where);
  if (lane* const here = job::unlocked(); here != nullptr && may_send(on, dest, tag)) [[likely]]
    if (here->messages->try_send(on, on.context(), data, bytes, dest, tag)) [[likely]] {
      operation* const posting = here->posting();
      return posting == nullptr ? &sent_at_once : keep(*here, on, *posting, where);
    }
  if (send_beside_helper(on, data, bytes, dest, tag)) return &sent_at_once;
  return start_send_slow(on, data, bytes, dest, tag, where);
}

// Where there is no shortest way.
[[gnu::noinline]] operation* start_send_otherwise(communicator_state& on, const void* data,
                                                  std::size_t bytes, int dest, int tag,
                                                  const location& where) {
  if (send_counted(record::call_kind::start_send, on, data, bytes, dest, tag, where))
    return &sent_at_once;
  return start_send_by_call(on, data, bytes, dest, tag, where);
}

}  // namespace

namespace {

/// A send that is announced in any case, or packed. Null: it was to be packed on its way, and
/// cannot be.
operation* start_announced(communicator_state& asked, const void* data, std::size_t bytes, int dest,
                           int tag, send_form form, const location& where) {
  communicator_state& on = asked.way_of(tag);
  lane& here = job::require_lane(on, where);
  check_dest(on, dest, where);
  check_send_tag(tag, where);
  if (dest == proc_null_value) return &sent_at_once;
  const std::lock_guard<engine> guard{here.progress};
  if (form != send_form::synchronous && !here.messages->packs_on_the_way(on, bytes, dest))
    return nullptr;
  const recorded_send noted{form != send_form::synchronous
                                ? record::call_kind::start_send
                                : record::call_kind::start_synchronous_send,
                            on,
                            on.context(),
                            bytes,
                            dest,
                            tag,
                            where};
  operation& started =
      here.messages->start_send(on, on.context(), data, bytes, dest, tag, {}, form);
  if (!finished(started)) here.progress.started(bytes);
  return keep(here, on, started, where);
}

}  // namespace

operation* start_synchronous_send(communicator_state& on, const void* data, std::size_t bytes,
                                  int dest, int tag, const location& where) {
  return start_announced(on, data, bytes, dest, tag, send_form::synchronous, where);
}

operation* start_send_packed(communicator_state& on, const packer& from, std::size_t bytes,
                             int dest, int tag, bool synchronous, const location& where) {
  return start_announced(on, &from, bytes, dest, tag,
                         synchronous ? send_form::packed_synchronous : send_form::packed, where);
}

operation* start_send(communicator_state& on, const void* data, std::size_t bytes, int dest,
                      int tag, const location& where) {
  lane* const here = job::shortest();
  if (here == nullptr) [[unlikely]]
    return start_send_otherwise(on, data, bytes, dest, tag, where);
  if (may_send(on, dest, tag)) [[likely]]
    if (here->messages->try_send_short(on, on.context(), data, bytes, dest, tag)) [[likely]]
      return &sent_at_once;
  return start_send_by_call(on, data, bytes, dest, tag, where);
}

namespace {

operation* start_recv_unrecorded(communicator_state& asked, void* data, std::size_t capacity,
                                 int source, int tag, const location& where) {
  if (operation* const posted = post_any(asked, data, capacity, source, tag))
    return keep(*job::unlocked(), asked, *posted, where);
  communicator_state& on = asked.way_of(tag);
  lane& here = job::require_lane(on, where);
  check_source(on, source, where);
  check_recv_tag(on, tag, where);
  const std::lock_guard<engine> guard{here.progress};
  if (source == proc_null_value) return finished_with_nobody(here, on, where);
  operation& started = here.messages->start_recv(on, on.context(), data, capacity, source, tag);
  if (!finished(started)) here.progress.started(capacity);
  return keep(here, on, started, where);
}

[[gnu::noinline]] operation* start_recv_recorded(communicator_state& on, void* data,
                                                 std::size_t capacity, int source, int tag,
                                                 const location& where) {
  recorded_post noted{where};
  return noted.made(start_recv_unrecorded(on, data, capacity, source, tag, where));
}

// Counted and not timed, without a call that needs registers saved, where that can be.
[[gnu::noinline]] operation* start_recv_slow(communicator_state& on, void* data,
                                             std::size_t capacity, int source, int tag,
                                             const location& where) {
  record::recorder* const to = record::recorder::counting();
  lane* const here = job::unlocked();
  if (to != nullptr && here != nullptr && may_receive_exactly(on, source, tag))
    if (record::message_run* const run = to->run_of(record::call_kind::start_recv, where, -1, 0))
        [[likely]]
      if (operation* const posted = post_exact(*here, on, data, capacity, source, tag)) [[likely]] {
        to->count_in(*run);
        here->given(on);
        posted->origin = where;
        return posted;
      }
  return start_recv_recorded(on, data, capacity, source, tag, where);
}

}  // namespace

operation* start_recv(communicator_state& on, void* data, std::size_t capacity, int source, int tag,
                      const location& where) {
  if (lane* const here = job::shortest(); here != nullptr && may_receive_exactly(on, source, tag))
      [[likely]]
    if (operation* const posted = post_exact(*here, on, data, capacity, source, tag)) [[likely]] {
      // As keep, but its `members` are known.
      here->given(on);
      posted->origin = where;
      return posted;
    }
  return start_recv_slow(on, data, capacity, source, tag, where);
}

operation* start_recv_growing(communicator_state& asked, const growing_buffer& into, int source,
                              int tag, const location& where) {
  communicator_state& on = asked.way_of(tag);
  lane& here = job::require_lane(on, where);
  check_source(on, source, where);
  check_recv_tag(on, tag, where);
  if (source == proc_null_value && into.allocate(into.owner, 0) == nullptr)
    throw_failure(errc::no_space, "memory for an empty message", -1, where);
  const std::lock_guard<engine> guard{here.progress};
  if (source == proc_null_value) return finished_with_nobody(here, on, where);
  recorded_post noted{where};
  return noted.made(keep(
      here, on, here.messages->start_recv_growing(on, on.context(), into, source, tag), where));
}

namespace {

void unpack_piece(fetch& f, const std::byte* data, std::size_t at, std::size_t bytes) noexcept {
  const auto& into = *static_cast<const unpacker*>(static_cast<const operation*>(f.context)->owner);
  into.unpack(into, at, data, bytes);
}

}  // namespace

operation* start_recv_unpacked(communicator_state& asked, const unpacker& into,
                               std::size_t capacity, int source, int tag, const location& where) {
  communicator_state& on = asked.way_of(tag);
  lane& here = job::require_lane(on, where);
  check_source(on, source, where);
  check_recv_tag(on, tag, where);
  const std::lock_guard<engine> guard{here.progress};
  if (source == proc_null_value) return finished_with_nobody(here, on, where);
  recorded_post noted{where};
  operation& started = here.messages->start_recv_absorbed(
      on, on.context(), unpack_piece, const_cast<unpacker*>(&into), nullptr, capacity, source, tag,
      {}, into.blocks.length > 0 ? &into.blocks : nullptr);
  if (!finished(started)) here.progress.started(capacity);
  return noted.made(keep(here, on, started, where));
}

namespace {
std::uint32_t context_of(room which, const communicator_state& on) noexcept {
  return on.context() + context_of_rooms + static_cast<std::uint32_t>(which);
}
}  // namespace

operation* start_send_in(room which, communicator_state& on, const void* data, std::size_t bytes,
                         int dest, int tag, const location& where) {
  lane& here = job::require_lane(on, where);
  check_dest(on, dest, where);
  check_send_tag(tag, where);
  if (dest == proc_null_value) return &sent_at_once;
  const std::lock_guard<engine> guard{here.progress};
  const recorded_send noted{
      record::call_kind::start_send, on, context_of(which, on), bytes, dest, tag, where};
  operation& started = here.messages->start_send(on, context_of(which, on), data, bytes, dest, tag);
  if (!finished(started)) here.progress.started(bytes);
  return keep(here, on, started, where);
}

operation* start_recv_in(room which, communicator_state& on, void* data, std::size_t capacity,
                         int source, int tag, const location& where) {
  lane& here = job::require_lane(on, where);
  check_source(on, source, where);
  check_recv_tag(on, tag, where);
  const std::lock_guard<engine> guard{here.progress};
  if (source == proc_null_value) return finished_with_nobody(here, on, where);
  recorded_post noted{where};
  operation& started =
      here.messages->start_recv(on, context_of(which, on), data, capacity, source, tag);
  if (!finished(started)) here.progress.started(capacity);
  return noted.made(keep(here, on, started, where));
}

}  // namespace peal::detail
