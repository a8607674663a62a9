#include "transport/verbs/fetcher.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace peal::verbs {

namespace {

/// A part costs a work request, a completion, and here a doorbell as well: on Soft-RoCE 64 KiB took 518 µs in one part and 540 in two
/// by the best stretches of two pairs of runs; by their averages it was the other way round, so this is a choice and no finding.
constexpr std::uint64_t smallest_part = 64 << 10;
/// Above this size nothing more is gained, and a lost packet makes more to be sent again.
constexpr std::uint64_t largest_part = 512 << 10;
constexpr std::uint64_t page = 4096;  // parts begin at pages where the buffer does

constexpr std::uint32_t most_at_once = 16;

}  // namespace

std::uint64_t fetcher::part_of(const connection& from, std::uint64_t bytes) const noexcept {
  const std::uint64_t longest = std::min<std::uint64_t>(largest_part, lane_.on.port().max_msg_sz);
  const std::uint64_t even = (bytes / from.bulk_count + page - 1) & ~(page - 1);
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

/// Parts of the oldest unposted fetches, as many as the queue pairs take.
void fetcher::post(connection& from) noexcept {
  struct batch {
    std::array<ibv_send_wr, most_at_once> requests;
    std::array<ibv_sge, most_at_once> pieces;
    std::uint32_t count = 0;
  };
  std::array<batch, most_bulk> batches;
  const auto limit = std::min(lane_.set.read_depth, from.read_limit * 2);  // one being served, one waiting at the device
  while (from.first_unposted < from.fetches.size()) {
    // The next queue pair in turn that has room.
    std::uint8_t at = from.next_bulk;
    std::uint8_t tried = 0;
    while (tried < from.bulk_count && (from.bulk[at].under_way.size() >= limit || batches[at].count == most_at_once)) {
      at = static_cast<std::uint8_t>((at + 1) % from.bulk_count);
      ++tried;
    }
    if (tried == from.bulk_count) break;
    fetch& f = *from.fetches[from.first_unposted];
    fetch_progress& mine = fetch_progress::of(f);
    const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(mine.part, mine.end - mine.posted));
    batch& to = batches[at];
    to.pieces[to.count] = {reinterpret_cast<std::uint64_t>(mine.target) + mine.posted, bytes, mine.into->region->lkey};
    ibv_send_wr& request = to.requests[to.count];
    request = {};
    request.wr_id = work_id::make(work::read, from.index, from.generation, at).word;
    request.sg_list = &to.pieces[to.count];
    request.num_sge = 1;
    request.opcode = IBV_WR_RDMA_READ;
    request.send_flags = IBV_SEND_SIGNALED;
    request.wr.rdma.remote_addr = exposed::address(f.where) + mine.posted;
    request.wr.rdma.rkey = exposed::key(f.where);
    if (to.count > 0) to.requests[to.count - 1].next = &request;
    ++to.count;
    from.bulk[at].under_way.push_back({&f, mine.posted, bytes});
    mine.posted += bytes;
    if (mine.posted == mine.end) ++from.first_unposted;
    from.next_bulk = static_cast<std::uint8_t>((at + 1) % from.bulk_count);
    ++lane_.counted.reads;
  }
  for (std::uint8_t each = 0; each < from.bulk_count; ++each) {
    if (batches[each].count == 0) continue;
    ++lane_.counted.read_doorbells;
    ibv_send_wr* refused = nullptr;
    // The queue pair has room for what we post, so it refuses only when it is broken.
    if (const int failed = ibv_post_send(from.bulk[each].pair.get(), batches[each].requests.data(), &refused); failed != 0) {
      broke_(from, failed);
      return;
    }
  }
}

void fetcher::completed(connection& from, std::uint32_t bulk) noexcept {
  bulk_queue& at = from.bulk[bulk];
  const read_part over = at.under_way.front();
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
  for (bulk_queue& each : from.bulk)
    while (!each.under_way.empty()) each.under_way.pop_front();
}

}  // namespace peal::verbs
