#include "transport/verbs/bulk/fetcher.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/page.hpp"
#include "transport/verbs/connections.hpp"

namespace peal::verbs {

namespace {

/// A part costs a work request and a completion. Devices may want smaller ones
/// (device::longest_part). Above this size nothing more is gained, and a lost packet makes more to
/// be sent again.
constexpr std::uint64_t largest_part = 512 << 10;
/// Over several rails: parts of a payload for each, and bytes under way on each queue pair.
constexpr std::uint64_t parts_to_share = 4;
constexpr std::uint64_t most_under_way = 1 << 20;

}  // namespace

std::uint64_t fetcher::part_of(const connection& from, std::uint64_t bytes) const noexcept {
  const std::uint64_t longest = std::min<std::uint64_t>(largest_part, endpoint_.longest_part);
  const std::uint64_t share = bytes / (readers(from) * from.links.in_use() *
                                       (from.links.in_use() > 1 ? parts_to_share : 1));
  return std::clamp((share + page - 1) & ~(page - 1), std::min(smallest_part, longest), longest);
}

bool fetcher::start(connection& from, fetch& f, std::size_t begin, std::size_t end) noexcept {
  if (!exposed::registered(f.where) || from.links.readers() == 0) return false;
  fetch_progress& mine = fetch_progress::of(f);
  mine.posted = begin;
  mine.end = end;
  mine.unread = end - begin;
  mine.part = part_of(from, mine.unread);
  if (!prepare(f)) return false;
  if (!from.reads.any()) pacing_.began();
  from.reads.add(f);
  if (mine.pieces) {
    if (mine.pieces->target && !mine.pieces->target->complete()) growing_.push_back({&from, &f});
    go_on(from, f);
  } else {
    from.reads.ready(f);
  }
  if (holds_) {
    note(from);
  } else {
    post(from);
    take_turns();
  }
  return true;
}

/// Registers where it is to land, or as much of that as is at hand, and a piece. False: it cannot.
bool fetcher::prepare(fetch& f) noexcept {
  fetch_progress& mine = fetch_progress::of(f);
  const bool told = exposed::in_pieces(f.where), from_blocks = exposed::in_blocks(f.where);
  if (f.blocks) mine.into = blocks_.acquire(*f.blocks, f.bytes, range_use::target);
  const bool into_blocks = mine.into != nullptr;
  if (!into_blocks && !prepare_target(f)) return false;
  if (mine.into && !told && !from_blocks && !into_blocks) return true;
  if (!mine.pieces) mine.pieces = new fetch_pieces;
  fetch_pieces& by = *mine.pieces;
  if (into_blocks) by.target_blocks.emplace(*f.blocks);
  if (from_blocks) by.source_blocks.emplace(exposed::blocks_of(f.where));
  if (told) {
    by.of_source.emplace(exposed::pieces_of(f.where));
    by.source = keys_.claim(f);
  }
  return true;
}

/// The same for one that lands in one block.
bool fetcher::prepare_target(fetch& f) noexcept {
  fetch_progress& mine = fetch_progress::of(f);
  const bool divided = pieces::divide(f.bytes);
  mine.target = f.lands_nowhere() ? buffers_.take(f.bytes) : static_cast<std::byte*>(f.into);
  if (mine.target)
    mine.into = divided ? cache_.find(mine.target, f.bytes, range_use::target)
                        : cache_.acquire(mine.target, f.bytes, range_use::target);
  if (mine.into) return true;
  if (mine.target && divided) {
    auto made = std::make_unique<fetch_pieces>();
    made->target.emplace(mine.target, mine.posted, mine.end, range_use::target);
    if (made->target->grow(cache_)) {
      made->target->grow_by_known(cache_);
      mine.pieces = made.release();
      return true;
    }
  }
  if (f.lands_nowhere() && mine.target) buffers_.give_back(mine.target);
  return false;
}

/// Up to here it can be posted.
std::uint64_t fetcher::reach(fetch& f) noexcept {
  const fetch_progress& mine = fetch_progress::of(f);
  std::uint64_t made = mine.end;
  if (!mine.pieces) return made;
  const fetch_pieces& by = *mine.pieces;
  if (by.target) made = std::min(made, by.target->reach());
  if (by.of_source)
    made = std::min(made, by.of_source->begin_of(by.source ? by.source->count() : 1));
  return std::max(made, mine.posted);
}

/// More of it may be registered, or nothing more will be. It may be over then.
void fetcher::go_on(connection& from, fetch& f) noexcept {
  fetch_progress& mine = fetch_progress::of(f);
  fetch_pieces& by = *mine.pieces;
  if (by.refused || (by.of_source && (!by.source || by.source->complete))) leave_rest(from, f);
  if (mine.unread == 0) return finish(from, f);
  if (!by.waits || mine.posted == reach(f)) return;
  by.waits = false;
  from.reads.ready(f);
}

/// What cannot be read comes in messages.
void fetcher::leave_rest(connection& from, fetch& f) noexcept {
  fetch_progress& mine = fetch_progress::of(f);
  const std::uint64_t rest = reach(f);
  if (rest == mine.end) return;
  staged_.start(from, f, rest, mine.end);
  mine.unread -= mine.end - rest;
  mine.end = rest;
  std::erase_if(growing_, [&](const growing& each) { return each.of == &f; });
}

void fetcher::told_more(connection& from, fetch& f) noexcept {
  go_on(from, f);
  if (from.reads.any_unposted()) note(from);
  take_turns();
}

bool fetcher::grow() noexcept {
  if (growing_.empty()) return false;
  const growing next = growing_.front();
  growing_.pop_front();
  fetch_pieces& by = *fetch_progress::of(*next.of).pieces;
  by.refused = !by.target->grow(cache_);
  if (!by.refused && !by.target->complete()) growing_.push_back(next);
  told_more(*next.from, *next.of);
  return true;
}

void fetcher::add(bulk_chain& to, const connection& from, std::size_t which,
                  const bulk_part& part) noexcept {
  const fetch_progress& mine = fetch_progress::of(*part.of);
  const bulk_queue& at = from.links[which];
  const registration* into = mine.into;
  std::uint64_t source = exposed::address(part.of->where) + part.at;
  std::uint32_t key = exposed::key(part.of->where, at.remote_rail);
  const std::uint64_t id = from.id(work::read, static_cast<std::uint32_t>(which)).word;
  if (mine.pieces) {
    const fetch_pieces& by = *mine.pieces;
    if (by.target) into = &by.target->at(part.at);
    const std::uint64_t piece = by.of_source ? by.of_source->of(part.at) : 0;
    if (piece > 0) key = (*by.source)[piece][at.remote_rail];
    if (by.source_blocks) source = by.source_blocks->address_of(part.at);
    if (by.target_blocks)
      return to.add(part, IBV_WR_RDMA_READ, id, *by.target_blocks, into->local_key(at.rail), source,
                    key);
  }
  to.add(part, IBV_WR_RDMA_READ, id,
         {reinterpret_cast<std::uint64_t>(mine.target) + part.at, part.bytes,
          into->local_key(at.rail)},
         source, key);
}

/// Of each link.
std::size_t fetcher::readers(const connection& from) const noexcept {
  return std::min<std::size_t>(endpoint_.choice.count(), from.links.readers());
}

/// Parts that may be under way there.
std::uint32_t fetcher::limit_of(const connection& from, const bulk_queue& at) const noexcept {
  // Half served, half waiting.
  const std::uint32_t most =
      std::min({endpoint_.set.read_depth, at.read_limit * 2, bulk_chain::longest});
  fetch* const next = from.reads.oldest_unposted();
  if (from.links.in_use() == 1 || !next) return most;
  const std::uint64_t part = fetch_progress::of(*next).part;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(most, std::max<std::uint64_t>(2, most_under_way / part)));
}

