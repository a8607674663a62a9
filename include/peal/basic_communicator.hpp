// peal/basic_communicator.hpp
// An ordered set of ranks that exchange messages among themselves: what a communicator is without
// its collectives.
//
// Units    ranks count from 0; values and elements, unless bytes are said.
// Threads  with thread_level::multiple any thread, else one at a time.
// Errors   every call throws peal::error with the peer, the code and the caller's place,
//          errc::invalid_argument after it was moved from; a call that returns a request leaves
//          what happens to the message to that.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <utility>

#include <peal/data/buffer.hpp>
#include <peal/data/grow.hpp>
#include <peal/detail/core.hpp>
#include <peal/detail/unsendable.hpp>
#include <peal/failure.hpp>
#include <peal/message.hpp>
#include <peal/requests/request.hpp>
#include <peal/status.hpp>
#include <peal/tag.hpp>

namespace peal {

/// What the ranks of a communicator made by split have in common.
enum class locality {
  node  ///< ranks that share memory
};

/// For dup: no receive of the new communicator asks for any tag.
struct no_any_tag_t {
  explicit no_any_tag_t() = default;
};
/// world.dup(peal::no_any_tag)
inline constexpr no_any_tag_t no_any_tag{};

/// Move-only. Every communicator is one; made by dup and split; may be destroyed after the
/// environment.
class basic_communicator {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// For the library.
  explicit basic_communicator(detail::communicator_state& state) noexcept : state_{&state} {}
  /// @{
  /// Leaves `from` without a communicator: every call but its destructor throws then.
  basic_communicator(basic_communicator&& from) noexcept
      : state_{std::exchange(from.state_, nullptr)} {}
  basic_communicator& operator=(basic_communicator&& from) noexcept {
    basic_communicator taken{std::move(from)};
    std::swap(state_, taken.state_);  // what was here before goes with `taken`
    return *this;
  }
  /// @}
  ~basic_communicator() {
    if (state_) detail::release(*state_);
  }

  /// This rank, among those of the communicator.
  [[nodiscard]] int rank(const place& where = place::current()) const {
    return detail::rank_of(state(where));
  }
  /// How many ranks it has.
  [[nodiscard]] int size(const place& where = place::current()) const {
    return detail::size_of(state(where));
  }
  /// Whether messages to that rank go through shared memory.
  [[nodiscard]] bool same_node(int rank, const place& where = place::current()) const {
    return detail::same_node(state(where), rank, where);
  }

  // ---- making others; collective
  /// The same ranks, whose messages are kept apart from those of this one.
  [[nodiscard]] basic_communicator dup(const place& where = place::current()) const {
    return basic_communicator{detail::duplicate(state(where), where)};
  }
  /// The same, but receives and probes name their tag: one with any_tag throws errc::invalid_tag.
  /// With thread_level::multiple its messages go by as many lanes as there are, by their tags, so
  /// threads that use different tags share no lock. Neighbouring tags go different ways. A dup of
  /// it is an ordinary one. All ranks renounce any_tag, or none: else errc::invalid_argument is
  /// thrown, by all of them if the first one renounces it, and by those that do if not.
  [[nodiscard]] basic_communicator dup(no_any_tag_t, const place& where = place::current()) const {
    return basic_communicator{detail::duplicate_with_named_tags(state(where), where)};
  }
  /// Ranks of one colour get a communicator, ordered by key, then by rank. Without a colour: none.
  [[nodiscard]] std::optional<basic_communicator> split(
      std::optional<std::int64_t> color, std::int64_t key = 0,
      const place& where = place::current()) const {
    detail::communicator_state* made =
        detail::split(state(where), color.has_value(), color.value_or(0), key, where);
    return made ? std::optional<basic_communicator>{std::in_place, *made} : std::nullopt;
  }
  /// Deleted, since a colour that is a floating-point number would be cut.
  template <std::floating_point Number>
  void split(Number color, std::int64_t key = 0, const place& = place::current()) const = delete;
  /// The ranks of this communicator that share memory with this one.
  [[nodiscard]] basic_communicator split(locality, const place& where = place::current()) const {
    return basic_communicator{detail::split_node(state(where), where)};
  }

