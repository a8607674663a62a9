// Calls of which one rank alone is refused its arguments: roots, and lengths that do not go
// together.
#pragma once

#include <functional>
#include <peal/topology.hpp>
#include <string>
#include <vector>

#include "../support.hpp"

namespace refused {

using peal::communicator;
using ints = std::vector<int>;

/// What a call is made with, on this rank.
struct given {
  const communicator& world;
  const peal::graph& ring;
  bool errs;          // this rank passes something wrong
  std::size_t count;  // elements of a rank's block

  [[nodiscard]] int size() const { return world.size(); }
  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(size()); }
  [[nodiscard]] bool is_root() const { return world.rank() == 0; }
  [[nodiscard]] int root() const { return errs ? size() + 5 : 0; }
  /// All of this rank's elements are its number.
  [[nodiscard]] ints block() const { return ints(count, world.rank() + 1); }
  /// One for each rank.
  [[nodiscard]] ints parts() const { return ints(count * ranks(), world.rank() + 1); }
  /// The same, but it does not divide on the rank that errs.
  [[nodiscard]] ints odd_parts() const {
    return ints(count * ranks() + (errs ? 1 : 0), world.rank() + 1);
  }
  [[nodiscard]] std::vector<ints> blocks() const {
    return std::vector<ints>(ranks() + (errs ? 1 : 0), block());
  }
  /// So long, but too short by one on the rank that errs.
  [[nodiscard]] ints room(std::size_t needed) const { return ints(needed - (errs ? 1 : 0), -1); }
  [[nodiscard]] int sum() const { return size() * (size() + 1) / 2; }
  [[nodiscard]] int sum_up_to(int ranks) const { return ranks * (ranks + 1) / 2; }
};

inline void all_are(const ints& found, int expected, const char* what) {
  for (const int each : found) job::equal(each, expected, what);
}
/// `count` elements of each rank.
inline void by_rank(const given& by, const ints& found, const char* what) {
  job::equal(found.size(), by.count * by.ranks(), what);
  for (std::size_t i = 0; i != found.size(); ++i)
    job::equal(found[i], static_cast<int>(i / by.count) + 1, what);
}

enum class who { any, root };  // may err so
struct call {
  const char* name;
  who errs;
  std::function<void(const given&)> make;  // and looks at the result
};