/// Requires: there is one.
bulk_part fetcher::next_part(reads& from) const noexcept {
  if (from.any_again()) return from.take_again();
  fetch& f = *from.oldest_unposted();
  fetch_progress& mine = fetch_progress::of(f);
  const std::uint64_t most = reach(f);
  std::uint64_t end = most;
  if (mine.pieces) {  // in one piece of either side
    const fetch_pieces& by = *mine.pieces;
    if (by.target) end = std::min(end, by.target->end_at(mine.posted));
    if (by.of_source) end = std::min(end, by.of_source->end_at(mine.posted));
    if (by.source_blocks) end = std::min(end, by.source_blocks->end_at(mine.posted));
    if (by.target_blocks)
      end = std::min(end, by.target_blocks->end_at(mine.posted, endpoint_.set.read_pieces));
  }
  const auto bytes =
      static_cast<std::uint32_t>(std::min({mine.part, end - mine.posted, pacing_.longest()}));
  const bulk_part made{&f, nullptr, mine.posted, bytes};
  mine.posted += bytes;
  if (mine.posted == most) {
    from.posted_one();
    if (mine.pieces) mine.pieces->waits = true;
  }
  return made;
}

void fetcher::note(connection& at) noexcept {
  if (at.reads.noted) return;
  at.reads.noted = true;
  noted_.push_back(&at);
  ++endpoint_.bulk.unposted;
}

