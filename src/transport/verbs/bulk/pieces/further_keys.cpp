#include "transport/verbs/bulk/pieces/further_keys.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "transport/verbs/bulk/fetcher.hpp"
#include "transport/verbs/connections.hpp"
#include "transport/verbs/parsing.hpp"

namespace peal::verbs {

namespace {

constexpr std::size_t most_keys = most_payload / sizeof(rail_keys);  // in a packet
/// What is kept of an exposure takes so much, besides its keys. With the limit of 16 MiB
/// (settings::kept) there are keys for 4 TiB.
constexpr std::size_t place_bytes = 128;

rail_keys keys_of(const registration& of) noexcept {
  rail_keys made;
  for (std::size_t rail = 0; rail < made.size(); ++rail) made[rail] = of.remote_key(rail);
  return made;
}

}  // namespace

// ---- the sender of payloads

const registration* further_keys::begin(peer_id to, std::uint64_t number, const std::byte* data,
                                        std::size_t bytes) {
  registered_range range{data, 0, bytes, range_use::source};
  if (!range.grow(cache_)) return nullptr;
  range.grow_by_known(cache_);
  const registration* const first = range.held().front();
  add(number, {to, std::move(range), nullptr});
  return first;
}

void further_keys::begin_packed(peer_id to, std::uint64_t number,
                                std::shared_ptr<packed_payload> packed, const registration& whole) {
  add(number, {to, std::nullopt, std::move(packed), &whole});
}

void further_keys::add(std::uint64_t number, job fresh) {
  job& mine = jobs_.insert_or_assign(number, std::move(fresh)).first->second;
  if (mine.grows()) growing_.push_back(number);
  note(number, mine);
}

/// It has something to tell.
void further_keys::note(std::uint64_t number, job& mine) {
  if (mine.waits || (mine.told == mine.count() && !mine.refused)) return;
  mine.waits = true;
  untold_.push_back(number);
}

void further_keys::withdraw(std::uint64_t number) noexcept {
  const auto found = jobs_.find(number);
  if (found == jobs_.end()) return;
  job& over = found->second;
  std::erase(growing_, number);
  if (over.waits) std::erase(untold_, number);
  if (over.range) over.range->release(cache_);
  jobs_.erase(found);
}

bool further_keys::step() noexcept {
  bool moved = tell();
  if (grow()) {
    moved = true;
    (void)tell();
  }
  return moved;
}

/// A piece of the oldest: in the time that it takes nothing is polled.
bool further_keys::grow() noexcept {
  if (growing_.empty()) return false;
  const std::uint64_t number = growing_.front();
  job& mine = jobs_.at(number);
  if (!mine.grows()) {
    // The receiver has asked for the rest in another way since.
  } else if (mine.packed) {
    mine.packed->pack_piece();
  } else {
    mine.refused = !mine.range->grow(cache_);
  }
  if (!mine.grows()) growing_.pop_front();
  note(number, mine);
  return true;
}

bool further_keys::tell() noexcept {
  bool moved = false;
  std::size_t kept = 0;
  for (const std::uint64_t number : untold_) {
    job& mine = jobs_.at(number);
    const std::size_t before = mine.told;
    mine.waits = !tell(number, mine);
    moved |= !mine.waits || mine.told > before;
    if (mine.waits) untold_[kept++] = number;
  }
  untold_.resize(kept);
  if (moved) sender_.flush();
  return moved;
}

/// False: there is no room to tell all.
bool further_keys::tell(std::uint64_t number, job& mine) noexcept {
  connection* const to = connections_.of(mine.to);
  if (!to || !to->is_open()) return false;
  const std::size_t all = mine.count();
  const auto say = [&](std::size_t count) {
    std::vector<rail_keys> keys;
    for (std::size_t each = 0; each < count; ++each)
      keys.push_back(keys_of(mine.of(mine.told + each)));
    const payload_header header{payload_kind::keys, static_cast<std::uint32_t>(mine.told), number,
                                0, count * sizeof(rail_keys)};
    return sender_.send_staged(*to, &header, sizeof header, keys.data(), header.bytes);
  };
  while (mine.told < all) {
    const std::size_t count = std::min(all - mine.told, most_keys);
    if (!say(count)) return false;
    mine.told += count;
  }
  return !mine.refused || say(0);
}

bool further_keys::under_way(peer_id with) const noexcept {
  const auto is_to = [&](std::uint64_t number) { return jobs_.at(number).to == with; };
  return std::ranges::any_of(untold_, is_to) || std::ranges::any_of(growing_, is_to);
}

// ---- the receiver

told_keys* further_keys::claim(fetch& f) noexcept {
  const std::uint64_t number = exposed::number(f.where);
  const auto [found, fresh] = told_.try_emplace(place_of(f.from, number));
  told_keys& mine = found->second;
  if (mine.by) return nullptr;
  kept_ += fresh ? place_bytes : 0;
  if (fresh || mine.number != number) {
    kept_ -= mine.bytes();
    // What was dropped may have been of this one, and does not come again.
    mine = {number, {}, dropped_.contains(f.from), nullptr};
  }
  mine.by = &f;
  return &mine;
}

void further_keys::let_go(fetch& f) noexcept {
  const auto found = told_.find(place_of(f.from, exposed::number(f.where)));
  if (found != told_.end() && found->second.by == &f) forget(found);
}

void further_keys::forget(std::map<std::uint64_t, told_keys>::iterator which) noexcept {
  kept_ -= place_bytes + which->second.bytes();
  told_.erase(which);
}

outcome further_keys::arrived(peer_id from, const payload_view& said, fetch*& of) noexcept {
  const payload_header& head = said.header;
  auto found = told_.find(place_of(from, head.number));
  if (found != told_.end() && found->second.number != head.number) {
    // What was exposed there before is withdrawn. Its owner waits for who fetches it, or lies.
    if (found->second.by) return {reception::over};
    forget(found);
    found = told_.end();
  }
  if (found == told_.end()) {
    if (head.detail != 1) return {};  // of one that was fetched as far as was wanted, or dropped
    if (kept_ + place_bytes > endpoint_.set.kept) {
      dropped_.insert(from);
      return {};
    }
    kept_ += place_bytes;
    found = told_.emplace(place_of(from, head.number), told_keys{head.number, {}, false, nullptr})
                .first;
  }
  told_keys& mine = found->second;
  if (mine.complete) return {};
  if (head.detail != mine.count()) return outcome::senseless("keys that were not their turn");
  of = mine.by;
  const std::size_t count = head.bytes / sizeof(rail_keys);
  mine.complete = count == 0 || kept_ + count * sizeof(rail_keys) > endpoint_.set.kept;
  if (mine.complete) return {};
  const std::size_t before = mine.of_further.size();
  mine.of_further.resize(before + count);
  std::memcpy(mine.of_further.data() + before, said.data, count * sizeof(rail_keys));
  kept_ += count * sizeof(rail_keys);
  return {};
}

void further_keys::abandon(peer_id gone) noexcept {
  const auto is_to = [&](std::uint64_t number) { return jobs_.at(number).to == gone; };
  for (const std::uint64_t number : untold_)
    if (is_to(number)) jobs_.at(number).waits = false;
  std::erase_if(untold_, is_to);
  for (const std::uint64_t number : growing_)
    if (is_to(number)) jobs_.at(number).refused = true;
  std::erase_if(growing_, is_to);
  auto each = told_.lower_bound(place_of(gone, 0));
  while (each != told_.end() && each->first >> 32 == gone) forget(each++);
  dropped_.erase(gone);
}

}  // namespace peal::verbs
