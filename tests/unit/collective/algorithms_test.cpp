// Every algorithm, for every number of ranks from 1 to 130 and every root, on symbols: the result
// is right, and no schedule waits for a buffer. PEAL_TEST_FULL=1 tries every size of the data with
// every root; otherwise the roots are thinned out for all but one size.
#include "collective/algorithms.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "unit/collective/arrangements.hpp"
#include "unit/collective/barrier_check.hpp"
#include "unit/collective/kinds.hpp"
#include "unit/collective/symbolic.hpp"
#include "unit/collective/trial.hpp"

namespace {

using namespace peal;
using detail::collective;
using detail::is_reduction;
using symbolic::actor;
using symbolic::symbol;

// Under a sanitizer, which looks for other mistakes, fewer will do.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int most_ranks = 34;
#else
constexpr int most_ranks = 130;
#endif

bool full() {
  const char* wish = std::getenv("PEAL_TEST_FULL");
  return wish && *wish == '1';
}

// Blocks of differing sizes, some empty, placed in another order than that of the ranks and with
// gaps.
struct block_layout {
  std::vector<std::size_t> sizes;
  std::vector<std::size_t> offsets;
  std::size_t extent = 0;

  void place(bool varying) {
    offsets.assign(sizes.size(), 0);
    for (std::size_t k = 0; k != sizes.size(); ++k) {
      const std::size_t i = varying ? sizes.size() - 1 - k : k;
      offsets[i] = extent;
      extent += sizes[i] + (varying ? k % 2 : 0);
    }
  }
  blocks view(std::size_t equal, bool varying) const {
    return varying ? blocks{equal, sizes.data(), offsets.data()} : blocks{equal, nullptr, nullptr};
  }
};

std::size_t size_between(const trial& t, int from, int to) {
  return t.varying ? static_cast<std::size_t>((from * 7 + to * 3) % 4) * t.bytes : t.bytes;
}

class checker {
 public:
  // Builds all schedules, plays them, looks at every byte. Empty when all is well.
  std::string run(const algorithm& tested, const trial& t) {
    trial_ = t;
    kind_ = tested.kind;
    const auto n = static_cast<std::size_t>(t.size);
    actors_.resize(n);
    incoming_.assign(n, {});
    outgoing_.assign(n, {});
    line_up();
    for (int rank = 0; rank != t.size; ++rank) prepare(tested, rank);
    std::string wrong = world_.play(actors_, t.element, t.commutative);
    for (int rank = 0; rank != t.size && wrong.empty(); ++rank) wrong = verify(rank);
    return wrong;
  }

 private:
  // What is joined must be neighbours in some line: where the operation commutes, nodes side by
  // side, in each its ranks from the root on.
  void line_up() {
    line_.clear();
    for (int rank = 0; rank != trial_.size; ++rank) line_.push_back(rank);
    if (!trial_.nodes || !trial_.commutative ||
        (kind_ != collective::reduce && kind_ != collective::allreduce))
      return;
    int next = 0;
    for (int node = 0; node != trial_.nodes->nodes(); ++node) {
      const int count = trial_.nodes->count(node);
      const int first =
          node == trial_.nodes->node_of(trial_.root) ? trial_.nodes->index_of(trial_.root) : 0;
      for (int i = 0; i != count; ++i)
        line_[static_cast<std::size_t>(trial_.nodes->rank(node, (first + i) % count))] = next++;
    }
  }
  bool at_root(int rank) const { return rank == trial_.root; }
  bool in_place(int rank) const {
    const bool rooted =
        kind_ == collective::reduce || kind_ == collective::gather || kind_ == collective::scatter;
    return trial_.in_place && (!rooted || at_root(rank));
  }
  // What rank `from` has for rank `to`: `from` in the symbol, the byte of the block as origin; for
  // alltoall the goal is in the origin too.
  symbol block_symbol(int from, int to, std::size_t byte) const {
    return {static_cast<std::uint32_t>(static_cast<std::size_t>(to) << 12 | byte),
            static_cast<std::uint16_t>(from), 1};
  }
  static void fill(symbolic::bytes& memory, std::size_t offset, std::size_t bytes, auto symbol_at) {
    for (std::size_t i = 0; i != bytes; ++i) memory[offset + i] = symbol_at(i);
  }

