// What a collective must give: the buffers of all ranks, made up from a seed, and what a loop over
// the ranks makes of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "peal/detail/core.hpp"

namespace peal::test {

using detail::collective;
using detail::collective_call;
using detail::is_reduction;
using byte_vector = std::vector<std::byte>;

// An element whose operation is associative and does not commute: x → scale · x + shift, composed,
// modulo 2^32.
struct map {
  std::uint32_t scale;
  std::uint32_t shift;
  friend bool operator==(const map&, const map&) = default;
};

inline map compose(map lower, map higher) {
  return {lower.scale * higher.scale, lower.scale * higher.shift + lower.shift};
}

inline void compose_all(void*, const void* in, void* inout, std::size_t count) {
  for (std::size_t i = 0; i != count; ++i)
    static_cast<map*>(inout)[i] =
        compose(static_cast<const map*>(in)[i], static_cast<map*>(inout)[i]);
}

// One rank's part of a call: its buffers and arrays, what must come out, and what must not change.
struct part {
  collective_call call;
  byte_vector send;
  byte_vector receive;
  byte_vector wanted_receive;
  byte_vector wanted_send;
  std::vector<std::size_t> send_bytes, send_offsets, receive_bytes, receive_offsets;

  void point() {
    call.send = call.in_place && call.kind != collective::scatter ? nullptr : send.data();
    call.receive = receive.data();
  }
};

inline std::byte content(std::size_t seed, int from, int to, std::size_t i) {
  return static_cast<std::byte>(
      (seed * 31 + static_cast<std::size_t>(from) * 7 + static_cast<std::size_t>(to) * 13 + i * 3) ^
      i >> 8);
}

struct request {
  detail::collective kind = detail::collective::barrier;
  int root = 0;
  std::size_t count = 0;  // elements of a reduction, else bytes
  bool in_place = false;
  bool varying = false;
  bool commutative = true;
  std::size_t seed = 0;     // of the lengths too
  std::size_t content = 0;  // of the data alone
};

class model {
 public:
  model(int size, const request& r)
      : size_{size}, asked_{r}, parts_(static_cast<std::size_t>(size)) {
    for (int rank = 0; rank != size; ++rank) fill(rank);
    for (part& each : parts_) each.point();
  }
  /// Other data in the same memory, as if nothing had been done yet.
  void renew(std::size_t content) {
    request other = asked_;
    other.content = content;
    model made{size_, other};
    asked_.content = content;
    for (int rank = 0; rank != size_; ++rank) {
      part& mine = of(rank);
      part& fresh = made.of(rank);
      std::ranges::copy(fresh.send, mine.send.begin());
      std::ranges::copy(fresh.receive, mine.receive.begin());
      mine.wanted_send = std::move(fresh.wanted_send);
      mine.wanted_receive = std::move(fresh.wanted_receive);
    }
  }
  part& of(int rank) { return parts_[static_cast<std::size_t>(rank)]; }
  void check(int rank) {
    const part& p = of(rank);
    byte_vector got = p.receive;
    // in place, more is undefined
    if (asked_.kind == collective::reduce_scatter) got.resize(p.wanted_receive.size());
    ASSERT_EQ(got, p.wanted_receive) << "rank " << rank;
    ASSERT_EQ(p.send, p.wanted_send) << "rank " << rank;
  }

