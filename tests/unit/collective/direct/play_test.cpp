#include "collective/direct/play.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "peal/error.hpp"
#include "unit/collective/direct/ranks_in_threads.hpp"

namespace {

using namespace peal;
using namespace peal::direct;
using detail::collective;
using detail::collective_call;
using test::as_ranks;
using test::run;
using word = std::uint32_t;

/// x → a x + b in arithmetic modulo 2^16: joins of these are associative, and do not commute.
struct map {
  std::uint16_t a, b;
  friend bool operator==(const map&, const map&) = default;
};
map then(map first, map second) {
  return {static_cast<std::uint16_t>(second.a * first.a), static_cast<std::uint16_t>(second.a * first.b + second.b)};
}
void join_maps(void*, const void* in, void* inout, std::size_t count) {
  for (std::size_t i = 0; i != count; ++i)
    static_cast<map*>(inout)[i] = then(static_cast<const map*>(in)[i], static_cast<const map*>(inout)[i]);
}

constexpr std::array kinds{collective::barrier,        collective::bcast,   collective::reduce,    collective::allreduce,
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
word given(const plan& p, int rank, std::size_t i) {
  const auto mixed = (p.seed * 2654435761u) ^ (static_cast<std::uint32_t>(rank) * 40503u + static_cast<std::uint32_t>(i) * 97u);
  return mixed * 2246822519u;
}

word joined(const plan& p, int first, int last, std::size_t i) {
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

plan random_plan(std::mt19937& random, int size, std::size_t longest) {
  plan p{};
  p.kind = kinds[random() % kinds.size()];
  p.root = static_cast<int>(random() % static_cast<unsigned>(size));
  const bool all = p.kind == collective::alltoall || p.kind == collective::scatter || p.kind == collective::reduce_scatter;
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

part::part(const plan& p, int rank, int size) {
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
      else expected = reduced(0, p.kind == collective::allreduce ? size - 1 : p.kind == collective::scan ? rank : rank - 1);
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
    std::copy(send.begin(), send.end(), receive.begin() + static_cast<std::ptrdiff_t>(block ? own * n : 0));
    send.clear();
  }
  call.in_place = in_place;
  call.send = send.empty() ? nullptr : send.data();
  call.receive = receive.empty() ? nullptr : receive.data();
  if (!detail::is_reduction(p.kind)) return;
  call.element_size = sizeof(word);
  call.type = p.own_function ? detail::scalar::opaque : detail::scalar::u32;
  if (p.own_function) call.op = {.kind = detail::builtin::none, .commutative = false, .combine = join_maps};
  else call.op = {.kind = detail::builtin::sum, .commutative = true};
}

class direct_play_of : public testing::TestWithParam<int> {};

// Of all kinds and roots one right behind the other, some ranks far ahead of others: what is written over too early shows.
TEST_P(direct_play_of, random_calls_back_to_back_give_what_they_should) {
  const int size = GetParam();
  constexpr int calls = 1500;
  std::atomic<int> wrong{0};
  as_ranks(size, [&](int rank, flags& own) {
    std::mt19937 plans{static_cast<unsigned>(size)}, pauses{static_cast<unsigned>(rank)};
    for (int i = 0; i != calls; ++i) {
      const plan p = random_plan(plans, size, area_bytes);
      part mine{p, rank, size};
      const auto sent = mine.send;
      ASSERT_TRUE(fits(mine.call, size));
      const std::error_code became = run(own, mine.call);
      mine.receive.resize(std::min(mine.receive.size(), mine.expected.size()));  // reduce_scatter in place leaves more
      if (became || mine.receive != mine.expected || mine.send != sent) {
        ++wrong;
        ADD_FAILURE() << "call " << i << ", collective " << static_cast<int>(p.kind) << ", rank " << rank << ", root " << p.root << ", "
                      << p.elements << " elements: " << became.message();
        if (became) return;
      }
      for (auto pause = pauses() % 40 == 0 ? pauses() % 20 : 0; pause != 0; --pause) sched_yield();
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}
INSTANTIATE_TEST_SUITE_P(direct, direct_play_of, testing::Values(2, 3, 5, 8));

struct sometimes {
  bool throws = false;
};
void add_or_throw(void* context, const void* in, void* inout, std::size_t count) {
  if (static_cast<sometimes*>(context)->throws) throw std::runtime_error{"not today"};
  for (std::size_t i = 0; i != count; ++i) static_cast<word*>(inout)[i] += static_cast<const word*>(in)[i];
}

TEST(direct_play, an_operation_that_throws_throws_there_and_the_others_have_their_results) {
  constexpr int size = 4, bad = 2;
  as_ranks(size, [&](int rank, flags& own) {
    for (const collective kind : {collective::allreduce, collective::reduce, collective::scan, collective::reduce_scatter})
      for (const bool throws : {true, false}) {
        sometimes context{throws && rank == bad};
        std::array<word, size> send{1, 1, 1, 1};
        word receive = 0;
        collective_call call;
        call.kind = kind;
        call.root = 0;
        call.send = send.data();
        call.receive = &receive;
        call.bytes = call.element_size = sizeof(word);
        call.op = {.kind = detail::builtin::none, .commutative = true, .combine = add_or_throw, .context = &context};
        const bool joins = kind != collective::reduce || rank == 0;
        if (context.throws && joins) {
          EXPECT_THROW((void)run(own, call), std::runtime_error);
          continue;
        }
        EXPECT_FALSE(run(own, call));
        if (joins) {
          EXPECT_EQ(receive, kind == collective::scan ? static_cast<word>(rank) + 1 : static_cast<word>(size));
        }
      }
  });
}

TEST(direct_play, an_operation_that_the_type_does_not_have_is_refused_on_every_rank) {
  as_ranks(2, [&](int, flags& own) {
    float value = 1, sum = 0;
    collective_call call;
    call.kind = collective::allreduce;
    call.send = &value;
    call.receive = &sum;
    call.bytes = call.element_size = sizeof value;
    call.type = detail::scalar::f32;
    call.op.kind = detail::builtin::bxor;
    EXPECT_EQ(run(own, call), errc::invalid_argument);
    call.op.kind = detail::builtin::sum;
    EXPECT_FALSE(run(own, call));
    EXPECT_EQ(sum, 2);
  });
}

TEST(direct_play, other_lengths_and_other_collectives_are_errors_and_no_data) {
  as_ranks(2, [&](int rank, flags& own) {
    std::array<word, 4> data{1, 2, 3, 4};
    collective_call call;
    call.kind = collective::bcast;
    call.root = 0;
    call.receive = data.data();
    call.bytes = rank == 0 ? 16 : 8;
    EXPECT_EQ(run(own, call), rank == 0 ? std::error_code{} : make_error_code(errc::truncated));
    call.bytes = rank == 0 ? 4 : 8;
    EXPECT_EQ(run(own, call), rank == 0 ? std::error_code{} : make_error_code(errc::invalid_argument));
    call.bytes = 8;
    if (rank == 0) call.kind = collective::scatter;
    if (rank == 0) call.send = data.data(), call.in_place = true;
    EXPECT_EQ(run(own, call), rank == 0 ? std::error_code{} : make_error_code(errc::invalid_argument));
    EXPECT_EQ(data, (std::array<word, 4>{1, 2, 3, 4}));
  });
}

TEST(direct_play, who_gives_up_has_stamped_and_reads_nothing) {
  test::shared_block memory{2};
  flags alone{*memory, 0, 2}, other{*memory, 1, 2};
  word mine = 1, all = 0;
  collective_call what;
  what.kind = collective::allreduce;
  what.send = &mine;
  what.receive = &all;
  what.bytes = what.element_size = sizeof mine;
  what.type = detail::scalar::u32;
  what.op.kind = detail::builtin::sum;
  play call{alone, what};
  call.begin();
  ASSERT_TRUE(call.ready());
  EXPECT_TRUE(call.step());
  EXPECT_FALSE(call.ready());
  call.give_up(errc::peer_failed);
  EXPECT_TRUE(call.over());
  EXPECT_FALSE(call.step());
  EXPECT_EQ(call.error(), errc::peer_failed);
  EXPECT_EQ(all, 0u);
  other.next();
  EXPECT_TRUE(other.has_come(0)) << "those who wait for this one only are served";
}

TEST(direct_play, takes_what_fits_only) {
  collective_call call;
  EXPECT_TRUE(fits(call, 16)) << "a barrier";
  for (const collective kind : kinds) {
    if (kind == collective::barrier) continue;
    call = {};
    call.kind = kind;
    EXPECT_FALSE(fits(call, 4)) << "nothing to be moved";
    const bool all = kind == collective::alltoall || kind == collective::scatter || kind == collective::reduce_scatter;
    call.bytes = all ? area_bytes / 4 : area_bytes;
    EXPECT_TRUE(fits(call, 4));
    ++call.bytes;
    EXPECT_FALSE(fits(call, 4));
    call.bytes = 8;
    call.varying = true;
    EXPECT_FALSE(fits(call, 4));
    call.varying = false;
    const std::array<std::size_t, 4> sizes{};
    call.send_bytes = sizes.data();
    EXPECT_FALSE(fits(call, 4));
  }
}

}  // namespace
