#include "collective/direct/price.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

#include "collective/direct/calls/long_call.hpp"
#include "collective/direct/calls/short_call.hpp"
#include "collective/direct/groups/group_call.hpp"

namespace {

using namespace peal;
using namespace peal::direct;
using detail::collective;
using detail::collective_call;

constexpr std::array kinds{collective::barrier,   collective::bcast,    collective::reduce,
                           collective::allreduce, collective::gather,   collective::scatter,
                           collective::allgather, collective::alltoall, collective::reduce_scatter,
                           collective::scan,      collective::exscan};

collective_call call_of(collective kind, std::size_t bytes) {
  collective_call call;
  call.kind = kind;
  call.bytes = kind == collective::barrier ? 0 : bytes;
  call.element_size = 4;
  return call;
}

TEST(direct_price, there_is_one_for_what_goes_past_messages_only) {
  const cost_parameters costs;
  for (const collective kind : kinds)
    for (const int ranks : {2, 3, 16, 17, 64, 65})
      for (const int cores : {1, 2, 64})
        for (std::size_t bytes = 4; bytes <= std::size_t{8} << 20; bytes *= 4) {
          const collective_call call = call_of(kind, bytes);
          const bool oversubscribed = ranks > cores;
          const bool past = ranks > most_ranks(oversubscribed)
                                ? group_call::fits(call, ranks, true)
                                : fits(call, ranks) || long_call::fits(call, ranks, oversubscribed);
          const auto found = price(call, ranks, cores, costs),
                     named = price(call, ranks, cores, costs, true);
          EXPECT_EQ(named.has_value(),
                    past || (ranks <= most_ranks(oversubscribed) && long_call::serves(call)));
          EXPECT_EQ(found.has_value(), past)
              << static_cast<int>(kind) << ' ' << ranks << ' ' << cores << ' ' << bytes;
          if (found) {
            EXPECT_GT(*found, costs.local_flight_ns);
          }
        }
}

// Left out are the lengths at which ranks begin to join parts, or a scan to go from rank to rank:
// longer ones may take less.
TEST(direct_price, more_bytes_cost_no_less) {
  const cost_parameters costs;
  for (const collective kind : kinds)
    for (const int ranks : {2, 3, 4, 8, 16})
      for (const int cores : {1, 2, 16}) {
        double before = 0;
        bool whole = true;
        for (std::size_t bytes = 4; bytes <= std::size_t{16} << 20;
             bytes = bytes * 5 / 16 * 4 + 4) {
          const collective_call call = call_of(kind, bytes);
          const auto found = price(call, ranks, cores, costs);
          if (!found) break;
          const bool joins_whole = kind == collective::scan || kind == collective::exscan
                                       ? fits(call, ranks)
                                       : !long_call::usually_shares(call, ranks, ranks > cores);
          if (joins_whole == whole) {
            EXPECT_GE(*found, before * 0.999)
                << static_cast<int>(kind) << ' ' << ranks << ' ' << cores << ' ' << bytes;
          }
          whole = joins_whole;
          before = *found;
        }
      }
}

TEST(direct_price, more_cores_cost_no_more) {
  const cost_parameters costs;
  for (const collective kind : kinds)
    for (const int ranks : {3, 8, 16})
      for (const std::size_t bytes : {8u, 2000u, 40'000u, 1'000'000u})
        for (int cores = 1; cores != ranks; ++cores) {
          const auto few = price(call_of(kind, bytes), ranks, cores, costs),
                     more = price(call_of(kind, bytes), ranks, cores + 1, costs);
          if (!few || !more) continue;
          EXPECT_GE(*few, *more * 0.999)
              << static_cast<int>(kind) << ' ' << ranks << ' ' << cores << ' ' << bytes;
        }
}

TEST(direct_price, an_allreduce_costs_about_no_more_than_a_reduce_and_a_bcast) {
  const cost_parameters costs;
  for (const int ranks : {2, 4, 8, 16})
    for (const int cores : {2, 16})
      for (std::size_t bytes = 64 << 10; bytes <= std::size_t{4} << 20; bytes *= 2) {
        const auto both = price(call_of(collective::allreduce, bytes), ranks, cores, costs);
        const auto up = price(call_of(collective::reduce, bytes), ranks, cores, costs);
        const auto down = price(call_of(collective::bcast, bytes), ranks, cores, costs);
        if (both && up && down) {
          EXPECT_LE(*both, 1.1 * (*up + *down)) << ranks << ' ' << cores << ' ' << bytes;
        }
      }
}

}  // namespace