 private:
  std::size_t data_seed() const { return asked_.seed + asked_.content * 1009; }
  std::size_t length(int from, int to) const {
    return asked_.varying ? (static_cast<std::size_t>(from) * 5 + static_cast<std::size_t>(to) * 3 +
                             asked_.seed) %
                                7 * asked_.count / 3
                          : asked_.count;
  }
  map element(int rank, std::size_t i) const {
    const auto x = static_cast<std::uint32_t>(rank) * 2654435761u +
                   static_cast<std::uint32_t>(i * 40503u + data_seed());
    return asked_.commutative ? map{x, x * 3} : map{x | 1, x >> 3};
  }
  template <class T>
  static void append(byte_vector& to, const T& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    to.insert(to.end(), bytes, bytes + sizeof(T));
  }
  static void put(byte_vector& into, std::size_t offset, const byte_vector& block) {
    if (into.size() < offset + block.size()) into.resize(offset + block.size());
    std::copy(block.begin(), block.end(), into.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  byte_vector block(int from, int to) const {
    byte_vector made(length(from, to));
    for (std::size_t i = 0; i != made.size(); ++i) made[i] = content(data_seed(), from, to, i);
    return made;
  }
  // Blocks one after the other, with a gap behind each in the varying form where offsets are given.
  byte_vector concatenated(auto block_of, std::vector<std::size_t>& sizes,
                           std::vector<std::size_t>& offsets) const {
    byte_vector all;
    for (int i = 0; i != size_; ++i) {
      const byte_vector one = block_of(i);
      sizes.push_back(one.size());
      offsets.push_back(all.size());
      put(all, all.size(), one);
      if (gaps()) all.resize(all.size() + 2);
    }
    return all;
  }
  bool gaps() const { return asked_.varying && asked_.seed % 2 == 0; }

  void fill(int rank) {
    part& p = of(rank);
    p.call.kind = asked_.kind;
    p.call.root = asked_.root;
    p.call.varying = asked_.varying;
    const bool root = rank == asked_.root;
    const bool rooted = asked_.kind == collective::reduce || asked_.kind == collective::gather ||
                        asked_.kind == collective::scatter;
    p.call.in_place = asked_.in_place && (!rooted || root);
    switch (asked_.kind) {
      case collective::barrier:
      case collective::neighbor_allgather:  // neighbors_test.cpp
      case collective::neighbor_alltoall: p.call.in_place = false; break;
      case collective::bcast: fill_bcast(p, root); break;
      case collective::reduce:
      case collective::allreduce:
      case collective::scan:
      case collective::exscan: fill_reduction(p, rank, root); break;
      case collective::reduce_scatter: fill_reduce_scatter(p, rank); break;
      case collective::gather:
      case collective::allgather: fill_gather(p, rank, root); break;
      case collective::scatter: fill_scatter(p, rank, root); break;
      case collective::alltoall: fill_alltoall(p, rank); break;
    }
    p.wanted_send = p.send;
    if (p.wanted_receive.size() < p.receive.size() && asked_.kind != collective::reduce_scatter)
      p.wanted_receive.resize(p.receive.size());
  }
  void fill_bcast(part& p, bool root) {
    p.call.in_place = false;
    p.call.bytes = asked_.count;
    p.wanted_receive = block(asked_.root, 0);
    p.wanted_receive.resize(asked_.count);
    p.receive = root ? p.wanted_receive : byte_vector(asked_.count);
  }
  void give_operation(part& p) const {
    p.call.element_size = sizeof(map);
    if (asked_.commutative) {
      p.call.type = detail::scalar::u32;
      p.call.element_size = sizeof(std::uint32_t);
      p.call.op = {.kind = detail::builtin::sum, .commutative = true};
    } else {
      p.call.op = {.kind = detail::builtin::none, .commutative = false, .combine = compose_all};
    }
  }
  // Elements [first, first + count) of the ranks below `ranks`, joined.
  byte_vector joined(int ranks, std::size_t first, std::size_t count) const {
    byte_vector made;
    for (std::size_t i = first; i != first + count; ++i) {
      map sum = element(0, i);
      for (int r = 1; r != ranks; ++r) {
        const map next = element(r, i);
        sum = asked_.commutative ? map{sum.scale + next.scale, sum.shift + next.shift}
                                 : compose(sum, next);
      }
      append(made, sum);
    }
    return made;
  }
  byte_vector vector_of(int rank, std::size_t count) const {
    byte_vector made;
    for (std::size_t i = 0; i != count; ++i) append(made, element(rank, i));
    return made;
  }
  void fill_reduction(part& p, int rank, bool root) {
    p.call.bytes = asked_.count * sizeof(map);
    give_operation(p);
    const byte_vector own = vector_of(rank, asked_.count);
    if (asked_.kind != collective::reduce || root) {
      p.receive = p.call.in_place ? own : byte_vector(own.size());
      const int ranks = asked_.kind == collective::scan     ? rank + 1
                        : asked_.kind == collective::exscan ? rank
                                                            : size_;
      p.wanted_receive = ranks == 0 ? p.receive : joined(ranks, 0, asked_.count);
    }
    if (!p.call.in_place) p.send = own;
  }
  void fill_reduce_scatter(part& p, int rank) {
    std::size_t before = 0;
    std::size_t total = 0;
    for (int r = 0; r != size_; ++r) {
      if (r == rank) before = total;
      p.send_bytes.push_back(length(r, 0) * sizeof(map));
      total += length(r, 0);
    }
    p.call.bytes = length(rank, 0) * sizeof(map);
    give_operation(p);
    if (asked_.varying) p.call.send_bytes = p.send_bytes.data();
    (p.call.in_place ? p.receive : p.send) = vector_of(rank, total);
    if (!p.call.in_place) p.receive.resize(p.call.bytes);
    p.wanted_receive = joined(size_, before, length(rank, 0));
  }
  void fill_gather(part& p, int rank, bool root) {
    const byte_vector own = block(rank, 0);
    p.call.bytes = own.size();
    if (!p.call.in_place) p.send = own;
    if (asked_.kind == collective::gather && !root) return;
    const auto r = static_cast<std::size_t>(rank);
    p.wanted_receive =
        concatenated([&](int i) { return block(i, 0); }, p.receive_bytes, p.receive_offsets);
    p.receive.resize(p.wanted_receive.size());
    if (p.call.in_place) put(p.receive, p.receive_offsets[r], own);
    give_arrays(p.receive_bytes, p.receive_offsets, p.call.receive_bytes, p.call.receive_offsets);
  }
  void fill_scatter(part& p, int rank, bool root) {
    const byte_vector own = block(asked_.root, rank);
    p.call.bytes = own.size();
    if (!p.call.in_place) {
      p.wanted_receive = own;
      p.receive.resize(own.size());
    }
    if (!root) return;
    p.send = concatenated([&](int i) { return block(rank, i); }, p.send_bytes, p.send_offsets);
    give_arrays(p.send_bytes, p.send_offsets, p.call.send_bytes, p.call.send_offsets);
  }
  void fill_alltoall(part& p, int rank) {
    p.call.bytes = asked_.count;
    if (p.call.in_place) {
      // A pair swaps blocks of one size.
      const auto both = [&](int from, int to) {
        byte_vector made(length(std::min(from, to), std::max(from, to)));
        for (std::size_t i = 0; i != made.size(); ++i) made[i] = content(data_seed(), from, to, i);
        return made;
      };
      p.wanted_receive =
          concatenated([&](int i) { return both(i, rank); }, p.receive_bytes, p.receive_offsets);
      std::vector<std::size_t> sizes, offsets;
      p.receive = concatenated([&](int i) { return both(rank, i); }, sizes, offsets);
    } else {
      p.wanted_receive =
          concatenated([&](int i) { return block(i, rank); }, p.receive_bytes, p.receive_offsets);
      p.receive.resize(p.wanted_receive.size());
      p.send = concatenated([&](int i) { return block(rank, i); }, p.send_bytes, p.send_offsets);
      give_arrays(p.send_bytes, p.send_offsets, p.call.send_bytes, p.call.send_offsets);
    }
    give_arrays(p.receive_bytes, p.receive_offsets, p.call.receive_bytes, p.call.receive_offsets);
  }
  void give_arrays(const std::vector<std::size_t>& sizes, const std::vector<std::size_t>& offsets,
                   const std::size_t*& to_sizes, const std::size_t*& to_offsets) const {
    if (!asked_.varying) return;
    to_sizes = sizes.data();
    if (gaps()) to_offsets = offsets.data();
  }

  int size_;
  request asked_;
  std::vector<part> parts_;
};

inline request random_request(std::mt19937& random, int size) {
  request r;
  r.kind = static_cast<collective>(random() % detail::collectives_in_all);
  r.root = static_cast<int>(random() % static_cast<unsigned>(size));
  r.count = std::array<std::size_t, 6>{0, 1, 8, 60, 600, 5000}[random() % 6];
  r.in_place = random() % 3 == 0;
  r.commutative = random() % 2 == 0;
  r.varying = random() % 3 == 0 && r.kind != collective::bcast &&
              (!is_reduction(r.kind) || r.kind == collective::reduce_scatter);
  r.seed = random() % 100;
  return r;
}

}  // namespace peal::test