void fetcher::forget(connection& gone) noexcept {
  if (!gone.reads.noted) return;
  gone.reads.noted = false;
  std::erase(noted_, &gone);
  --endpoint_.bulk.unposted;
}

void fetcher::flush() noexcept {
  while (!noted_.empty()) {
    connection& at = *noted_.back();
    forget(at);
    if (at.is_open() && at.reads.any_unposted()) post(at);
  }
}

/// One that has more than half of what it takes gets nothing more.
void fetcher::find_takers(connection& from) noexcept {
  takers_.clear();
  const std::size_t of_each = readers(from);
  if (endpoint_.choice.tries() && of_each < endpoint_.choice.count()) endpoint_.choice.spoil();
  for (std::size_t first = 0; first < from.links.size(); first += most_bulk)
    for (std::size_t which = first; which < first + of_each; ++which) {
      const bulk_queue& at = from.links[which];
      const std::size_t has = at.under_way.size();
      const std::uint32_t limit = limit_of(from, at);
      if (!at.pair || !at.refused.empty() || has > limit / 2) continue;
      takers_.push_back({which, limit - static_cast<std::uint32_t>(has), at.bytes});
    }
}

/// Parts of the oldest unposted fetches, as many as the queue pairs take. Of several that have the
/// same under way the next one in turn gets a part.
void fetcher::deal_out(connection& from, bool turn) noexcept {
  placed_.clear();
  find_takers(from);
  std::size_t queue = from.reads.next_queue;
  while (!takers_.empty() && from.reads.any_unposted()) {
    if (from.reads.pace.waits || !pacing_.admits(from.reads.pace, turn, placed_.size())) {
      pacing_.wait(from, from.reads.pace);
      break;
    }
    std::size_t at = queue % takers_.size();
    for (std::size_t each = 1; each < takers_.size(); ++each)
      if (const std::size_t other = (queue + each) % takers_.size();
          takers_[other].bytes < takers_[at].bytes)
        at = other;
    if (from.reads.any_again()) --endpoint_.bulk.refused;
    const bulk_part part = next_part(from.reads);
    placed_.push_back({takers_[at].which, part});
    pacing_.posted(from.reads.pace, part.bytes);
    takers_[at].bytes += part.bytes;
    queue = at + 1;
    if (--takers_[at].room == 0) takers_.erase(takers_.begin() + static_cast<std::ptrdiff_t>(at));
    ++endpoint_.counters.reads;
  }
  from.reads.next_queue = static_cast<std::uint8_t>(queue % most_bulk);
}

void fetcher::post(connection& from, bool turn) noexcept {
  deal_out(from, turn);
  std::array<int, most_bulk * most_rails> failed{};
  for (std::size_t which = 0; which < from.links.size(); ++which) failed[which] = post(from, which);
  // Which may begin other fetches.
  for (std::size_t which = 0; which < from.links.size(); ++which)
    if (failed[which] != 0 && from.links[which].pair)
      failures_.failed(from, from.links[which], failed[which]);
}

/// What was refused before, and what was dealt to it, with one doorbell. 0, or why the queue pair
/// is broken.
int fetcher::post(connection& from, std::size_t which) noexcept {
  bulk_queue& at = from.links[which];
  bulk_chain chain;
  if (!at.refused.empty() && at.refused.front().of) {
    endpoint_.bulk.refused -= static_cast<std::uint32_t>(at.refused.size());
    for (const bulk_part& part : std::exchange(at.refused, {})) {
      add(chain, from, which, part);
      pacing_.posted(from.reads.pace, part.bytes);
    }
  }
  for (const placed& each : placed_)
    if (each.which == which) add(chain, from, which, each.part);
  if (chain.size() == 0) return 0;
  ++endpoint_.counters.read_doorbells;
  const std::uint64_t before = at.bytes;
  const int failed = chain.post(at, endpoint_);
  if (under_way_ == 0 && at.bytes > before) endpoint_.choice.begin(endpoint_.nanoseconds());
  under_way_ += at.bytes - before;
  endpoint_.bulk.refused += static_cast<std::uint32_t>(at.refused.size());
  for (const bulk_part& part : at.refused) pacing_.over(from.reads.pace, part.bytes);
  return failed;
}