  void prepare(const algorithm& tested, int rank) {
    actor& a = actors_[static_cast<std::size_t>(rank)];
    symbolic::bytes& send = a.at(place::send);
    symbolic::bytes& receive = a.at(place::receive);
    send.clear();
    receive.clear();
    const auto r = static_cast<std::size_t>(rank);
    block_layout& in = incoming_[r];
    block_layout& out = outgoing_[r];
    problem p;
    p.rank = rank;
    p.size = trial_.size;
    p.root = trial_.root;
    p.bytes = trial_.bytes;
    p.element = trial_.element;
    p.commutative = trial_.commutative;
    p.in_place = in_place(rank);
    p.varying = trial_.varying;
    p.radix = trial_.radix;
    p.nodes = trial_.nodes;
    const auto own = [&](std::size_t i) { return block_symbol(line_[r], 0, i); };
    switch (kind_) {
      case collective::barrier:
      case collective::neighbor_allgather:  // neighbors_test.cpp
      case collective::neighbor_alltoall: break;
      case collective::bcast:
        receive.assign(p.bytes, {});
        if (at_root(rank)) fill(receive, 0, p.bytes, own);
        break;
      case collective::reduce:
      case collective::allreduce:
      case collective::scan:
      case collective::exscan:
        if (kind_ != collective::reduce || at_root(rank)) receive.assign(p.bytes, {});
        if (!p.in_place) send.assign(p.bytes, {});
        fill(p.in_place ? receive : send, 0, p.bytes, own);
        break;
      case collective::reduce_scatter:
        // Rising, so that in place a rank's own part may lie across the goal of the result.
        for (int i = 0; i != p.size; ++i) out.sizes.push_back(size_between(trial_, p.size - i, 0));
        out.place(false);
        p.bytes = out.extent;
        receive.assign(p.in_place ? p.bytes : out.sizes[r], {});
        if (!p.in_place) send.assign(p.bytes, {});
        fill(p.in_place ? receive : send, 0, p.bytes, own);
        break;
      case collective::gather:
      case collective::allgather:
        p.bytes = size_between(trial_, rank, 0);
        if (kind_ == collective::allgather || at_root(rank)) {
          for (int i = 0; i != p.size; ++i) in.sizes.push_back(size_between(trial_, i, 0));
          in.place(trial_.varying);
          receive.assign(in.extent, {});
        }
        if (!p.in_place) send.assign(p.bytes, {});
        fill(p.in_place ? receive : send, p.in_place ? in.offsets[r] : 0, p.bytes, own);
        break;
      case collective::scatter:
        p.bytes = size_between(trial_, trial_.root, rank);
        if (!p.in_place) receive.assign(p.bytes, {});
        if (at_root(rank)) {
          for (int i = 0; i != p.size; ++i) out.sizes.push_back(size_between(trial_, rank, i));
          out.place(trial_.varying);
          send.assign(out.extent, {});
          for (std::size_t i = 0; i != out.sizes.size(); ++i)
            fill(send, out.offsets[i], out.sizes[i],
                 [&](std::size_t b) { return block_symbol(rank, static_cast<int>(i), b); });
        }
        break;
      case collective::alltoall:
        for (int i = 0; i != p.size; ++i) {
          // In place a pair swaps blocks of one size.
          in.sizes.push_back(p.in_place ? size_between(trial_, std::min(i, rank), std::max(i, rank))
                                        : size_between(trial_, i, rank));
          out.sizes.push_back(p.in_place ? in.sizes.back() : size_between(trial_, rank, i));
        }
        in.place(trial_.varying);
        out.place(trial_.varying);
        receive.assign(in.extent, {});
        if (!p.in_place) send.assign(out.extent, {});
        for (std::size_t i = 0; i != out.sizes.size(); ++i)
          fill(p.in_place ? receive : send, out.offsets[i], out.sizes[i],
               [&](std::size_t b) { return block_symbol(rank, static_cast<int>(i), b); });
        break;
    }
    p.receive = in.view(trial_.bytes, trial_.varying);
    p.send = out.view(trial_.bytes, trial_.varying);
    build(tested, p, trial_.cut, a.plan);
  }