  // ---- after a failure, where the job goes on (pealrun --on-failure notify)
  /// Ranks of this communicator that this rank knows to be gone, ascending: they have died, cannot
  /// be reached, or have left the job. Another rank may know of others.
  [[nodiscard]] std::vector<int> failed_ranks(const place& where = place::current()) const {
    return detail::failed_ranks(state(where), where);
  }
  /// Gives this communicator up, for all its ranks and for good: what is under way in it, and what
  /// is started later, ends with errc::peer_failed on every rank, as soon as it hears of this, but
  /// for agree and shrink. So ranks that wait for one that has other plans get out of their calls.
  /// A message that another rank has sent may be lost; a small one that is sent later may seem to
  /// be sent. Not collective, and it does not wait. Communicators made of this one are others.
  void revoke(const place& where = place::current()) const { detail::revoke(state(where), where); }
  /// Collective among the ranks that live, which all get the same: the bitwise AND of their words,
  /// and who is gone. What a rank gave that has died since may be in it, too. It may be called on a
  /// communicator that has lost ranks or was given up, and whoever dies meanwhile, it ends. The
  /// last call of a program whose ranks may fail: without it, a rank may leave while others need
  /// it.
  agreement agree(std::uint64_t flags = ~std::uint64_t{0},
                  const place& where = place::current()) const {
    return detail::agree(state(where), flags, where);
  }
  /// Collective among the ranks that live: a communicator of these, in their order, which all of
  /// them agree on. Where a rank knows that one is gone this communicator is given up first
  /// (revoke), so that all come here. A rank that dies meanwhile may be a member still, and the
  /// next call says so.
  [[nodiscard]] basic_communicator shrink(const place& where = place::current()) const {
    return basic_communicator{detail::shrink(state(where), where)};
  }

  // ---- messages: peal/detail/point_to_point.hpp
  /// Returns when the value may be changed; the message may still be under way.
  template <sendable B>
  void send(B&& value, int dest, tag = {}, const place& = place::current()) const;
  /// The request owns the value, and its wait() gives it back.
  template <sendable B>
    requires(!lasting<B>)
  request<B> isend(B&& owned, int dest, tag = {}, const place& = place::current()) const;
  /// The caller keeps the value alive and unchanged until the request has ended (what is not sent
  /// as it lies is packed at once).
  template <sendable B>
    requires lasting<B>
  request<> isend(B&& lent, int dest, tag = {}, const place& = place::current()) const;

  /// @{
  /// As send and isend, but they end only when the receiver has matched the message, however short
  /// it is.
  template <sendable B>
  void ssend(B&& value, int dest, tag = {}, const place& = place::current()) const;
  template <sendable B>
    requires(!lasting<B>)
  request<B> issend(B&& owned, int dest, tag = {}, const place& = place::current()) const;
  template <sendable B>
    requires lasting<B>
  request<> issend(B&& lent, int dest, tag = {}, const place& = place::current()) const;
  /// @}

