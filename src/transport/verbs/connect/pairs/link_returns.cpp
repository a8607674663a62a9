#include "transport/verbs/connect/pairs/link_returns.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "transport/verbs/connections.hpp"
#include "transport/verbs/parsing.hpp"

namespace peal::verbs {

namespace {

constexpr std::chrono::seconds longest_pause{1024};

std::size_t place_of(std::uint32_t link, std::size_t pair) noexcept {
  return link * most_bulk + pair;
}

}  // namespace

link_returns::attempts::iterator link_returns::find(peer_id peer, std::uint32_t link) noexcept {
  return std::ranges::find_if(
      all_, [&](const attempt& each) { return each.peer == peer && each.link == link; });
}

/// One that has just come back is tried again later each time.
void link_returns::left_out(const connection& at, std::uint32_t link) noexcept {
  if (!may_return(at, link) || at.peer < addresses_.self()) return;
  const auto now = clock::now();
  const auto known = find(at.peer, link);
  if (known == all_.end()) {
    const clock::duration pause = endpoint_.set.until_return;
    all_.push_back({at.peer, static_cast<std::uint8_t>(link), stage::waits, now + pause, pause});
  } else if (known->at == stage::waits) {
    known->pause = std::min<clock::duration>(known->pause * 2, longest_pause);
    known->due = now + known->pause;
  }
}

link_returns::clock::time_point link_returns::due() const noexcept {
  auto first = clock::time_point::max();
  for (const attempt& each : all_)
    if (each.at == stage::waits) first = std::min(first, each.due);
  return first;
}

void link_returns::step(clock::time_point now) noexcept {
  std::erase_if(all_, [&](attempt& each) {
    if (each.at != stage::waits || now < each.due) return false;
    connection* const to = connections_.of(each.peer);
    // It is not left out any more, or will be made with the connection.
    if (!to || to->is_lost() || (to->is_open() && !to->links.is_left_out(each.link))) return true;
    ask(each, *to);
    return false;
  });
}

bool link_returns::may_return(const connection& at, std::uint32_t link) const noexcept {
  return !leaving_ && !endpoint_.set.writes && link > 0 && at.links.are_laid() &&
         link < at.links.size() / most_bulk && at.links[place_of(link, 0)].rail != 0;
}

/// Later where the connection has something else to do.
void link_returns::ask(attempt& now, connection& to) noexcept {
  const bool can = to.is_open() && !to.lifetime.is_ending() && to.links.readers() > 0 &&
                   !to.pairing.under_way() && !to.links.is_untold(now.link);
  if (!can) {
    now.due = clock::now() + endpoint_.set.until_return / 4;
    return;
  }
  to.pairing.link_returns_ = true;
  if (!make(now, to)) return retreat(now, to);
  now.at = stage::asks;
  say(to, payload_kind::link_asked, now.link, &now);
}

// ---- the device

bool link_returns::make(attempt& now, const connection& with) noexcept {
  now.rail = with.links[place_of(now.link, 0)].rail;
  if ((endpoint_.down & 1u << now.rail) != 0) return false;
  for (std::size_t each = 0; each < with.links.readers(); ++each) {
    queue_pair made = endpoint_.make_bulk(now.rail, false);
    if (!made) return false;
    now.made.push_back(std::move(made));
    endpoint_.bulk_pairs.add(now.rail);
  }
  now.first_psn = static_cast<std::uint32_t>(random_word()) & 0xffffff;
  return true;
}

bool link_returns::connect(attempt& now, const connection& with,
                           const pair_numbers& theirs) noexcept {
  const bulk_queue& place = with.links[place_of(now.link, 0)];
  if (theirs.what.last != now.made.size()) return false;
  remote_queue remote = pair_maker_.remote_of(with, place);
  remote.first_psn = theirs.first_psn;
  now.read_limit = std::max<std::uint32_t>(1, remote.reads_out);
  for (std::size_t each = 0; each < now.made.size(); ++each) {
    remote.number = theirs.numbers[place_of(now.link, each)];
    if (remote.number == 0 || !ready_to_receive(*now.made[each], remote) ||
        !ready_to_send(*now.made[each], remote, now.first_psn, silence_of(endpoint_.set)))
      return false;
  }
  return true;
}

/// Nothing, through each: the answer comes all the same.
bool link_returns::read(attempt& now, const connection& over) noexcept {
  now.number = last_number_ = last_number_ % (~0u >> place_bits) + 1;
  for (std::size_t each = 0; each < now.made.size(); ++each) {
    ibv_send_wr request{}, *refused = nullptr;
    request.wr_id = over.id(work::read, now.number << place_bits |
                                            static_cast<std::uint32_t>(place_of(now.link, each)))
                        .word;
    request.opcode = IBV_WR_RDMA_READ;
    request.send_flags = IBV_SEND_SIGNALED;
    if (ibv_post_send(now.made[each].get(), &request, &refused) != 0) return false;
    ++now.unread;
    ++endpoint_.bulk.elsewhere;
  }
  return true;
}

// ---- ends of a try

void link_returns::drop(attempt& over) noexcept {
  endpoint_.bulk.elsewhere -= std::exchange(over.unread, 0);
  for (std::size_t each = 0; each < over.made.size(); ++each)
    endpoint_.bulk_pairs.remove(over.rail);
  over.made.clear();
}

void link_returns::retreat(attempt& over, connection& with) noexcept {
  with.pairing.link_returns_ = false;
  drop(over);
  over.at = stage::waits;
  over.pause = std::min<clock::duration>(over.pause * 2, longest_pause);
  over.due = clock::now() + over.pause;
}

/// The link is used from now on.
void link_returns::settle(attempt& over, connection& with) noexcept {
  with.pairing.link_returns_ = false;
  links& its = with.links;
  for (std::size_t each = 0; each < over.made.size(); ++each) {
    bulk_queue& place = its[place_of(over.link, each)];
    place.read_limit = over.read_limit;
    endpoint_.bulk_pairs.remove(over.rail);
    its.put(place, std::move(over.made[each]), endpoint_.set.read_depth);
  }
  over.made.clear();
  its.bring_back(over.link);
  ++endpoint_.counters.rails_back;
  log_warning("{} is used again on the way to rank {}", endpoint_.rails[over.rail].name(),
              with.peer);
}

bool link_returns::completed(connection& over, std::uint32_t detail, bool good) noexcept {
  const std::uint32_t place = detail & ((1u << place_bits) - 1);
  const auto found = find(over.peer, place / most_bulk);
  if (found == all_.end() || found->at != stage::reads || found->number != detail >> place_bits)
    return false;
  --endpoint_.bulk.elsewhere;
  --found->unread;
  if (!good) {
    say(over, payload_kind::link_ready, found->link, nullptr);
    retreat(*found, over);
  } else if (found->unread == 0) {
    say(over, payload_kind::link_ready, found->link, &*found);
    settle(*found, over);
    found->at = stage::waits;
    // The next step finds that it is used. Until then it counts as one that has just come back.
    found->due = clock::now() + 2 * found->pause;
  }
  return true;
}

void link_returns::forget(connection& gone) noexcept {
  std::erase_if(all_, [&](attempt& each) {
    if (each.peer != gone.peer) return false;
    drop(each);
    return true;
  });
  gone.pairing.link_returns_ = false;
}

// ---- packets

void link_returns::say(connection& to, payload_kind kind, std::uint32_t link,
                       const attempt* what) noexcept {
  pair_numbers numbers;
  if (what) {
    numbers.what.last = static_cast<std::uint8_t>(what->made.size());
    numbers.first_psn = what->first_psn;
    for (std::size_t each = 0; each < what->made.size(); ++each)
      numbers.numbers[place_of(link, each)] = what->made[each]->qp_num;
  }
  pair_maker_.say(to, kind, link, numbers);
}

outcome link_returns::arrived(connection& from, const payload_view& said) noexcept {
  // It speaks of queue pairs that went with those of the connection.
  if (!from.is_open()) return {};
  pair_numbers theirs;
  std::memcpy(&theirs, said.data, sizeof theirs);
  const std::uint32_t link = said.header.detail;
  if (said.header.kind == payload_kind::link_asked) {
    asked(from, link, theirs);
    return {};
  }
  const auto found = find(from.peer, link);
  const stage wanted = said.header.kind == payload_kind::link_given ? stage::asks : stage::gives;
  if (found == all_.end() || found->at != wanted) return {reception::over};
  if (wanted == stage::asks) {
    given(*found, from, theirs);
    return {};
  }
  if (theirs.what.last == found->made.size()) settle(*found, from);
  from.pairing.link_returns_ = false;
  drop(*found);
  all_.erase(found);
  return {};
}

void link_returns::asked(connection& from, std::uint32_t link,
                         const pair_numbers& theirs) noexcept {
  const links& its = from.links;
  const bool can = from.peer < addresses_.self() && may_return(from, link) &&
                   its.is_left_out(link) && !its.is_untold(link) && !from.pairing.under_way() &&
                   its.readers() > 0 && its.readers() == theirs.what.last;
  if (can) {
    attempt mine{from.peer, static_cast<std::uint8_t>(link), stage::gives, {}, {}};
    if (make(mine, from) && connect(mine, from, theirs)) {
      say(from, payload_kind::link_given, link, &mine);
      from.pairing.link_returns_ = true;
      all_.push_back(std::move(mine));
      return;
    }
    drop(mine);
  }
  say(from, payload_kind::link_given, link, nullptr);
}

void link_returns::given(attempt& now, connection& from, const pair_numbers& theirs) noexcept {
  if (theirs.what.last == 0) return retreat(now, from);
  const bool can = now.made.size() == from.links.readers() && from.links.is_left_out(now.link) &&
                   connect(now, from, theirs);
  now.at = stage::reads;
  if (can && read(now, from)) return;
  say(from, payload_kind::link_ready, now.link, nullptr);
  retreat(now, from);
}

}  // namespace peal::verbs
