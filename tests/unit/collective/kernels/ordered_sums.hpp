// Sums of floating-point numbers whose bits depend on the order, and what they must be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include "peal/detail/core.hpp"

namespace peal::test {

using float_vector = std::vector<float>;

/// A vector of each rank: large and small numbers of both signs, so that another order of the same
/// sum gives other bits.
inline std::vector<float_vector> uneven(std::size_t ranks, std::size_t count) {
  std::mt19937 random{static_cast<unsigned>(ranks * 7919 + count)};
  std::vector<float_vector> made(ranks, float_vector(count));
  for (float_vector& of_rank : made)
    for (float& x : of_rank)
      x = (static_cast<float>(random()) / 3 - 7e8F) * (random() % 2 == 0 ? 1.0F : 1e-6F);
  return made;
}

inline float_vector plus(float_vector lower, const float_vector& higher) {
  for (std::size_t i = 0; i != lower.size(); ++i) lower[i] += higher[i];
  return lower;
}

inline float_vector sum_from_left(const std::vector<float_vector>& in, std::size_t ranks) {
  float_vector sum = in[0];
  for (std::size_t each = 1; each != ranks; ++each) sum = plus(sum, in[each]);
  return sum;
}

/// As many of the first ranks are joined by twos that a power of two is left; then always
/// neighbours.
inline float_vector sum_by_pairs(std::vector<float_vector> in) {
  std::size_t power = 1;
  while (2 * power <= in.size()) power *= 2;
  const std::size_t joined_first = in.size() - power;
  for (std::size_t at = 0; at != joined_first; ++at) {
    in[at] = plus(in[at], in[at + 1]);
    in.erase(in.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  for (; in.size() != 1; in.resize(in.size() / 2))
    for (std::size_t at = 0; at != in.size() / 2; ++at) in[at] = plus(in[2 * at], in[2 * at + 1]);
  return in[0];
}

/// A sum of blocks of so many floats.
inline detail::collective_call float_sum(detail::collective kind, const float* send, float* receive,
                                         std::size_t block) {
  detail::collective_call call;
  call.kind = kind;
  call.send = send;
  call.receive = receive;
  call.bytes = block * sizeof(float);
  call.type = detail::scalar::f32;
  call.element_size = sizeof(float);
  call.op = {.kind = detail::builtin::sum, .commutative = true};
  return call;
}

/// What a rank must have behind such a call; nothing where it has no result. `in`: the vectors of
/// all ranks, of reduce_scatter with a block for each.
inline float_vector wanted_sum(detail::collective kind, int root, std::size_t rank,
                               const std::vector<float_vector>& in) {
  using detail::collective;
  if (kind == collective::scan) return sum_from_left(in, rank + 1);
  if (kind == collective::exscan) return rank == 0 ? float_vector{} : sum_from_left(in, rank);
  if (kind == collective::reduce && static_cast<std::size_t>(root) != rank) return {};
  float_vector sum = sum_by_pairs(in);
  if (kind != collective::reduce_scatter) return sum;
  const std::size_t block = sum.size() / in.size();
  const auto first = sum.begin() + static_cast<std::ptrdiff_t>(rank * block);
  return {first, first + static_cast<std::ptrdiff_t>(block)};
}

inline bool same_bits(const float* one, const float_vector& other) {
  return std::memcmp(one, other.data(), other.size() * sizeof(float)) == 0;
}

/// Whether the sums of these depend on the order, so that something is tested by them.
inline bool depend_on_order(std::vector<float_vector> in) {
  const float_vector left = sum_from_left(in, in.size()), pairs = sum_by_pairs(in);
  std::ranges::reverse(in);
  const float_vector right = sum_from_left(in, in.size());
  return !same_bits(left.data(), right) && (in.size() < 4 || !same_bits(left.data(), pairs));
}

}  // namespace peal::test