  /// A value, or a container as long as the message.
  template <receivable T>
  [[nodiscard]] T recv(int source = any_source, tag = any_tag, status* = nullptr,
                       const place& = place::current()) const;
  /// Fills from the start. A message that is longer is consumed and throws errc::truncated.
  template <recv_buffer B>
  status recv_into(B&& into, int source = any_source, tag = any_tag,
                   const place& = place::current()) const;
  /// The container is made as long as the message: recv_into(peal::grow(v)).
  template <class C>
  status recv_into(grow_buffer<C> into, int source = any_source, tag = any_tag,
                   const place& = place::current()) const;
  /// Memory is taken when the message is matched.
  template <receivable T>
  request<T> irecv(int source = any_source, tag = any_tag, const place& = place::current()) const;
  /// As recv_into; the memory lives on until the request has ended.
  template <recv_buffer B>
    requires lasting<B>
  request<status> irecv_into(B&& into, int source = any_source, tag = any_tag,
                             const place& = place::current()) const;
  /// The container is made as long as the message while that is matched: the caller must not touch
  /// it before the request has ended.
  template <class C>
  request<status> irecv_into(grow_buffer<C> into, int source = any_source, tag = any_tag,
                             const place& = place::current()) const;
  /// @{
  /// Sends and receives at the same time, with the same tag, or with one for either.
  template <receivable R, sendable B>
  [[nodiscard]] R sendrecv(B&& value, int dest, int source, tag = {},
                           const place& = place::current()) const;
  template <receivable R, sendable B>
  [[nodiscard]] R sendrecv(B&& value, int dest, tag sent, int source, tag received,
                           const place& = place::current()) const;
  /// @}
  /// @{
  /// What comes fills `into`; as recv_into.
  template <sendable B, class R>
    requires(recv_buffer<R> || detail::grown<R>)
  status sendrecv_into(B&& value, int dest, R&& into, int source, tag = {},
                       const place& = place::current()) const;
  template <sendable B, class R>
    requires(recv_buffer<R> || detail::grown<R>)
  status sendrecv_into(B&& value, int dest, tag sent, R&& into, int source, tag received,
                       const place& = place::current()) const;
  /// @}

  /// @{
  /// Tells the source, tag and length of the next message that matches, which stays; waits for one.
  /// iprobe does not wait. A receive with that source and tag takes this message, unless another
  /// thread has taken it meanwhile. A probe of proc_null reports an empty message of no rank.
  status probe(int source = any_source, tag = any_tag, const place& = place::current()) const;
  [[nodiscard]] std::optional<status> iprobe(int source = any_source, tag = any_tag,
                                             const place& = place::current()) const;
  /// @}
  /// @{
  /// Takes the next message that matches out of matching; waits for one. improbe does not wait.
  [[nodiscard]] message mprobe(int source = any_source, tag = any_tag,
                               const place& = place::current()) const;
  [[nodiscard]] std::optional<message> improbe(int source = any_source, tag = any_tag,
                                               const place& = place::current()) const;
  /// @}

  /// @{
  /// In the place of the calls above, for types that cannot be sent: the compiler says which member
  /// is the reason, and what to do.
  template <class B>
    requires(!sendable<B>)
  void send(B&&, int, tag = {}, const place& = place::current()) const {
    detail::explain_unsendable<B>();
  }
  template <class B>
    requires(!sendable<B>)
  request<> isend(B&&, int, tag = {}, const place& = place::current()) const {
    detail::explain_unsendable<B>();
  }
  template <class B>
    requires(!sendable<B>)
  void ssend(B&&, int, tag = {}, const place& = place::current()) const {
    detail::explain_unsendable<B>();
  }
  template <class B>
    requires(!sendable<B>)
  request<> issend(B&&, int, tag = {}, const place& = place::current()) const {
    detail::explain_unsendable<B>();
  }
  template <class T>
    requires(!receivable<T>)
  T recv(int = any_source, tag = any_tag, status* = nullptr,
         const place& = place::current()) const {
    detail::explain_unreceivable<T>();
  }
  template <class T>
    requires(!receivable<T>)
  request<T> irecv(int = any_source, tag = any_tag, const place& = place::current()) const {
    detail::explain_unreceivable<T>();
  }
  /// @}

 protected:
  /// For the library.
  [[nodiscard]] detail::communicator_state& state(const place& where) const {
    if (!state_) [[unlikely]]
      detail::fail(errc::invalid_argument, "this communicator was moved from", -1, where);
    return *state_;
  }

 private:
  detail::communicator_state* state_;
};

}  // namespace peal

#include <peal/detail/point_to_point.hpp>  // IWYU pragma: export