/// Parts are under way no more: they have come, or never will.
void fetcher::moved(std::uint64_t bytes) noexcept {
  stopped(bytes);
  if (endpoint_.choice.moved(bytes)) endpoint_.choice.look(endpoint_.nanoseconds(), under_way_);
}
void fetcher::stopped(std::uint64_t bytes) noexcept {
  if (bytes == 0) return;
  under_way_ -= bytes;
  if (under_way_ == 0) endpoint_.choice.end(endpoint_.nanoseconds());
}

void fetcher::read_again(connection& from, bulk_queue& gone) noexcept {
  const auto put = [&](const bulk_part& part) {
    if (!part.of) return;  // the writer's
    from.reads.read_again(part);
    ++endpoint_.bulk.refused;
  };
  std::uint64_t read = 0;
  while (!gone.under_way.empty()) {
    const bulk_part part = gone.take();
    if (part.of) {
      read += part.bytes;
      pacing_.over(from.reads.pace, part.bytes);
    }
    put(part);
  }
  stopped(read);
  endpoint_.bulk.refused -= static_cast<std::uint32_t>(gone.refused.size());
  for (const bulk_part& each : std::exchange(gone.refused, {})) put(each);
}

void fetcher::step(connections& connections) noexcept {
  connections.for_each([this](connection& each) {
    if (each.is_open()) post(each);
  });
  // What was under way may be gone with a connection that broke.
  take_turns();
}

void fetcher::completed(connection& from, std::uint32_t bulk) noexcept {
  bulk_queue& at = from.links[bulk];
  const bulk_part over = at.take();
  fetch& f = *over.of;
  fetch_progress& mine = fetch_progress::of(f);
  mine.unread -= over.bytes;
  endpoint_.counters.read_bytes += over.bytes;
  endpoint_.counters.rail_bytes[at.rail] += over.bytes;
  endpoint_.counters.queue_bytes[bulk % most_bulk] += over.bytes;
  if (f.absorb && mine.target) f.absorb(f, mine.target + over.at, over.at, over.bytes);
  if (!mine.target || exposed::in_blocks(f.where)) endpoint_.counters.block_bytes += over.bytes;
  if (mine.unread == 0) finish(from, f);
  moved(over.bytes);
  pacing_.over(from.reads.pace, over.bytes);
  if (from.reads.any_unposted()) note(from);
  take_turns();
  count(f, over.bytes);
}

/// Its share is here.
void fetcher::finish(connection& from, fetch& f) noexcept {
  from.reads.remove(f);
  let_go(f);
  if (!from.reads.any()) pacing_.ended();
}

/// Of those that waited for what is over now.
void fetcher::take_turns() noexcept {
  while (connection* const next = pacing_.next())
    if (next->is_open()) post(*next, true);
}

void fetcher::let_go(fetch& over) noexcept {
  fetch_progress& mine = fetch_progress::of(over);
  if (mine.into) cache_.release(*mine.into);
  if (mine.pieces) {
    if (mine.pieces->target) {
      mine.pieces->target->release(cache_);
      std::erase_if(growing_, [&](const growing& each) { return each.of == &over; });
    }
    keys_.let_go(over);
    delete mine.pieces;
  }
  if (over.lands_nowhere() && mine.target) buffers_.give_back(mine.target);
}

void fetcher::abandon(connection& from, std::vector<fetch*>& ending) noexcept {
  if (from.reads.any()) pacing_.ended();
  if (from.reads.pace.waits) pacing_.forget(from, from.reads.pace);
  for (fetch* each : from.reads.take()) {
    let_go(*each);
    ending.push_back(each);
  }
  for (bulk_queue& each : from.links) {
    if (each.rail != 0)
      endpoint_.bulk.elsewhere -= static_cast<std::uint32_t>(each.under_way.size());
    std::uint64_t read = 0;
    while (!each.under_way.empty())
      if (const bulk_part part = each.take(); part.of) {
        read += part.bytes;
        pacing_.over(from.reads.pace, part.bytes);
      }
    stopped(read);
    endpoint_.bulk.refused -= static_cast<std::uint32_t>(each.refused.size());
    each.refused.clear();
  }
  endpoint_.bulk.refused -= static_cast<std::uint32_t>(from.reads.count_again());
  from.reads.forget_again();
  take_turns();
}

}  // namespace peal::verbs
