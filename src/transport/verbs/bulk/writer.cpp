#include "transport/verbs/bulk/writer.hpp"

#include <algorithm>
#include <cstring>

#include "base/page.hpp"
#include "transport/verbs/bulk/fetcher.hpp"
#include "transport/verbs/connections.hpp"

namespace peal::verbs {

namespace {

/// On Soft-RoCE a post returns when all is written; meanwhile nothing else is done.
constexpr std::uint64_t longest_part = 256 << 10;
constexpr std::size_t parts_at_once = 2;

}  // namespace

// ---- the receiver

bool writer::start(connection& from, fetch& f, std::size_t begin, std::size_t end) noexcept {
  if (!from.links.has_one_for_writes() || !exposed::registered(f.where)) return false;
  share mine{from.peer, &f, begin, end - begin, nullptr, nullptr};
  if (f.lands_nowhere()) mine.target = buffers_.take(mine.bytes);
  else mine.target = static_cast<std::byte*>(f.into) + begin;
  if (mine.target) mine.into = cache_.acquire(mine.target, mine.bytes, range_use::written);
  if (!mine.into) {
    if (f.lands_nowhere() && mine.target) buffers_.give_back(mine.target);
    return false;
  }
  const std::uint64_t number = ++last_number_;
  const payload_header ask{payload_kind::write, 0, number,
                           reinterpret_cast<std::uint64_t>(mine.target), mine.bytes};
  note question{from.peer, ask, {exposed::number(f.where), begin, {}}};
  for (std::size_t rail = 0; rail < most_rails; ++rail)
    question.source.target_keys[rail] = mine.into->remote_key(rail);
  notes_.push_back(question);
  shares_.emplace(number, mine);
  while (tell()) {
  }
  return true;
}

void writer::let_go(share& over) noexcept {
  cache_.release(*over.into);
  if (over.of->lands_nowhere()) buffers_.give_back(over.target);
}

outcome writer::arrived(connection& from, const payload_header& header) noexcept {
  const auto found = shares_.find(header.number);
  if (found == shares_.end())
    return header.number - 1 < last_number_
               ? outcome{reception::over}
               : outcome::senseless("news of a write that nobody asked for");
  share& mine = found->second;
  if (mine.from != from.peer)
    return outcome::senseless("news of a write that another rank was asked for");
  if (mine.told) return {reception::over};
  for (const bulk_queue& each : from.links)
    if (each.link != 0 && each.pair && (header.detail & ~mine.noticed & 1u << each.link) != 0)
      mine.awaited = static_cast<std::uint8_t>(mine.awaited | 1u << each.link);
  mine.told = true;
  if (mine.awaited == 0) written(found);
  else ++endpoint_.bulk.elsewhere;
  return {};
}

void writer::noticed(const connection& from, const bulk_queue& through,
                     std::uint32_t number) noexcept {
  // Of the number that was dealt out last, or of one before it: they are compared modulo 2^32.
  const auto found =
      shares_.find(last_number_ - (static_cast<std::uint32_t>(last_number_) - number));
  if (found != shares_.end() && found->second.from == from.peer)
    noticed(found, static_cast<std::uint8_t>(1u << through.link));
}

void writer::noticed(shares::iterator of, std::uint8_t links) noexcept {
  share& mine = of->second;
  mine.noticed = static_cast<std::uint8_t>(mine.noticed | links);
  if (mine.awaited == 0) return;
  mine.awaited = static_cast<std::uint8_t>(mine.awaited & ~links);
  if (mine.awaited != 0) return;
  --endpoint_.bulk.elsewhere;
  written(of);
}

void writer::expect_no_notices(const connection& from, std::uint8_t link) noexcept {
  std::vector<std::uint64_t> waiting;
  for (const auto& [number, each] : shares_)
    if (each.from == from.peer) waiting.push_back(number);
  for (const std::uint64_t number : waiting)
    if (const auto found = shares_.find(number); found != shares_.end())
      noticed(found, static_cast<std::uint8_t>(1u << link));
}

void writer::written(shares::iterator which) noexcept {
  share over = which->second;
  shares_.erase(which);
  if (over.of->absorb) over.of->absorb(*over.of, over.target, over.begin, over.bytes);
  let_go(over);
  count(*over.of, over.bytes);
}

// ---- the sender

outcome writer::asked(connection& from, const payload_header& header,
                      const write_source& source) noexcept {
  const exposure* found = nullptr;
  switch (exposures_.find(source.number, from.peer, source.at, header.bytes, found)) {
    case exposure_answer::over: return {reception::over};
    case exposure_answer::never:
      return outcome::senseless("a question to write memory that was not exposed to it");
    case exposure_answer::found: break;
  }
  if (!found->held || found->in_blocks)
    return outcome::senseless("a question to write memory that no device reads");
  if (std::ranges::find(jobs_, source.number, &write_job::exposed) != jobs_.end())
    return {reception::over};
  // It stays registered as long as anything is written from it, whenever it is withdrawn.
  cache_.share(*found->held);
  const auto first = reinterpret_cast<std::uint64_t>(found->data) + source.at;
  jobs_.push_back({from.peer,
                   header.number,
                   source.number,
                   first,
                   header.position,
                   found->held,
                   source.target_keys,
                   header.bytes,
                   0,
                   0,
                   {},
                   found->packed,
                   source.at});
  if (found->packed) found->packed->leave_from(source.at);
  return {};
}

/// Those that nothing is under way for.
template <class Which>
void writer::end_jobs(Which which) noexcept {
  jobs_.remove_if([&](const write_job& each) {
    if (!which(each)) return false;
    cache_.release(*each.from);
    return true;
  });
}

bool writer::post(write_job& mine) noexcept {
  connection* const to = connections_.of(mine.to);
  if (!to || !to->is_open() || !to->links.has_one_for_writes()) return false;
  bool moved = false;
  for (std::size_t each = links::for_writes; each < to->links.size() && mine.has_parts();
       each += most_bulk)
    if (to->links[each].pair) moved |= post(mine, *to, each);
  return moved;
}

bool writer::post(write_job& mine, connection& to, std::size_t which) noexcept {
  bulk_queue& at = to.links[which];
  if (!at.refused.empty()) return false;  // READs, where the two sides were told different things
  std::uint64_t longest = std::min<std::uint64_t>(longest_part, endpoint_.longest_part);
  if (to.links.in_use() > 1)
    longest = std::min(
        longest,
        std::max(smallest_part, (mine.bytes / to.links.in_use() / 2 + page - 1) & ~(page - 1)));
  const std::size_t limit = std::min<std::size_t>(parts_at_once, endpoint_.set.read_depth);
  bulk_chain chain;
  while (mine.has_parts() && at.under_way.size() + chain.size() < limit) {
    bulk_part part{nullptr, &mine, mine.posted,
                   static_cast<std::uint32_t>(std::min(longest, mine.bytes - mine.posted))};
    if (at.link != 0) mine.used = static_cast<std::uint8_t>(mine.used | 1u << at.link);
    if (mine.again.empty()) {
      mine.posted += part.bytes;
      if (mine.packed)
        mine.packed->pack_left(mine.begin + part.at, mine.begin + part.at + part.bytes);
    } else {
      part = mine.again.back();
      mine.again.pop_back();
    }
    chain.add(part, IBV_WR_RDMA_WRITE, to.id(work::read, static_cast<std::uint32_t>(which)).word,
              {mine.source + part.at, part.bytes, mine.from->local_key(at.rail)},
              mine.target + part.at, mine.remote_keys[at.remote_rail]);
  }
  if (chain.size() == 0) return false;
  const std::size_t before = at.under_way.size();
  const int failed = chain.post(at, endpoint_);
  mine.again.insert(mine.again.end(), at.refused.rbegin(), at.refused.rend());
  at.refused.clear();
  const std::size_t posted = at.under_way.size() - before;
  endpoint_.counters.writes += posted;
  if (failed != 0) failures_.failed(to, at, failed);
  return posted > 0;
}

void writer::write_again(bulk_queue& gone) noexcept {
  for (std::size_t left = gone.under_way.size(); left > 0; --left) {
    const bulk_part each = gone.take();
    if (each.job && each.bytes == 0) --each.job->noticing;
    else if (each.job) each.job->again.push_back(each);
    else gone.add(each);
  }
}

void writer::completed(connection& at, bulk_queue& which) noexcept {
  const bulk_part over = which.take();
  write_job& mine = *over.job;
  if (over.bytes == 0) {
    --mine.noticing;
    return;  // `step` takes it away
  }
  mine.arrived += over.bytes;
  endpoint_.counters.write_bytes += over.bytes;
  endpoint_.counters.rail_bytes[which.rail] += over.bytes;
  endpoint_.counters.queue_bytes[at.links.number_of(which) % most_bulk] += over.bytes;
  if (mine.arrived < mine.bytes) {
    (void)post(mine);
    return;
  }
  notes_.push_back({at.peer, {payload_kind::written, mine.used, mine.number, 0, 0}, {}});
  mine.unnoticed = mine.used;
  post_notices(mine);
  if (mine.over()) end_jobs([&](const write_job& each) { return &each == &mine; });
}

void writer::post_notices(write_job& mine) noexcept {
  connection* const to = connections_.of(mine.to);
  if (!to || !to->is_open()) return;
  for (std::size_t each = links::for_writes + most_bulk; each < to->links.size();
       each += most_bulk) {
    bulk_queue& at = to->links[each];
    const auto bit = static_cast<std::uint8_t>(1u << at.link);
    if ((mine.unnoticed & bit) == 0 || at.under_way.size() >= endpoint_.set.read_depth ||
        !at.refused.empty())
      continue;
    mine.unnoticed = static_cast<std::uint8_t>(mine.unnoticed & ~bit);
    if (!at.pair) continue;  // left out, which the peer is told
    bulk_chain chain;
    chain.add_notice({nullptr, &mine, 0, 0},
                     to->id(work::read, static_cast<std::uint32_t>(each)).word,
                     static_cast<std::uint32_t>(mine.number));
    ++mine.noticing;
    const int failed = chain.post(at, endpoint_);
    if (!at.refused.empty()) {
      at.refused.clear();
      --mine.noticing;
      mine.unnoticed = static_cast<std::uint8_t>(mine.unnoticed | bit);
    }
    if (failed != 0) failures_.failed(*to, at, failed);
  }
}

bool writer::step() noexcept {
  bool moved = false;
  while (tell()) moved = true;
  for (write_job& each : jobs_) {
    if (each.has_parts()) moved |= post(each);
    if (each.unnoticed != 0) post_notices(each);
  }
  end_jobs([](const write_job& each) { return each.over(); });
  return moved;
}

bool writer::starved() const noexcept {
  return std::ranges::any_of(jobs_, [this](const write_job& each) {
    const connection* const to = each.has_parts() ? connections_.of(each.to) : nullptr;
    if (!to || !to->is_open() || !to->links.has_one_for_writes()) return false;
    for (std::size_t last = links::for_writes; last < to->links.size(); last += most_bulk)
      if (!to->links[last].under_way.empty()) return false;
    return true;
  });
}

/// Sends the oldest note that finds room.
bool writer::tell() noexcept {
  for (auto each = notes_.begin(); each != notes_.end(); ++each) {
    connection* const to = connections_.of(each->to);
    const std::size_t more = each->what.kind == payload_kind::write ? sizeof each->source : 0;
    // That a link was left out must be heard before what was written instead of over it.
    if (!to || !to->is_open() || to->links.any_untold() ||
        !sender_.send_staged(*to, &each->what, sizeof each->what, &each->source, more))
      continue;
    notes_.erase(each);
    return true;
  }
  return false;
}

bool writer::under_way(peer_id with) const noexcept {
  return std::ranges::find(notes_, with, &note::to) != notes_.end() ||
         std::ranges::find(jobs_, with, &write_job::to) != jobs_.end() ||
         std::ranges::any_of(shares_, [&](const auto& each) { return each.second.from == with; });
}

bool writer::moves(peer_id with) const noexcept {
  return std::ranges::any_of(
             jobs_, [&](const write_job& each) { return each.to == with && each.has_parts(); }) ||
         std::ranges::any_of(shares_, [&](const auto& each) { return each.second.from == with; });
}

void writer::interrupt(peer_id with) noexcept {
  for (write_job& each : jobs_)
    if (each.to == with) each.used = each.unnoticed = each.noticing = 0;
  for (note& each : notes_)
    if (each.to == with && each.what.kind == payload_kind::written) each.what.detail = 0;
}

void writer::go_on(peer_id with) noexcept {
  std::vector<std::uint64_t> all;
  for (auto& [number, each] : shares_) {
    if (each.from != with) continue;
    each.noticed = 0;  // over queue pairs that are no more
    if (each.awaited != 0) all.push_back(number);
  }
  for (const std::uint64_t number : all)
    if (const auto found = shares_.find(number); found != shares_.end())
      noticed(found, found->second.awaited);
}

void writer::abandon(peer_id gone, std::vector<fetch*>& ending) noexcept {
  std::erase_if(notes_, [&](const note& each) { return each.to == gone; });
  end_jobs([&](const write_job& each) { return each.to == gone; });
  for (auto each = shares_.begin(); each != shares_.end();) {
    if (each->second.from != gone) {
      ++each;
      continue;
    }
    ending.push_back(each->second.of);
    if (each->second.awaited != 0) --endpoint_.bulk.elsewhere;
    let_go(each->second);
    each = shares_.erase(each);
  }
}

}  // namespace peal::verbs
