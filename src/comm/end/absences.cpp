#include "comm/end/absences.hpp"

#include <algorithm>
#include <mutex>

#include "collective/direct/calls/short_call.hpp"
#include "comm/calls/waiting.hpp"
#include "peal/error.hpp"

namespace peal {

namespace {

constexpr std::uint32_t own_context = contexts_of_one - 2;  // of the world's, whose first is 0
// From a communicator's first on, with tag 0; other tags are those of calls/member_calls.cpp.
constexpr std::uint32_t of_replies = contexts_of_one - 3;

}  // namespace

absences::absences(messaging& messages, collectives& collectives, const team& world)
    : messages_{messages},
      collectives_{collectives},
      world_{world},
      notes_{messages, world, own_context,
             [](void* owner, peer_id from, const note& said) noexcept {
               static_cast<absences*>(owner)->take(from, said);
             },
             this} {}

// ---- what is said

void absences::take(peer_id from, const note& said) noexcept {
  switch (said.what) {
    case kind::absent:
      if (const std::uint32_t first = said.about.context - said.about.context % contexts_of_one;
          collectives_.team_of(first) != nullptr || past_of(first) == nullptr)
        collectives_.leave_out(said.about, from);
      say(from, {kind::noted, said.about});
      break;
    case kind::noted: collectives_.throw_away(said.about, from); break;
    case kind::asks:
      questions_.push_back({from, said.about.context, said.about.number});
      look();
      break;
  }
}

void absences::say(peer_id to, const note& what) noexcept {
  send_copy(messages_, world_, own_context, to, what);
}

void absences::tell(const team& members, const collective_name& what) noexcept {
  for (int rank = 0; rank != members.size(); ++rank)
    if (rank != members.rank()) say(members.peer(rank), {kind::absent, what});
}

void absences::stay_out(collective_state& of) noexcept {
  const std::uint32_t number = of.next_number();
  of.go_on_with(number + 1);
  tell(of.members(), {.context = of.members().collective_context(), .number = number});
}

// ---- questions

void absences::look_at_questions() noexcept {
  std::erase_if(questions_, [this](const question& each) { return try_answer(each); });
}

/// Requires: there has been such a call, or they fail.
absences::reply absences::reply_of(detail::communicator_state& on, std::uint32_t number) noexcept {
  reply said;
  const direct::call_log& calls = on.direct.calls();
  // relaxed: the engine's lock is held.
  if (on.collective.failed().load(std::memory_order_relaxed) || !calls.knows(number)) return said;
  said.known = true;
  said.way = calls.of(number);
  if (said.way != direct::way::in_long) return said;
  const auto& [at, call, shares] = on.direct.call_started(number);
  return {true, said.way, call.kind, call.root, call.bytes, call.element_size, shares};
}

bool absences::try_answer(const question& asked) noexcept {
  reply said;
  if (const team* const among = collectives_.team_of(asked.context)) {
    // A communicator is a team first of all.
    auto& on = static_cast<detail::communicator_state&>(const_cast<team&>(*among));
    if (!on.collective.failed().load(std::memory_order_relaxed) &&
        !on.direct.calls().has(asked.number))
      return false;
    said = reply_of(on, asked.number);
    const auto& peers = on.peers();
    const auto asks = std::ranges::find(peers, asked.from);
    on.last_refusal = {asked.number, static_cast<int>(asks - peers.begin())};
  } else if (const past* const gone = past_of(asked.context)) {
    const std::uint32_t back = gone->calls - asked.number;
    if (back != 0 && back <= gone->last.size()) said = gone->last[asked.number % gone->last.size()];
  } else {
    return false;  // not made yet
  }
  send_copy(messages_, world_, asked.context + of_replies, asked.from, said);
  return true;
}

const absences::past* absences::past_of(std::uint32_t context) const noexcept {
  const auto found = std::find_if(past_.rbegin(), past_.rend(),
                                  [=](const past& each) { return each.context == context; });
  return found == past_.rend() ? nullptr : &*found;
}

void absences::forget(detail::communicator_state& gone) noexcept {
  if (gone.size() == 1) return;
  if (past_.size() == most_past) past_.pop_front();
  past& kept =
      past_.emplace_back(past{.context = gone.context(), .calls = gone.direct.calls().count()});
  for (std::uint32_t back = 1; back <= kept.calls && back <= kept.last.size(); ++back)
    kept.last[(kept.calls - back) % kept.last.size()] = reply_of(gone, kept.calls - back);
  std::erase_if(questions_, [&](const question& each) {
    if (each.context != kept.context) return false;
    // The call will not be made here.
    send_copy(messages_, world_, each.context + of_replies, each.from, reply{});
    return true;
  });
}

/// Of those that have failed, nothing is known.
std::vector<absences::reply> absences::ask_all(detail::communicator_state& on) {
  std::vector<reply> replies(static_cast<std::size_t>(on.size()));
  std::vector<operation*> receives;
  lane& here = on.home;
  on.direct.await_review();
  const bool review = on.direct.review_due();
  {
    const std::lock_guard<engine> guard{here.progress};
    const std::uint32_t number = on.direct.calls().add(direct::way::refused) - 1;
    for (int rank = 0; rank != on.size(); ++rank) {
      if (rank == on.rank()) continue;
      reply& into = replies[static_cast<std::size_t>(rank)];
      receives.push_back(&messages_.start_recv(world_, on.context() + of_replies, &into,
                                               sizeof into, static_cast<int>(on.peer(rank)), 0));
      say(on.peer(rank), {kind::asks, {.context = on.context(), .number = number}});
    }
    here.flush();
  }
  if (review) on.direct.review();  // which the call has on every rank
  for (operation* const each : receives) {
    const finished_release given_back{here, *each};
    wait_for(here, *each);
  }
  replies.erase(replies.begin() + on.rank());
  return replies;
}

/// Where blocking calls are messages, so that nobody need be asked.
void absences::stay_out_of_messages(detail::communicator_state& on) {
  on.direct.await_review();
  const bool review = on.direct.review_due();
  {
    const std::lock_guard<engine> guard{on.home.progress};
    on.direct.calls().add(direct::way::refused);
    stay_out(on.collective);
    on.home.flush();
  }
  if (review) on.direct.review();
}

void absences::stay_out_of_blocking(detail::communicator_state& on) {
  if (!on.direct.exists()) return stay_out_of_messages(on);
  const std::vector<reply> replies = ask_all(on);
  const auto found = std::ranges::find_if(
      replies, [](const reply& each) { return each.known && each.way != direct::way::refused; });
  collective_state* by_messages = nullptr;
  if (found == replies.end()) {
    if (std::ranges::all_of(replies, &reply::known)) return;  // all are refused
    // All others are so far ahead that they do not know any more which way it went.
    const std::lock_guard<engine> guard{on.home.progress};
    return collectives_.fail(on.context(), contexts_of_one, on.peer(on.rank()));
  }
  if (found->way == direct::way::messages) {
    by_messages = &on.collective;
  } else if (found->way == direct::way::in_short) {
    by_messages = on.direct.stay_out(direct::no_part_in_a_short_call(), false);
  } else {
    detail::collective_call call;
    call.kind = found->kind;
    call.root = found->root;
    call.bytes = found->bytes;
    call.element_size = found->element_size;
    call.spoilt = true;
    by_messages = on.direct.stay_out(call, found->shares);
  }
  if (by_messages == nullptr) return;
  const std::lock_guard<engine> guard{on.home.progress};
  stay_out(*by_messages);
  on.home.flush();
}

}  // namespace peal
