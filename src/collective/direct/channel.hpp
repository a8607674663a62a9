// collective/direct/channel.hpp
// How a communicator runs blocking collectives past messages, through the node's segment: whether
// it can, and how a rank waits. And which way its blocking collectives go, past messages or by
// which algorithm of them; of communicators over several nodes, too.
//
// All ranks must decide alike which calls go which way. Up to most_not_learnt bytes those go past
// messages that fit. Of longer ones the ranks try which way is the fastest (learnt_ways.hpp), and
// agree on it at reviews: a review is a small call that goes along with a call of the program,
// which was decided before. It is a direct call; or messages, where not all ranks look at each
// other's flags.
//
// There are two classes of calls, short ones (short_call.hpp) and long ones (long_call.hpp), with
// a block each. Where there are more ranks than may look at each other (most_ranks), short calls of
// some kinds go group by group (group_call.hpp), with a block for each group; the others are
// messages then. At the first call of a class one of the ranks, which
// follows from the context, reserves a block and tells the others where it is, by a bcast of
// messages. Where there was no room for a block, the calls of the class are messages, on a context
// of their own: a rank that does not know this yet may have to make a call of another kind first,
// and so each kind keeps its order in either case. Nonblocking calls are never direct; their
// messages move while a direct call waits. They take the algorithm by which blocking calls were
// the fastest.
//
// A call that waits is a source of progress, which takes the steps that can be taken. So the call
// goes on whatever this rank does meanwhile: a continuation that runs in its wait may make the next
// call, which comes behind it on every rank, or wait for anything else.
//
// A rank that was refused a call does not know which way the others took, since it need not know
// the length. It asks them (comm/end/absences.hpp) and takes that way too, giving nothing: so its
// next call meets theirs.
//
// Layer    collective/direct: may include collective/, p2p/, transport/, memory/, progress/,
//          base/.
// Units    bytes.
// Threads  the one that calls the communicator's collectives; while it waits another one that polls
//          takes the steps, with the engine's lock held. A failure may be told by another at any
//          time.
// Errors   an error code, or what a user's function or a continuation throws.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <system_error>
#include <variant>
#include <vector>

#include "collective/collectives.hpp"
#include "collective/direct/call_log.hpp"
#include "collective/direct/calls/long_call.hpp"
#include "collective/direct/calls/quick_call.hpp"
#include "collective/direct/calls/short_call.hpp"
#include "collective/direct/direct_context.hpp"
#include "collective/direct/flags.hpp"
#include "collective/direct/groups/group_call.hpp"
#include "collective/direct/groups/group_flags.hpp"
#include "collective/direct/learnt_ways.hpp"
#include "p2p/team.hpp"
#include "peal/detail/core.hpp"
#include "transport/receiver.hpp"

namespace peal::direct {

[[nodiscard]] inline std::uint64_t now_in_nanoseconds() noexcept {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                    std::chrono::nanoseconds{1});
}

class channel {
 public:
  /// `in` null: there is none. All but `known` must outlive this.
  /// Takes the contexts `of.context() + 2` and `+ 4`. No calls of it may be compared, unless `in`
  /// is null.
  /// `known`: what a communicator of the same ranks has learnt.
  channel(direct_context* in, collectives&, const collective_state&, const team& of,
          std::span<const learnt_ways::known_shape> known = {});
  ~channel();  // Requires: no call is under way.
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  /// How a blocking call is made.
  struct decision {
    bool directly = false;                // by `run`
    const tuned_algorithm* by = nullptr;  // else: by this one; null: the choice's
    learnt_ways::plan plan = {};
    std::uint64_t began = 0;       // nanoseconds; 0: the call is not timed
    payload_counts payloads = {};  // of the node's transport, then
  };
  /// Of a call that is about to be made.
  [[nodiscard]] decision decide(const detail::collective_call& call) noexcept {
    if (call.bytes <= most_not_learnt_ || !learnt_) [[likely]]
      return {.directly = takes(call)};
    return decide_by_time(call);
  }
  /// The call is over.
  void ended(const decision& by, const detail::collective_call& call) noexcept {
    if (by.began != 0) [[unlikely]]
      note_time(by, call);
  }
  /// The algorithm of a nonblocking call, by what blocking calls have taken; null: the choice's. It
  /// goes by what was known when the last review began, which is the same on every rank that has
  /// made the same calls, whether that review is over or not.
  [[nodiscard]] const tuned_algorithm* algorithm_of(
      const detail::collective_call& call) const noexcept {
    if (settled_.empty() || call.bytes <= most_not_learnt_) [[likely]]
      return nullptr;
    return find_settled(call);
  }
  /// Whether the next blocking call, whatever it is, has a review: the ranks tell each other what
  /// calls took.
  [[nodiscard]] bool review_due() const noexcept {
    return learnt_ && static_cast<std::int32_t>(calls_.count() - next_review_) >= 0;
  }
  /// Before anything is decided of a call. A continuation that runs in the wait of a review makes
  /// its calls behind that.
  void await_review() {
    if (reviewing_.load(std::memory_order_acquire)) [[unlikely]]
      await_end_of_review();
  }
  /// What has been learnt up to the calls that this rank has made: the same on every rank that has
  /// made as many. Where a review is under way it waits for that one's end.
  [[nodiscard]] std::vector<learnt_ways::known_shape> known();
  /// The review of a call by messages that has begun, or that this rank is refused. Requires: it
  /// was due before that call. Without the engine's lock held.
  void review();

