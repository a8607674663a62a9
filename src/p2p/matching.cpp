#include "p2p/matching.hpp"

#include <array>

#include "p2p/chain_index.hpp"

namespace peal {

using detail::matched_message;
using detail::operation;

namespace {

// The four ways to ask, as masks. A receive's mask is one of them.
constexpr std::array<std::uint64_t, 4> ways{
    match_pattern::source_bits | match_pattern::tag_bits, match_pattern::tag_bits,
    match_pattern::source_bits | match_pattern::any_tag_bits, match_pattern::any_tag_bits};

std::size_t way_of(std::uint64_t mask) noexcept {
  return (mask & match_pattern::source_bits ? 0 : 1) +
         ((mask & match_pattern::tag_bits) == match_pattern::tag_bits ? 0 : 2);
}

}  // namespace

// ---- posted receives

struct posted_queue::index {
  std::array<chain_index<operation, 0>, ways.size()> chains;  // by way of asking
  std::array<std::size_t, ways.size()> items{};  // a way that no item uses is not looked at
  std::uint64_t next_order = 0;
};

posted_queue::posted_queue() = default;
posted_queue::~posted_queue() = default;

operation* posted_queue::search(std::uint64_t key) noexcept {
  if (!index_) {
    std::uint32_t walked = 0;
    operation* each = list_.front();
    for (; each && walked < longest_walk; each = list_.next(*each), ++walked)
      if (((each->key ^ key) & each->mask) == 0) return each;
    if (!each) return nullptr;
    index_ = std::make_unique<index>();
    for (each = list_.front(); each; each = list_.next(*each)) add_to_index(*each);
  }
  operation* earliest = nullptr;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    if (index_->items[way] == 0) continue;
    operation* candidate = index_->chains[way].first(key & ways[way]);
    if (candidate && (!earliest || candidate->order < earliest->order)) earliest = candidate;
  }
  return earliest;
}

void posted_queue::add_to_index(operation& receive) noexcept {
  const std::size_t way = way_of(receive.mask);
  receive.order = index_->next_order++;
  index_->chains[way].add(receive.key, receive);
  ++index_->items[way];
}

void posted_queue::remove_from_index(operation& receive) noexcept {
  const std::size_t way = way_of(receive.mask);
  index_->chains[way].remove(receive);
  --index_->items[way];
  if (list_.empty()) index_.reset();
}

// ---- unexpected messages

// The fourth way, any source and any tag, is the list itself.
struct unexpected_queue::index {
  chain_index<matched_message, 0> exact;
  chain_index<matched_message, 1> any_source;
  chain_index<matched_message, 2> any_tag;
};

unexpected_queue::unexpected_queue() = default;
unexpected_queue::~unexpected_queue() = default;

matched_message* unexpected_queue::search(const match_pattern& wanted) noexcept {
  const std::size_t way = way_of(wanted.mask);
  if (!index_ || way == 3) {
    std::uint32_t walked = 0;
    matched_message* each = list_.front();
    for (; each && (way == 3 || walked < longest_walk); each = list_.next(*each), ++walked)
      if (wanted.takes(each->key)) return each;
    if (!each) return nullptr;
    index_ = std::make_unique<index>();
    for (each = list_.front(); each; each = list_.next(*each)) add_to_index(*each);
  }
  if (way == 0) return index_->exact.first(wanted.key);
  return way == 1 ? index_->any_source.first(wanted.key) : index_->any_tag.first(wanted.key);
}

void unexpected_queue::add_to_index(matched_message& message) noexcept {
  index_->exact.add(message.key & ways[0], message);
  index_->any_source.add(message.key & ways[1], message);
  index_->any_tag.add(message.key & ways[2], message);
}

void unexpected_queue::remove_from_index(matched_message& message) noexcept {
  index_->exact.remove(message);
  index_->any_source.remove(message);
  index_->any_tag.remove(message);
  if (list_.empty()) index_.reset();
}

}  // namespace peal
