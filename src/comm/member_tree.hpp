// comm/member_tree.hpp
// The tree by which the members of a communicator that is being made tell each other its number: a
// binomial one, whose root is the first member.
//
// Layer    comm.
// Units    places in the list of members, from 0.
// Threads  values.
// Errors   std::bad_alloc.
#pragma once

#include <vector>

namespace peal {

struct member_tree {
  int above;               // -1: this is the root
  std::vector<int> below;  // the largest part of the tree first

  member_tree(int place, int members) : above{place == 0 ? -1 : place & (place - 1)} {
    const int lowest = place & -place;  // of the bits that are set
    for (int bit = 1; (place == 0 || bit < lowest) && bit < members - place; bit *= 2)
      below.insert(below.begin(), place + bit);
  }
};

}  // namespace peal
