#include "transport/verbs/connect/pairs/pair_maker.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "transport/verbs/connections.hpp"
#include "transport/verbs/parsing.hpp"

namespace peal::verbs {

namespace {

using clock = std::chrono::steady_clock;

/// What was short may be there again.
constexpr std::chrono::seconds until_again{1};
constexpr std::uint32_t psn_bits = 0xffffff;

/// Calls for the places of a range, in one link.
template <class Call>
void for_places(const pairing::range& of, std::size_t link, Call&& call) {
  for (std::size_t each = of.first; each < of.last; ++each) call(link * most_bulk + each);
  if (of.writes) call(link * most_bulk + links::for_writes);
}

}  // namespace

pair_progress pair_maker::want(connection& with, bool needed) noexcept {
  links& its = with.links;
  pairing& mine = with.pairing;
  if (needed) mine.writes_asked_ = false;
  const auto wanted = static_cast<std::uint8_t>(
      std::clamp<unsigned>(endpoint_.choice.count(), 1, mine.refused_ - 1u));
  const bool writes = endpoint_.set.writes && !its.has_one_for_writes() && !mine.writes_asked_;
  const pair_progress meanwhile = its.readers() > 0 ? pair_progress::ready : pair_progress::coming;
  if (its.readers() >= wanted && !writes) return pair_progress::ready;
  if (mine.under_way()) return meanwhile;
  const pair_progress without = its.readers() > 0 ? pair_progress::ready : pair_progress::refused;
  if (clock::now() < mine.again_ || !(with.carries() || needed)) return without;
  lay(with);
  missing ask{its.readers(), std::max(its.readers(), wanted), writes};
  ask.last = make(with, ask, ask.writes);
  if (ask.empty()) {
    mine.again_ = clock::now() + until_again;
    return without;
  }
  mine.asks_ = true;
  mine.what_ = ask;
  mine.first_psn_ = static_cast<std::uint32_t>(random_word()) & psn_bits;
  mine.writes_asked_ = mine.writes_asked_ || ask.writes;
  say(with, payload_kind::pairs_asked, ask);
  return meanwhile;
}

void pair_maker::lay(connection& with) noexcept {
  if (with.links.are_laid()) return;
  with.links.lay(addresses_.links_to(with.peer),
                 addresses_.of(with.peer)->first().gid == addresses_.own().first().gid,
                 endpoint_.bulk_pairs);
  // What is written over the first link has no notices (bulk/writer.hpp): it comes before what is
  // said over the same device only.
  if (with.handshake.link() != 0) with.links.leave_out(0);
}

void pair_maker::interrupt(connection& broken) noexcept {
  broken.pairing = {};
  broken.links.forget();
}

// ---- the device

bool pair_maker::make_at(connection& with, std::size_t place) noexcept {
  bulk_queue& at = with.links[place];
  if (at.pair) return true;  // asked for by this side too
  if (at.link != with.handshake.link() && (endpoint_.down & 1u << at.rail) != 0) return false;
  const bool written_to = place % most_bulk == links::for_writes &&
                          endpoint_.set.asks_for_writes(with.links.same_device());
  queue_pair made = endpoint_.make_bulk(at.rail, written_to);
  if (!made) return false;
  if (at.link != 0 && place % most_bulk == links::for_writes)
    endpoint_.expect_notices(*made, with.id(work::notice, static_cast<std::uint32_t>(place)));
  with.links.put(at, std::move(made), endpoint_.set.read_depth);
  return true;
}

/// Where the range ends that the device gives; and whether it gives one for WRITEs.
std::uint8_t pair_maker::make(connection& with, const missing& wanted, bool& writes) noexcept {
  links& its = with.links;
  const bool begins = its.readers() == 0;
  std::uint8_t last = wanted.last;
  // Beyond those that every connection may count on.
  while (last > std::max<std::size_t>(wanted.first, endpoint_.set.readers) &&
         !endpoint_.may_have_more(last - wanted.first))
    --last;
  missing all{wanted.first, last, wanted.writes};
  for (std::size_t link = 0; link < its.size() / most_bulk; ++link) {
    if (its.is_left_out(link)) continue;
    bool first_failed = false;
    for_places(all, link, [&](std::size_t place) {
      const std::size_t at = place % most_bulk;
      if (at != links::for_writes && at >= last) return;
      if (first_failed || make_at(with, place)) return;
      if (link != with.handshake.link() && begins)
        first_failed = true, leave_out(with, place, "it gives no queue pair");
      else if (at == links::for_writes) writes = false;
      else last = static_cast<std::uint8_t>(at);
    });
  }
  // One that WRITEs alone could use.
  if (begins && last == wanted.first) writes = false;
  drop(with, all, {wanted.first, last, writes});
  return last;
}

remote_queue pair_maker::remote_of(const connection& with, const bulk_queue& at) const noexcept {
  const rail_address& here = addresses_.own().rails[at.rail];
  const rail_address& there = addresses_.of(with.peer)->rails[at.remote_rail];
  return remote_between(here, there, endpoint_.rails[at.rail].route_to(there));
}

bool pair_maker::connect_at(connection& with, std::size_t place,
                            const pair_numbers& theirs) noexcept {
  bulk_queue& at = with.links[place];
  if (!at.pair || theirs.numbers[place] == 0) {
    errno = ENOMEM;
    return false;
  }
  remote_queue remote = remote_of(with, at);
  remote.number = theirs.numbers[place];
  remote.first_psn = theirs.first_psn;
  at.read_limit = std::max<std::uint32_t>(1, remote.reads_out);
  return ready_to_receive(*at.pair, remote) &&
         ready_to_send(*at.pair, remote, with.pairing.first_psn_, silence_of(endpoint_.set));
}

/// Of these as many as can be, which are left.
void pair_maker::connect(connection& with, missing& of, const pair_numbers& theirs) noexcept {
  links& its = with.links;
  const bool begins = its.readers() == 0;
  const missing all = of;
  for (std::size_t link = 0; link < its.size() / most_bulk; ++link) {
    if (its.is_left_out(link)) continue;
    bool left_out = false;
    for_places(all, link, [&](std::size_t place) {
      const std::size_t at = place % most_bulk;
      if (left_out || (at != links::for_writes && at >= of.last) || connect_at(with, place, theirs))
        return;
      if (link != with.handshake.link() && begins)
        left_out = true, leave_out(with, place, std::strerror(errno));
      else if (at == links::for_writes) of.writes = false;
      else of.last = static_cast<std::uint8_t>(at);
    });
  }
  if (begins && of.last == of.first) of.writes = false;
  drop(with, all, of);
}

/// Those of a range that are not of the other one.
void pair_maker::drop(connection& with, const missing& all, const missing& kept) noexcept {
  for (std::size_t link = 0; link < with.links.size() / most_bulk; ++link)
    for_places(all, link, [&](std::size_t place) {
      const std::size_t at = place % most_bulk;
      const bool stays = at == links::for_writes ? kept.writes : at < kept.last;
      if (!stays) with.links.take_away(with.links[place]);
    });
}

/// Before anything is under way there.
void pair_maker::leave_out(connection& with, std::size_t place, const char* cause) noexcept {
  const bulk_queue& failed = with.links[place];
  const std::uint8_t link = failed.link;
  if (with.links.is_left_out(link)) return;
  log_warning("{} is left out on the way to rank {}: {}", endpoint_.rails[failed.rail].name(),
              with.peer, cause);
  ++endpoint_.counters.rails_left_out;
  with.links.leave_out(link);
  events_.left_out(with, link);
  if (!with.links.any_untold()) ++endpoint_.bulk.left_out;
  with.links.tell(link);
}

// ---- packets

outcome pair_maker::arrived(connection& from, const payload_view& said) noexcept {
  // It speaks of queue pairs that went with those of the connection.
  if (!from.is_open()) return {};
  pair_numbers theirs;
  std::memcpy(&theirs, said.data, sizeof theirs);
  const bool fits = theirs.what.first == from.links.readers() &&
                    (said.header.kind == payload_kind::pairs_asked   ? asked(from, theirs)
                     : said.header.kind == payload_kind::pairs_given ? given(from, theirs)
                                                                     : ready(from, theirs));
  return {fits ? reception::taken : reception::over};
}

bool pair_maker::asked(connection& from, const pair_numbers& theirs) noexcept {
  pairing& mine = from.pairing;
  if (mine.gives_ || theirs.what.empty()) return false;
  if (mine.asks_) {
    if (addresses_.self() < from.peer) return true;  // which answers this side's question
    mine.asks_ = false;
    mine.writes_asked_ = theirs.what.writes;
    drop(from, mine.what_, theirs.what);
  } else {
    mine.first_psn_ = static_cast<std::uint32_t>(random_word()) & psn_bits;
  }
  lay(from);
  missing gives = theirs.what;
  gives.last = make(from, theirs.what, gives.writes);
  connect(from, gives, theirs);
  mine.what_ = gives;
  mine.gives_ = !gives.empty();
  say(from, payload_kind::pairs_given, gives);
  if (!mine.gives_ && from.is_open()) settle(from, gives);
  return true;
}

bool pair_maker::given(connection& from, const pair_numbers& theirs) noexcept {
  pairing& mine = from.pairing;
  const missing asked = mine.what_;
  if (!mine.asks_ || theirs.what.last > asked.last || (theirs.what.writes && !asked.writes))
    return false;
  mine.asks_ = false;
  missing agreed = theirs.what;
  drop(from, asked, agreed);
  connect(from, agreed, theirs);
  if (!theirs.what.empty()) say(from, payload_kind::pairs_ready, agreed);
  if (!from.is_open()) return true;  // it broke
  if (agreed.last < asked.last) {
    mine.refused_ = static_cast<std::uint8_t>(std::max(agreed.last + 1, 2));
    mine.again_ = clock::now() + until_again;
  }
  settle(from, agreed);
  return true;
}

bool pair_maker::ready(connection& from, const pair_numbers& theirs) noexcept {
  pairing& mine = from.pairing;
  const missing given = mine.what_;
  if (!mine.gives_ || theirs.what.last > given.last || (theirs.what.writes && !given.writes))
    return false;
  mine.gives_ = false;
  drop(from, given, theirs.what);
  settle(from, theirs.what);
  return true;
}

void pair_maker::settle(connection& with, const missing& agreed) noexcept {
  with.links.agree(std::max(with.links.readers(), agreed.last),
                   with.links.has_one_for_writes() || agreed.writes);
  events_.pairs_changed(with);
}

void pair_maker::say(connection& to, payload_kind kind, const missing& what) noexcept {
  note made{to.peer, to.generation(), {kind, 0, 0, 0, sizeof(pair_numbers)}, {}};
  made.numbers.what = what;
  made.numbers.first_psn = to.pairing.first_psn_;
  for (std::size_t link = 0; link < to.links.size() / most_bulk; ++link)
    for_places(what, link, [&](std::size_t place) {
      if (const queue_pair& its = to.links[place].pair) made.numbers.numbers[place] = its->qp_num;
    });
  notes_.push_back(made);
  (void)tell();
}

void pair_maker::say(const connection& to, payload_kind kind, std::uint32_t link,
                     const pair_numbers& numbers) noexcept {
  notes_.push_back({to.peer, to.generation(), {kind, link, 0, 0, sizeof numbers}, numbers});
}

/// Those to a peer stay in order. Of before a connection broke nothing is said.
bool pair_maker::tell() noexcept {
  bool moved = false;
  std::erase_if(notes_, [this](const note& each) {
    const connection* const to = connections_.of(each.to);
    return to && to->generation() != each.generation;
  });
  for (auto each = notes_.begin(); each != notes_.end();) {
    connection* const to = connections_.of(each->to);
    const bool waits = std::find_if(notes_.begin(), each, [&](const note& before) {
                         return before.to == each->to;
                       }) != each;
    if (waits || !to || !to->is_open() ||
        !sender_.send_staged(*to, &each->what, sizeof each->what, &each->numbers,
                             sizeof each->numbers)) {
      ++each;
      continue;
    }
    each = notes_.erase(each);
    moved = true;
  }
  return moved;
}

void pair_maker::forget(const connection& gone) noexcept {
  std::erase_if(notes_, [&](const note& each) { return each.to == gone.peer; });
}

}  // namespace peal::verbs