  std::string expect(int rank, place where, std::size_t offset, std::size_t bytes, auto wanted) {
    const symbolic::bytes& memory = actors_[static_cast<std::size_t>(rank)].at(where);
    for (std::size_t i = 0; i != bytes; ++i) {
      const symbol got = memory[offset + i];
      const symbol want = wanted(i);
      if (got.origin != want.origin || got.count != want.count ||
          (got.first != want.first && (want.count != trial_.size || !trial_.commutative)))
        return fmt::format(
            "rank {} has byte {} of ranks [{}, +{}) at {}, not byte {} of ranks [{}, +{})", rank,
            got.origin, got.first, got.count, offset + i, want.origin, want.first, want.count);
    }
    return {};
  }

  std::string verify(int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const block_layout& in = incoming_[r];
    const auto of_lowest = [](int ranks, std::size_t from = 0) {
      return [=](std::size_t i) {
        return symbol{static_cast<std::uint32_t>(from + i), 0, static_cast<std::uint16_t>(ranks)};
      };
    };
    const auto all = of_lowest(trial_.size);
    switch (kind_) {
      case collective::barrier:
      case collective::neighbor_allgather:
      case collective::neighbor_alltoall: return {};
      case collective::bcast:
        return expect(rank, place::receive, 0, trial_.bytes,
                      [&](std::size_t i) { return block_symbol(trial_.root, 0, i); });
      case collective::allreduce: return expect(rank, place::receive, 0, trial_.bytes, all);
      case collective::reduce:
        return at_root(rank) ? expect(rank, place::receive, 0, trial_.bytes, all) : std::string{};
      case collective::reduce_scatter:
        return expect(rank, place::receive, 0, outgoing_[r].sizes[r],
                      of_lowest(trial_.size, outgoing_[r].offsets[r]));
      case collective::scan:
        return expect(rank, place::receive, 0, trial_.bytes, of_lowest(rank + 1));
      case collective::exscan:
        if (rank > 0) return expect(rank, place::receive, 0, trial_.bytes, of_lowest(rank));
        // What was there stays there: in place this rank's own vector, else nothing.
        return expect(rank, place::receive, 0, trial_.bytes,
                      [&](std::size_t i) { return trial_.in_place ? of_lowest(1)(i) : symbol{}; });
      case collective::scatter: {
        const auto wanted = [&](std::size_t b) { return block_symbol(trial_.root, rank, b); };
        if (in_place(rank))
          return expect(rank, place::send, outgoing_[r].offsets[r], outgoing_[r].sizes[r], wanted);
        return expect(rank, place::receive, 0, size_between(trial_, trial_.root, rank), wanted);
      }
      case collective::gather:
      case collective::allgather:
      case collective::alltoall:
        for (std::size_t i = 0; i != in.sizes.size(); ++i) {
          const int goal = kind_ == collective::alltoall ? rank : 0;
          std::string wrong =
              expect(rank, place::receive, in.offsets[i], in.sizes[i],
                     [&](std::size_t b) { return block_symbol(static_cast<int>(i), goal, b); });
          if (!wrong.empty()) return wrong;
        }
        return {};
    }
    return {};
  }

