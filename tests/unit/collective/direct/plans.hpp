// Random calls of every kind, with what each rank should get.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <system_error>
#include <vector>

#include "peal/detail/core.hpp"

namespace peal::test {

using detail::collective;
using detail::collective_call;
using word = std::uint32_t;

/// x → a x + b in arithmetic modulo 2^16: joins of these are associative, and do not commute.
struct map {
  std::uint16_t a, b;
  friend bool operator==(const map&, const map&) = default;
};
inline map then(map first, map second) {
  return {static_cast<std::uint16_t>(second.a * first.a),
          static_cast<std::uint16_t>(second.a * first.b + second.b)};
}
inline void join_maps(void*, const void* in, void* inout, std::size_t count) {
  for (std::size_t i = 0; i != count; ++i)
    static_cast<map*>(inout)[i] =
        then(static_cast<const map*>(in)[i], static_cast<const map*>(inout)[i]);
}

/// An allreduce that sums one word of each rank.
inline collective_call sum_of(const word& value, word& sum) {
  collective_call call;
  call.kind = collective::allreduce;
  call.send = &value;
  call.receive = &sum;
  call.bytes = call.element_size = sizeof value;
  call.type = detail::scalar::u32;
  call.op.kind = detail::builtin::sum;
  return call;
}

inline constexpr std::array kinds{
    collective::barrier,        collective::bcast,   collective::reduce,    collective::allreduce,
    collective::gather,         collective::scatter, collective::allgather, collective::alltoall,
    collective::reduce_scatter, collective::scan,    collective::exscan};

/// One call as all ranks know it.
struct plan {
  collective kind;
  int root;
  std::size_t elements;  // of a block
  bool in_place;
  bool own_function;
  std::uint32_t seed;
};

/// What rank gives as element i. For the function of our own it is a map.
inline word given(const plan& p, int rank, std::size_t i) {
  const auto mixed = (p.seed * 2654435761u) ^ (static_cast<std::uint32_t>(rank) * 40503u +
                                               static_cast<std::uint32_t>(i) * 97u);
  return mixed * 2246822519u;
}

inline word joined(const plan& p, int first, int last, std::size_t i) {
  word sum = given(p, first, i);
  for (int rank = first + 1; rank <= last; ++rank) {
    const word next = given(p, rank, i);
    if (!p.own_function) {
      sum += next;
      continue;
    }
    map one, two;
    std::memcpy(&one, &sum, sizeof one);
    std::memcpy(&two, &next, sizeof two);
    one = then(one, two);
    std::memcpy(&sum, &one, sizeof sum);
  }
  return sum;
}

inline plan random_plan(std::mt19937& random, int size, std::size_t longest) {
  plan p{};
  p.kind = kinds[random() % kinds.size()];
  p.root = static_cast<int>(random() % static_cast<unsigned>(size));
  const bool all = p.kind == collective::alltoall || p.kind == collective::scatter ||
                   p.kind == collective::reduce_scatter;
  const std::size_t most = longest / sizeof(word) / (all ? static_cast<std::size_t>(size) : 1);
  p.elements = random() % 3 != 0 ? 1 + random() % 3 : 1 + random() % most;
  p.in_place = random() % 3 == 0;
  p.own_function = detail::is_reduction(p.kind) && random() % 2 == 0;
  p.seed = static_cast<std::uint32_t>(random());
  return p;
}

/// One rank's buffers, call and expectation.
struct part {
  part(const plan& p, int rank, int size);

  std::vector<word> send, receive, expected;
  collective_call call;
};

inline part::part(const plan& p, int rank, int size) {
  const auto ranks = static_cast<std::size_t>(size);
  const std::size_t n = p.elements, own = static_cast<std::size_t>(rank);
  const bool root = rank == p.root;
  constexpr word untouched = 0xdeadbeef;
  const auto vector = [&](int of, std::size_t count, std::size_t from = 0) {
    std::vector<word> made(count);
    for (std::size_t i = 0; i != count; ++i) made[i] = given(p, of, from + i);
    return made;
  };
  const auto reduced = [&](int first, int last, std::size_t from = 0) {
    std::vector<word> made(n);
    for (std::size_t i = 0; i != n; ++i) made[i] = joined(p, first, last, from + i);
    return made;
  };
  call.kind = p.kind;
  call.root = p.root;
  call.bytes = p.kind == collective::barrier ? 0 : n * sizeof(word);
  bool in_place = p.in_place;
  switch (p.kind) {
    case collective::barrier: break;
    case collective::bcast:
      receive = root ? vector(rank, n) : std::vector<word>(n, untouched);
      expected = vector(p.root, n);
      break;
    case collective::reduce:
      in_place = in_place && root;
      send = vector(rank, n);
      if (root) receive.assign(n, untouched);
      if (root) expected = reduced(0, size - 1);
      break;
    case collective::allreduce:
    case collective::scan:
    case collective::exscan:
      send = vector(rank, n);
      receive.assign(n, untouched);
      if (p.kind == collective::exscan && rank == 0) expected = in_place ? send : receive;
      else
        expected = reduced(0, p.kind == collective::allreduce ? size - 1
                              : p.kind == collective::scan    ? rank
                                                              : rank - 1);
      break;
    case collective::gather:
    case collective::allgather: {
      const bool gets = root || p.kind == collective::allgather;
      in_place = in_place && gets;
      send = vector(rank, n);
      if (!gets) break;
      receive.assign(n * ranks, untouched);
      for (int each = 0; each != size; ++each) {
        const auto block = vector(each, n);
        expected.insert(expected.end(), block.begin(), block.end());
      }
      break;
    }
    case collective::scatter:
      in_place = in_place && root;
      if (root) send = vector(rank, n * ranks);
      receive.assign(n, untouched);
      expected = in_place ? receive : vector(p.root, n, own * n);
      break;
    case collective::alltoall:
      send = vector(rank, n * ranks);
      receive.assign(n * ranks, untouched);
      for (int each = 0; each != size; ++each) {
        const auto block = vector(each, n, own * n);
        expected.insert(expected.end(), block.begin(), block.end());
      }
      break;
    case collective::reduce_scatter:
      send = vector(rank, n * ranks);
      receive.assign(in_place ? n * ranks : n, untouched);
      expected = reduced(0, size - 1, own * n);
      break;
    case collective::neighbor_allgather:
    case collective::neighbor_alltoall: break;  // not among the kinds
  }
  if (in_place && !send.empty() && p.kind != collective::scatter) {
    const bool block = p.kind == collective::gather || p.kind == collective::allgather;
    std::copy(send.begin(), send.end(),
              receive.begin() + static_cast<std::ptrdiff_t>(block ? own * n : 0));
    send.clear();
  }
  call.in_place = in_place;
  call.send = send.empty() ? nullptr : send.data();
  call.receive = receive.empty() ? nullptr : receive.data();
  if (!detail::is_reduction(p.kind)) return;
  call.element_size = sizeof(word);
  call.type = p.own_function ? detail::scalar::opaque : detail::scalar::u32;
  if (p.own_function)
    call.op = {.kind = detail::builtin::none, .commutative = false, .combine = join_maps};
  else call.op = {.kind = detail::builtin::sum, .commutative = true};
}

/// Whether the call has given what it should, and left alone what it was given.
inline testing::AssertionResult is_right(const plan& p, const part& after,
                                         const std::vector<word>& sent, std::error_code became) {
  if (!became && after.receive == after.expected && after.send == sent)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "collective " << static_cast<int>(p.kind) << ", root " << p.root << ", " << p.elements
         << " elements: " << became.message();
}

}  // namespace peal::test
