// Collectives between neighbours, of random graphs and of grids: their schedules on symbols, and
// real messages in random orders of arrival.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "collective/algorithms.hpp"
#include "collective/collectives.hpp"
#include "unit/collective/ranks_in_one.hpp"
#include "unit/collective/symbolic.hpp"

namespace {

using namespace peal;
using detail::collective;
using detail::neighborhood;
using symbolic::symbol;
using test::job;

constexpr int nobody = detail::proc_null_value;

/// The neighbourhoods of all ranks, and of each source entry from which destination entry its block
/// is.
struct topology {
  std::vector<neighborhood> near;
  // by rank and source entry; meaningless where that is nobody
  std::vector<std::vector<std::size_t>> sent_as;
  std::size_t size() const { return near.size(); }
};

// The n-th time that a names b goes with the n-th time that b names a.
void match(topology& made) {
  for (std::size_t rank = 0; rank != made.size(); ++rank) {
    std::vector<std::size_t> next(made.size());
    made.sent_as.emplace_back();
    for (const int from : made.near[rank].sources) {
      if (from == nobody) {
        made.sent_as.back().push_back(0);
        continue;
      }
      const std::vector<int>& theirs = made.near[static_cast<std::size_t>(from)].destinations;
      std::size_t& at = next[static_cast<std::size_t>(from)];
      while (theirs[at] != static_cast<int>(rank)) ++at;
      made.sent_as.back().push_back(at++);
    }
  }
}

// Edges of all kinds: several of a pair, to oneself, in any order, with nobody between them, and
// ranks without any.
topology random_graph(int size, std::mt19937& random) {
  topology made;
  made.near.resize(static_cast<std::size_t>(size));
  const auto one = [&] { return random() % static_cast<unsigned>(size); };
  for (unsigned i = random() % static_cast<unsigned>(4 * size + 1); i-- > 0;) {
    const std::size_t from = one(), to = one();
    made.near[from].destinations.push_back(static_cast<int>(to));
    made.near[to].sources.push_back(static_cast<int>(from));
  }
  for (neighborhood& each : made.near) {
    std::shuffle(each.destinations.begin(), each.destinations.end(), random);
    std::shuffle(each.sources.begin(), each.sources.end(), random);
    if (random() % 3 == 0) each.sources.insert(each.sources.begin(), nobody);
    if (random() % 3 == 0) each.destinations.push_back(nobody);
  }
  match(made);
  return made;
}

// Rows times columns; what goes up in a dimension is received as from below there.
topology grid_of(int rows, int columns, bool periodic) {
  topology made;
  const auto at = [&](int row, int column) {
    if (periodic) return (row + rows) % rows * columns + (column + columns) % columns;
    return row < 0 || row >= rows || column < 0 || column >= columns ? nobody
                                                                     : row * columns + column;
  };
  for (int row = 0; row != rows; ++row)
    for (int column = 0; column != columns; ++column) {
      const std::vector<int> around{at(row - 1, column), at(row + 1, column), at(row, column - 1),
                                    at(row, column + 1)};
      made.near.push_back({around, around, true});
      made.sent_as.push_back({1, 0, 3, 2});
    }
  return made;
}

std::vector<topology> some_topologies() {
  std::vector<topology> made;
  std::mt19937 random{5};
  for (int size = 1; size != 14; ++size)
    for (int i = 0; i != 6; ++i) made.push_back(random_graph(size, random));
  for (const bool periodic : {false, true})
    for (int rows = 1; rows != 5; ++rows)
      for (int columns = 1; columns != 5; ++columns)
        made.push_back(grid_of(rows, columns, periodic));
  return made;
}

// Bytes of what `from` sends as its entry `at`; of an allgather all entries are alike.
std::size_t length(collective kind, bool varying, std::size_t from, std::size_t at) {
  if (!varying) return 5;
  return (from * 3 + (kind == collective::neighbor_allgather ? 0 : at * 5)) % 7;
}

/// One rank's blocks: sizes and offsets of both sides, with gaps.
struct edge_layout {
  std::vector<std::size_t> outgoing, outgoing_at, incoming, incoming_at;
  std::size_t out = 0, in = 0;