  symbolic::world world_;
  std::vector<actor> actors_;
  std::vector<block_layout> incoming_;
  std::vector<block_layout> outgoing_;
  std::vector<int> line_;  // by rank: its place
  trial trial_;
  collective kind_ = collective::barrier;
};

bool rooted(collective kind) {
  return kind == collective::bcast || kind == collective::reduce || kind == collective::gather ||
         kind == collective::scatter;
}

bool moves_vectors(collective kind) {
  return kind == collective::bcast || (is_reduction(kind) && kind != collective::reduce_scatter);
}

std::vector<int> roots(collective kind, int size, bool all) {
  if (!rooted(kind)) return {0};
  std::vector<int> chosen;
  for (int root = 0; root != size; ++root)
    if (all || root <= 1 || root == size / 2 || root == size - 1) chosen.push_back(root);
  return chosen;
}

// Sizes of a vector: nothing, one element, fewer elements than ranks, more and not divisible; of a
// block: nothing, one byte, three.
std::vector<std::size_t> sizes(const algorithm& tested, int size) {
  const auto n = static_cast<std::size_t>(size);
  const collective kind = tested.kind;
  if (kind == collective::barrier) return {0};
  // size³ joins a byte, and the vector is never divided
  if (tested.name == "flat" && size > 20) return {2, 0};
  if (moves_vectors(kind)) return {2 * n + 3, 0, 1, n > 1 ? n - 1 : 2};
  return {3, 0, 1};
}

class every_algorithm : public testing::TestWithParam<algorithm> {
 protected:
  // An algorithm that looks at nodes: each time another of their arrangements, or with
  // PEAL_TEST_FULL=1 all of them.
  void check(trial t) {
    if (!GetParam().by_node) return check_one(t);
    for (std::size_t left = full() ? test::arrangement_count : 1; left != 0; --left) {
      const node_map nodes{test::arranged(turn_++, t.size)};
      t.nodes = &nodes;
      check_one(t);
      if (HasFatalFailure()) return;
    }
  }
  void check_one(const trial& t) {
    problem asked;
    asked.size = t.size;
    asked.commutative = t.commutative || !is_reduction(GetParam().kind);
    asked.varying = t.varying;
    asked.nodes = t.nodes;
    if (!GetParam().serves(asked)) return;
    ++tried_;
    const std::string wrong = checker_.run(GetParam(), t);
    ASSERT_EQ(wrong, "") << t.text();
  }
  int tried_ = 0;
  std::size_t turn_ = 0;

