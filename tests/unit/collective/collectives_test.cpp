// Collectives from call to result: all ranks in one process over real messaging, in random orders of arrival, beside a sequential model.
#include "collective/collectives.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "collective/algorithms.hpp"
#include "peal/error.hpp"
#include "unit/collective/ranks_in_one.hpp"

namespace {

using namespace peal;
using detail::collective;
using detail::is_reduction;
using test::job;
using byte_vector = std::vector<std::byte>;

constexpr std::array variable_names{"PEAL_BARRIER",        "PEAL_BCAST",   "PEAL_REDUCE",    "PEAL_ALLREDUCE",
                                    "PEAL_GATHER",         "PEAL_SCATTER", "PEAL_ALLGATHER", "PEAL_ALLTOALL",
                                    "PEAL_REDUCE_SCATTER", "PEAL_SCAN",    "PEAL_EXSCAN"};

class forced_algorithm {
 public:
  explicit forced_algorithm(const algorithm& a) : name_{variable_names[static_cast<std::size_t>(a.kind)]} {
    setenv(name_, std::string{a.name}.c_str(), 1);
  }
  ~forced_algorithm() { unsetenv(name_); }

 private:
  const char* name_;
};

// An element whose operation is associative and does not commute: x → scale · x + shift, composed, modulo 2^32.
struct map {
  std::uint32_t scale;
  std::uint32_t shift;
  friend bool operator==(const map&, const map&) = default;
};

map compose(map lower, map higher) { return {lower.scale * higher.scale, lower.scale * higher.shift + lower.shift}; }

void compose_all(void*, const void* in, void* inout, std::size_t count) {
  for (std::size_t i = 0; i != count; ++i)
    static_cast<map*>(inout)[i] = compose(static_cast<const map*>(in)[i], static_cast<map*>(inout)[i]);
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

std::byte content(std::size_t seed, int from, int to, std::size_t i) {
  return static_cast<std::byte>((seed * 31 + static_cast<std::size_t>(from) * 7 + static_cast<std::size_t>(to) * 13 + i * 3) ^ i >> 8);
}

struct request {
  collective kind = collective::barrier;
  int root = 0;
  std::size_t count = 0;  // elements of a reduction, else bytes
  bool in_place = false;
  bool varying = false;
  bool commutative = true;
  std::size_t seed = 0;
};

class model {
 public:
  model(int size, const request& r) : size_{size}, asked_{r}, parts_(static_cast<std::size_t>(size)) {
    for (int rank = 0; rank != size; ++rank) fill(rank);
    for (part& each : parts_) each.point();
  }
  part& of(int rank) { return parts_[static_cast<std::size_t>(rank)]; }
  void check(int rank) {
    const part& p = of(rank);
    byte_vector got = p.receive;
    if (asked_.kind == collective::reduce_scatter) got.resize(p.wanted_receive.size());  // in place, more is undefined
    ASSERT_EQ(got, p.wanted_receive) << "rank " << rank;
    ASSERT_EQ(p.send, p.wanted_send) << "rank " << rank;
  }

 private:
  std::size_t length(int from, int to) const {
    return asked_.varying ? (static_cast<std::size_t>(from) * 5 + static_cast<std::size_t>(to) * 3 + asked_.seed) % 7 * asked_.count / 3
                          : asked_.count;
  }
  map element(int rank, std::size_t i) const {
    const auto x = static_cast<std::uint32_t>(rank) * 2654435761u + static_cast<std::uint32_t>(i * 40503u + asked_.seed);
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
    for (std::size_t i = 0; i != made.size(); ++i) made[i] = content(asked_.seed, from, to, i);
    return made;
  }
  // Blocks one after the other, with a gap behind each in the varying form where offsets are given.
  byte_vector concatenated(auto block_of, std::vector<std::size_t>& sizes, std::vector<std::size_t>& offsets) const {
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
    const bool rooted = asked_.kind == collective::reduce || asked_.kind == collective::gather || asked_.kind == collective::scatter;
    p.call.in_place = asked_.in_place && (!rooted || root);
    switch (asked_.kind) {
      case collective::barrier: p.call.in_place = false; break;
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
    if (p.wanted_receive.size() < p.receive.size() && asked_.kind != collective::reduce_scatter) p.wanted_receive.resize(p.receive.size());
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
        sum = asked_.commutative ? map{sum.scale + next.scale, sum.shift + next.shift} : compose(sum, next);
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
      const int ranks = asked_.kind == collective::scan ? rank + 1 : asked_.kind == collective::exscan ? rank : size_;
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
    p.wanted_receive = concatenated([&](int i) { return block(i, 0); }, p.receive_bytes, p.receive_offsets);
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
        for (std::size_t i = 0; i != made.size(); ++i) made[i] = content(asked_.seed, from, to, i);
        return made;
      };
      p.wanted_receive = concatenated([&](int i) { return both(i, rank); }, p.receive_bytes, p.receive_offsets);
      std::vector<std::size_t> sizes, offsets;
      p.receive = concatenated([&](int i) { return both(rank, i); }, sizes, offsets);
    } else {
      p.wanted_receive = concatenated([&](int i) { return block(i, rank); }, p.receive_bytes, p.receive_offsets);
      p.receive.resize(p.wanted_receive.size());
      p.send = concatenated([&](int i) { return block(rank, i); }, p.send_bytes, p.send_offsets);
      give_arrays(p.send_bytes, p.send_offsets, p.call.send_bytes, p.call.send_offsets);
    }
    give_arrays(p.receive_bytes, p.receive_offsets, p.call.receive_bytes, p.call.receive_offsets);
  }
  void give_arrays(const std::vector<std::size_t>& sizes, const std::vector<std::size_t>& offsets, const std::size_t*& to_sizes,
                   const std::size_t*& to_offsets) const {
    if (!asked_.varying) return;
    to_sizes = sizes.data();
    if (gaps()) to_offsets = offsets.data();
  }

  int size_;
  request asked_;
  std::vector<part> parts_;
};

void run_all(job& ranks, const std::vector<request>& requests) {
  std::vector<std::unique_ptr<model>> models;
  std::vector<operation*> operations;
  for (const request& r : requests) {
    models.push_back(std::make_unique<model>(ranks.size(), r));
    for (int rank = 0; rank != ranks.size(); ++rank) operations.push_back(&ranks.start(rank, models.back()->of(rank).call));
  }
  ASSERT_TRUE(ranks.finish(operations)) << "stuck";
  std::size_t i = 0;
  for (auto& each : models)
    for (int rank = 0; rank != ranks.size(); ++rank) {
      const outcome result = ranks.release(rank, *operations[i++]);
      ASSERT_FALSE(result.error) << result.error.message();
      each->check(rank);
      if (testing::Test::HasFatalFailure()) return;
    }
}

class algorithm_end_to_end : public testing::TestWithParam<algorithm> {};

TEST_P(algorithm_end_to_end, gives_the_models_result) {
  const forced_algorithm forced{GetParam()};
  for (const int size : {1, 2, 3, 4, 5, 8, 11}) {
    job ranks{size, static_cast<unsigned>(size)};
    std::size_t seed = 0;
    for (const std::size_t count : {0, 1, 3, 50, 700})
      for (const bool in_place : {false, true})
        for (const bool other : {false, true}) {
          request r{.kind = GetParam().kind,
                    .root = static_cast<int>(seed % static_cast<std::size_t>(size)),
                    .count = count,
                    .in_place = in_place,
                    .seed = seed++};
          if (is_reduction(r.kind)) r.commutative = !other;
          if (!is_reduction(r.kind) || r.kind == collective::reduce_scatter)
            r.varying = r.kind != collective::bcast && (is_reduction(r.kind) ? seed % 3 == 0 : other);
          run_all(ranks, {r});
          if (HasFatalFailure()) {
            ADD_FAILURE() << fmt::format("{} ranks, root {}, count {}, in place {}, other {}", size, r.root, count, in_place, other);
            return;
          }
        }
  }
}

// Long vectors are cut into segments that run in several lanes.
TEST_P(algorithm_end_to_end, gives_the_models_result_for_long_vectors) {
  const forced_algorithm forced{GetParam()};
  for (const int size : {2, 3, 4}) {
    job ranks{size, 3};
    for (const bool in_place : {false, true}) {
      const std::size_t count = GetParam().kind == collective::bcast ? 1500000 : GetParam().segmentable ? 180001 : 100001;
      run_all(ranks, {request{.kind = GetParam().kind, .root = size - 1, .count = count, .in_place = in_place, .seed = 1}});
      if (HasFatalFailure()) return;
    }
  }
}

std::string name_of(const testing::TestParamInfo<algorithm>& info) {
  std::string variable = variable_names[static_cast<std::size_t>(info.param.kind)];
  std::ranges::transform(variable, variable.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
  return variable.substr(5) + "_" + std::string{info.param.name};
}
INSTANTIATE_TEST_SUITE_P(collective, algorithm_end_to_end, testing::ValuesIn(all_algorithms().begin(), all_algorithms().end()), name_of);

request random_request(std::mt19937& random, int size) {
  request r;
  r.kind = static_cast<collective>(random() % detail::collectives_in_all);
  r.root = static_cast<int>(random() % static_cast<unsigned>(size));
  r.count = std::array<std::size_t, 6>{0, 1, 8, 60, 600, 5000}[random() % 6];
  r.in_place = random() % 3 == 0;
  r.commutative = random() % 2 == 0;
  r.varying = random() % 3 == 0 && r.kind != collective::bcast && (!is_reduction(r.kind) || r.kind == collective::reduce_scatter);
  r.seed = random() % 100;
  return r;
}

TEST(collectives, do_not_mix_when_many_are_under_way) {
  for (const int size : {2, 3, 5, 8}) {
    job ranks{size, static_cast<unsigned>(17 * size)};
    for (int repeat = 0; repeat != 12; ++repeat) {
      std::vector<request> requests;
      for (int i = 0; i != 25; ++i) requests.push_back(random_request(ranks.random(), size));
      run_all(ranks, requests);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(collectives, of_one_rank_are_over_at_once) {
  job alone{1};
  for (const collective kind :
       {collective::barrier, collective::bcast, collective::reduce, collective::allreduce, collective::gather, collective::scatter,
        collective::allgather, collective::alltoall, collective::reduce_scatter, collective::scan, collective::exscan}) {
    model m{1, {.kind = kind, .count = 40}};
    operation& over = alone.start(0, m.of(0).call);
    EXPECT_TRUE(over.finished);
    alone.release(0, over);
    m.check(0);
  }
}

// Sums of floats depend on the order of the operands: all ranks must see the same one.
TEST_P(algorithm_end_to_end, gives_every_rank_the_same_bits) {
  if (GetParam().kind != collective::allreduce) return;
  const forced_algorithm forced{GetParam()};
  for (int size = 2; size <= 17; ++size) {
    job ranks{size, 9};
    constexpr std::size_t count = 37;
    std::vector<std::vector<float>> in(static_cast<std::size_t>(size), std::vector<float>(count));
    std::vector<std::vector<float>> out = in;
    std::vector<operation*> operations;
    for (int rank = 0; rank != size; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      for (float& x : in[r]) x = static_cast<float>(ranks.random()()) / 3e5f - 5000.0f;
      collective_call call;
      call.kind = collective::allreduce;
      call.send = in[r].data();
      call.receive = out[r].data();
      call.bytes = count * sizeof(float);
      call.type = detail::scalar::f32;
      call.element_size = sizeof(float);
      call.op = {.kind = detail::builtin::sum, .commutative = true};
      operations.push_back(&ranks.start(rank, call));
    }
    ASSERT_TRUE(ranks.finish(operations));
    for (int rank = 0; rank != size; ++rank) {
      ranks.release(rank, *operations[static_cast<std::size_t>(rank)]);
      ASSERT_EQ(std::memcmp(out[static_cast<std::size_t>(rank)].data(), out[0].data(), count * sizeof(float)), 0)
          << size << " ranks, rank " << rank;
    }
  }
}

// Where each rank has another part of the result, it must be the same in every run, whatever the order of arrival.
TEST_P(algorithm_end_to_end, gives_the_same_bits_again) {
  const collective kind = GetParam().kind;
  if (!is_reduction(kind)) return;
  const forced_algorithm forced{GetParam()};
  for (int size = 2; size <= 17; ++size) {
    const auto n = static_cast<std::size_t>(size);
    const std::size_t count = 5 * n;
    std::vector<std::vector<float>> first;
    for (const unsigned seed : {1u, 2u, 3u}) {
      job ranks{size, seed};
      std::mt19937 random{9};
      std::vector<std::vector<float>> in(n, std::vector<float>(count));
      std::vector<std::vector<float>> out = in;
      std::vector<operation*> operations;
      for (std::size_t rank = 0; rank != n; ++rank) {
        for (float& x : in[rank]) x = static_cast<float>(random()) / 3e5f - 5000.0f;
        collective_call call;
        call.kind = kind;
        call.send = in[rank].data();
        call.receive = out[rank].data();
        call.bytes = (kind == collective::reduce_scatter ? 5 : count) * sizeof(float);
        call.type = detail::scalar::f32;
        call.element_size = sizeof(float);
        call.op = {.kind = detail::builtin::sum, .commutative = true};
        operations.push_back(&ranks.start(static_cast<int>(rank), call));
      }
      ASSERT_TRUE(ranks.finish(operations));
      for (std::size_t rank = 0; rank != n; ++rank) ranks.release(static_cast<int>(rank), *operations[rank]);
      if (first.empty()) first = out;
      for (std::size_t rank = 0; rank != n; ++rank)
        ASSERT_EQ(std::memcmp(out[rank].data(), first[rank].data(), count * sizeof(float)), 0) << size << " ranks, rank " << rank;
    }
  }
}

}  // namespace
