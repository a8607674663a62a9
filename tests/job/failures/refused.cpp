// refused [NAME...]: one rank alone passes an argument that a collective refuses. It gets the
// error, the others have their result or an error too, nobody waits for ever, and the collectives
// behind it meet as they should. The names are parts of those of the calls to be made.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <peal/topology.hpp>
#include <string>
#include <vector>

#include "../support.hpp"
#include "refused_calls.hpp"

namespace {

using namespace refused;

/// Pieces that all lie in one place each.
template <class View, class Memory>
std::vector<View> pieces_of(Memory& memory, std::size_t count, std::size_t each) {
  std::vector<View> made;
  for (std::size_t i = 0; i != count; ++i)
    made.emplace_back(std::span{memory}.subspan(i * each, each));
  return made;
}

template <class Call>
void exchange_pieces(const given& by, std::size_t peers, const Call& make) {
  const ints parts(by.count * peers, by.world.rank() + 1);
  ints room(by.count * peers, -1);
  auto out = pieces_of<peal::send_view>(parts, peers, by.count);
  if (by.errs) out.pop_back();
  make(out, pieces_of<peal::recv_view>(room, peers, by.count));
  for (const int each : room) job::check(each > 0, "a piece that has not come");
}

const std::vector<call>& rooms() {
  static const std::vector<call> all{
      {"room of iallreduce into", who::any,
       [](const given& by) {
         ints room = by.room(by.count);
         const ints block = by.block();
         by.world.iallreduce(block, peal::into(room)).wait();
         all_are(room, by.sum(), "iallreduce into");
       }},
      {"room of ireduce into", who::root,
       [](const given& by) {
         ints room = by.room(by.count);
         const ints block = by.block();
         by.world.ireduce(block, peal::into(room), 0).wait();
       }},
      {"room of scan into", who::any,
       [](const given& by) {
         ints room = by.room(by.count);
         by.world.scan(by.block(), peal::into(room));
         all_are(room, by.sum_up_to(by.world.rank() + 1), "scan into");
       }},
      {"room of iscan into", who::any,
       [](const given& by) {
         ints room = by.room(by.count);
         const ints block = by.block();
         by.world.iscan(block, peal::into(room)).wait();
         all_are(room, by.sum_up_to(by.world.rank() + 1), "iscan into");
       }},
      {"room of exscan into", who::any,
       [](const given& by) {
         ints room = by.room(by.count);
         by.world.exscan(by.block(), peal::into(room));
         if (!by.is_root()) all_are(room, by.sum_up_to(by.world.rank()), "exscan into");
       }},
      {"room of igather into", who::root,
       [](const given& by) {
         ints room = by.is_root() ? by.room(by.count * by.ranks()) : ints{};
         const ints block = by.block();
         by.world.igather(block, peal::into(room), 0).wait();
       }},
      {"room of ialltoall into", who::any,
       [](const given& by) {
         ints room = by.room(by.count * by.ranks());
         const ints parts = by.parts();
         by.world.ialltoall(parts, peal::into(room)).wait();
         by_rank(by, room, "ialltoall into");
       }},
      {"room of ireduce_scatter_block into", who::any,
       [](const given& by) {
         ints room = by.room(by.count);
         const ints parts = by.parts();
         by.world.ireduce_scatter_block(parts, peal::into(room)).wait();
         all_are(room, by.sum(), "ireduce_scatter_block into");
       }},
      {"room of reduce_scatter into", who::any,
       [](const given& by) {
         ints room = by.room(by.count);
         const std::vector<std::size_t> of(by.ranks(), by.count);
         const ints parts = by.parts();
         by.world.reduce_scatter(peal::blocks_of(parts, of), peal::into(room));
         all_are(room, by.sum(), "reduce_scatter into");
       }},
      {"room of a strided allreduce into", who::any,
       [](const given& by) {
         ints block(2 * by.count, by.world.rank() + 1), room = by.room(by.count);
         by.world.allreduce(job::column{block.data(), by.count, 2}, peal::into(room));
         all_are(room, by.sum(), "a strided allreduce into");
       }},
      {"room of a strided iallgather into", who::any,
       [](const given& by) {
         ints block(2 * by.count, by.world.rank() + 1), room = by.room(by.count * by.ranks());
         by.world.iallgather(job::column{block.data(), by.count, 2}, peal::into(room)).wait();
         by_rank(by, room, "a strided iallgather into");
       }},
      {"room of a strided alltoall into", who::any,
       [](const given& by) {
         ints parts(2 * by.count * by.ranks(), by.world.rank() + 1),
             room = by.room(by.count * by.ranks());
         by.world.alltoall(job::column{parts.data(), by.count * by.ranks(), 2}, peal::into(room));
         by_rank(by, room, "a strided alltoall into");
       }},
      {"pieces of alltoallw", who::any,
       [](const given& by) {
         exchange_pieces(by, by.ranks(),
                         [&](const auto& out, const auto& in) { by.world.alltoallw(out, in); });
       }},
      {"pieces of ialltoallw", who::any,
       [](const given& by) {
         exchange_pieces(by, by.ranks(), [&](const auto& out, const auto& in) {
           by.world.ialltoallw(out, in).wait();
         });
       }},
  };
  return all;
}

const std::vector<call>& among_neighbors() {
  static const std::vector<call> all{
      {"room of neighbor_allgather into", who::any,
       [](const given& by) {
         ints room = by.room(2 * by.count);
         by.ring.neighbor_allgather(by.block(), peal::into(room));
         for (const int each : room) job::check(each > 0, "a block that has not come");
       }},
      {"room of ineighbor_allgather into", who::any,
       [](const given& by) {
         ints room = by.room(2 * by.count);
         const ints block = by.block();
         by.ring.ineighbor_allgather(block, peal::into(room)).wait();
         for (const int each : room) job::check(each > 0, "a block that has not come");
       }},
      {"length of neighbor_alltoall", who::any,
       [](const given& by) {
         const ints parts(2 * by.count + (by.errs ? 1 : 0), by.world.rank() + 1);
         for (const int each : by.ring.neighbor_alltoall(parts))
           job::check(each > 0, "a part that has not come");
       }},
      {"length of ineighbor_alltoall", who::any,
       [](const given& by) {
         const ints parts(2 * by.count + (by.errs ? 1 : 0), by.world.rank() + 1);
         for (const int each : by.ring.ineighbor_alltoall(parts).wait())
           job::check(each > 0, "a part that has not come");
       }},
      {"room of neighbor_alltoall into", who::any,
       [](const given& by) {
         ints room = by.room(2 * by.count);
         by.ring.neighbor_alltoall(ints(2 * by.count, by.world.rank() + 1), peal::into(room));
         for (const int each : room) job::check(each > 0, "a part that has not come");
       }},
      {"blocks of neighbor_alltoallv", who::any,
       [](const given& by) {
         job::equal(
             by.ring.neighbor_alltoallv(std::vector<ints>(by.errs ? 3 : 2, by.block())).size(),
             std::size_t{2}, "blocks");
       }},
      {"blocks of ineighbor_alltoallv", who::any,
       [](const given& by) {
         job::equal(by.ring.ineighbor_alltoallv(std::vector<ints>(by.errs ? 3 : 2, by.block()))
                        .wait()
                        .size(),
                    std::size_t{2}, "blocks");
       }},
      {"pieces of neighbor_alltoallw", who::any,
       [](const given& by) {
         exchange_pieces(
             by, 2, [&](const auto& out, const auto& in) { by.ring.neighbor_alltoallw(out, in); });
       }},
      {"pieces of ineighbor_alltoallw", who::any,
       [](const given& by) {
         exchange_pieces(by, 2, [&](const auto& out, const auto& in) {
           by.ring.ineighbor_alltoallw(out, in).wait();
         });
       }},
  };
  return all;
}

/// Twice, since who is refused the plan takes part in no start.
template <class Plan>
void start_twice(Plan plan) {
  try {
    (void)plan.start().wait();
  } catch (const peal::error&) {
  }
  (void)plan.start().wait();
}

const std::vector<call>& plans() {
  static const std::vector<call> all{
      {"root of bcast_plan in place", who::any,
       [](const given& by) {
         ints room = by.block();
         start_twice(by.world.bcast_plan(peal::in_place(room), by.root()));
         all_are(room, 1, "bcast_plan in place");
       }},
      {"root of reduce_plan", who::any,
       [](const given& by) {
         const ints block = by.block();
         start_twice(by.world.reduce_plan(block, by.root()));
       }},
      {"root of gatherv_plan", who::any,
       [](const given& by) {
         const ints block = by.block();
         start_twice(by.world.gatherv_plan(block, by.root()));
       }},
      {"room of allreduce_plan into", who::any,
       [](const given& by) {
         const ints block = by.block();
         ints room = by.room(by.count);
         start_twice(by.world.allreduce_plan(block, peal::into(room)));
         all_are(room, by.sum(), "allreduce_plan into");
       }},
      {"room of gather_plan into", who::root,
       [](const given& by) {
         const ints block = by.block();
         ints room = by.is_root() ? by.room(by.count * by.ranks()) : ints{};
         start_twice(by.world.gather_plan(block, peal::into(room), 0));
       }},
      {"room of a strided allgather_plan into", who::any,
       [](const given& by) {
         ints block(2 * by.count, by.world.rank() + 1), room = by.room(by.count * by.ranks());
         start_twice(
             by.world.allgather_plan(job::column{block.data(), by.count, 2}, peal::into(room)));
         by_rank(by, room, "a strided allgather_plan into");
       }},
      {"length of alltoall_plan", who::any,
       [](const given& by) {
         const ints parts = by.odd_parts();
         start_twice(by.world.alltoall_plan(parts));
       }},
      {"length of scatter_plan", who::root,
       [](const given& by) {
         const ints parts = by.odd_parts();
         start_twice(by.world.scatter_plan(parts, 0));
       }},
      {"blocks of scatterv_plan", who::root,
       [](const given& by) {
         const auto blocks = by.blocks();
         start_twice(by.world.scatterv_plan(blocks, 0));
       }},
      {"blocks of alltoallv_plan", who::any,
       [](const given& by) {
         const auto blocks = by.blocks();
         start_twice(by.world.alltoallv_plan(blocks));
       }},
      {"blocks of reduce_scatter_plan", who::any,
       [](const given& by) {
         const auto blocks = by.blocks();
         start_twice(by.world.reduce_scatter_plan(blocks));
       }},
      {"pieces of alltoallw_plan", who::any,
       [](const given& by) {
         exchange_pieces(by, by.ranks(), [&](const auto& out, const auto& in) {
           start_twice(by.world.alltoallw_plan(out, in));
         });
       }},
      {"room of neighbor_allgather_plan into", who::any,
       [](const given& by) {
         const ints block = by.block();
         ints room = by.room(2 * by.count);
         start_twice(by.ring.neighbor_allgather_plan(block, peal::into(room)));
       }},
      {"blocks of neighbor_alltoallv_plan", who::any,
       [](const given& by) {
         const std::vector<ints> blocks(by.errs ? 3 : 2, by.block());
         start_twice(by.ring.neighbor_alltoallv_plan(blocks));
       }},
  };
  return all;
}

peal::graph ring_of(const communicator& all) {
  const int size = all.size();
  return peal::graph{all, {(all.rank() + size - 1) % size, (all.rank() + 1) % size}};
}

/// Collectives of every way that calls go.
void meet(const communicator& on, const std::string& behind) {
  const int size = on.size();
  job::equal(on.allreduce(1), size, behind + ": allreduce");
  job::equal(on.iallreduce(2).wait(), 2 * size, behind + ": iallreduce");
  job::equal(on.allreduce(ints(5000, 1)).back(), size, behind + ": a long allreduce");
  const int one = 1;
  job::equal(on.allreduce_plan(one).start().wait(), size, behind + ": a plan");
  job::equal(on.bcast(ints(on.rank() == 0 ? 100 : 0, 5), 0).size(), std::size_t{100},
             behind + ": a bcast of any length");
}

void err(const call& one, const given& by, int bad) {
  const std::string what =
      std::string{one.name} + ", rank " + std::to_string(bad) + ", " + std::to_string(by.count);
  std::error_code became;
  try {
    one.make(by);
  } catch (const peal::error& e) {
    became = e.code();
    if (by.errs)
      job::check(std::string{e.where().file_name()}.find("/refused") != std::string::npos,
                 what + ": the place of the call: " + e.where().file_name());
  }
  const bool refused = became == peal::errc::invalid_argument || became == peal::errc::invalid_root;
  if (by.errs) job::check(refused, what + ": not refused, but: " + became.message());
  else
    job::check(
        !became || became == peal::errc::operation_failed || became == peal::errc::invalid_argument,
        what + ": " + became.message());
  meet(by.world, what);
  meet(by.ring, what);
}

/// Several ranks err in the same call, or all do, the first one of a communicator.
void err_together(const communicator& world, const peal::graph& ring) {
  for (const auto* table : {&roots(), &lengths(), &rooms(), &plans()})
    for (const call& one : *table)
      for (const int good : {world.size(), world.size() - 1, 0}) {
        const communicator fresh = world.dup();
        const bool errs = fresh.rank() != good && (one.errs == who::any || fresh.rank() == 0);
        std::error_code became;
        try {
          one.make({fresh, ring, errs, 700});
        } catch (const peal::error& e) {
          became = e.code();
        }
        if (errs)
          job::check(became == peal::errc::invalid_argument || became == peal::errc::invalid_root,
                     one.name);
        meet(fresh, std::string{one.name} + ", of several");
      }
}

/// So many in a row that the ranks agree on the way of calls in one of them, and again behind them.
void err_in_a_row(const communicator& world) {
  constexpr int calls = 12, behind = 60;
  for (const auto* table : {&roots(), &lengths(), &rooms(), &among_neighbors()})
    for (const call& one : *table) {
      const communicator fresh = world.dup();
      const peal::graph ring = ring_of(fresh);
      const bool errs = fresh.rank() == 0;
      for (int i = 0; i != calls; ++i) {
        try {
          one.make({fresh, ring, errs, 3});
          job::check(!errs, one.name);
        } catch (const peal::error&) {
        }
      }
      for (int i = 0; i != behind; ++i) {
        job::equal(fresh.allreduce(i), i * fresh.size(), one.name);
        job::equal(ring.allreduce(i), i * ring.size(), one.name);
      }
    }
}

/// Rank 0 is some calls ahead of the last rank, which is refused the first of them and comes when
/// rank 0 says so.
void err_behind(const communicator& world) {
  constexpr int calls = 5;
  const int last = world.size() - 1;
  // A long one among short ones: of two there would be no room for the second while the first has
  // not been read.
  for (const std::size_t count : {std::size_t{1}, std::size_t{2000}, std::size_t{7000}})
    for (const int longer : {0, 1}) {
      const communicator on = world.dup();
      meet(on, "before");
      if (on.rank() == last) (void)on.recv<int>(0);
      for (int i = 0; i != calls; ++i) {
        ints room(i == longer ? count : 1, on.rank() == 0 ? i : -1);
        const bool errs = i == 0 && on.rank() == last;
        try {
          on.bcast(peal::in_place(room), errs ? -1 : 0);
          job::check(!errs, "a root that is no rank");
          all_are(room, i, "a bcast in place of many");
        } catch (const peal::error& e) {
          job::check(i == 0 && (errs ? e.code() == peal::errc::invalid_root
                                     : e.code() == peal::errc::operation_failed),
                     e.what());
        }
      }
      if (on.rank() == 0) on.send(1, last);
      meet(on, "behind a rank that was ahead");
    }
}

/// All others are so far ahead that they do not know any more which way the refused call went: its
/// communicator is given up.
void err_far_behind(const communicator& world) {
  constexpr int calls = 40;
  const communicator on = world.dup();
  const int last = on.size() - 1;
  meet(on, "before");
  if (on.rank() == last) {
    for (int rank = 0; rank != last; ++rank) (void)on.recv<int>(rank);
    job::throws(peal::errc::invalid_root, [&] { (void)on.bcast(0, -1); });
  } else {
    job::equal(on.bcast(7, 0), 7, "far ahead");
    for (int i = 0; i != calls; ++i) job::equal(on.ibcast(i, 0).wait(), i, "far ahead");
    on.send(1, last);
  }
  job::throws(peal::errc::peer_failed, [&] { (void)on.allreduce(1); });
}

/// The others have let the communicator go before its last collective is refused.
void err_in_the_last(const communicator& world) {
  const int last = world.size() - 1;
  for (const std::size_t count : {std::size_t{1}, std::size_t{2000}}) {
    std::optional<communicator> on{world.dup()};
    meet(*on, "before");
    ints room(count, 3);
    if (world.rank() == last) {
      for (int rank = 0; rank != last; ++rank) (void)world.recv<int>(rank);
      job::throws(peal::errc::invalid_root, [&] { on->bcast(peal::in_place(room), -1); });
    } else {
      on->bcast(peal::in_place(room), 0);
      on.reset();
      world.send(1, last);
    }
    meet(world, "behind a communicator that has gone");
  }
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const communicator world = env.world().dup();
  job::my_rank() = world.rank();
  const int size = world.size();
  const peal::graph ring = ring_of(world);
  const std::vector<std::string> names{argv + 1, argv + argc};
  std::vector<int> bad_ones{0, 1};
  if (size > 2) bad_ones.push_back(size - 1);
  for (const auto* table : {&roots(), &lengths(), &rooms(), &among_neighbors(), &plans()})
    for (const call& one : *table) {
      const std::string name{one.name};
      const auto meant = [&](const std::string& part) {
        return name.find(part) != std::string::npos;
      };
      if (!names.empty() && std::ranges::none_of(names, meant)) continue;
      for (const std::size_t count : {std::size_t{1}, std::size_t{3000}, std::size_t{60'000}})
        for (const int bad : bad_ones)
          if (one.errs == who::any || bad == 0)
            err(one, {world, ring, world.rank() == bad, count}, bad);
    }
  if (!names.empty()) return 0;
  err_together(world, ring);
  err_in_a_row(world);
  const char* const compared = std::getenv("PEAL_CHECK");  // then nobody is ahead
  if (compared == nullptr || std::string{compared} != "1") {
    // In another order, and so without what has been learnt: then a root does not wait in a bcast.
    const communicator turned = *world.split(1, -world.rank());
    err_behind(turned);
    err_in_the_last(turned);
    err_far_behind(turned);
  }
}