inline const std::vector<call>& roots() {
  static const std::vector<call> all{
      {"root of bcast", who::any,
       [](const given& by) {
         job::equal(by.world.bcast(by.is_root() ? 7 : 0, by.root()), 7, "bcast");
       }},
      {"root of ibcast", who::any,
       [](const given& by) {
         job::equal(by.world.ibcast(by.is_root() ? 7 : 0, by.root()).wait(), 7, "ibcast");
       }},
      {"root of a bcast of any length", who::any,
       [](const given& by) {
         all_are(by.world.bcast(by.is_root() ? by.block() : ints{}, by.root()), 1,
                 "bcast of a range");
       }},
      {"root of an ibcast of any length", who::any,
       [](const given& by) {
         all_are(by.world.ibcast(by.is_root() ? by.block() : ints{}, by.root()).wait(), 1,
                 "ibcast of a range");
       }},
      {"root of bcast in place", who::any,
       [](const given& by) {
         ints room = by.block();
         by.world.bcast(peal::in_place(room), by.root());
         all_are(room, 1, "bcast in place");
       }},
      {"root of ibcast in place", who::any,
       [](const given& by) {
         ints room = by.block();
         by.world.ibcast(peal::in_place(room), by.root()).wait();
         all_are(room, 1, "ibcast in place");
       }},
      {"root of a strided bcast in place", who::any,
       [](const given& by) {
         ints room(2 * by.count, by.world.rank() + 1);
         by.world.bcast(peal::in_place(job::column{room.data(), by.count, 2}), by.root());
         for (std::size_t i = 0; i != room.size(); i += 2)
           job::equal(room[i], 1, "a strided bcast in place");
       }},
      {"root of reduce", who::any,
       [](const given& by) {
         if (const auto got = by.world.reduce(by.block(), by.root()))
           all_are(*got, by.sum(), "reduce");
       }},
      {"root of ireduce", who::any,
       [](const given& by) {
         if (const auto got = by.world.ireduce(by.block(), by.root()).wait())
           all_are(*got, by.sum(), "ireduce");
       }},
      {"root of reduce into", who::any,
       [](const given& by) {
         ints room(by.count);
         by.world.reduce(by.block(), peal::into(room), by.root());
         if (by.is_root()) all_are(room, by.sum(), "reduce into");
       }},
      {"root of reduce in place", who::any,
       [](const given& by) {
         ints room = by.block();
         by.world.reduce(peal::in_place(room), by.root());
         if (by.is_root()) all_are(room, by.sum(), "reduce in place");
       }},
      {"root of gather", who::any,
       [](const given& by) {
         if (const auto got = by.world.gather(by.block(), by.root())) by_rank(by, *got, "gather");
       }},
      {"root of igather", who::any,
       [](const given& by) {
         if (const auto got = by.world.igather(by.block(), by.root()).wait())
           by_rank(by, *got, "igather");
       }},
      {"root of a gather of strings", who::any,
       [](const given& by) {
         const auto got = by.world.gather(std::string(by.count, 'a'), by.root());
         job::equal(got ? got->size() : 0, by.is_root() ? by.ranks() : 0, "strings");
       }},
      {"root of gatherv", who::any,
       [](const given& by) {
         const auto got = by.world.gatherv(by.block(), by.root());
         job::equal(got ? got->size() : 0, by.is_root() ? by.ranks() : 0, "gatherv");
       }},
      {"root of igatherv", who::any,
       [](const given& by) {
         const auto got = by.world.igatherv(by.block(), by.root()).wait();
         job::equal(got ? got->size() : 0, by.is_root() ? by.ranks() : 0, "igatherv");
       }},
      {"root of gather into", who::any,
       [](const given& by) {
         ints room(by.is_root() ? by.count * by.ranks() : 0);
         by.world.gather(by.block(), peal::into(room), by.root());
         if (by.is_root()) by_rank(by, room, "gather into");
       }},
      {"root of gather in place", who::any,
       [](const given& by) {
         ints room(by.is_root() ? by.count * by.ranks() : by.count, by.world.rank() + 1);
         by.world.gather(peal::in_place(room), by.root());
         if (by.is_root()) by_rank(by, room, "gather in place");
       }},
      {"root of scatter", who::any,
       [](const given& by) {
         all_are(by.world.scatter(by.is_root() ? by.parts() : ints{}, by.root()), 1, "scatter");
       }},
      {"root of iscatter", who::any,
       [](const given& by) {
         const ints parts = by.is_root() ? by.parts() : ints{};
         all_are(by.world.iscatter(parts, by.root()).wait(), 1, "iscatter");
       }},
      {"root of scatterv", who::any,
       [](const given& by) {
         all_are(by.world.scatterv(std::vector<ints>(by.is_root() ? by.ranks() : 0, by.block()),
                                   by.root()),
                 1, "scatterv");
       }},
      {"root of scatter into", who::any,
       [](const given& by) {
         ints room(by.count);
         by.world.scatter(by.is_root() ? by.parts() : ints{}, peal::into(room), by.root());
         all_are(room, 1, "scatter into");
       }},
      {"root of scatter in place", who::any,
       [](const given& by) {
         ints room(by.is_root() ? by.count * by.ranks() : by.count, by.world.rank() + 1);
         by.world.scatter(peal::in_place(room), by.root());
         job::equal(room.front(), 1, "scatter in place");
       }},
  };
  return all;
}

