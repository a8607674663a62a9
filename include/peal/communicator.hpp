// peal/communicator.hpp
// An ordered set of ranks that exchange messages among themselves, and its collectives.
//
// Units    ranks count from 0; values and elements, unless bytes are said.
// Threads  with thread_level::multiple any thread, else one at a time. Collectives of one communicator are called in the same order by all.
// Errors   every call throws peal::error with the peer, the code and the caller's place; a call that returns a request leaves what happens
//          to the message to that.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <utility>
#include <vector>

#include <peal/basic_communicator.hpp>
#include <peal/blocks.hpp>
#include <peal/buffer.hpp>
#include <peal/detail/arguments.hpp>
#include <peal/detail/core.hpp>
#include <peal/detail/partial_reduction_tasks.hpp>
#include <peal/detail/std_parts.hpp>
#include <peal/detail/strided_forms.hpp>
#include <peal/detail/unsendable.hpp>
#include <peal/detail/varying_tasks.hpp>
#include <peal/message.hpp>
#include <peal/op.hpp>
#include <peal/request.hpp>
#include <peal/status.hpp>
#include <peal/tag.hpp>
#include <peal/view.hpp>

namespace peal {

namespace detail {
class neighbor_forms;
}

/// Move-only. Made by environment (world), dup and split; may be destroyed after the environment. Its messages are those of
/// basic_communicator.
class communicator : public detail::strided_forms {
  friend class detail::neighbor_forms;

 public:
  /// For the library.
  explicit communicator(detail::communicator_state& state) noexcept : strided_forms{state} {}
  communicator(communicator&&) noexcept = default;
  communicator& operator=(communicator&&) noexcept = default;

  // Beside their forms below, those for strided views: peal/detail/strided_forms.hpp.
  using strided_forms::allgather_into;
  using strided_forms::allreduce_inplace;
  using strided_forms::allreduce_into;
  using strided_forms::alltoall_into;
  using strided_forms::bcast_into;
  using strided_forms::gather_into;
  using strided_forms::iallgather_into;
  using strided_forms::iallreduce_inplace;
  using strided_forms::ibcast_into;
  using strided_forms::reduce_into;
  using strided_forms::scatter_into;

  // ---- making others, as in basic_communicator, with collectives; collective
  [[nodiscard]] communicator dup(const place& where = place::current()) const {
    return communicator{detail::duplicate(state(where), where)};
  }
  /// Ranks of one colour get a communicator, ordered by key, then by rank. Without a colour: none.
  [[nodiscard]] std::optional<communicator> split(std::optional<std::int64_t> color, std::int64_t key = 0,
                                                  const place& where = place::current()) const {
    detail::communicator_state* made = detail::split(state(where), color.has_value(), color.value_or(0), key, where);
    return made ? std::optional<communicator>{std::in_place, *made} : std::nullopt;
  }
  template <std::floating_point Number>
  std::optional<communicator> split(Number color, std::int64_t key = 0, const place& = place::current()) const = delete;  // would be cut
  [[nodiscard]] communicator split(locality, const place& where = place::current()) const {
    return communicator{detail::split_node(state(where), where)};
  }

  // ---- collectives: peal/detail/collectives.hpp. Called by every rank, in the same order. Each has a nonblocking form that begins with i,
  // which is another collective: every rank calls the same form. What it is given as an lvalue must live until the request has ended.
  // Plans: peal/detail/plan_forms.hpp. In place, and into memory of the caller's, in all forms: peal/detail/into_forms.hpp. Sums of
  // floating-point numbers have the same bits on every rank and in every run, but the forms may differ.
  //
  // What one rank alone is refused (a root, a number of elements that does not divide, room for a result): it throws
  // errc::invalid_argument or invalid_root, and the others go on without it. Whose result needs something of that rank gets
  // errc::operation_failed or invalid_argument, the others have their results, and the next collective is in step. A blocking form may
  // throw only when all others have called theirs; an i-form throws at once, or at its wait. Where a contiguous buffer is too short for
  // the result of allreduce_into, reduce_into, gather_into, allgather_into, iallgather_into, alltoall_into or reduce_scatter_block_into,
  // all others have their results. Buffers of results are undefined where a call has thrown. Of plans: peal/plan.hpp.
  void barrier(const place& = place::current()) const;
  request<> ibarrier(const place& = place::current()) const;

