// peal/communicator.hpp
// An ordered set of ranks that exchange messages among themselves, and its collectives.
//
// Units    ranks count from 0; values and elements, unless bytes are said.
// Threads  with thread_level::multiple any thread, else one at a time. Collectives of one
//          communicator are called in the same order by all.
// Errors   every call throws peal::error with the peer, the code and the caller's place; a call
//          that returns a request leaves what happens to the message to that.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <source_location>
#include <utility>

#include <peal/basic_communicator.hpp>
#include <peal/collectives/allgather.hpp>
#include <peal/collectives/allreduce.hpp>
#include <peal/collectives/alltoall.hpp>
#include <peal/collectives/barrier.hpp>
#include <peal/collectives/bcast.hpp>
#include <peal/collectives/gather.hpp>
#include <peal/collectives/reduce.hpp>
#include <peal/collectives/reduce_scatter.hpp>
#include <peal/collectives/scan.hpp>
#include <peal/collectives/scatter.hpp>
#include <peal/data/blocks.hpp>
#include <peal/data/buffer.hpp>
#include <peal/data/into.hpp>
#include <peal/data/op.hpp>
#include <peal/data/view.hpp>
#include <peal/detail/core.hpp>
#include <peal/message.hpp>
#include <peal/message_plan.hpp>
#include <peal/plan.hpp>
#include <peal/requests/request.hpp>
#include <peal/status.hpp>
#include <peal/tag.hpp>

namespace peal {

/// Move-only. Made by environment (world), dup and split; may be destroyed after the environment.
/// Its messages are those of basic_communicator, and plans of them (peal/message_plan.hpp).
///
/// Its collectives, a file each in peal/collectives: barrier, bcast, reduce, allreduce, scan,
/// exscan, reduce_scatter, reduce_scatter_block, gather, gatherv, allgather, allgatherv, scatter,
/// scatterv, alltoall, alltoallv, alltoallw. Every rank calls them, in the same order.
///
/// When: each has a nonblocking form that begins with i, and a plan (peal/plan.hpp) whose name ends
/// with _plan. They are other collectives: every rank calls the same form. What a nonblocking form
/// is given as an lvalue must live until the request has ended, and what a plan is given must stay
/// where it is, and as long as it is, for as long as the plan lives; each start reads what is there
/// then. A plan's results are values, or views of the plan's own memory.
///
/// From where: values, contiguous ranges, strided views, serialized values, and blocks for every
/// rank. Where to: the result is returned, or goes into(memory), or in_place(memory) of what is
/// given (peal/data/into.hpp). A contiguous range of fixed elements is its elements, any other
/// value is one value; a rank that has no result gets an empty optional.
///
/// What one rank alone is refused (a root, a number of elements that does not divide, memory for a
/// result): it throws errc::invalid_argument or invalid_root, and the others go on without it. The
/// others whose result needs something of that rank get errc::operation_failed or invalid_argument,
/// the rest have their results, and the next collective is in step. A blocking form may throw only
/// when all others have called theirs; an i-form throws at once, or at its wait. Where memory given
/// by into() is too short for a result, all others have theirs. What results lie in is undefined
/// where a call has thrown. Of plans: peal/plan.hpp.
class communicator : public basic_communicator,
                     public barrier_calls<communicator>,
                     public bcast_calls<communicator>,
                     public reduce_calls<communicator>,
                     public allreduce_calls<communicator>,
                     public scan_calls<communicator>,
                     public reduce_scatter_calls<communicator>,
                     public gather_calls<communicator>,
                     public allgather_calls<communicator>,
                     public scatter_calls<communicator>,
                     public alltoall_calls<communicator>,
                     public message_plan_calls<communicator> {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// @{
  /// For the library.
  explicit communicator(detail::communicator_state& state) noexcept : basic_communicator{state} {}
  [[nodiscard]] detail::caller call_at(const place& where) const { return {state(where), where}; }
  /// @}
  /// @{
  /// Leaves the other one without a communicator.
  communicator(communicator&&) noexcept = default;
  communicator& operator=(communicator&&) noexcept = default;
  /// @}

  // ---- making others, as in basic_communicator, with collectives; collective
  /// The same ranks, whose messages and collectives are kept apart from those of this one.
  [[nodiscard]] communicator dup(const place& where = place::current()) const {
    return communicator{detail::duplicate(state(where), where)};
  }
  /// As in basic_communicator: messages by several lanes where no receive asks for any tag.
  [[nodiscard]] communicator dup(no_any_tag_t, const place& where = place::current()) const {
    return communicator{detail::duplicate_with_named_tags(state(where), where)};
  }
  /// Ranks of one colour get a communicator, ordered by key, then by rank. Without a colour: none.
  [[nodiscard]] std::optional<communicator> split(std::optional<std::int64_t> color,
                                                  std::int64_t key = 0,
                                                  const place& where = place::current()) const {
    detail::communicator_state* made =
        detail::split(state(where), color.has_value(), color.value_or(0), key, where);
    return made ? std::optional<communicator>{std::in_place, *made} : std::nullopt;
  }
  /// Deleted, since a colour that is a floating-point number would be cut.
  template <std::floating_point Number>
  std::optional<communicator> split(Number color, std::int64_t key = 0,
                                    const place& = place::current()) const = delete;
  /// Those of its ranks that live: basic_communicator::shrink.
  [[nodiscard]] communicator shrink(const place& where = place::current()) const {
    return communicator{detail::shrink(state(where), where)};
  }
  /// The ranks of this communicator that share memory with this one.
  [[nodiscard]] communicator split(locality, const place& where = place::current()) const {
    return communicator{detail::split_node(state(where), where)};
  }
};

}  // namespace peal
