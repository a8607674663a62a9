// Calls of which one rank alone is refused its arguments: roots, and lengths that do not go together.
#pragma once

#include <functional>
#include <peal/topology.hpp>
#include <string>
#include <vector>

#include "support.hpp"

namespace refused {

using peal::communicator;
using ints = std::vector<int>;

/// Every other element of memory that is twice as long.
struct every_other {
  using element_type = int;
  int* memory;
  std::size_t count;
  [[nodiscard]] int* data_handle() const { return memory; }
  [[nodiscard]] static constexpr std::size_t rank() { return 1; }
  [[nodiscard]] std::size_t extent(std::size_t) const { return count; }
  [[nodiscard]] std::ptrdiff_t stride(std::size_t) const { return 2; }
};

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
  [[nodiscard]] ints odd_parts() const { return ints(count * ranks() + (errs ? 1 : 0), world.rank() + 1); }
  [[nodiscard]] std::vector<ints> blocks() const { return std::vector<ints>(ranks() + (errs ? 1 : 0), block()); }
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
  for (std::size_t i = 0; i != found.size(); ++i) job::equal(found[i], static_cast<int>(i / by.count) + 1, what);
}

enum class who { any, root };  // may err so
struct call {
  const char* name;
  who errs;
  std::function<void(const given&)> make;  // and looks at the result
};

inline const std::vector<call>& roots() {
  static const std::vector<call> all{
      {"root of bcast", who::any, [](const given& by) { job::equal(by.world.bcast(by.is_root() ? 7 : 0, by.root()), 7, "bcast"); }},
      {"root of ibcast", who::any,
       [](const given& by) { job::equal(by.world.ibcast(by.is_root() ? 7 : 0, by.root()).wait(), 7, "ibcast"); }},
      {"root of a bcast of any length", who::any,
       [](const given& by) { all_are(by.world.bcast(by.is_root() ? by.block() : ints{}, by.root()), 1, "bcast of a range"); }},
      {"root of an ibcast of any length", who::any,
       [](const given& by) { all_are(by.world.ibcast(by.is_root() ? by.block() : ints{}, by.root()).wait(), 1, "ibcast of a range"); }},
      {"root of bcast_into", who::any,
       [](const given& by) {
         ints room = by.block();
         by.world.bcast_into(room, by.root());
         all_are(room, 1, "bcast_into");
       }},
      {"root of ibcast_into", who::any,
       [](const given& by) {
         ints room = by.block();
         by.world.ibcast_into(room, by.root()).wait();
         all_are(room, 1, "ibcast_into");
       }},
      {"root of a strided bcast_into", who::any,
       [](const given& by) {
         ints room(2 * by.count, by.world.rank() + 1);
         by.world.bcast_into(every_other{room.data(), by.count}, by.root());
         for (std::size_t i = 0; i != room.size(); i += 2) job::equal(room[i], 1, "a strided bcast_into");
       }},
      {"root of reduce", who::any,
       [](const given& by) {
         if (by.is_root()) all_are(by.world.reduce(by.block(), by.root()), by.sum(), "reduce");
         else (void)by.world.reduce(by.block(), by.root());
       }},
      {"root of ireduce", who::any,
       [](const given& by) {
         const ints got = by.world.ireduce(by.block(), by.root()).wait();
         if (by.is_root()) all_are(got, by.sum(), "ireduce");
       }},
      {"root of reduce_into", who::any,
       [](const given& by) {
         ints room(by.count);
         by.world.reduce_into(by.block(), room, by.root());
         if (by.is_root()) all_are(room, by.sum(), "reduce_into");
       }},
      {"root of reduce_inplace", who::any,
       [](const given& by) {
         ints room = by.block();
         by.world.reduce_inplace(room, by.root());
         if (by.is_root()) all_are(room, by.sum(), "reduce_inplace");
       }},
      {"root of gather", who::any,
       [](const given& by) {
         const ints got = by.world.gather(by.block(), by.root());
         if (by.is_root()) by_rank(by, got, "gather");
       }},
      {"root of igather", who::any,
       [](const given& by) {
         const ints got = by.world.igather(by.block(), by.root()).wait();
         if (by.is_root()) by_rank(by, got, "igather");
       }},
      {"root of a gather of strings", who::any,
       [](const given& by) {
         job::equal(by.world.gather(std::string(by.count, 'a'), by.root()).size(), by.is_root() ? by.ranks() : 0, "strings");
       }},
      {"root of gatherv", who::any,
       [](const given& by) { job::equal(by.world.gatherv(by.block(), by.root()).size(), by.is_root() ? by.ranks() : 0, "gatherv"); }},
      {"root of igatherv", who::any,
       [](const given& by) {
         job::equal(by.world.igatherv(by.block(), by.root()).wait().size(), by.is_root() ? by.ranks() : 0, "igatherv");
       }},
      {"root of gather_into", who::any,
       [](const given& by) {
         ints room(by.is_root() ? by.count * by.ranks() : 0);
         by.world.gather_into(by.block(), room, by.root());
         if (by.is_root()) by_rank(by, room, "gather_into");
       }},
      {"root of gather_inplace", who::any,
       [](const given& by) {
         ints room(by.is_root() ? by.count * by.ranks() : by.count, by.world.rank() + 1);
         by.world.gather_inplace(room, by.root());
         if (by.is_root()) by_rank(by, room, "gather_inplace");
       }},
      {"root of scatter", who::any,
       [](const given& by) { all_are(by.world.scatter(by.is_root() ? by.parts() : ints{}, by.root()), 1, "scatter"); }},
      {"root of iscatter", who::any,
       [](const given& by) {
         const ints parts = by.is_root() ? by.parts() : ints{};
         all_are(by.world.iscatter(parts, by.root()).wait(), 1, "iscatter");
       }},
      {"root of scatterv", who::any,
       [](const given& by) {
         all_are(by.world.scatterv(std::vector<ints>(by.is_root() ? by.ranks() : 0, by.block()), by.root()), 1, "scatterv");
       }},
      {"root of scatter_into", who::any,
       [](const given& by) {
         ints room(by.count);
         by.world.scatter_into(by.is_root() ? by.parts() : ints{}, room, by.root());
         all_are(room, 1, "scatter_into");
       }},
      {"root of scatter_inplace", who::any,
       [](const given& by) {
         ints room(by.is_root() ? by.count * by.ranks() : by.count, by.world.rank() + 1);
         by.world.scatter_inplace(room, by.root());
         job::equal(room.front(), 1, "scatter_inplace");
       }},
  };
  return all;
}

