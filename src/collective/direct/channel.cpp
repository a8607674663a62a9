#include "collective/direct/channel.hpp"

#include <algorithm>
#include <mutex>
#include <type_traits>
#include <utility>

#include "base/cache_line.hpp"
#include "collective/call_subject.hpp"
#include "peal/error.hpp"
#include "record/wait_clock.hpp"

namespace peal::direct {

namespace {

/// Looks before the first turn of the engine: a microsecond or two, several times what a line takes
/// from core to core. With a pause behind each, since a look takes the line away from the core that
/// is about to write it: two ranks, 8 B, to no pause (AMD EPYC 9004, virtual, medians of 15 pairs;
/// in brackets when its caches are slow to each other) allreduce 0.94 (0.89), barrier 0.80 (0.94),
/// bcast 0.85 (0.96), allgather 0.80. When they are quick two and three were slower than one.
constexpr int first_looks = 128;
/// Where ranks share cores and those that are missing run on other ones: about a third of the time
/// that a switch to another process takes. Of two cores, the one that is a little late then costs
/// the other no switch (allreduce of 8 B, to one look: 0.77 with 4 ranks on two cores, 0.88 with
/// 8).
constexpr int looks_at_other_cores = 32;
/// And at each turn. Together about as long as the rest of a turn, which polls all that messages
/// come by.
constexpr int looks_a_turn = 8;

/// A rank that always comes last never waits: one call in so many makes progress with messages.
constexpr std::uint32_t calls_a_turn = 32;

void count(std::atomic<std::uint64_t>& calls) noexcept {
  calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

class channel::entered final : public progress_source, public waiting_call {
 public:
  /// `is_review`: it is no call of the program.
  entered(channel& on, call_class& by, const detail::collective_call& what,
          bool is_review = false) noexcept
      : on_{on}, by_{by}, what_{what}, is_review_{is_review}, outer_{on.innermost_} {
    on.innermost_ = this;
  }
  /// Of a call that has come so far by quick_call.hpp.
  entered(channel& on, const detail::collective_call& what, quick_progress so_far) noexcept
      : entered{on, on.short_, what} {
    make(std::type_identity<short_call>{}).go_on(so_far == quick_progress::given);
  }
  ~entered() { on_.innermost_ = outer_; }
  entered(const entered&) = delete;
  entered& operator=(const entered&) = delete;

  /// The call is over, or under way as messages.
  [[nodiscard]] bool over() const noexcept { return over_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_alone_and_over() const noexcept { return outer_ == nullptr && over(); }
  /// Whether it waits for others of its communicator, and so for ever when one of them is dead.
  [[nodiscard]] bool waits_for_members() const noexcept {
    return begun() || (outer_ != nullptr && !outer_->over());
  }

  /// At once, as far as it comes while no other thread can see the call. Requires: it is the only
  /// one, and its class is open.
  template <class Play>
  void hurry() {
    Play& call = begin<Play>();
    for (int look = on_.in_->progress.spins() ? first_looks : 1; look != 0; --look) {
      if (steps<false>(call)) look = on_.in_->progress.spins() ? first_looks : 1;
      if (call.over()) return end();
      relax();
    }
  }
  /// Takes the steps that can be taken. With the engine's lock held.
  bool advance() noexcept {
    if (over() || (outer_ != nullptr && !outer_->over()) || !enter()) return false;
    const bool moved = std::visit([this](auto& call) { return steps<true>(call); }, direct_);
    if (std::visit([](auto& call) { return is_over(call); }, direct_)) end();
    return moved;
  }
  /// A member is dead: what it had given counts, no more comes. With the engine's lock held.
  void abandon() noexcept {
    if (over()) return;
    if (outer_ != nullptr) outer_->abandon();
    (void)advance();
    if (over() || !begun()) return;
    std::visit(
        [](auto& call) {
          if constexpr (requires { call.error(); }) call.give_up(errc::peer_failed);
        },
        direct_);
    end();
  }

  bool poll() noexcept override {
    const bool shares_core = on_.in_->progress.yields();
    int look = on_.in_->progress.spins() ? looks_a_turn : shares_core ? looks_at_other_cores : 1;
    for (; look != 0; --look) {
      if (over()) return false;
      if (advance()) return true;
      if (!shares_core) continue;
      if (!awaits_other_cores()) return false;
      relax();
    }
    return false;
  }
  // The rank that stamps rings the bell, as a sender does.
  bool arm() noexcept override { return true; }

  // What it waits for before it has begun is a message, and what an outer one waits for is that
  // one's to say.
  [[nodiscard]] int awaits() noexcept override {
    if (over() || !begun() || (outer_ != nullptr && !outer_->over())) return -1;
    return std::visit([](auto& call) { return awaited_by(call); }, direct_);
  }
  [[nodiscard]] const team& among() const noexcept override { return on_.members_; }
  [[nodiscard]] const detail::collective_call& what() const noexcept { return what_; }

  // Requires: over().
  [[nodiscard]] operation* started() const noexcept { return started_; }
  [[nodiscard]] std::exception_ptr thrown() noexcept { return std::exchange(thrown_, nullptr); }
  [[nodiscard]] std::error_code error() const noexcept {
    if (const short_call* const call = std::get_if<short_call>(&direct_)) return call->error();
    if (const group_call* const call = std::get_if<group_call>(&direct_)) return call->error();
    const long_call* const call = std::get_if<long_call>(&direct_);
    return call != nullptr ? call->error() : std::error_code{};
  }

 private:
  [[nodiscard]] bool begun() const noexcept { return direct_.index() != 0; }
  void end() noexcept {
    if (is_review_ && begun()) on_.end_review(*this);  // else it goes on as messages
    over_.store(true, std::memory_order_release);      // pairs with the acquire in over
  }

  short_call& make(std::type_identity<short_call>) {
    return direct_.emplace<short_call>(by_.all, what_);
  }
  long_call& make(std::type_identity<long_call>) {
    const node_segment& memory = on_.in_->node->segment();
    const auto sees = [&](const void* address, std::size_t bytes) {
      return memory.contains(address, bytes);
    };
    return direct_.emplace<long_call>(
        by_.all, what_, long_call::opens(what_, on_.members_.rank(), on_.size_, sees));
  }
  group_call& make(std::type_identity<group_call>) {
    return direct_.emplace<group_call>(*on_.groups_, what_);
  }
  /// Where ranks share cores: whether this one need not give its core away for the others to come.
  [[nodiscard]] bool awaits_other_cores() noexcept {
    short_call* const call = std::get_if<short_call>(&direct_);
    return call != nullptr && !over() && call->awaits_other_cores();
  }
  template <class Play>
  Play& begin() {
    count(is_review_ ? on_.in_->reviews : on_.in_->calls);
    Play& call = make(std::type_identity<Play>{});
    if (call.valid()) call.begin();
    else call.give_up(errc::invalid_argument);
    return call;
  }
  /// Whether it has begun, which it does when its class is open. As messages it is over for us.
  bool enter() noexcept {
    if (begun()) return true;
    if (by_.state == state::told) {
      // acquire: pairs with the release that ends an operation.
      if (!by_.telling->finished.load(std::memory_order_acquire)) return false;
      on_.hear(by_);
    }
    if (by_.state == state::full) {
      if (is_review_) on_.start_review(by_.apart->state);
      else if (!what_.spoilt) started_ = &on_.collectives_.start(by_.apart->state, what_);
      end();
      return false;
    }
    if (on_.groups_) begin<group_call>();
    else if (&by_ == &on_.short_) begin<short_call>();
    else begin<long_call>();
    return true;
  }

  static bool is_over(std::monostate) noexcept { return false; }
  template <class Play>
  static bool is_over(const Play& call) noexcept {
    return call.over();
  }
  static int awaited_by(std::monostate) noexcept { return -1; }
  template <class Play>
  static int awaited_by(Play& call) noexcept {
    return call.awaits();
  }
  template <bool Locked>
  bool steps(std::monostate) noexcept {
    return false;
  }
  template <bool Locked, class Play>
  bool steps(Play& call) noexcept {
    bool moved = false;
    try {
      for (; !call.over() && call.ready(); moved = true)
        if (call.step()) wake<Locked>(call);
    } catch (...) {
      thrown_ = std::current_exception();
      moved = true;
      wake<Locked>(call);  // the step that threw may have stamped, so that other ranks know
    }
    return moved;
  }
  template <bool Locked, class Play>
  void wake(const Play&) noexcept {
    for (const receiver& each : on_.others_) on_.wake<Locked>(each);
  }
  template <bool Locked>
  void wake(const group_call& call) noexcept {
    for (const receiver& each : call.woken()) on_.wake<Locked>(each);
  }

  channel& on_;
  call_class& by_;
  const detail::collective_call& what_;
  const bool is_review_;
  entered* const outer_;
  std::variant<std::monostate, short_call, long_call, group_call> direct_;
  operation* started_ = nullptr;
  std::exception_ptr thrown_;
  std::atomic<bool> over_{false};
};

channel::channel(direct_context* in, collectives& collectives, const collective_state& plain,
                 const team& members, std::span<const learnt_ways::known_shape> known)
    : size_{members.size()},
      in_{in},
      collectives_{collectives},
      plain_{plain},
      members_{members},
      failed_{plain.failed()} {
  if (in == nullptr || size_ < 2) return;
  const bool share_memory =
      in->node != nullptr &&
      std::ranges::all_of(members.peers(), [&](peer_id each) { return in->node->reaches(each); });
  for (unsigned kind = 0; kind != detail::collectives_in_all; ++kind) {
    const auto each = static_cast<detail::collective>(kind);
    if (share_memory && !collectives.forced(each)) kinds_ |= 1U << kind;
    if (collectives.leaves_open(each)) learnt_kinds_ |= 1U << kind;
  }
  if (share_memory && size_ > most_ranks(in->oversubscribed))
    groups_.emplace(in->places, members, in->numas_of(members));
  if (in->learn != learn_mode::off && learnt_kinds_ != 0) {
    learnt_.emplace([this](const call_shape& each) { return ways_of(each); },
                    [this](const call_shape& each, const tuned_algorithm& best) {
                      return neighbors_of(best, size_, longest_of(each));
                    });
    learnt_->begin_with(known);
    learnt_->fastest_of_messages(settled_);
  }
}

channel::~channel() {
  if (reviewing_.load(std::memory_order_relaxed)) give_up_review();
  if (published_) {
    const std::lock_guard<std::mutex> guard{in_->publishing};
    in_->node->learnt().remove(members_.context());
  }
  if (groups_ && short_.state == state::open) groups_->leave(*in_->blocks);
  for (call_class* const each : {&short_, &long_}) {
    if (each->shared == nullptr) continue;
    // Pairs with the acquire in arena::collect.
    each->shared->left.fetch_add(1, std::memory_order_release);
    if (each->own_block != 0) in_->blocks->leave_to_others(each->own_block);
  }
}

/// At the first call: from one rank to all, by messages, where the block is.
void channel::ask(call_class& of) noexcept {
  const std::lock_guard<engine> guard{in_->progress};
  // By a hash, so that no process gives all.
  const int giver = static_cast<int>((members_.context() * 0x9e3779b1U >> 16) %
                                     static_cast<std::uint32_t>(size_));
  if (giver == members_.rank() && !groups_) try {
      of.own_block = in_->blocks->take(size_, of.area_bytes, in_->numas_of(members_));
      of.where = of.own_block;
    } catch (const std::bad_alloc&) {  // as without room
    }
  detail::collective_call call;
  call.kind = detail::collective::bcast;
  call.root = giver;
  call.receive = &of.where;
  call.bytes = sizeof of.where;
  if (groups_) {
    call.kind = detail::collective::allgather;
    call.in_place = true;
    call.receive = groups_->tell(*in_->blocks);
    call.bytes = groups_->told_bytes();
  }
  of.apart.emplace(collectives_, members_, of.context, &plain_);
  of.telling = &collectives_.start(of.apart->state, call);
  of.state = state::told;
}

/// Once the news has come. With the engine's lock held.
void channel::hear(call_class& of) noexcept {
  const bool well = !of.telling->result.error;
  in_->messages.release(*std::exchange(of.telling, nullptr));
  // A block that not all ranks have heard of, because a rank died, is lost: the ranks that have
  // heard of it may look at it.
  of.state = state::full;
  if (!well) return;
  const auto receiver_of = [&](int rank) { return in_->node->receiver_of(members_.peer(rank)); };
  if (groups_) {
    // Else nobody looks at any block.
    if (!groups_->complete()) return groups_->put_back(*in_->blocks);
    groups_->open(in_->node->segment(), receiver_of);
  } else {
    if (of.where == 0) return;
    of.shared = in_->node->segment().at<block>(of.where);
    of.all = flags{*of.shared, members_.rank(), size_, of.area_bytes};
    others_.clear();
    for (int rank = 0; rank != size_; ++rank)
      if (rank != members_.rank()) others_.push_back(receiver_of(rank));
  }
  of.apart.reset();
  of.state = state::open;
  if (&of == &short_ && !groups_) quick_kinds_ = kinds_;
}

template <bool Locked>
inline void channel::wake(const receiver& each) noexcept {
  if (each.fences) [[unlikely]]
    std::atomic_thread_fence(std::memory_order_seq_cst);
  std::atomic_signal_fence(std::memory_order_seq_cst);  // as in receiver::wake_unfenced
  if (!is_asleep(each.says->asks.load(std::memory_order_relaxed))) [[likely]]
    return;
  if constexpr (Locked) each.ringer->ring(each.index);
  else ring(each);
}

void channel::ring(const receiver& sleeper) noexcept {
  const std::lock_guard<engine> guard{in_->progress};
  sleeper.ringer->ring(sleeper.index);
}

/// Until the call is over, or a member is dead. `before`: the review that comes before it.
void channel::await(entered& mine, entered* before) {
  engine& progress = in_->progress;
  const std::array<entered*, 2> both{before, &mine};
  {
    const std::lock_guard<engine> guard{progress};
    for (entered* const each : both)
      if (each != nullptr) progress.add(*each), in_->waiting.push_back(each);
  }
  std::optional<record::wait_clock> clock;
  if (record::recorder* const to = record::recorder::active()) [[unlikely]]
    clock.emplace(*to, progress.spins());
  while (!mine.over()) {
    progress.wait_unlocked(peal::state::described{
        [&] {
          if (mine.over() || (failed_.load(std::memory_order_relaxed) && mine.waits_for_members()))
            return true;
          if (clock) clock->in_vain();
          return false;
        },
        [&] { return subject_of(mine.what(), members_); }});
    if (mine.over() || !failed_.load(std::memory_order_relaxed)) continue;
    const std::lock_guard<engine> guard{progress};
    mine.abandon();
  }
  const std::lock_guard<engine> guard{progress};
  for (entered* const each : both)
    if (each != nullptr) progress.remove(*each), std::erase(in_->waiting, each);
}

std::error_code channel::end_at_leisure(const detail::collective_call& what,
                                        quick_progress so_far) {
  entered mine{*this, what, so_far};
  await(mine);
  return mine.error();
}

bool channel::run_quickly(const detail::collective_call& what, kernel with,
                          std::error_code& became) {
  std::uint32_t made = 0;
  const auto has_given = [&] {
    for (const receiver& each : others_) wake<false>(each);
    // Not before the other ranks have this rank's stamp, and before any of them can ask, or make
    // the next call.
    made = calls_.add(way::in_short);
    count(in_->calls);
  };
  patience has;
  if (in_->progress.spins()) has.looks = first_looks;
  else if (in_->progress.yields()) has = {.looks = looks_at_other_cores, .shares_core = true};
  const quick_progress so_far = quick_call(short_.all, what, with, has, has_given);
  if (so_far == quick_progress::begun) has_given();
  if (so_far != quick_progress::over) became = end_at_leisure(what, so_far);
  if (made % calls_a_turn == 0) make_a_turn();
  return so_far == quick_progress::over;
}

operation* channel::run(const detail::collective_call& what, std::error_code& became) {
  if (failed_.load(std::memory_order_relaxed)) {
    became = errc::peer_failed;
    return nullptr;
  }
  const bool is_short = groups_ || fits(what, size_);
  if (!is_short) note_long(what);
  call_class& by = is_short ? short_ : long_;
  if (by.state == state::asks) [[unlikely]]
    ask(by);
  if (review_due()) [[unlikely]] {
    const review_awaited before_return{*this};
    return run_with_review(by, what, became);
  }
  return run_behind(nullptr, by, what, became);
}

operation* channel::run_with_review(call_class& by, const detail::collective_call& what,
                                    std::error_code& became) {
  std::optional<entered> reviewed;
  begin_review(reviewed, calls_.count() + 1);
  return run_behind(reviewed ? &*reviewed : nullptr, by, what, became);
}

inline operation* channel::run_behind(entered* review, call_class& by,
                                      const detail::collective_call& what,
                                      std::error_code& became) {
  // Also behind its own review, if that is over.
  const bool alone =
      (innermost_ == nullptr || (review != nullptr && review->is_alone_and_over())) &&
      by.state == state::open;
  entered mine{*this, by, what};
  if (alone) [[likely]] {
    if (groups_) [[unlikely]]
      mine.hurry<group_call>();
    else if (&by == &short_) mine.hurry<short_call>();
    else mine.hurry<long_call>();
  }
  // Not before the other ranks have this rank's stamp, and before any of them can ask, or make the
  // next call.
  const std::uint32_t made = calls_.add(by.taken);
  if (!mine.over()) await(mine, review);
  if (mine.started() != nullptr) [[unlikely]]
    return mine.started();
  if (const std::exception_ptr thrown = mine.thrown()) [[unlikely]]
    std::rethrow_exception(thrown);
  became = mine.error();
  if (made % calls_a_turn == 0) make_a_turn();
  return nullptr;
}

/// What a continuation throws meanwhile would take the call's result away: a later poll throws it.
void channel::make_a_turn() noexcept {
  try {
    in_->progress.progress();
  } catch (...) {
    in_->progress.defer_throw(std::current_exception(), true);
  }
}

/// Requires: it was due for the call that is made now. It comes before all that continuations call
/// meanwhile. `calls`: how many there are with that one. `here`: empty where it goes by messages.
void channel::begin_review(std::optional<entered>& here, std::uint32_t calls) {
  prepare_review(calls);
  // relaxed: no other thread sees the review yet.
  reviewing_.store(true, std::memory_order_relaxed);
  if (reviews_by_messages()) return start_review_apart();
  if (short_.state == state::asks) ask(short_);
  const bool alone = innermost_ == nullptr && short_.state == state::open;
  here.emplace(*this, short_, review_, true);
  if (alone) here->hurry<short_call>();
}

/// At the end of one that goes past messages.
void channel::end_review(const entered& over) noexcept { conclude_review(over.error(), true); }

void channel::review() {
  const review_awaited before_return{*this};
  std::optional<entered> here;
  begin_review(here, calls_.count());
  if (here && !here->over()) await(*here);
}

collective_state* channel::stay_out(const detail::collective_call& what) {
  call_class& by = what.kind == refused_call ? short_ : long_;
  if (by.state == state::asks) ask(by);
  entered mine{*this, by, what};
  await(mine);
  return by.state == state::full ? &by.apart->state : nullptr;
}

/// For a rank that is refused the call and asks this one. Nothing is kept of the buffers.
void channel::note_long(const detail::collective_call& what) noexcept {
  long_call_made& noted = long_calls_[next_long_++ % long_calls_.size()];
  noted.number = calls_.count();
  noted.call.kind = what.kind;
  noted.call.root = what.root;
  noted.call.bytes = what.bytes;
  noted.call.element_size = what.element_size;
}

const detail::collective_call& channel::call_started(std::uint32_t number) const noexcept {
  const auto found = std::ranges::find(long_calls_, number, &long_call_made::number);
  return found == long_calls_.end() ? long_calls_.front().call : found->call;
}

}  // namespace peal::direct
