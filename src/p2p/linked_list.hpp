// p2p/linked_list.hpp
// Doubly linked lists whose links lie in the items, and which never allocate.
//
// Layer    p2p: may include base/.
// Threads  none of its own.
#pragma once

#include <cstddef>

namespace peal {

struct list_node {
  list_node* before = nullptr;
  list_node* after = nullptr;
};

/// A second (third, …) pair of links for items that stand in several lists at once.
template <int N>
struct chain_node {
  chain_node* before = nullptr;
  chain_node* after = nullptr;
};

/// A circular list with its ends in a node of its own: an item leaves it without knowing which list
/// it stands in.
template <class Item, class Node = list_node>
class linked_list {
 public:
  linked_list() noexcept { ends_.before = ends_.after = &ends_; }
  linked_list(const linked_list&) = delete;
  linked_list& operator=(const linked_list&) = delete;

  [[nodiscard]] bool empty() const noexcept { return ends_.after == &ends_; }
  /// Null when empty.
  [[nodiscard]] Item* front() const noexcept { return item(ends_.after); }
  /// The one behind `of`; null at the end.
  [[nodiscard]] Item* next(const Item& of) const noexcept {
    return item(static_cast<const Node&>(of).after);
  }

  void push_back(Item& added) noexcept {
    Node& node = added;
    node.before = ends_.before;
    node.after = &ends_;
    ends_.before->after = &node;
    ends_.before = &node;
  }
  static void erase(Item& gone) noexcept {
    Node& node = gone;
    node.before->after = node.after;
    node.after->before = node.before;
  }
  /// Takes out all items before `kept`, all of them where that is null.
  void erase_before(Item* kept) noexcept {
    Node& first = kept != nullptr ? static_cast<Node&>(*kept) : ends_;
    ends_.after = &first;
    first.before = &ends_;
  }
  Item* pop_front() noexcept {
    Item* first = front();
    if (first) erase(*first);
    return first;
  }

 private:
  Item* item(Node* node) const noexcept {
    // By reference, since the cast of a pointer asks whether it is null.
    return node == &ends_ ? nullptr : &static_cast<Item&>(*node);
  }

  Node ends_;
};

}  // namespace peal