 private:
  checker checker_;
};

class reductions : public every_algorithm {};
class block_movers : public every_algorithm {};
class trees : public every_algorithm {};
class segmentable : public every_algorithm {};
class barriers : public every_algorithm {};
class by_node : public every_algorithm {};

TEST_P(every_algorithm, is_right_for_all_sizes_and_roots) {
  const collective kind = GetParam().kind;
  for (int size = 1; size <= most_ranks; ++size) {
    bool first = true;
    for (const std::size_t bytes : sizes(GetParam(), size)) {
      // Among nodes there are as many messages as pairs of ranks, and every arrangement has its
      // turn.
      const bool all_roots = first && (!GetParam().by_node || size <= 40);
      for (const int root : roots(kind, size, all_roots || full())) {
        trial t;
        t.size = size;
        t.root = root;
        t.bytes = bytes;
        // The forms take turns with the roots, and all are tried with root 0.
        for (const bool in_place : {false, true})
          for (const bool commutative : {false, true}) {
            const bool forms_alike = !is_reduction(kind) && commutative;
            if (forms_alike || (root > 1 && !full() && (root % 4 != 2 * in_place + commutative)))
              continue;
            t.in_place = in_place;
            t.commutative = commutative;
            check(t);
            if (HasFatalFailure()) return;
          }
      }
      first = false;
    }
  }
  EXPECT_GT(tried_, 0);
}

TEST_P(reductions, keeps_elements_whole) {
  for (int size = 1; size <= 40; ++size)
    for (const std::size_t elements : {1, 2, 7, 41})
      for (const int root : roots(GetParam().kind, size, false)) {
        check({.size = size, .root = root, .bytes = elements * 12, .element = 12});
        if (HasFatalFailure()) return;
      }
}

TEST_P(block_movers, takes_blocks_of_any_size_and_place) {
  for (int size = 1; size <= most_ranks; size += size < 40 || full() ? 1 : 9)
    for (const int root : roots(GetParam().kind, size, size < 20 || full()))
      for (const bool in_place : {false, true})
        for (const bool commutative : {false, true}) {
          // where nothing is joined, once
          if (commutative && !is_reduction(GetParam().kind)) continue;
          check({.size = size,
                 .root = root,
                 .bytes = 2,
                 .commutative = commutative,
                 .in_place = in_place,
                 .varying = true});
          if (HasFatalFailure()) return;
        }
}

TEST_P(trees, works_with_taller_and_flatter_trees) {
  for (const int radix : {3, 4, 5, 8, 130})
    for (int size = 1; size <= most_ranks; size += full() ? 1 : 3)
      for (const int root : roots(GetParam().kind, size, full()))
        for (const bool commutative : {false, true}) {
          check(
              {.size = size, .root = root, .bytes = 3, .commutative = commutative, .radix = radix});
          if (HasFatalFailure()) return;
        }
}

TEST_P(segmentable, may_be_cut_and_pipelined) {
  for (int size = 1; size <= most_ranks / 4 + 1; ++size)
    for (const std::uint32_t streams : {1u, 2u, 4u, 8u})
      for (const std::size_t segment : {1, 8, 33})
        for (const int root : roots(GetParam().kind, size, false))
          for (const bool commutative : {false, true}) {
            check({.size = size,
                   .root = root,
                   .bytes = 92,
                   .element = 4,
                   .commutative = commutative,
                   .in_place = root % 2 == 1,
                   .cut = {segment, streams}});
            if (HasFatalFailure()) return;
          }
}

TEST_P(barriers, holds_everyone_at_a_barrier) {
  for (int size = 1; size <= most_ranks; ++size) {
    const node_map nodes{test::arranged(turn_++, size)};
    ASSERT_EQ(symbolic::barrier_problem(GetParam(), size, &nodes), "") << size << " ranks";
  }
}

// Every arrangement with every root and form; the other tests take arrangements in turn.
TEST_P(by_node, is_right_however_ranks_lie_on_nodes) {
  const collective kind = GetParam().kind;
  for (int size = 1; size <= 19; ++size)
    for (std::size_t which = 0; which != test::arrangement_count; ++which) {
      const node_map nodes{test::arranged(which, size)};
      if (kind == collective::barrier) {
        ASSERT_EQ(symbolic::barrier_problem(GetParam(), size, &nodes), "")
            << size << " ranks, arranged as " << which;
      }
      for (const int root : roots(kind, size, true))
        for (const bool in_place : {false, true})
          for (const bool other : {false, true}) {
            // Shares beyond most_swapped_share take another way between the nodes.
            const bool takes_long = is_reduction(kind) && size == 6 && root == 0 && !in_place;
            const std::size_t element = takes_long ? most_swapped_share + 2 : 2;
            check_one({.size = size,
                       .root = root,
                       .bytes = moves_vectors(kind) ? 13 * element : 2u,
                       .element = is_reduction(kind) ? element : 1u,
                       .commutative = other,
                       .in_place = in_place,
                       .varying = other && kind == collective::allgather,
                       .radix = 2 + size % 3,
                       .nodes = &nodes});
            if (HasFatalFailure()) return;
          }
    }
}

auto those(bool (*wanted)(const algorithm&)) {
  std::vector<algorithm> chosen;
  std::ranges::copy_if(all_algorithms(), std::back_inserter(chosen), wanted);
  return testing::ValuesIn(chosen);
}

INSTANTIATE_TEST_SUITE_P(collective, every_algorithm, those([](const algorithm&) { return true; }),
                         test::algorithm_name);
INSTANTIATE_TEST_SUITE_P(collective, reductions,
                         those([](const algorithm& a) { return is_reduction(a.kind); }),
                         test::algorithm_name);
INSTANTIATE_TEST_SUITE_P(collective, block_movers, those([](const algorithm& a) {
                           return !moves_vectors(a.kind) && !a.equal_blocks;
                         }),
                         test::algorithm_name);
INSTANTIATE_TEST_SUITE_P(collective, trees, those([](const algorithm& a) {
                           return a.name == "tree" || a.name == "leaders";
                         }),
                         test::algorithm_name);
INSTANTIATE_TEST_SUITE_P(collective, segmentable,
                         those([](const algorithm& a) { return a.segmentable; }),
                         test::algorithm_name);
INSTANTIATE_TEST_SUITE_P(collective, by_node, those([](const algorithm& a) { return a.by_node; }),
                         test::algorithm_name);
INSTANTIATE_TEST_SUITE_P(collective, barriers,
                         those([](const algorithm& a) { return a.kind == collective::barrier; }),
                         test::algorithm_name);

}  // namespace
