#include "comm/absences.hpp"

#include <algorithm>
#include <mutex>

#include "collective/direct/play.hpp"
#include "comm/waiting.hpp"
#include "peal/error.hpp"

namespace peal {

namespace {

constexpr std::uint32_t own_context = contexts_of_one - 2;  // of the world's, whose first is 0
constexpr std::uint32_t of_replies = contexts_of_one - 3;   // from a communicator's first on

}  // namespace

absences::absences(messaging& messages, collectives& together, const team& world)
    : messages_{messages}, together_{together}, world_{world} {
  listen();
}

// ---- what is said

void absences::listen() noexcept {
  for (;;) {
    const completion_hook hook{[](void* context, operation& over) noexcept {
                                 auto& self = *static_cast<absences*>(context);
                                 self.take(over);
                                 self.listen();
                               },
                               this};
    operation& next =
        messages_.start_recv(world_, own_context, &arriving_, sizeof arriving_, detail::any_source_value, detail::any_tag_value, hook);
    if (!next.finished.load(std::memory_order_relaxed)) return;  // relaxed: the engine's lock is held
    take(next);
  }
}

/// Ranks of the world are peers.
void absences::take(operation& over) noexcept {
  const outcome got = over.result;
  messages_.release(over);
  if (got.error || got.bytes != sizeof arriving_) return;  // the news of a death ends one such receive
  const auto from = static_cast<peer_id>(got.source);
  const note said = arriving_;
  switch (said.what) {
    case saying::absent:
      together_.leave_out(said.about, from);
      say(from, {saying::noted, said.about});
      break;
    case saying::noted: together_.throw_away(said.about, from); break;
    case saying::asks:
      questions_.push_back({from, said.about.context, said.about.number});
      look();
      break;
  }
}

template <class T>
void absences::send(const team& among, std::uint32_t context, int to, const T& what) noexcept {
  auto* const said = new T{what};
  operation& sent = messages_.start_send(among, context, said, sizeof *said, to, 0);
  const auto drop = [](void* gone) noexcept { delete static_cast<T*>(gone); };
  if (!sent.finished.load(std::memory_order_relaxed)) return messages_.detach(sent, drop, said);
  messages_.release(sent);
  drop(said);
}

void absences::say(peer_id to, const note& what) noexcept {
  if (!messages_.has_failed(to)) send(world_, own_context, static_cast<int>(to), what);
}

void absences::tell(const team& members, const collective_name& what) noexcept {
  for (int rank = 0; rank != members.size(); ++rank)
    if (rank != members.rank()) say(members.peer(rank), {saying::absent, what});
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

bool absences::try_answer(const question& asked) noexcept {
  const team* const among = together_.team_of(asked.context);
  if (among == nullptr) return false;  // not made yet
  // A communicator is a team first of all.
  auto& on = static_cast<detail::communicator_state&>(const_cast<team&>(*among));
  reply said;
  const direct::call_log& calls = on.direct.calls();
  if (!on.collective.failed().load(std::memory_order_relaxed)) {  // relaxed: the engine's lock is held
    if (!calls.has(asked.number)) return false;
    said.known = calls.knows(asked.number);
    if (said.known) said.way = calls.of(asked.number);
    if (said.way == direct::way::in_long) {
      const detail::collective_call& call = on.direct.long_call(asked.number);
      said = {true, said.way, call.kind, call.root, call.bytes, call.element_size};
    }
  }
  const auto rank = std::ranges::find(among->peers(), asked.from) - among->peers().begin();
  if (!messages_.has_failed(asked.from)) send(*among, asked.context + of_replies, static_cast<int>(rank), said);
  return true;
}

void absences::forget(std::uint32_t context) noexcept {
  std::erase_if(questions_, [=](const question& each) { return each.context == context; });
}

/// Of those that have failed, nothing is known.
std::vector<absences::reply> absences::ask_all(detail::communicator_state& on) {
  std::vector<reply> replies(static_cast<std::size_t>(on.size()));
  std::vector<operation*> receives;
  lane& here = on.home;
  {
    const std::lock_guard<engine> guard{here.progress};
    const std::uint32_t number = on.direct.calls().add(direct::way::refused) - 1;
    for (int rank = 0; rank != on.size(); ++rank) {
      if (rank == on.rank()) continue;
      reply& into = replies[static_cast<std::size_t>(rank)];
      receives.push_back(&messages_.start_recv(on, on.context() + of_replies, &into, sizeof into, rank, 0));
      say(on.peer(rank), {saying::asks, {.context = on.context(), .number = number}});
    }
    here.flush();
  }
  for (operation* const each : receives) {
    const finished_release given_back{here, *each};
    wait_for(here, *each);
  }
  replies.erase(replies.begin() + on.rank());
  return replies;
}

void absences::stay_out_of_blocking(detail::communicator_state& on) {
  const std::vector<reply> replies = ask_all(on);
  const auto found = std::ranges::find_if(replies, [](const reply& each) { return each.known && each.way != direct::way::refused; });
  collective_state* by_messages = nullptr;
  if (found == replies.end()) {
    if (std::ranges::all_of(replies, &reply::known)) return;  // all are refused
    // All others are so far ahead that they do not know any more which way it went.
    const std::lock_guard<engine> guard{on.home.progress};
    return together_.fail(on.context(), contexts_of_one);
  }
  if (found->way == direct::way::messages) {
    by_messages = &on.collective;
  } else if (found->way == direct::way::in_short) {
    by_messages = on.direct.stay_out(direct::no_part_in_a_short_call());
  } else {
    detail::collective_call call;
    call.kind = found->kind;
    call.root = found->root;
    call.bytes = found->bytes;
    call.element_size = found->element_size;
    call.spoilt = true;
    by_messages = on.direct.stay_out(call);
  }
  if (by_messages == nullptr) return;
  const std::lock_guard<engine> guard{on.home.progress};
  stay_out(*by_messages);
  on.home.flush();
}

}  // namespace peal
