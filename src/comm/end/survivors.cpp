#include "comm/end/survivors.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/log.hpp"

namespace peal {

namespace {

/// Contexts of a communicator in which messages are that collectives do not have: the user's, those
/// of rooms, and those of ranks that make a communicator without the others.
constexpr std::uint32_t of_messages[] = {0, context_of_rooms, context_of_rooms + 1,
                                         contexts_of_one - 3};

/// A rank that hears that a communicator is given up tells all members where they are few. Where
/// they are many it tells those whose distance in the circle of ranks is a power of two: all hear
/// of it in as many steps as such a number has digits, along so many ways that the death of some
/// ranks does not matter.
constexpr int most_told_directly = 16;

bool is_told(int distance, int size) noexcept {
  const auto is_power = [](int number) { return (number & (number - 1)) == 0; };
  return size <= most_told_directly || is_power(distance) || is_power(size - distance);
}

int rank_in(const team& members, peer_id peer) noexcept {
  return static_cast<int>(std::ranges::find(members.peers(), peer) - members.peers().begin());
}

}  // namespace

survivors::survivors(engine& progress, messaging& messages, collectives& collectives,
                     const team& world)
    : progress_{progress}, messages_{messages}, collectives_{collectives}, world_{world} {
  listen();
}

// ---- what is said

void survivors::listen() noexcept {
  const detail::growing_buffer into{this, [](void* owner, std::size_t bytes) noexcept -> void* {
                                      auto& arriving = static_cast<survivors*>(owner)->arriving_;
                                      arriving.resize(std::max<std::size_t>(bytes, 1));
                                      return arriving.data();
                                    }};
  const completion_hook again{[](void* context, operation& over) noexcept {
                                auto& self = *static_cast<survivors*>(context);
                                self.take(over);
                                self.listen();
                              },
                              this};
  for (;;) {
    operation& next = messages_.start_recv_growing(
        world_, own_context, into, detail::any_source_value, detail::any_tag_value, again);
    // relaxed: the engine's lock is held.
    if (!next.finished.load(std::memory_order_relaxed)) return;
    take(next);
  }
}

void survivors::take(operation& over) noexcept {
  const outcome got = over.result;
  messages_.release(over);
  // The news of a death ends one such receive.
  if (got.error || got.bytes < sizeof(header)) return;
  std::vector<std::byte> said = std::exchange(arriving_, {});
  said.resize(got.bytes);
  take(static_cast<peer_id>(got.source), said);
}

void survivors::take(peer_id from, const std::vector<std::byte>& said) {
  header of;
  std::memcpy(&of, said.data(), sizeof of);
  if (of.what == revoked) {
    const team* const members = collectives_.team_of(of.context);
    if (members == nullptr) return early_ends_.push_back({of.context, from});
    if (rank_in(*members, from) < members->size()) revoke(*members);
    return;
  }
  agreement_round::saying what{static_cast<agreement_round::kind>(of.what), of.coordinator, {}};
  what.about.flags = of.flags;
  what.about.context = of.offered;
  what.about.some_make = of.some_make != 0;
  what.about.all_make = of.all_make != 0;
  for (std::size_t each = sizeof of; each != said.size(); ++each)
    what.about.gone.push_back(said[each] != std::byte{});
  take(of, what);
}

void survivors::take(const header& of, const agreement_round::saying& said) {
  const auto found = last_.find(of.context);
  // Numbers wrap.
  if (found == last_.end() || static_cast<std::int32_t>(of.number - found->second.number) > 0)
    return early_.push_back({of, said});
  agreement& at = found->second;
  if (of.from < 0 || of.from >= at.members.size()) return;
  if (of.number + 1 == at.number) return tell_last(at, of, said.what);
  if (of.number != at.number || (said.what != agreement_round::kind::asks &&
                                 said.about.gone.size() != at.members.peers().size()))
    return;
  std::vector<agreement_round::letter> out;
  at.round.take(of.from, said, out);
  send(at.members, of.context, at.number, out);
  end_if_decided(at);
}

/// To one that has not heard the result of the agreement before this one.
void survivors::tell_last(const agreement& at, const header& asked, agreement_round::kind what) {
  using kind = agreement_round::kind;
  if (!at.last || (what != kind::gives && what != kind::asks)) return;
  send(at.members, asked.context, asked.number,
       {{asked.from, {kind::knows, asked.coordinator, *at.last}}});
}

void survivors::send(const team& members, std::uint32_t context, std::uint32_t number,
                     const std::vector<agreement_round::letter>& out) {
  for (const agreement_round::letter& each : out) {
    const verdict& about = each.what.about;
    const header of{.what = static_cast<std::uint32_t>(each.what.what),
                    .context = context,
                    .number = number,
                    .coordinator = each.what.coordinator,
                    .from = members.rank(),
                    .offered = about.context,
                    .flags = about.flags,
                    .some_make = about.some_make ? 1U : 0U,
                    .all_make = about.all_make ? 1U : 0U};
    std::vector<std::byte> text(sizeof of);
    std::memcpy(text.data(), &of, sizeof of);
    for (const bool gone : about.gone) text.push_back(gone ? std::byte{1} : std::byte{});
    send(members.peer(each.to), std::move(text));
  }
}

void survivors::send(peer_id to, std::vector<std::byte> text) noexcept {
  if (messages_.has_failed(to)) return;
  outgoing& kept = outgoing_.emplace_front(std::move(text), &outgoing_);
  kept.self = outgoing_.begin();
  operation& sent = messages_.start_send(world_, own_context, kept.text.data(), kept.text.size(),
                                         static_cast<int>(to), 0);
  const auto drop = [](void* gone) noexcept {
    const outgoing& of = *static_cast<outgoing*>(gone);
    of.among->erase(of.self);
  };
  // relaxed: the engine's lock is held.
  if (!sent.finished.load(std::memory_order_relaxed)) return messages_.detach(sent, drop, &kept);
  messages_.release(sent);
  drop(&kept);
}

// ---- agreements

operation& survivors::agree(const team& on, std::uint32_t number, verdict mine) {
  operation& ends = messages_.make_operation();
  mine.gone.clear();
  for (const peer_id each : on.peers())
    mine.gone.push_back(each != world_.peer(world_.rank()) && is_gone(each));
  std::vector<agreement_round::letter> out;
  const std::uint32_t context = on.context();
  std::optional<verdict> last;
  if (const auto before = last_.find(context); before != last_.end()) {
    if (before->second.number + 1 == number) last = before->second.round.result();
    last_.erase(before);
  }
  std::erase(order_, context);
  forget_oldest();
  agreement& at = last_
                      .emplace(context, agreement{team{context, on}, number,
                                                  agreement_round{on.rank(), mine, out}, &ends,
                                                  std::move(last)})
                      .first->second;
  order_.push_back(context);
  ++open_;
  send(on, context, number, out);
  std::vector<early> mine_now;
  std::erase_if(early_, [&](early& each) {
    if (each.of.context != context || each.of.number != number) return false;
    mine_now.push_back(std::move(each));
    return true;
  });
  for (const early& each : mine_now) take(each.of, each.said);
  end_if_decided(at);
  return ends;
}

const verdict& survivors::result_of(std::uint32_t context) const {
  return last_.at(context).round.result();
}

void survivors::end_if_decided(agreement& at) {
  if (!at.round.decided() || at.ends == nullptr) return;
  --open_;
  messages_.finish(*std::exchange(at.ends, nullptr), {});
}

void survivors::forget_oldest() {
  for (auto each = order_.begin(); order_.size() >= most_kept && each != order_.end();) {
    const auto found = last_.find(*each);
    if (found->second.ends != nullptr) {
      ++each;
      continue;
    }
    last_.erase(found);
    each = order_.erase(each);
  }
}

void survivors::look_at_ranks() {
  for (auto& [context, at] : last_) {
    if (at.ends == nullptr) continue;
    for (int rank = 0; rank != at.members.size(); ++rank) {
      if (rank == at.members.rank() || at.round.is_gone(rank) || !is_gone(at.members.peer(rank)))
        continue;
      std::vector<agreement_round::letter> out;
      at.round.mark_gone(rank, out);
      send(at.members, context, at.number, out);
    }
    end_if_decided(at);
  }
}

void survivors::list_awaited(std::vector<awaited>& into) const {
  for (const auto& [context, at] : last_) {
    if (at.ends == nullptr) continue;
    for (int rank = 0; rank != at.members.size(); ++rank)
      if (at.round.awaits(rank)) into.push_back({at.members.peer(rank), world_.context(), false});
  }
}

// ---- giving up

void survivors::revoke(const team& on) {
  if (!revoked_.insert(on.context()).second) return;
  log_info("a communicator of {} ranks is given up", on.size());
  header of;
  of.what = revoked;
  of.context = on.context();
  std::vector<std::byte> text(sizeof of);
  std::memcpy(text.data(), &of, sizeof of);
  for (int rank = 0; rank != on.size(); ++rank)
    if (rank != on.rank() && is_told((rank - on.rank() + on.size()) % on.size(), on.size()))
      send(on.peer(rank), text);
  for (const std::uint32_t each : of_messages) messages_.revoke(on.context() + each);
  collectives_.fail(on.context(), contexts_of_one, world_.peer(world_.rank()));
  progress_.wake_sleepers();
}

void survivors::made(const team& on) {
  if (early_ends_.empty()) [[likely]]
    return;
  bool over = false;
  std::erase_if(early_ends_, [&](const early_end& each) {
    if (each.context != on.context()) return false;
    over = over || rank_in(on, each.from) < on.size();
    return true;
  });
  if (over) revoke(on);
}

}  // namespace peal