inline const std::vector<call>& lengths() {
  static const std::vector<call> all{
      {"length of scatter", who::root, [](const given& by) { all_are(by.world.scatter(by.odd_parts(), 0), 1, "scatter"); }},
      {"length of scatter_into", who::root,
       [](const given& by) {
         ints room(by.count);
         by.world.scatter_into(by.odd_parts(), room, 0);
         all_are(room, 1, "scatter_into");
       }},
      {"length of iscatter_into", who::root,
       [](const given& by) {
         ints room(by.count);
         const ints parts = by.odd_parts();
         by.world.iscatter_into(parts, room, 0).wait();
         all_are(room, 1, "iscatter_into");
       }},
      {"length of alltoall", who::any, [](const given& by) { by_rank(by, by.world.alltoall(by.odd_parts()), "alltoall"); }},
      {"length of ialltoall", who::any, [](const given& by) { by_rank(by, by.world.ialltoall(by.odd_parts()).wait(), "ialltoall"); }},
      {"length of alltoall_into", who::any,
       [](const given& by) {
         ints room(by.count * by.ranks() + 1);
         by.world.alltoall_into(by.odd_parts(), room);
         room.pop_back();
         by_rank(by, room, "alltoall_into");
       }},
      {"length of ialltoall_into", who::any,
       [](const given& by) {
         ints room(by.count * by.ranks() + 1);
         const ints parts = by.odd_parts();
         by.world.ialltoall_into(parts, room).wait();
         room.pop_back();
         by_rank(by, room, "ialltoall_into");
       }},
      {"length of alltoall_inplace", who::any,
       [](const given& by) {
         ints room = by.odd_parts();
         by.world.alltoall_inplace(room);
         by_rank(by, room, "alltoall_inplace");
       }},
      {"length of ialltoall_inplace", who::any,
       [](const given& by) {
         ints room = by.odd_parts();
         by.world.ialltoall_inplace(room).wait();
         by_rank(by, room, "ialltoall_inplace");
       }},
      {"length of allgather_inplace", who::any,
       [](const given& by) {
         ints room = by.odd_parts();
         by.world.allgather_inplace(room);
         by_rank(by, room, "allgather_inplace");
       }},
      {"length of iallgather_inplace", who::any,
       [](const given& by) {
         ints room = by.odd_parts();
         by.world.iallgather_inplace(room).wait();
         by_rank(by, room, "iallgather_inplace");
       }},
      {"length of gather_inplace", who::root,
       [](const given& by) {
         ints room = by.is_root() ? by.odd_parts() : by.block();
         by.world.gather_inplace(room, 0);
       }},
      {"length of igather_inplace", who::root,
       [](const given& by) {
         ints room = by.is_root() ? by.odd_parts() : by.block();
         by.world.igather_inplace(room, 0).wait();
       }},
      {"length of scatter_inplace", who::root,
       [](const given& by) {
         ints room = by.is_root() ? by.odd_parts() : by.block();
         by.world.scatter_inplace(room, 0);
       }},
      {"length of reduce_scatter_block", who::any,
       [](const given& by) { all_are(by.world.reduce_scatter_block(by.odd_parts()), by.sum(), "reduce_scatter_block"); }},
      {"length of ireduce_scatter_block", who::any,
       [](const given& by) { all_are(by.world.ireduce_scatter_block(by.odd_parts()).wait(), by.sum(), "ireduce_scatter_block"); }},
      {"length of reduce_scatter_block_into", who::any,
       [](const given& by) {
         ints room(by.count + 1);
         by.world.reduce_scatter_block_into(by.odd_parts(), room);
         job::equal(room.front(), by.sum(), "reduce_scatter_block_into");
       }},
      {"length of ireduce_scatter_block_into", who::any,
       [](const given& by) {
         ints room(by.count + 1);
         const ints parts = by.odd_parts();
         by.world.ireduce_scatter_block_into(parts, room).wait();
         job::equal(room.front(), by.sum(), "ireduce_scatter_block_into");
       }},
      {"length of reduce_scatter_block_inplace", who::any,
       [](const given& by) {
         ints room = by.odd_parts();
         by.world.reduce_scatter_block_inplace(room);
         job::equal(room.front(), by.sum(), "reduce_scatter_block_inplace");
       }},
      {"blocks of reduce_scatter", who::any,
       [](const given& by) { all_are(by.world.reduce_scatter(by.blocks()), by.sum(), "reduce_scatter"); }},
      {"blocks of ireduce_scatter", who::any,
       [](const given& by) { all_are(by.world.ireduce_scatter(by.blocks()).wait(), by.sum(), "ireduce_scatter"); }},
      {"lengths of reduce_scatter_into", who::any,
       [](const given& by) {
         ints room(by.count);
         std::vector<std::size_t> of(by.ranks(), by.count);
         if (by.errs) ++of.back();
         by.world.reduce_scatter_into(by.parts(), of, room);
         all_are(room, by.sum(), "reduce_scatter_into");
       }},
      {"lengths of ireduce_scatter_into", who::any,
       [](const given& by) {
         ints room(by.count);
         const ints parts = by.parts();
         std::vector<std::size_t> of(by.ranks(), by.count);
         if (by.errs) of.pop_back();
         by.world.ireduce_scatter_into(parts, of, room).wait();
         all_are(room, by.sum(), "ireduce_scatter_into");
       }},
      {"lengths of reduce_scatter_inplace", who::any,
       [](const given& by) {
         ints room = by.parts();
         std::vector<std::size_t> of(by.ranks(), by.count);
         if (by.errs) --of.front();
         by.world.reduce_scatter_inplace(room, of);
         job::equal(room.front(), by.sum(), "reduce_scatter_inplace");
       }},
      {"blocks of scatterv", who::root, [](const given& by) { all_are(by.world.scatterv(by.blocks(), 0), 1, "scatterv"); }},
      {"blocks of alltoallv", who::any,
       [](const given& by) { job::equal(by.world.alltoallv(by.blocks()).size(), by.ranks(), "alltoallv"); }},
  };
  return all;
}

}  // namespace refused
