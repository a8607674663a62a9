#include "transport/verbs/fetcher.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace peal::verbs {

namespace {

/// A part costs a work request, a completion, and here a doorbell as well: on Soft-RoCE 64 KiB took 518 µs in one part and 540 in two
/// by the best stretches of two pairs of runs; by their averages it was the other way round, so this is a choice and no finding.
constexpr std::uint64_t smallest_part = 64 << 10;
/// Above this size nothing more is gained, and a lost packet makes more to be sent again.
constexpr std::uint64_t largest_part = 512 << 10;
constexpr std::uint64_t page = 4096;  // parts begin at pages where the buffer does

}  // namespace

std::uint64_t fetcher::part_of(const connection& from, std::uint64_t bytes) const noexcept {
  const std::uint64_t longest = std::min<std::uint64_t>(largest_part, lane_.on.port().max_msg_sz);
  const std::uint64_t even = (bytes / readers(from) + page - 1) & ~(page - 1);
  return std::clamp(even, std::min(smallest_part, longest), longest);
}

bool fetcher::start(connection& from, fetch& f, std::size_t begin, std::size_t end) noexcept {
  if (!exposed::registered(f.where)) return false;
  auto* const target = static_cast<std::byte*>(f.absorb ? std::aligned_alloc(page, (f.bytes + page - 1) & ~(page - 1)) : f.into);
  registration* into = target ? cache_.acquire(target, f.bytes, range_use::target) : nullptr;
  if (!into) {
    if (f.absorb) std::free(target);
    return false;
  }
  fetch_progress& mine = fetch_progress::of(f);
  mine.posted = begin;
  mine.end = end;
  mine.unread = end - begin;
  mine.into = into;
  mine.target = target;
  mine.part = part_of(from, mine.unread);
  from.fetches.push_back(&f);
  post(from);
  return true;
}

void fetcher::add(bulk_chain& to, const connection& from, std::uint8_t which, const bulk_part& part) noexcept {
  const fetch_progress& mine = fetch_progress::of(*part.of);
  to.add(part, IBV_WR_RDMA_READ, work_id::make(work::read, from.index, from.generation, which).word,
         {reinterpret_cast<std::uint64_t>(mine.target) + part.at, part.bytes, mine.into->region->lkey},
         exposed::address(part.of->where) + part.at, exposed::key(part.of->where));
}

/// Where writes are to be seen too, the last queue pair is left to them (writer.hpp).
std::uint8_t fetcher::readers(const connection& from) const noexcept {
  return lane_.set.rendezvous == rendezvous_mode::read || from.bulk_count < 2 ? from.bulk_count
                                                                              : static_cast<std::uint8_t>(from.bulk_count - 1);
}

/// Parts of the oldest unposted fetches, as many as the queue pairs take.
void fetcher::post(connection& from) noexcept {
  std::array<bulk_chain, most_bulk> chains;
  const std::uint32_t limit = std::min({lane_.set.read_depth, from.read_limit * 2, bulk_chain::longest});  // half served, half waiting
  const std::uint8_t count = readers(from);
  for (std::uint8_t each = 0; each < count; ++each) {
    refused_ -= from.bulk[each].refused.size();
    for (const bulk_part& part : std::exchange(from.bulk[each].refused, {})) add(chains[each], from, each, part);
  }
  const auto full = [&](std::uint8_t which) { return from.bulk[which].under_way.size() + chains[which].size() >= limit; };
  while (from.first_unposted < from.fetches.size()) {
    // The next queue pair in turn that has room.
    std::uint8_t at = static_cast<std::uint8_t>(from.next_bulk % count), tried = 0;
    for (; tried < count && full(at); ++tried) at = static_cast<std::uint8_t>((at + 1) % count);
    if (tried == count) break;
    fetch& f = *from.fetches[from.first_unposted];
    fetch_progress& mine = fetch_progress::of(f);
    const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(mine.part, mine.end - mine.posted));
    add(chains[at], from, at, {&f, nullptr, mine.posted, bytes});
    mine.posted += bytes;
    if (mine.posted == mine.end) ++from.first_unposted;
    from.next_bulk = static_cast<std::uint8_t>((at + 1) % count);
    ++lane_.counted.reads;
  }
  for (std::uint8_t each = 0; each < count; ++each) {
    if (chains[each].size() == 0) continue;
    ++lane_.counted.read_doorbells;
    const int failed = chains[each].post(from.bulk[each]);
    refused_ += from.bulk[each].refused.size();
    if (failed == 0) continue;
    broke_(from, failed);
    return;
  }
}

void fetcher::step(connections& all) noexcept {
  all.for_each([this](connection& each) {
    if (each.state == connection_state::open) post(each);
  });
}

void fetcher::completed(connection& from, std::uint32_t bulk) noexcept {
  bulk_queue& at = from.bulk[bulk];
  const bulk_part over = at.under_way.front();
  at.under_way.pop_front();
  fetch& f = *over.of;
  fetch_progress& mine = fetch_progress::of(f);
  mine.unread -= over.bytes;
  lane_.counted.read_bytes += over.bytes;
  if (f.absorb) f.absorb(f, mine.target + over.at, over.at, over.bytes);
  if (mine.unread == 0) {
    const auto found = std::find(from.fetches.begin(), from.fetches.end(), &f);
    from.fetches.erase(found);
    --from.first_unposted;
    let_go(f);
  }
  if (from.first_unposted < from.fetches.size()) post(from);
  count(f, over.bytes);
}

void fetcher::let_go(fetch& over) noexcept {
  fetch_progress& mine = fetch_progress::of(over);
  cache_.release(*mine.into);
  if (over.absorb) std::free(mine.target);
}

void fetcher::abandon(connection& from, std::vector<fetch*>& ending) noexcept {
  for (fetch* each : from.fetches) let_go(*each);
  ending.insert(ending.end(), from.fetches.begin(), from.fetches.end());
  from.fetches.clear();
  from.first_unposted = 0;
  for (bulk_queue& each : from.bulk) {
    while (!each.under_way.empty()) each.under_way.pop_front();
    refused_ -= each.refused.size();
    each.refused.clear();
  }
}

}  // namespace peal::verbs