  /// The root's value, on every rank. The value of the others does not matter.
  template <receivable T>
  [[nodiscard("bcast returns the root's value; bcast_into fills a buffer")]] T bcast(T value, int root,
                                                                                     const place& = place::current()) const;
  template <receivable T>
  request<T> ibcast(T value, int root, const place& = place::current()) const;
  // For types that cannot be sent: says why.
  template <class T>
  requires(!receivable<std::decay_t<T>>) std::decay_t<T> bcast(T&&, int, const place& = place::current())
  const { detail::explain_unreceivable<std::decay_t<T>>(); }
  /// Fills the buffers of the others with the root's; as long on every rank.
  template <recv_block B>
  void bcast_into(B&& buffer, int root, const place& = place::current()) const;
  template <recv_block B>
  requires lasting<B> request<> ibcast_into(B&& buffer, int root, const place& = place::current())
  const;

  /// Combined over all ranks, in rank order. A range, or a strided view: element by element, into a vector, as long on every rank; not a
  /// string, which is one value here as in gather (std::span{text} is its characters). reduce: at the root alone; the others get their own
  /// value back, or an empty vector.
  template <class B, class Op = std::plus<>>
  requires reducible<const B&, Op>
  [[nodiscard]] auto reduce(const B& value, int root, Op op = {}, const place& = place::current()) const ->
      typename detail::reduced<const B&, Op>::type;
  template <class B, class Op = std::plus<>>
  requires reducible<const B&, Op>
  [[nodiscard]] auto allreduce(const B& value, Op op = {}, const place& = place::current()) const ->
      typename detail::reduced<const B&, Op>::type;
  template <class B, class Op = std::plus<>>
  requires reducible<B, Op>
  auto ireduce(B&& value, int root, Op op = {}, const place& = place::current()) const -> request<typename detail::reduced<B&, Op>::type>;
  template <class B, class Op = std::plus<>>
  requires reducible<B, Op>
  auto iallreduce(B&& value, Op op = {}, const place& = place::current()) const -> request<typename detail::reduced<B&, Op>::type>;
  /// Without memory of peal's: the result replaces what was given, or goes into another buffer (reduce_into: of the root; the others' may
  /// be empty).
  template <recv_block B, class Op = std::plus<>>
  requires reducible<B, Op>
  void allreduce_inplace(B&& buffer, Op op = {}, const place& = place::current()) const;
  template <recv_block B, class Op = std::plus<>>
  requires(reducible<B, Op>&& lasting<B>) request<> iallreduce_inplace(B&& buffer, Op op = {}, const place& = place::current())
  const;
  template <send_block B, recv_block_for<B> R, class Op = std::plus<>>
  requires reducible<const B&, Op>
  void allreduce_into(const B& value, R&& into, Op op = {}, const place& = place::current()) const;
  template <send_block B, recv_block_for<B> R, class Op = std::plus<>>
  requires reducible<const B&, Op>
  void reduce_into(const B& value, R&& into, int root, Op op = {}, const place& = place::current()) const;