  /// Whether calls of that kind can go by `run_quickly`.
  [[nodiscard]] bool may_be_quick(detail::collective kind) const noexcept {
    return (quick_kinds_ >> static_cast<unsigned>(kind) & 1) != 0;
  }
  /// Makes a small call in one go, as far as it comes. `over`: without an error. What is begun or
  /// given is for `end_quickly`. Requires: may_be_quick(call.kind), and no review is under way.
  [[nodiscard]] quick_progress run_quickly(const detail::collective_call& call);
  /// What is left of it.
  [[nodiscard]] std::error_code end_quickly(const detail::collective_call& call,
                                            quick_progress so_far);

  /// Makes the call. Not null: there is no room, and it is under way as messages; the operation is
  /// the caller's.
  /// Requires: it was decided so. Without the engine's lock held.
  operation* run(const detail::collective_call& call, const call_way& as, std::error_code& became);

  // ---- a call that this rank is refused
  /// Whether there is a way past messages, so that blocking calls may go it.
  [[nodiscard]] bool exists() const noexcept { return kinds_ != 0; }
  /// All collectives of the communicator that it has made one by one, whichever way they went;
  /// other code adds calls by messages and refusals.
  [[nodiscard]] call_log& calls() noexcept { return calls_; }
  [[nodiscard]] const call_log& calls() const noexcept { return calls_; }
  /// What is remembered of a long call. A rank is never more of them ahead of another than this.
  struct long_call_made {
    std::uint32_t number = 0;
    detail::collective_call call;
    bool shares = false;
  };
  /// A call on the long way, by its number in the log. Requires: it is one of the last that went
  /// this way.
  [[nodiscard]] const long_call_made& call_started(std::uint32_t number) const noexcept;
  /// Takes no part in a call that the other ranks make on this way: `call` is
  /// no_part_in_a_short_call, or theirs and `spoilt`; `shares`: as theirs. Not null: there is no
  /// room, and the other ranks make the call by messages of this state. Without the engine's lock
  /// held.
  collective_state* stay_out(const detail::collective_call& call, bool shares);

 private:
  enum class state : std::uint8_t { asks, told, open, full };

  struct by_messages {
    by_messages(collectives& in, const team& of, std::uint32_t offset, const collective_state* like)
        : members{of.context() + offset, of}, state{in, members, like} {}
    team members;
    collective_state state;
  };
  /// Calls that share a block.
  struct call_class {
    std::size_t area_bytes;
    std::uint32_t context;  // of `apart`, from the communicator's collectives on
    way taken;              // by its calls
    channel::state state = state::asks;
    flags all = {};
    /// From the first call on, unless it is open. Where there are no calls of the long class, its
    /// is for reviews.
    std::optional<by_messages> apart = {};
    operation* telling = nullptr;  // the bcast, or allgather where there are groups
    std::uint64_t where = 0;       // offset of the block, once told
    block* shared = nullptr;
    std::size_t own_block = 0;  // offset, where this process gave it
  };
  /// A call under way. A continuation that runs in its wait may make another one, of which it is
  /// the outer.
  class entered;
  class quick_caller;