  edge_layout(collective kind, bool varying, const topology& t, std::size_t rank) {
    const neighborhood& near = t.near[rank];
    const auto put = [](std::vector<std::size_t>& sizes, std::vector<std::size_t>& at,
                        std::size_t& end, std::size_t bytes, bool gap) {
      at.push_back(end);
      sizes.push_back(bytes);
      end += bytes + (gap ? 1 : 0);
    };
    for (std::size_t i = 0; i != near.destinations.size(); ++i)
      put(outgoing, outgoing_at, out, length(kind, varying, rank, i), varying);
    for (std::size_t i = 0; i != near.sources.size(); ++i) {
      const int from = near.sources[i];
      put(incoming, incoming_at, in,
          from == nobody
              ? length(kind, varying, 0, 0)
              : length(kind, varying, static_cast<std::size_t>(from), t.sent_as[rank][i]),
          varying);
    }
    if (kind == collective::neighbor_allgather) out = length(kind, varying, rank, 0);
  }
};

struct neighbors : testing::TestWithParam<std::tuple<collective, bool>> {
  const collective kind = std::get<0>(GetParam());
  const bool varying = std::get<1>(GetParam());
  std::size_t entry_of(const topology& t, std::size_t rank, std::size_t i) const {
    return kind == collective::neighbor_allgather ? 0 : t.sent_as[rank][i];
  }
};

// Sends are synchronous here, so a schedule that needs a buffer gets stuck.
TEST_P(neighbors, get_each_block_from_where_it_was_sent_to_them) {
  symbolic::world world;
  for (const topology& t : some_topologies()) {
    std::vector<symbolic::actor> actors(t.size());
    const auto sent = [&](std::size_t from, std::size_t at, std::size_t byte) {
      return symbol{static_cast<std::uint32_t>(at << 8 | byte), static_cast<std::uint16_t>(from),
                    1};
    };
    for (std::size_t rank = 0; rank != t.size(); ++rank) {
      const edge_layout where{kind, varying, t, rank};
      actors[rank].at(place::send).assign(where.out, {});
      actors[rank].at(place::receive).assign(where.in, {});
      if (kind == collective::neighbor_allgather)
        for (std::size_t byte = 0; byte != where.out; ++byte)
          actors[rank].at(place::send)[byte] = sent(rank, 0, byte);
      else
        for (std::size_t i = 0; i != where.outgoing.size(); ++i)
          for (std::size_t byte = 0; byte != where.outgoing[i]; ++byte)
            actors[rank].at(place::send)[where.outgoing_at[i] + byte] = sent(rank, i, byte);
      problem p;
      p.rank = static_cast<int>(rank);
      p.size = static_cast<int>(t.size());
      p.bytes = length(kind, varying, rank, 0);
      p.varying = varying;
      p.near = &t.near[rank];
      p.send = {5, where.outgoing.data(), where.outgoing_at.data()};
      p.receive = {5, where.incoming.data(), where.incoming_at.data()};
      if (kind == collective::neighbor_allgather)
        algorithms::neighbor_allgather(p, actors[rank].plan);
      else algorithms::neighbor_alltoall(p, actors[rank].plan);
      EXPECT_LE(actors[rank].plan.rounds().size(), 1u);
    }
    ASSERT_EQ(world.play(actors, 1, true), "") << t.size() << " ranks";
    for (std::size_t rank = 0; rank != t.size(); ++rank) {
      const edge_layout where{kind, varying, t, rank};
      for (std::size_t i = 0; i != where.incoming.size(); ++i)
        for (std::size_t byte = 0; byte != where.incoming[i]; ++byte) {
          const int from = t.near[rank].sources[i];
          ASSERT_EQ(actors[rank].at(place::receive)[where.incoming_at[i] + byte],
                    from == nobody
                        ? symbol{}
                        : sent(static_cast<std::size_t>(from), entry_of(t, rank, i), byte))
              << "rank " << rank << ", block " << i;
        }
    }
  }
}

// Several at a time, again and again, so that schedules are kept and messages could mix.
TEST_P(neighbors, exchange_real_messages) {
  std::mt19937 random{11};
  std::vector<topology> all{grid_of(2, 2, true), grid_of(1, 3, true), grid_of(3, 2, false)};
  for (const int size : {1, 2, 5, 8}) all.push_back(random_graph(size, random));
  for (const topology& t : all) {
    job ranks{static_cast<int>(t.size()), 3};
    for (std::size_t rank = 0; rank != t.size(); ++rank)
      ranks.with(static_cast<int>(rank), [&](messaging&, collectives&, collective_state& of,
                                             const team&) { of.set_neighbors(t.near[rank]); });
    constexpr std::size_t rounds = 4;
    struct part {
      edge_layout where;
      std::vector<std::byte> send, receive;
    };
    std::deque<part> parts;
    std::vector<operation*> operations;
    const auto content = [](std::size_t round, std::size_t from, std::size_t at, std::size_t byte) {
      return static_cast<std::byte>(round * 101 + from * 31 + at * 7 + byte + 1);
    };
    for (std::size_t round = 0; round != rounds; ++round)
      for (std::size_t rank = 0; rank != t.size(); ++rank) {
        part& p = parts.emplace_back(part{edge_layout{kind, varying, t, rank}, {}, {}});
        p.send.resize(p.where.out);
        p.receive.resize(p.where.in);
        if (kind == collective::neighbor_allgather)
          for (std::size_t byte = 0; byte != p.where.out; ++byte)
            p.send[byte] = content(round, rank, 0, byte);
        else
          for (std::size_t i = 0; i != p.where.outgoing.size(); ++i)
            for (std::size_t byte = 0; byte != p.where.outgoing[i]; ++byte)
              p.send[p.where.outgoing_at[i] + byte] = content(round, rank, i, byte);
        collective_call call;
        call.kind = kind;
        call.varying = varying;
        call.send = p.send.data();
        call.receive = p.receive.data();
        call.bytes = length(kind, varying, rank, 0);
        if (varying) {
          call.send_bytes = p.where.outgoing.data();
          call.send_offsets = p.where.outgoing_at.data();
          call.receive_bytes = p.where.incoming.data();
          call.receive_offsets = p.where.incoming_at.data();
        }
        operations.push_back(&ranks.start(static_cast<int>(rank), call));
      }
    ASSERT_TRUE(ranks.finish(operations));
    for (std::size_t k = 0; k != operations.size(); ++k) {
      const std::size_t round = k / t.size(), rank = k % t.size();
      EXPECT_FALSE(ranks.release(static_cast<int>(rank), *operations[k]).error);
      const part& p = parts[k];
      for (std::size_t i = 0; i != p.where.incoming.size(); ++i)
        for (std::size_t byte = 0; byte != p.where.incoming[i]; ++byte) {
          const int from = t.near[rank].sources[i];
          ASSERT_EQ(p.receive[p.where.incoming_at[i] + byte],
                    from == nobody ? std::byte{}
                                   : content(round, static_cast<std::size_t>(from),
                                             entry_of(t, rank, i), byte))
              << t.size() << " ranks, rank " << rank << ", block " << i;
        }
    }
    ranks.settle();
  }
}

INSTANTIATE_TEST_SUITE_P(
    collective, neighbors,
    testing::Combine(testing::Values(collective::neighbor_allgather, collective::neighbor_alltoall),
                     testing::Bool()),
    [](const auto& info) {
      return fmt::format(
          "{}{}",
          std::get<0>(info.param) == collective::neighbor_allgather ? "allgather" : "alltoall",
          std::get<1>(info.param) ? "v" : "");
    });

}  // namespace