  // ---- reductions of which each rank has its own part: peal/detail/partial_reductions.hpp. In rank order; the same bits on every run.
  /// Element by element, as allreduce, but rank i gets part i of size() equal ones, or block i (the lengths are the same on every rank).
  template <class B, class Op = std::plus<>>
  requires reducible_range<const B&, Op>
  [[nodiscard]] auto reduce_scatter_block(const B& values, Op op = {}, const place& = place::current()) const
      -> std::vector<std::ranges::range_value_t<B>>;
  template <class B, class Op = std::plus<>>
  requires reducible_range<B, Op>
  auto ireduce_scatter_block(B&& values, Op op = {}, const place& = place::current()) const
      -> request<std::vector<std::ranges::range_value_t<B>>>;
  template <class B, class Op = std::plus<>>
  requires reducible_blocks<const B&, Op>
  [[nodiscard]] auto reduce_scatter(const B& parts, Op op = {}, const place& = place::current()) const
      -> std::vector<detail::element_of_blocks<const B&>>;
  template <class B, class Op = std::plus<>>
  requires reducible_blocks<const B&, Op>
  auto ireduce_scatter(const B& parts, Op op = {}, const place& = place::current()) const
      -> request<std::vector<detail::element_of_blocks<const B&>>>;
  /// Into memory of the caller's, which holds this rank's part at least.
  template <send_block B, recv_block_for<B> R, class Op = std::plus<>>
  requires reducible_range<const B&, Op>
  void reduce_scatter_block_into(const B& values, R&& into, Op op = {}, const place& = place::current()) const;

  /// Combined over the ranks up to this one (exscan: below this one, so that rank 0 gets none). A value, or a range element by element,
  /// into a vector, as long on every rank.
  template <class B, class Op = std::plus<>>
  requires reducible<const B&, Op>
  [[nodiscard]] auto scan(const B& value, Op op = {}, const place& = place::current()) const ->
      typename detail::reduced<const B&, Op>::type;
  template <class B, class Op = std::plus<>>
  requires reducible<B, Op>
  auto iscan(B&& value, Op op = {}, const place& = place::current()) const -> request<typename detail::reduced<B&, Op>::type>;
  template <class B, class Op = std::plus<>>
  requires reducible<const B&, Op>
  [[nodiscard]] auto exscan(const B& value, Op op = {}, const place& = place::current()) const
      -> std::optional<typename detail::reduced<const B&, Op>::type>;
  template <class B, class Op = std::plus<>>
  requires reducible<B, Op>
  auto iexscan(B&& value, Op op = {}, const place& = place::current()) const
      -> request<std::optional<typename detail::reduced<B&, Op>::type>>;
  /// Without memory of peal's. Of exscan, rank 0's buffer stays as it is.
  template <recv_block B, class Op = std::plus<>>
  requires reducible<B, Op>
  void scan_inplace(B&& buffer, Op op = {}, const place& = place::current()) const;
  template <recv_block B, class Op = std::plus<>>
  requires(reducible<B, Op>&& lasting<B>) request<> iscan_inplace(B&& buffer, Op op = {}, const place& = place::current())
  const;
  template <recv_block B, class Op = std::plus<>>
  requires reducible<B, Op>
  void exscan_inplace(B&& buffer, Op op = {}, const place& = place::current()) const;
  template <recv_block B, class Op = std::plus<>>
  requires(reducible<B, Op>&& lasting<B>) request<> iexscan_inplace(B&& buffer, Op op = {}, const place& = place::current())
  const;

