// collective/direct/groups/group_call.hpp
// One small collective of one rank among more ranks than look at each other's flags: group by group
// (group_flags.hpp).
//
//   up      Each leader waits for what the members of its group give, and joins it: vectors by the
//           operation, blocks one behind the other.
//   across  The members of the top group give what they have, and read it from each other. Any
//           other rank gives what it has to its leader, and then waits for what comes back.
//   down    Each leader gives to its group what has come back.
//
// So there are three ways to move data: from the root to all (bcast, scatter), vectors that are
// joined on their way (reduce, allreduce, reduce_scatter), and blocks that are collected (gather,
// allgather). Where there is a block for each rank, it takes its own of those that come back.
//
// Every rank stamps one operation in each of its groups, whatever is called. Where nothing is to be
// read, for instance by the members below the root of a bcast, nobody waits.
//
// Vectors are joined group by group, in each from the first member to the last, always alike. All
// ranks have the same bits, since what they read was joined in one place, or in one order.
//
// A rank that found an error gives that instead of data, so that all who depend on it have it too.
//
// Layer    collective/direct: may include collective/, base/.
// Units    bytes.
// Threads  one at a time. `ready` changes nothing that other ranks see.
// Errors   truncated and invalid_argument where a rank has called something else, or with another
//          length, or is refused the call. When a user's function throws, the ranks that wanted its
//          result end with operation_failed, and what it threw comes out of the last `step` here.
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <system_error>

#include "collective/direct/calls/short_call.hpp"
#include "collective/direct/groups/group_flags.hpp"
#include "collective/kernels/reduction.hpp"
#include "peal/detail/core.hpp"
#include "peal/error.hpp"

namespace peal::direct {

class group_call {
 public:
  /// Whether vectors are joined on their way, and whether blocks are collected.
  static constexpr bool joins(detail::collective kind) noexcept {
    using detail::collective;
    return kind == collective::reduce || kind == collective::allreduce ||
           kind == collective::reduce_scatter;
  }
  static constexpr bool collects(detail::collective kind) noexcept {
    using detail::collective;
    return kind == collective::gather || kind == collective::allgather;
  }
  /// Whether there is a block for each rank, or of each.
  static constexpr bool moves_blocks(detail::collective kind) noexcept {
    using detail::collective;
    return collects(kind) || kind == collective::scatter || kind == collective::reduce_scatter;
  }

  /// Whether such a call goes this way. `in_order`: joining by groups is joining in the order of
  /// ranks. Depends on nothing but what is the same on every rank.
  [[nodiscard]] static bool fits(const detail::collective_call& call, int size,
                                 bool in_order) noexcept {
    using detail::collective;
    // In an alltoall no leader could hold what its group gives. A scan by groups took 1.1 times as
    // long as by messages (65 ranks on two cores).
    if (call.kind == collective::alltoall || call.kind == collective::scan ||
        call.kind == collective::exscan || !direct::fits(call, size))
      return false;
    if (moves_blocks(call.kind) && call.bytes > area_bytes / static_cast<std::size_t>(size))
      return false;
    return !joins(call.kind) || in_order || call.op.kind != detail::builtin::none ||
           call.op.commutative;
  }

  /// Requires: it fits, or it is no_part_in_a_short_call; and the groups are open. All must
  /// outlive this.
  group_call(group_flags& in, const detail::collective_call& call) noexcept;
  group_call(const group_call&) = delete;
  group_call& operator=(const group_call&) = delete;

  /// False: the operation has no meaning for the type, on any rank; not to be begun.
  [[nodiscard]] bool valid() const noexcept {
    return call_.spoilt || !detail::is_reduction(call_.kind) || with_.valid();
  }
  /// Requires: the last operation of these flags is over.
  void begin() noexcept {
    for (group_end& each : ends_) each.all.next();
  }

  /// Whether the next step can be made.
  [[nodiscard]] bool ready() noexcept;
  /// A rank that keeps it from being ready, or -1.
  [[nodiscard]] int awaits() noexcept;
  /// Requires: ready(). True: an operation was stamped, so of `woken` those that sleep are to be
  /// woken.
  bool step();
  [[nodiscard]] std::span<const receiver> woken() const noexcept { return stamped_->wakes; }
  [[nodiscard]] bool over() const noexcept { return stage_ == stage::over; }
  /// It will not be ready any more.
  void give_up(errc why) noexcept {
    stage_ = stage::over;
    note(why);
    wants_result_ = true;
  }
  [[nodiscard]] std::error_code error() const noexcept {
    return wants_result_ ? error_ : std::error_code{};
  }

 private:
  enum class stage : std::uint8_t { collects, gives, awaits, returns, over };

  [[nodiscard]] group_end& here() noexcept { return ends_[at_]; }
  /// What is awaited of this rank's group in a stage: a member of it, everybody or nobody.
  static constexpr int nobody = -1, everybody = -2;
  [[nodiscard]] int awaited() noexcept;
  [[nodiscard]] int root_part() noexcept {
    return here().part_of[static_cast<std::size_t>(call_.root)];
  }
  /// How much this rank has to give to those that are further.
  [[nodiscard]] std::size_t gives() noexcept;
  /// How much a member gives of what it stands for, on the way to all.
  [[nodiscard]] std::size_t part_bytes(int member) noexcept {
    if (!collects(call_.kind)) return whole_;
    return call_.bytes * here().ranks_in[static_cast<std::size_t>(member)];
  }
  /// What the members of this group gave is read, not only what comes back.
  [[nodiscard]] bool reads_all() noexcept { return stage_ == stage::collects || here().top; }
  void begin_next() noexcept;
  void read() noexcept;
  void take_from(int member) noexcept;
  void join() noexcept;
  void put_together() noexcept;
  void take_own() noexcept;
  void stamp(std::size_t bytes) noexcept;
  [[nodiscard]] bool gave(int member) noexcept;
  void note(errc why) noexcept {
    if (!error_) error_ = make_error_code(why);
  }

  std::span<group_end> ends_;
  group_flags& memory_;
  const detail::collective_call& call_;
  std::size_t whole_;  // bytes of a vector, or of all blocks
  int rank_;
  std::size_t at_ = 0;            // which group
  const void* have_ = nullptr;    // what is given on
  group_end* stamped_ = nullptr;  // the last one
  stage stage_ = stage::collects;
  bool in_place_;
  bool is_root_;
  bool wants_result_;
  int next_ = 0;  // the first member that may not have come
  reduction with_;
  std::exception_ptr thrown_;
  std::error_code error_;
};

}  // namespace peal::direct
