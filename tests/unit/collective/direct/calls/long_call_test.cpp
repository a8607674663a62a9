#include "collective/direct/calls/long_call.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "peal/error.hpp"
#include "unit/collective/direct/float_sums.hpp"
#include "unit/collective/direct/plans.hpp"
#include "unit/collective/direct/ranks_in_threads.hpp"

namespace {

using namespace peal;
using namespace peal::direct;
using namespace peal::test;

class direct_long_play_of : public testing::TestWithParam<int> {};

// Of all kinds and roots one right behind the other: short ones, those of one piece, and of
// several; what is written over too early shows.
TEST_P(direct_long_play_of, random_calls_back_to_back_give_what_they_should) {
  const int size = GetParam();
  constexpr int calls = 120;
  as_ranks(
      size,
      [&](int rank, flags& own) {
        std::mt19937 plans{static_cast<unsigned>(size)}, pauses{static_cast<unsigned>(rank)};
        for (int i = 0; i != calls; ++i) {
          plan p = random_plan(plans, size, piece_bytes);
          p.elements = 1 + plans() % ((plans() % 4 == 0 ? 5 : 1) * piece_bytes / sizeof(word) /
                                      static_cast<unsigned>(size));
          const unsigned whose = plans() % 3,
                         open = whose == 0 ? 0
                                : whose == 1
                                    ? ~0U
                                    : static_cast<unsigned>(plans());  // buffers can be seen
          if (p.kind == collective::barrier) continue;
          part mine{p, rank, size};
          const auto sent = mine.send;
          ASSERT_TRUE(long_call::serves(mine.call));
          const auto seen = [&](const void*, std::size_t) { return (open >> rank & 1) != 0; };
          const bool shares = plans() % 2 == 0 && long_call::may_share(p.kind, size);
          const std::error_code became = run<long_call>(
              own, mine.call, shares, long_call::opens(mine.call, rank, size, shares, seen));
          // reduce_scatter in place leaves more
          mine.receive.resize(std::min(mine.receive.size(), mine.expected.size()));
          EXPECT_TRUE(is_right(p, mine, sent, became)) << "call " << i << ", rank " << rank;
          if (became) return;
          for (auto pause = pauses() % 10 == 0 ? pauses() % 20 : 0; pause != 0; --pause)
            sched_yield();
        }
      },
      long_area_bytes);
}
INSTANTIATE_TEST_SUITE_P(direct, direct_long_play_of, testing::Values(2, 3, 5, 8, 16));

detail::collective_call long_reduction(collective kind, std::size_t kibibytes) {
  detail::collective_call call;
  call.kind = kind;
  call.bytes = kibibytes << 10;
  return call;
}

TEST(long_call, the_more_ranks_there_are_the_sooner_each_joins_a_part) {
  for (const bool share_cores : {false, true}) {
    const auto shares = [&](collective kind, std::size_t kibibytes, int ranks) {
      return long_call::usually_shares(long_reduction(kind, kibibytes), ranks, share_cores);
    };
    for (const int ranks : {4, 8, 16}) {
      const std::size_t whole = 64 / static_cast<std::size_t>(ranks);
      EXPECT_FALSE(shares(collective::allreduce, whole, ranks)) << ranks;
      EXPECT_TRUE(shares(collective::allreduce, whole + 1, ranks)) << ranks;
      // The root alone joins whole vectors of a reduce, while the others have the cores.
      EXPECT_FALSE(shares(collective::reduce, 16, ranks)) << ranks;
      EXPECT_EQ(shares(collective::reduce, 17, ranks), !share_cores) << ranks;
      EXPECT_EQ(shares(collective::reduce, 4096, ranks), !share_cores) << ranks;
    }
    EXPECT_FALSE(shares(collective::reduce, 4096, 3));
    EXPECT_FALSE(shares(collective::allreduce, 4096, 2));
    EXPECT_FALSE(shares(collective::reduce_scatter, 4096, 16));
    // Lengths that call_shape takes for one.
    EXPECT_EQ(shares(collective::allreduce, 17, 3), shares(collective::allreduce, 32, 3));
  }
}

TEST(long_call, does_not_try_whole_vectors_where_parts_must_be_faster) {
  const auto may = [](collective kind, std::size_t kibibytes, int ranks, bool share_cores) {
    return long_call::may_do_otherwise(long_reduction(kind, kibibytes), ranks, share_cores);
  };
  EXPECT_TRUE(may(collective::allreduce, 8, 4, true));
  EXPECT_TRUE(may(collective::allreduce, 128, 4, true));
  EXPECT_FALSE(may(collective::allreduce, 256, 4, true));
  EXPECT_TRUE(may(collective::reduce, 128, 4, false));
  EXPECT_FALSE(may(collective::reduce, 256, 4, false));
  EXPECT_TRUE(may(collective::reduce, 16'384, 4, true));
  EXPECT_FALSE(may(collective::allreduce, 8, 2, false)) << "two ranks have no parts";
  EXPECT_FALSE(may(collective::bcast, 8, 4, true));
}

TEST(long_call, goes_directly_up_to_the_length_from_which_messages_take_less) {
  const auto fits = [](collective kind, std::size_t bytes, int size, bool oversubscribed) {
    peal::detail::collective_call call;
    call.kind = kind;
    call.bytes = bytes;
    return long_call::fits(call, size, oversubscribed);
  };
  constexpr std::size_t kib = 1024;
  for (const int size : {4, 8}) {
    EXPECT_TRUE(fits(collective::alltoall, 64 * kib - 1, size, true));
    EXPECT_FALSE(fits(collective::alltoall, 64 * kib, size, true));
    EXPECT_TRUE(fits(collective::gather, 512 * kib, size, true));
    EXPECT_FALSE(fits(collective::gather, 512 * kib + 1, size, true));
    for (const auto kind : {collective::bcast, collective::allgather})
      EXPECT_TRUE(fits(kind, 4096 * kib, size, true));
  }
  EXPECT_TRUE(fits(collective::alltoall, 32 * kib - 1, 2, false));
  EXPECT_FALSE(fits(collective::alltoall, 32 * kib, 2, false));
}

struct at_the_end {
  bool throws = false;
  std::size_t left = 0;  // elements before it does
};
void add_or_throw(void* context, const void* in, void* inout, std::size_t count) {
  auto& when = *static_cast<at_the_end*>(context);
  if (when.throws && when.left < count) throw std::runtime_error{"not today"};
  when.left -= count;
  for (std::size_t i = 0; i != count; ++i)
    static_cast<word*>(inout)[i] += static_cast<const word*>(in)[i];
}

// In the middle of a call: who depends on what it would have joined has an error, the others have
// their results, and nobody is left behind.
TEST(direct_long_play, an_operation_that_throws_throws_there_and_spoils_what_depends_on_it) {
  constexpr int size = 4, bad = 2;
  constexpr std::size_t n = 3 * piece_bytes / sizeof(word);
  as_ranks(
      size,
      [&](int rank, flags& own) {
        for (const auto [kind, shares] :
             {std::pair{collective::allreduce, false}, std::pair{collective::allreduce, true},
              std::pair{collective::reduce, true}, std::pair{collective::scan, false},
              std::pair{collective::exscan, false}, std::pair{collective::reduce_scatter, false}})
          for (const bool throws : {true, false}) {
            at_the_end context{throws && rank == bad, n / 4};
            std::vector<word> send(kind == collective::reduce_scatter ? n * size : n, 1),
                receive(n, 9);
            collective_call call;
            call.kind = kind;
            call.root = 0;
            call.send = send.data();
            call.receive = receive.data();
            call.bytes = n * sizeof(word);
            call.element_size = sizeof(word);
            call.op = {.kind = detail::builtin::none,
                       .commutative = true,
                       .combine = add_or_throw,
                       .context = &context};
            if (context.throws) {
              EXPECT_THROW((void)run<long_call>(own, call, shares), std::runtime_error);
              continue;
            }
            const bool chain = kind == collective::scan || kind == collective::exscan;
            const bool depends = (kind == collective::allreduce && shares) ||
                                 (kind == collective::reduce && rank == 0) || (chain && rank > bad);
            const std::error_code became = run<long_call>(own, call, shares);
            EXPECT_EQ(became, throws && depends ? make_error_code(errc::operation_failed)
                                                : std::error_code{})
                << static_cast<int>(kind) << ", rank " << rank;
            if (became || (kind == collective::reduce && rank != 0) ||
                (kind == collective::exscan && rank == 0))
              continue;
            const int joined = kind == collective::scan     ? rank + 1
                               : kind == collective::exscan ? rank
                                                            : size;
            EXPECT_EQ(receive, std::vector<word>(n, static_cast<word>(joined)))
                << static_cast<int>(kind) << ", rank " << rank;
          }
      },
      long_area_bytes);
}

// One piece and several, of which each rank joins all or a part.
TEST(direct_long_play, joins_in_the_usual_order) {
  for (int size = 2; size != 10; ++size)
    for (const std::size_t block : {std::size_t{2000}, 2 * piece_bytes / sizeof(float) + 100})
      for (const bool parts : {false, true})
        check_float_sums(
            size, block, long_area_bytes, [&](flags& own, const collective_call& call) {
              return run<long_call>(own, call, parts && long_call::may_share(call.kind, size));
            });
}

// In place of a vector that the others read where it lies.
TEST(direct_long_play, joins_open_vectors_in_the_usual_order) {
  for (const int size : {2, 3, 4, 7})
    for (const bool parts : {false, true})
      check_float_sums(size, 20'000, long_area_bytes, [&](flags& own, const collective_call& call) {
        const auto seen = [](const void*, std::size_t) { return true; };
        const bool shares = parts && long_call::may_share(call.kind, size);
        return run<long_call>(own, call, shares,
                              long_call::opens(call, own.rank(), own.size(), shares, seen));
      });
}

TEST(direct_long_play, other_lengths_and_other_collectives_are_errors_and_no_data) {
  as_ranks(
      2,
      [&](int rank, flags& own) {
        std::vector<word> data(4096, static_cast<word>(rank));
        collective_call call;
        call.kind = collective::bcast;
        call.root = 0;
        call.receive = data.data();
        call.bytes = rank == 0 ? 16384 : 8192;
        EXPECT_EQ(run<long_call>(own, call, false),
                  rank == 0 ? std::error_code{} : make_error_code(errc::truncated));
        call.bytes = rank == 0 ? 8192 : 16384;
        EXPECT_EQ(run<long_call>(own, call, false),
                  rank == 0 ? std::error_code{} : make_error_code(errc::invalid_argument));
        call.bytes = 8192;
        if (rank == 0) call.kind = collective::scatter;
        if (rank == 0) call.send = data.data(), call.in_place = true;
        EXPECT_EQ(run<long_call>(own, call, false),
                  rank == 0 ? std::error_code{} : make_error_code(errc::invalid_argument));
        EXPECT_EQ(data, std::vector<word>(4096, static_cast<word>(rank)));
      },
      long_area_bytes);
}

// Elements that fill no cache line: pieces and parts still end between two of them.
TEST(direct_long_play, elements_of_odd_length_are_not_cut) {
  struct triple {
    word a, b, c;
    bool operator==(const triple&) const = default;
  };
  const auto keep_whole = [](void*, const void* in, void* inout, std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
      const triple one = static_cast<const triple*>(in)[i];
      triple& other = static_cast<triple*>(inout)[i];
      other = one.b == one.a + 1 && one.c == one.a + 2 && other.b == other.a + 1
                  ? triple{one.a + other.a, one.a + other.a + 1, one.a + other.a + 2}
                  : triple{};
    }
  };
  constexpr std::size_t n = 20000;
  for (const int size : {2, 3, 7})
    as_ranks(
        size,
        [&](int rank, flags& own) {
          std::vector<triple> send(n), receive(n), expected(n);
          for (std::size_t i = 0; i != n; ++i) {
            const auto at = static_cast<word>(i);
            send[i] = {at + static_cast<word>(rank), at + static_cast<word>(rank) + 1,
                       at + static_cast<word>(rank) + 2};
            const word sum =
                static_cast<word>(size) * at + static_cast<word>(size * (size - 1) / 2);
            expected[i] = {sum, sum + 1, sum + 2};
          }
          collective_call call;
          call.kind = collective::allreduce;
          call.send = send.data();
          call.receive = receive.data();
          call.bytes = n * sizeof(triple);
          call.element_size = sizeof(triple);
          call.op = {.kind = detail::builtin::none, .commutative = true, .combine = keep_whole};
          EXPECT_FALSE(run<long_call>(own, call, size > 2));
          EXPECT_EQ(receive, expected) << size;
        },
        long_area_bytes);
}

TEST(direct_long_play, takes_what_it_can_play_only) {
  collective_call call;
  EXPECT_FALSE(long_call::fits(call, 4, false)) << "a barrier";
  for (const collective kind : kinds) {
    if (kind == collective::barrier) continue;
    call = {};
    call.kind = kind;
    EXPECT_FALSE(long_call::fits(call, 4, false)) << "nothing to be moved";
    call.bytes = std::size_t{16} << 10;
    EXPECT_TRUE(long_call::fits(call, 4, false));
    EXPECT_TRUE(long_call::fits(call, 2, true));
    EXPECT_TRUE(long_call::fits(call, 2, false));
    call.varying = true;
    EXPECT_FALSE(long_call::fits(call, 4, false));
    call.varying = false;
    const std::array<std::size_t, 4> sizes{};
    call.receive_bytes = sizes.data();
    EXPECT_FALSE(long_call::fits(call, 4, false));
    call.receive_bytes = nullptr;
    call.bytes = std::size_t{32} << 10;
    EXPECT_FALSE(long_call::fits(call, 2, false)) << "two cores move it faster as a message";
  }
  call = {};
  call.kind = collective::allreduce;
  call.bytes = call.element_size = 4096;
  EXPECT_FALSE(long_call::fits(call, 4, false))
      << "elements that are too long to be joined a few at a time";
}

// A buffer that others read where it is may be used again at once when the call is over.
TEST(direct_long_play, nobody_reads_an_open_buffer_when_its_call_is_over) {
  constexpr std::size_t n = 50000;
  for (const collective kind : {collective::bcast, collective::allgather, collective::alltoall,
                                collective::reduce_scatter, collective::allreduce})
    as_ranks(
        3,
        [&](int rank, flags& own) {
          std::vector<word> send(3 * n), receive(3 * n);
          for (word round = 1; round != 40; ++round) {
            std::fill(send.begin(), send.end(), round);
            std::fill(receive.begin(), receive.end(), round);
            collective_call call;
            call.kind = kind;
            call.send = send.data();
            call.receive = receive.data();
            call.bytes = n * sizeof(word);
            call.element_size = sizeof(word);
            call.type = detail::scalar::u32;
            call.op.kind = detail::builtin::max;
            const bool shares = kind == collective::allreduce && round % 2 == 0;
            const bool open = long_call::opens(call, rank, 3, shares,
                                               [](const void*, std::size_t) { return true; });
            EXPECT_EQ(open, kind != collective::bcast || rank == 0);
            ASSERT_FALSE(run<long_call>(own, call, shares, open));
            EXPECT_EQ(std::vector<word>(receive.begin(), receive.begin() + n),
                      std::vector<word>(n, round))
                << static_cast<int>(kind);
            std::fill(send.begin(), send.end(), 0xffffffff);
            std::fill(receive.begin(), receive.end(), 0xffffffff);
          }
        },
        long_area_bytes);
}

}  // namespace