  /// What every rank gave, in rank order, at the root (elsewhere an empty vector) or on all ranks. A value gives an element; a range, as
  /// long on every rank, its elements. Strings and serialized values may differ in length.
  template <sendable B>
  [[nodiscard]] auto gather(const B& value, int root, const place& = place::current()) const;
  template <sendable B>
  auto igather(B&& value, int root, const place& = place::current()) const;
  template <sendable B>
  [[nodiscard]] auto allgather(const B& value, const place& = place::current()) const;
  template <sendable B>
  auto iallgather(B&& value, const place& = place::current()) const;
  /// Ranges that differ in length: a block a rank.
  template <sendable B>
  requires detail::contiguous<B>
  [[nodiscard]] auto gatherv(const B& values, int root, const place& = place::current()) const -> blocks<std::ranges::range_value_t<B>>;
  template <sendable B>
  requires detail::contiguous<B>
  auto igatherv(B&& values, int root, const place& = place::current()) const -> request<blocks<std::ranges::range_value_t<B>>>;
  template <sendable B>
  requires detail::contiguous<B>
  [[nodiscard]] auto allgatherv(const B& values, const place& = place::current()) const -> blocks<std::ranges::range_value_t<B>>;
  template <sendable B>
  requires detail::contiguous<B>
  auto iallgatherv(B&& values, const place& = place::current()) const -> request<blocks<std::ranges::range_value_t<B>>>;
  /// Into memory of the caller's: size() times what a rank gives (gather_into: at the root; the others' may be empty).
  template <send_block B, recv_block_for<B> R>
  void gather_into(const B& value, R&& into, int root, const place& = place::current()) const;
  template <send_block B, recv_block_for<B> R>
  void allgather_into(const B& value, R&& into, const place& = place::current()) const;
  template <send_block B, recv_block_for<B> R>
  requires(lasting<B>&& lasting<R>) request<> iallgather_into(B&& value, R&& into, const place& = place::current())
  const;

  /// The root's range in size() equal parts, one for each rank. The ranges of the others do not matter.
  template <std::ranges::sized_range B>
  requires serializable<std::ranges::range_value_t<B>>
  [[nodiscard]] auto scatter(const B& values, int root, const place& = place::current()) const
      -> std::vector<std::ranges::range_value_t<B>>;
  template <std::ranges::sized_range B>
  requires(serializable<std::ranges::range_value_t<B>>&& lasting<B>) auto iscatter(B&& values, int root,
                                                                                   const place& = place::current()) const
      -> request<std::vector<std::ranges::range_value_t<B>>>;
  /// The root's blocks, one for each rank.
  template <range_of_blocks B>
  [[nodiscard]] auto scatterv(const B& parts, int root, const place& = place::current()) const
      -> std::vector<typename detail::joined_blocks<B>::element>;
  template <range_of_blocks B>
  auto iscatterv(const B& parts, int root, const place& = place::current()) const
      -> request<std::vector<typename detail::joined_blocks<B>::element>>;
  template <send_block B, recv_block_for<B> R>
  void scatter_into(const B& values, R&& into, int root, const place& = place::current()) const;

  /// Part i of the range goes to rank i; part i of the result came from rank i. Parts are equally long on all ranks.
  template <sendable B>
  requires detail::contiguous<B>
  [[nodiscard]] auto alltoall(const B& values, const place& = place::current()) const -> std::vector<std::ranges::range_value_t<B>>;
  template <sendable B>
  requires detail::contiguous<B>
  auto ialltoall(B&& values, const place& = place::current()) const -> request<std::vector<std::ranges::range_value_t<B>>>;
  template <send_block B, recv_block_for<B> R>
  void alltoall_into(const B& values, R&& into, const place& = place::current()) const;
  /// Block i goes to rank i, whatever its length.
  template <range_of_blocks B>
  [[nodiscard]] auto alltoallv(const B& parts, const place& = place::current()) const -> blocks<typename detail::joined_blocks<B>::element>;
  template <range_of_blocks B>
  auto ialltoallv(const B& parts, const place& = place::current()) const -> request<blocks<typename detail::joined_blocks<B>::element>>;
  /// Piece i of `out` goes to rank i, and what comes from rank i fills piece i of `in`, whose length both know. Pieces may differ in type,
  /// length and layout, and overlap nothing that is filled. A piece of another length than what comes ends with errc::invalid_argument or
  /// truncated. The views are copied; the memory must live until the request has ended.
  void alltoallw(std::span<const send_view> out, std::span<const recv_view> in, const place& = place::current()) const;
  request<> ialltoallw(std::span<const send_view> out, std::span<const recv_view> in, const place& = place::current()) const;
};

}  // namespace peal

#include <peal/detail/collectives.hpp>  // IWYU pragma: export
