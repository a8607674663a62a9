#include "collective/choice/cost_sum.hpp"

#include <array>

namespace peal {

double cost_sum::round(double bytes, double out, double in, bool far,
                       double sharers) const noexcept {
  return stepped(bytes, far, [&](const message_cost& m) {
    return std::max(out, 1.0) * m.sender + std::max(in, 1.0) * m.receiver + (out + in) * m.both +
           std::max(out, in) * sharers * m.link + m.between + m.answer;
  });
}

void cost_sum::exchange(double bytes, bool far, double rounds, double sharers) noexcept {
  way_ += rounds * round(bytes, 1, 1, far, sharers);
  work_ += rounds * per_node_ * effort(bytes, far && sharers > 1);
  turns_ += rounds;
}

// The rank at the end of a node has the slowest round. What is announced it must see answered
// before its next round; what is not it need not wait for, and passes on as messages arrive, over
// hops most of which lie inside nodes.
void cost_sum::ring(double bytes, double rounds) noexcept {
  const double near = round(bytes, 1, 1, false, 1), apart = round(bytes, 1, 1, true, 1);
  const double busy =
      stepped(bytes, true, [](const message_cost& m) { return m.sender + m.receiver + m.link; });
  const double hop = near + (apart - near) * nodes() / ranks_;
  if (nodes() == 1) way_ += rounds * near;
  else way_ += rounds * (announces(bytes) ? apart : std::max(busy, hop));
  work_ += rounds * per_node_ * effort(bytes, false);
  turns_ += rounds;
}

// Inside a node what moves in all streams takes the same cores in turn.
void cost_sum::chain(double bytes, double segments, double streams) noexcept {
  for (const bool far : {false, true})
    way_ +=
        (far ? nodes() - 1 : ranks_ - nodes()) * stepped(bytes, far, [&](const message_cost& m) {
          return m.sender + m.receiver + streams * m.both + m.link + m.between;
        });
  const bool apart = nodes() > 1;
  const double more = segments / streams - 1;  // rounds after the first, on each rank
  way_ += stepped(bytes, apart, [](const message_cost& m) { return m.answer; }) +
          more * round(bytes, streams, ranks_ > 2 ? streams : 0, apart, 1);
  work_ += per_node_ * segments * (ranks_ - 1) / ranks_ * effort(bytes, false);
  turns_ += ranks_ - 1 + more;
}

void cost_sum::fan(double bytes, double count, bool far, bool in, double rounds) noexcept {
  if (count <= 0) return;
  way_ += rounds * round(bytes, in ? 0 : count, in ? count : 0, far, 1);
  turns_ += rounds;
}

// The root of a subtree serves those below it one after another, all of the same width but for the
// last, which may be smaller; then it goes on as the root of one that is as wide. What a rank
// joins it joins when all below it have come.
void cost_sum::grow(double bytes, int radix, bool joins, int members, int stride,
                    double a_node) noexcept {
  const double sharers = stride > 1 ? a_node : 1;  // that send to other nodes at once
  const auto off = [&](int distance) { return stride > 1 ? ranks_ > per_node_ : far(distance); };
  const auto serve = [&](int distance) {
    return stepped(bytes, off(distance), [&](const message_cost& m) {
      return (joins ? m.receiver : m.sender) + m.both + m.link * sharers;
    });
  };
  const auto reach = [&](int distance) {
    return stepped(bytes, off(distance), [&](const message_cost& m) {
      return m.between + (joins ? m.sender : m.receiver);
    });
  };
  const auto joined = [&](double children) {
    return joins ? children * rules_.local(1, 0, bytes) : 0;
  };
  std::array<double, 32> full{};  // of radix^level ranks, before their root joins
  std::array<int, 32> width{1};
  std::size_t levels = 0;
  const auto below = [&](std::size_t level) { return static_cast<double>(level) * (radix - 1); };
  for (; width[levels] < members; ++levels) {
    const int distance = width[levels];
    full[levels + 1] =
        full[levels] + joined(below(levels)) + (radix - 1) * serve(distance) + reach(distance);
    width[levels + 1] = distance > members / radix ? members : distance * radix;
  }
  turns_ += static_cast<double>(levels);
  // From the leaves of the last, smaller subtree up: what is left when the full ones are taken off,
  // level by level.
  double rest = 0;  // of the last subtree so far
  int left = members;
  std::array<int, 32> lasts{};
  for (std::size_t top = levels; top > 0; --top) {
    const int distance = width[top - 1];
    lasts[top - 1] = left > distance ? (left - 1) / distance : 0;  // children at this distance
    left -= lasts[top - 1] * distance;
  }
  for (std::size_t level = 0; level != levels; ++level) {
    if (lasts[level] == 0) continue;
    const double o = serve(width[level]), l = reach(width[level]);
    const double first = lasts[level] > 1 ? o + l + full[level] + joined(below(level)) : 0;
    rest = std::max({first, lasts[level] * o + l + rest, lasts[level] * o + full[level]}) +
           joined(below(level) + lasts[level]);
  }
  way_ += rest + stepped(bytes, off(1), [](const message_cost& m) { return m.answer; });
  work_ += a_node * (members - 1) / members * (effort(bytes, stride > 1) + joined(1));
}

double cost_sum::star_takes(double bytes, bool in) const noexcept {
  const double near = per_node_ - 1, apart = ranks_ - per_node_;
  return (near > 0 ? round(bytes, in ? 0 : near, in ? near : 0, false, 1) : 0) +
         (apart > 0 ? round(bytes, in ? 0 : apart, in ? apart : 0, true, 1) : 0);
}

void cost_sum::all_to_all(double bytes) noexcept {
  const double near = per_node_ - 1, apart = ranks_ - per_node_;
  if (near > 0) way_ += round(bytes, near, near, false, 1);
  if (apart > 0) way_ += round(bytes, apart, apart, true, per_node_);
  work_ += per_node_ * (near * effort(bytes, false) + apart * effort(bytes, true));
  turns_ += 1;
}

void cost_sum::share_inside(double bytes, int owners, bool in) noexcept {
  const double others = per_node_ - 1;
  way_ += round(bytes, in ? owners - 1 : others, in ? others : owners - 1, false, 1);
  work_ += owners * others * effort(bytes, false);
  turns_ += 1;
}

// Ranks that wait give their core away to the next one, in turn: until a rank has what it waits
// for, all that share the core have run.
double cost_sum::total() const noexcept {
  if (!rules_.oversubscribed()) return way_;
  const double sharing = static_cast<double>(per_node_) / cores_;
  return std::max(way_, work_ / cores_) + (turns_ + 1) * sharing * rules_.change_of_ranks();
}

}  // namespace peal
