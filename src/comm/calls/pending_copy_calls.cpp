// The functions of peal/detail/core.hpp by which a communicator is copied while the program goes
// on.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "comm/calls/making.hpp"
#include "peal/error.hpp"

namespace peal::detail {

/// In two steps: the first rank says what numbers there are, and where they were used before, all
/// say which of them they may use again.
struct pending_copy {
  // Of used ones there are two to choose from, since there can be no second try: it would be a
  // collective more, which the ranks would start in different places among others. A number that is
  // free here is in use elsewhere only where a rank is late with giving it back. More than two
  // would take too many from other calls, which could be told that none is left.
  static constexpr std::size_t most = 2;

  job& here;
  communicator_state& from;
  const location where;
  std::array<context_pool::offer, most> offered{};
  std::uint32_t held = 0;  // one bit for each number
  std::uint32_t common = 0;
  operation* ends = nullptr;

  void offer() {
    for (context_pool::offer& each : offered) {
      each = here.contexts().take();
      if (!each.used_before) return;
    }
  }
  /// Inside the engine.
  bool take(collective_call& call, std::error_code& error) noexcept {
    for (std::size_t each = 0; each != most; ++each)
      if (offered[each].context != 0 && here.contexts().hold(offered[each].context))
        held |= std::uint32_t{1} << each;
    common = held;
    if (offered.front().context == 0) error = make_error_code(errc::no_space);
    if (!offered.front().used_before) return false;
    call.kind = collective::allreduce;
    call.send = &held;
    call.receive = &common;
    call.bytes = call.element_size = sizeof held;
    call.type = scalar::u32;
    call.op = {builtin::band, true};
    return true;
  }
  /// All but the chosen one, most: none was chosen, go back.
  void give_back(std::size_t chosen) {
    for (std::size_t each = 0; each != most; ++each) {
      if (each == chosen) continue;
      if ((held >> each & 1) != 0) here.contexts().let_go(offered[each].context);
      if (from.rank() == 0) here.contexts().give_back(offered[each]);
    }
  }
};

pending_copy* start_duplicate(communicator_state& from, operation*& ends, const location& where) {
  std::unique_ptr<pending_copy> made{new pending_copy{job::require(where), from, where}};
  if (from.rank() == 0) made->offer();
  collective_call call;
  call.kind = collective::bcast;
  call.receive = made->offered.data();
  call.bytes = sizeof made->offered;
  const second_step second{
      [](void* context, collective_call& next, std::error_code& error) noexcept {
        return static_cast<pending_copy*>(context)->take(next, error);
      },
      made.get()};
  ends = made->ends = start_collective(from, call, second, made->where);
  return made.release();
}

communicator_state* finish_duplicate(pending_copy* copy) noexcept {
  const std::unique_ptr<pending_copy> made{copy};
  if (job::running() == nullptr) return nullptr;
  // After an error `common` says nothing.
  if (made->ends->result.error || made->common == 0) {
    made->give_back(pending_copy::most);
    return nullptr;
  }
  const auto chosen = static_cast<std::size_t>(std::countr_zero(made->common));
  made->give_back(chosen);
  communicator_state& ours = make_communicator(
      made->here, team{made->offered[chosen].context, made->from}, &made->from.collective, {});
  if (made->from.neighbors) {
    const std::lock_guard<engine> guard{ours.home.progress};
    ours.set_neighbors(*made->from.neighbors);
  }
  return &ours;
}

}  // namespace peal::detail
