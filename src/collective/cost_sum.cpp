#include "collective/cost_sum.hpp"

#include <array>

namespace peal {

// A long message inside a node is copied by both sides at once, so that it takes the time of one
// copy, and both cores are busy with it. Where ranks outnumber cores the receiver copies it alone.
// Between nodes the adapters move it.
double cost_sum::bytes_take(double bytes, double out, double in, bool far,
                            double sharers) const noexcept {
  if (bytes <= 0) return 0;
  // copies of what is eager, by sender and receiver in turn
  const double both = std::max(out, 1.0) + std::max(in, 1.0);
  const double busier = std::max(out, in);
  const double copies = out > 0 && in > 0 ? out + in : busier;
  const auto eager = [&](double b) { return both * b / costs_.local_copy_rate; };
  if (far) {
    const double wire = busier * sharers / costs_.remote_rate;
    return stepped(
        bytes, remote_eager_bytes, [&](double b) { return eager(b) + b * wire; },
        [&](double b) { return costs_.remote_large_ns + b * wire; });
  }
  return stepped(bytes, local_eager_bytes, eager, [&](double b) {
    if (crowded_) return costs_.local_large_ns + std::max(in, 1.0) * b / costs_.local_direct_rate;
    return costs_.local_large_ns + copies * b / costs_.local_large_rate;
  });
}

double cost_sum::effort(double bytes, bool far) const noexcept {
  const double fixed = posting(far) + taking(far);
  if (bytes <= 0) return fixed;
  const auto eager = [&](double b) { return 2 * b / costs_.local_copy_rate; };
  if (far)
    return fixed + stepped(bytes, remote_eager_bytes, eager,
                           [&](double) { return eager(remote_eager_bytes); });
  return fixed + stepped(bytes, local_eager_bytes, eager, [&](double b) {
           return costs_.local_large_ns +
                  (crowded_ ? b / costs_.local_direct_rate : 2 * b / costs_.local_large_rate);
         });
}

void cost_sum::exchange(double bytes, int distance, double rounds, int sharers) noexcept {
  const bool apart = far(distance);
  const double sharing = sharers > 0 ? sharers : per_node_;
  way_ += rounds *
          (posting(apart) + delay(apart) + taking(apart) + bytes_take(bytes, 1, 1, apart, sharing));
  work_ += rounds * per_node_ * effort(bytes, apart && sharing > 1);
  turns_ += rounds;
}

void cost_sum::fan(double bytes, double count, int distance, double rounds) noexcept {
  if (count <= 0) return;
  const bool apart = far(distance);
  way_ +=
      rounds * (count * std::max(posting(apart), taking(apart)) + delay(apart) +
                std::min(posting(apart), taking(apart)) + bytes_take(bytes, count, 0, apart, 1));
  turns_ += rounds;
}

// The root of a subtree serves those below it one after another, all of the same width but for the
// last, which may be smaller; then it goes on as the root of one that is as wide.
void cost_sum::grow(double bytes, int radix, bool joins, int members, int stride,
                    double sharers) noexcept {
  const auto off = [&](int distance) { return stride > 1 ? ranks_ > per_node_ : far(distance); };
  const auto serve = [&](int distance) {
    const bool apart = off(distance);
    return std::max(posting(apart), taking(apart)) + bytes_take(bytes, 1, 0, apart, sharers) +
           (joins ? bytes / costs_.reduce_rate + costs_.step_ns : 0);
  };
  const auto reach = [&](int distance) {
    return delay(off(distance)) + std::min(posting(off(distance)), taking(off(distance)));
  };
  std::array<double, 32> full{};  // of radix^level ranks
  std::array<int, 32> width{1};
  std::size_t levels = 0;
  for (; width[levels] < members; ++levels) {
    const int distance = width[levels];
    full[levels + 1] = full[levels] + (radix - 1) * serve(distance) + reach(distance);
    width[levels + 1] = distance > members / radix ? members : distance * radix;
  }
  turns_ += static_cast<double>(levels);
  // From the leaves of the last, smaller subtree up: what is left when the full ones are taken off,
  // level by level.
  double rest = 0;  // of the last subtree so far
  int left = members;
  std::array<int, 32> lasts{};
  std::size_t top = levels;
  while (top > 0) {
    const int distance = width[top - 1];
    lasts[top - 1] = left > distance ? (left - 1) / distance : 0;  // children at this distance
    if (lasts[top - 1] > 0) left -= lasts[top - 1] * distance;
    --top;
  }
  for (std::size_t level = 0; level != levels; ++level) {
    if (lasts[level] == 0) continue;
    const double o = serve(width[level]), l = reach(width[level]);
    const double first = lasts[level] > 1 ? o + l + full[level] : 0;
    rest = std::max({first, lasts[level] * o + l + rest, lasts[level] * o + full[level]});
  }
  way_ += rest;
}

void cost_sum::star(double bytes) noexcept {
  const double near = per_node_ - 1, apart = ranks_ - per_node_;
  way_ += near * std::max(posting(false), taking(false)) +
          apart * std::max(posting(true), taking(true)) + delay(apart > 0);
  way_ += std::min(posting(apart > 0), taking(apart > 0));
  if (near > 0) way_ += bytes_take(bytes, 0, near, false, 1);
  if (apart > 0) way_ += bytes_take(bytes, 0, apart, true, 1);
  turns_ += 1;
}

void cost_sum::send_all(double bytes, double apart) noexcept {
  const double near = per_node_ - 1;
  way_ += near * (posting(false) + taking(false)) + apart * (posting(true) + taking(true)) +
          delay(apart > 0);
  if (near > 0) way_ += bytes_take(bytes, near, near, false, 1);
  if (apart > 0) way_ += bytes_take(bytes, apart, apart, true, per_node_);
  work_ += per_node_ * (near * effort(bytes, false) + apart * effort(bytes, true));
  turns_ += 1;
}

void cost_sum::pairwise(double bytes) noexcept {
  if (per_node_ > 1) exchange(bytes, 1, per_node_ - 1);
  if (ranks_ > per_node_) exchange(bytes, per_node_, ranks_ - per_node_);
}

// Ranks that wait give their core away to the next one, in turn: until a rank has what it waits
// for, all that share the core have run.
double cost_sum::total() const noexcept {
  if (!crowded_) return way_;
  const double sharing = static_cast<double>(per_node_) / cores_;
  return std::max(way_, work_ / cores_) + (turns_ + 1) * sharing * costs_.switch_ns;
}

}  // namespace peal