  /// Whether the call goes this way if nothing is learnt.
  [[nodiscard]] bool takes(const detail::collective_call& call) const noexcept {
    if ((kinds_ >> static_cast<unsigned>(call.kind) & 1) == 0) return false;
    if (groups_) [[unlikely]]
      return group_call::fits(call, size_, groups_->in_order());
    return fits(call, size_) ||
           (is_named(call.kind) ? long_call::serves(call)
                                : long_call::fits(call, size_, in_->oversubscribed));
  }
  /// Whether a variable says that it is to go directly.
  [[nodiscard]] bool is_named(detail::collective kind) const noexcept {
    return (named_kinds_ >> static_cast<unsigned>(kind) & 1) != 0;
  }
  [[nodiscard]] payload_counts payloads() const noexcept {
    return in_->node != nullptr ? in_->node->payloads() : payload_counts{};
  }
  [[nodiscard]] decision decide_by_time(const detail::collective_call&) noexcept;
  [[nodiscard]] const tuned_algorithm* find_settled(const detail::collective_call&) const noexcept;
  void note_time(const decision&, const detail::collective_call&) noexcept;
  [[nodiscard]] ways_of_shape ways_of(const call_shape&) const;
  /// Of one that goes directly.
  [[nodiscard]] bool is_long(const detail::collective_call& call) const noexcept {
    return !groups_ && !fits(call, size_);
  }
  [[nodiscard]] bool usually_shares(const detail::collective_call& call) const noexcept {
    return is_long(call) && long_call::usually_shares(call, size_, in_->oversubscribed);
  }
  template <detail::collective Kind>
  quick_progress run_quickly(const detail::collective_call& call);
  [[gnu::noinline, gnu::cold]] operation* run_with_review(call_class&,
                                                          const detail::collective_call&,
                                                          bool shares, std::error_code& became);
  /// `review`: that comes before the call; null: there is none.
  [[gnu::always_inline]] operation* run_behind(entered* review, call_class&,
                                               const detail::collective_call&, bool shares,
                                               std::error_code& became);
  /// Reviews that begin in a scope are over at its end, however it is left.
  struct review_awaited {
    explicit review_awaited(channel& of) noexcept : in{of} {}
    ~review_awaited() { in.await_review(); }
    review_awaited(const review_awaited&) = delete;
    review_awaited& operator=(const review_awaited&) = delete;
    channel& in;
  };
  /// Where no block of flags is shared by all ranks. With one, reviews are messages of the short
  /// class if there was no room for it.
  [[nodiscard]] bool reviews_by_messages() const noexcept { return kinds_ == 0 || groups_; }
  void begin_review(std::optional<entered>&, std::uint32_t calls);
  void prepare_review(std::uint32_t calls);
  void start_review_apart();
  void start_review(collective_state&) noexcept;
  void end_review(const entered&) noexcept;
  void hear_review(operation&) noexcept;
  void conclude_review(std::error_code, bool directly) noexcept;
  void await_end_of_review();
  void give_up_review() noexcept;
  void publish() noexcept;
  void note_long(const detail::collective_call&, bool shares) noexcept;
  void ask(call_class&) noexcept;
  void hear(call_class&) noexcept;
  void await(entered&, entered* before = nullptr);
  template <bool Locked>
  void wake(const receiver&) noexcept;
  void make_a_turn() noexcept;
  [[gnu::noinline, gnu::cold]] void ring(const receiver&) noexcept;

  std::uint32_t kinds_ = 0;  // a bit each; 0: there is no way
  std::uint32_t learnt_kinds_ = 0;
  std::uint32_t named_kinds_ = 0;
  std::uint32_t quick_kinds_ = 0;  // that go by `run_quickly` now
  /// Calls up to this length go directly wherever they can: the ways differ little, and to take the
  /// time would cost some of it. Where all ranks share memory and have a core each these are the
  /// quick calls. On shared cores a rank may go on sooner by messages, in a call that gives it
  /// nothing. The same on every rank.
  std::size_t most_not_learnt_ = 512;
  std::uint32_t next_review_ = learnt_ways::trial_window;
  std::optional<learnt_ways> learnt_;
  bool published_ = false;  // of this communicator, in the node's segment
  // Of a review. While it is under way a thread that polls may end it.
  std::atomic<bool> reviewing_{false};
  detail::collective_call review_;
  told_times said_{};
  std::vector<told_times> heard_;  // past messages
  learnt_summary joined_;
  std::uint64_t last_review_began_ = 0, last_review_ended_ = 0;  // by messages; 0: there was none
  std::uint32_t window_began_ = 0;
  std::vector<learnt_ways::message_way> settled_;  // when the last review began
  int size_;
  std::optional<group_flags> groups_;
  call_log calls_;
  direct_context* in_;
  collectives& collectives_;
  const collective_state& plain_;
  const team& members_;
  const std::atomic<bool>& failed_;
  std::vector<receiver> others_;
  entered* innermost_ = nullptr;
  call_class short_{area_bytes, 1, way::in_short};
  call_class long_{long_area_bytes, 3, way::in_long};
  std::array<long_call_made, depth> long_calls_{};
  std::uint32_t next_long_ = 0;
};

}  // namespace peal::direct
