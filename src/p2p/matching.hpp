// p2p/matching.hpp
// Which receive gets which message, in MPI's order: a message goes to the receive posted first of
// those that match it, and a receive takes the message that arrived first of those that match it. A
// queue holds the receives, or the messages, of one context.
//
// A short queue is a list, and in most programs the head of the list is the match. A search that
// goes far down the list builds an index, which is kept until the queue is empty: a hash table of
// chains, each of which has, in order, the items with equal (source, tag), with equal source, or
// with equal tag. A receive stands in the one chain that its wildcards name, and a message looks at
// four (the fourth is that of the receives that take any message). A message stands in every chain
// of its source and its tag, and a receive looks at one.
//
// Layer    p2p: may include base/.
// Threads  one at a time.
#pragma once

#include <cstdint>
#include <memory>

#include "p2p/linked_list.hpp"
#include "p2p/operation.hpp"
#include "p2p/unexpected.hpp"

namespace peal {

/// What a message is matched by, in one word: source << 32 | tag.
inline constexpr std::uint64_t match_key(std::uint32_t source, std::int32_t tag) noexcept {
  return std::uint64_t{source} << 32 | static_cast<std::uint32_t>(tag);
}
inline std::uint64_t match_key(const envelope& e) noexcept {
  return match_key(e.source(), e.tag());
}
inline constexpr int source_of(std::uint64_t key) noexcept { return static_cast<int>(key >> 32); }
inline constexpr int tag_of(std::uint64_t key) noexcept {
  return static_cast<int>(static_cast<std::uint32_t>(key));
}

/// Which keys a receive takes: those that equal `key` in the bits of `mask`.
struct match_pattern {
  std::uint64_t key;
  std::uint64_t mask;

  static constexpr std::uint64_t source_bits = 0xffffffff00000000;
  static constexpr std::uint64_t tag_bits = 0x00000000ffffffff;
  /// any_tag takes the tags of users, which are not negative: the sign must be clear.
  static constexpr std::uint64_t any_tag_bits = 0x0000000080000000;

  static constexpr match_pattern of(int source, int tag) noexcept {
    const std::uint64_t mask = (source == detail::any_source_value ? 0 : source_bits) |
                               (tag == detail::any_tag_value ? any_tag_bits : tag_bits);
    const std::uint64_t key =
        match_key(static_cast<std::uint32_t>(source), tag == detail::any_tag_value ? 0 : tag);
    return {key & mask, mask};
  }
  /// Of a receive without wildcards.
  static constexpr match_pattern exact(int source, int tag) noexcept {
    return {match_key(static_cast<std::uint32_t>(source), tag), source_bits | tag_bits};
  }
  [[nodiscard]] constexpr bool takes(std::uint64_t message) const noexcept {
    return ((message ^ key) & mask) == 0;
  }
};

/// Items looked at in a list before it is worth an index: two cache lines each, so about what
/// building a chain costs.
inline constexpr std::uint32_t longest_walk = 32;

class posted_queue {
 public:
  posted_queue();
  ~posted_queue();

  [[nodiscard]] bool empty() const noexcept { return list_.empty(); }

  void add(detail::operation& receive) noexcept {
    list_.push_back(receive);
    if (index_) [[unlikely]]
      add_to_index(receive);
  }
  /// The same without a call. Requires: not indexed.
  void add_to_list(detail::operation& receive) noexcept { list_.push_back(receive); }
  /// Requires: it stands in this queue.
  void remove(detail::operation& receive) noexcept {
    list_.erase(receive);
    if (index_) [[unlikely]]
      remove_from_index(receive);
  }
  /// Takes out the first receive that takes a message with this key; null when there is none.
  detail::operation* match(std::uint64_t key) noexcept {
    if (detail::operation* const first = match_front(key)) return first;
    if (empty()) return nullptr;
    detail::operation* const found = search(key);
    if (found) remove(*found);
    return found;
  }

  /// The same, but looks at the first receive of a plain list only, without a call; null, and
  /// nothing changed, when that is not enough.
  [[gnu::always_inline]] detail::operation* match_front(std::uint64_t key) noexcept {
    detail::operation* const first = list_.front();
    if (!first || ((first->key ^ key) & first->mask) != 0 || index_) return nullptr;
    list_.erase(*first);
    return first;
  }
  /// Takes out all receives before `kept`, all of them where that is null. Requires: not indexed.
  void remove_before(detail::operation* kept) noexcept { list_.erase_before(kept); }
  /// Whether it is more than a plain list at the moment.
  [[nodiscard]] bool indexed() const noexcept { return index_ != nullptr; }

  [[nodiscard]] detail::operation* front() const noexcept { return list_.front(); }
  [[nodiscard]] detail::operation* next(const detail::operation& of) const noexcept {
    return list_.next(of);
  }

 private:
  struct index;

  detail::operation* search(std::uint64_t key) noexcept;
  void add_to_index(detail::operation&) noexcept;
  void remove_from_index(detail::operation&) noexcept;

  linked_list<detail::operation> list_;
  std::unique_ptr<index> index_;
};

class unexpected_queue {
 public:
  unexpected_queue();
  ~unexpected_queue();

  [[nodiscard]] bool empty() const noexcept { return list_.empty(); }

  void add(detail::matched_message& message) noexcept {
    list_.push_back(message);
    if (index_) [[unlikely]]
      add_to_index(message);
  }
  /// Requires: it stands in this queue.
  void remove(detail::matched_message& message) noexcept {
    list_.erase(message);
    if (index_) [[unlikely]]
      remove_from_index(message);
  }
  /// The first message that the pattern takes, left in its place; null when there is none.
  [[nodiscard]] detail::matched_message* find(const match_pattern& wanted) noexcept {
    detail::matched_message* first = list_.front();
    return !first || wanted.takes(first->key) ? first : search(wanted);
  }
  [[nodiscard]] detail::matched_message* front() const noexcept { return list_.front(); }
  [[nodiscard]] detail::matched_message* next(const detail::matched_message& of) const noexcept {
    return list_.next(of);
  }

 private:
  struct index;

  detail::matched_message* search(const match_pattern&) noexcept;
  void add_to_index(detail::matched_message&) noexcept;
  void remove_from_index(detail::matched_message&) noexcept;

  linked_list<detail::matched_message> list_;
  std::unique_ptr<index> index_;
};

}  // namespace peal
