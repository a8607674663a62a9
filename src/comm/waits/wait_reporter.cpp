#include "comm/waits/wait_reporter.hpp"

#include <algorithm>

#include "collective/collectives_state.hpp"
#include "comm/communicator_state.hpp"
#include "comm/context_pool.hpp"
#include "state/call_stack.hpp"

namespace peal {

namespace {

using state::wait_entry;
using state::wait_kind;

constexpr std::uint32_t communicator_of(std::uint32_t context) noexcept {
  return context / contexts_of_one * contexts_of_one;
}
constexpr bool is_of_user(std::uint32_t context) noexcept { return context % contexts_of_one == 0; }

constexpr std::int32_t shown_tag(int tag) noexcept {
  return tag == detail::any_tag_value ? state::any_tag : tag;
}

void add_awaited(wait_entry& to, peer_id peer) noexcept {
  const auto rank = static_cast<std::int32_t>(peer);
  const auto end = to.awaited.begin() + to.awaited_count;
  if (to.awaited_count < to.awaited.size() && std::find(to.awaited.begin(), end, rank) == end)
    to.awaited[to.awaited_count++] = rank;
}

}  // namespace

void wait_reporter::lasts(const state::wait_subject& of, std::int64_t since,
                          wait_entry*& entry) noexcept {
  const bool first = entry == nullptr;
  if (first) entry = page_.add_wait();
  if (entry == nullptr || messages_ == nullptr) return;
  const state::wait_writing writing{*entry};
  entry->since = since;
  entry->written = state::now_in_nanoseconds();
  // The thread does not leave the wait meanwhile, so this stays true.
  if (first) entry->frames = static_cast<std::uint32_t>(state::call_stack(entry->frame));
  tell(of, *entry);
  list_pending(*entry);
}

void wait_reporter::tell(const state::wait_subject& of, wait_entry& into) const noexcept {
  into.kind = of.kind;
  into.peer = of.peer;
  into.world = state::nobody;
  into.tag = shown_tag(of.tag);
  into.bytes = of.bytes;
  into.collective = of.collective;
  into.root = of.root;
  into.number = 0;
  into.context = 0;
  into.awaited_count = 0;
  if (of.operation != nullptr)
    return tell_operation(*static_cast<const operation*>(of.operation), into);
  if (of.members == nullptr) return;
  const team& among = *static_cast<const team*>(of.members);
  into.context = communicator_of(among.context());
  if (into.peer >= 0) into.world = static_cast<std::int32_t>(among.peer(into.peer));
  if (into.peer == state::any_rank) into.world = state::any_rank;
  if (into.kind != wait_kind::collective || !is_of_user(among.context())) return;
  // A team of that number is a communicator's.
  into.number = static_cast<const detail::communicator_state&>(among).direct.calls().count();
  list_awaited(into);
}

void wait_reporter::tell_operation(const operation& of, wait_entry& into) const noexcept {
  into.bytes = of.capacity;
  switch (of.kind) {
    case operation_kind::receive: {
      into.kind = wait_kind::receive;
      into.context = communicator_of(of.target);
      into.tag = (of.mask & match_pattern::tag_bits) == match_pattern::tag_bits ? tag_of(of.key)
                                                                                : state::any_tag;
      const bool any = (of.mask & match_pattern::source_bits) == 0;
      into.peer = any ? state::any_rank : source_of(of.key);
      into.world = any || of.members == nullptr
                       ? into.peer
                       : static_cast<std::int32_t>(of.members->peer(into.peer));
      return;
    }
    case operation_kind::send:
    case operation_kind::answer:
      into.kind = wait_kind::send;
      into.context = communicator_of(static_cast<std::uint32_t>(of.key >> 32));
      into.tag = tag_of(of.key);
      into.world = static_cast<std::int32_t>(of.target);
      into.peer = of.members == nullptr ? into.world : rank_of(*of.members, of.target);
      return;
    case operation_kind::other: break;
  }
  into.kind = wait_kind::other;
  into.bytes = 0;
  if (of.members == nullptr || !is_of_user(of.members->context())) return;
  into.kind = wait_kind::collective;
  into.bytes = state::unknown_bytes;
  into.collective = static_cast<std::int32_t>(of.target) - 1;  // as start_collective has left it
  into.context = of.members->context();
  into.number = static_cast<const detail::communicator_state*>(of.members)->direct.calls().count();
  list_awaited(into);
}

/// Of messages of the user's, what there is room for; those that nobody has asked for come first to
/// be of use, but the order is that of the queues.
void wait_reporter::list_pending(wait_entry& into) noexcept {
  into.pending_count = 0;
  messages_->for_each_pending(
      [](void* context, const pending_message& each) {
        if (!is_of_user(each.context)) return;
        auto& to = *static_cast<wait_entry*>(context);
        const std::uint32_t at = to.pending_count++;
        if (at >= to.held.size()) return;
        using what = state::pending::what;
        to.held[at] = {
            .kind = each.kind == pending_message::what::posted       ? what::posted
                    : each.kind == pending_message::what::unexpected ? what::unexpected
                                                                     : what::sending,
            .peer = each.from_any ? state::any_rank : static_cast<std::int32_t>(each.peer),
            .tag = shown_tag(each.tag),
            .context = each.context,
            .bytes = each.bytes};
      },
      &into);
}

/// The ranks whose part in the collective has not come: of a direct call, or of its messages.
void wait_reporter::list_awaited(wait_entry& into) const noexcept {
  if (past_messages_ != nullptr)
    for (direct::waiting_call* const each : past_messages_->waiting)
      if (communicator_of(each->among().context()) == into.context)
        if (const int rank = each->awaits(); rank >= 0) add_awaited(into, each->among().peer(rank));
  messages_->for_each_pending(
      [](void* context, const pending_message& each) {
        auto& to = *static_cast<wait_entry*>(context);
        if (each.kind != pending_message::what::unexpected && !each.from_any &&
            !is_of_user(each.context) && communicator_of(each.context) == to.context)
          add_awaited(to, each.peer);
      },
      &into);
}

}  // namespace peal