inline const std::vector<call>& lengths() {
  static const std::vector<call> all{
      {"length of scatter", who::root,
       [](const given& by) { all_are(by.world.scatter(by.odd_parts(), 0), 1, "scatter"); }},
      {"length of scatter into", who::root,
       [](const given& by) {
         ints room(by.count);
         by.world.scatter(by.odd_parts(), peal::into(room), 0);
         all_are(room, 1, "scatter into");
       }},
      {"length of iscatter into", who::root,
       [](const given& by) {
         ints room(by.count);
         const ints parts = by.odd_parts();
         by.world.iscatter(parts, peal::into(room), 0).wait();
         all_are(room, 1, "iscatter into");
       }},
      {"length of alltoall", who::any,
       [](const given& by) { by_rank(by, by.world.alltoall(by.odd_parts()), "alltoall"); }},
      {"length of ialltoall", who::any,
       [](const given& by) {
         by_rank(by, by.world.ialltoall(by.odd_parts()).wait(), "ialltoall");
       }},
      {"length of alltoall into", who::any,
       [](const given& by) {
         ints room(by.count * by.ranks() + 1);
         by.world.alltoall(by.odd_parts(), peal::into(room));
         room.pop_back();
         by_rank(by, room, "alltoall into");
       }},
      {"length of ialltoall into", who::any,
       [](const given& by) {
         ints room(by.count * by.ranks() + 1);
         const ints parts = by.odd_parts();
         by.world.ialltoall(parts, peal::into(room)).wait();
         room.pop_back();
         by_rank(by, room, "ialltoall into");
       }},
      {"length of alltoall in place", who::any,
       [](const given& by) {
         ints room = by.odd_parts();
         by.world.alltoall(peal::in_place(room));
         by_rank(by, room, "alltoall in place");
       }},
      {"length of ialltoall in place", who::any,
       [](const given& by) {
         ints room = by.odd_parts();
         by.world.ialltoall(peal::in_place(room)).wait();
         by_rank(by, room, "ialltoall in place");
       }},
      {"length of allgather in place", who::any,
       [](const given& by) {
         ints room = by.odd_parts();
         by.world.allgather(peal::in_place(room));
         by_rank(by, room, "allgather in place");
       }},
      {"length of iallgather in place", who::any,
       [](const given& by) {
         ints room = by.odd_parts();
         by.world.iallgather(peal::in_place(room)).wait();
         by_rank(by, room, "iallgather in place");
       }},
      {"length of gather in place", who::root,
       [](const given& by) {
         ints room = by.is_root() ? by.odd_parts() : by.block();
         by.world.gather(peal::in_place(room), 0);
       }},
      {"length of igather in place", who::root,
       [](const given& by) {
         ints room = by.is_root() ? by.odd_parts() : by.block();
         by.world.igather(peal::in_place(room), 0).wait();
       }},
      {"length of scatter in place", who::root,
       [](const given& by) {
         ints room = by.is_root() ? by.odd_parts() : by.block();
         by.world.scatter(peal::in_place(room), 0);
       }},
      {"length of reduce_scatter_block", who::any,
       [](const given& by) {
         all_are(by.world.reduce_scatter_block(by.odd_parts()), by.sum(), "reduce_scatter_block");
       }},
      {"length of ireduce_scatter_block", who::any,
       [](const given& by) {
         all_are(by.world.ireduce_scatter_block(by.odd_parts()).wait(), by.sum(),
                 "ireduce_scatter_block");
       }},
      {"length of reduce_scatter_block into", who::any,
       [](const given& by) {
         ints room(by.count + 1);
         by.world.reduce_scatter_block(by.odd_parts(), peal::into(room));
         job::equal(room.front(), by.sum(), "reduce_scatter_block into");
       }},
      {"length of ireduce_scatter_block into", who::any,
       [](const given& by) {
         ints room(by.count + 1);
         const ints parts = by.odd_parts();
         by.world.ireduce_scatter_block(parts, peal::into(room)).wait();
         job::equal(room.front(), by.sum(), "ireduce_scatter_block into");
       }},
      {"length of reduce_scatter_block in place", who::any,
       [](const given& by) {
         ints room = by.odd_parts();
         by.world.reduce_scatter_block(peal::in_place(room));
         job::equal(room.front(), by.sum(), "reduce_scatter_block in place");
       }},
      {"blocks of reduce_scatter", who::any,
       [](const given& by) {
         all_are(by.world.reduce_scatter(by.blocks()), by.sum(), "reduce_scatter");
       }},
      {"blocks of ireduce_scatter", who::any,
       [](const given& by) {
         all_are(by.world.ireduce_scatter(by.blocks()).wait(), by.sum(), "ireduce_scatter");
       }},
      {"lengths of reduce_scatter into", who::any,
       [](const given& by) {
         ints room(by.count);
         std::vector<std::size_t> of(by.ranks(), by.count);
         if (by.errs) ++of.back();
         const ints parts = by.parts();
         by.world.reduce_scatter(peal::blocks_of(parts, of), peal::into(room));
         all_are(room, by.sum(), "reduce_scatter into");
       }},
      {"lengths of ireduce_scatter into", who::any,
       [](const given& by) {
         ints room(by.count);
         const ints parts = by.parts();
         std::vector<std::size_t> of(by.ranks(), by.count);
         if (by.errs) of.pop_back();
         by.world.ireduce_scatter(peal::blocks_of(parts, of), peal::into(room)).wait();
         all_are(room, by.sum(), "ireduce_scatter into");
       }},
      {"lengths of reduce_scatter in place", who::any,
       [](const given& by) {
         ints room = by.parts();
         std::vector<std::size_t> of(by.ranks(), by.count);
         if (by.errs) --of.front();
         by.world.reduce_scatter(peal::in_place(room, of));
         job::equal(room.front(), by.sum(), "reduce_scatter in place");
       }},
      {"blocks of scatterv", who::root,
       [](const given& by) { all_are(by.world.scatterv(by.blocks(), 0), 1, "scatterv"); }},
      {"blocks of alltoallv", who::any,
       [](const given& by) {
         job::equal(by.world.alltoallv(by.blocks()).size(), by.ranks(), "alltoallv");
       }},
  };
  return all;
}

}  // namespace refused
