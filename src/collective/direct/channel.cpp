#include "collective/direct/channel.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "collective/call_subject.hpp"
#include "collective/direct/entered_call.hpp"
#include "peal/error.hpp"
#include "record/wait_clock.hpp"

namespace peal::direct {

namespace {

/// A rank that always comes last never waits: one call in so many makes progress with messages.
constexpr std::uint32_t calls_a_turn = 32;

}  // namespace

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
    else if (!collectives.forced(each)) named_kinds_ |= 1U << kind;
  }
  if (share_memory && size_ > most_ranks(in->oversubscribed))
    groups_.emplace(in->places, members, in->numas_of(members));
  else if (share_memory && !in->oversubscribed) most_not_learnt_ = most_quick;
  if (in->learn != learn_mode::off && learnt_kinds_ != 0) {
    learnt_.emplace([this](const call_shape& each) { return ways_of(each); },
                    [this](const call_shape& each, const tuned_algorithm& best) {
                      return neighbors_of(best, size_, longest_of(each), each.in_order);
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

/// What a quick call asks and tells its channel.
class channel::quick_caller {
 public:
  explicit quick_caller(channel& on) noexcept : on_{on} {}
  /// Not before the other ranks have this rank's stamp, and before any of them can ask, or make the
  /// next call.
  [[gnu::always_inline]] void has_given() noexcept {
    for (const receiver& each : on_.others_) on_.wake<false>(each);
    made_ = on_.calls_.add(way::in_short);
    count_one(on_.in_->calls);
  }
  [[nodiscard, gnu::always_inline]] patience has_patience() const noexcept {
    if (on_.in_->progress.spins()) return {.looks = first_looks};
    if (on_.in_->progress.yields()) return {.looks = looks_at_other_cores, .shares_core = true};
    return {};
  }
  /// How many calls there have been. Requires: has_given().
  [[nodiscard]] std::uint32_t made() const noexcept { return made_; }

 private:
  channel& on_;
  std::uint32_t made_ = 0;
};

template <detail::collective Kind>
quick_progress channel::run_quickly(const detail::collective_call& what) {
  if (innermost_ != nullptr || what.bytes > most_not_learnt_ ||
      failed_.load(std::memory_order_relaxed) || review_due()) [[unlikely]]
    return quick_progress::none;
  quick_caller by{*this};
  const quick_progress so_far = quick_call<Kind>(short_.all, what, by);
  if (so_far == quick_progress::over && by.made() % calls_a_turn == 0) [[unlikely]]
    make_a_turn();
  return so_far;
}

quick_progress channel::run_quickly(const detail::collective_call& what) {
  return of_kind(what.kind, [&]<detail::collective Kind>() { return run_quickly<Kind>(what); });
}

std::error_code channel::end_quickly(const detail::collective_call& what, quick_progress so_far) {
  if (so_far == quick_progress::begun) quick_caller{*this}.has_given();
  entered mine{*this, what, so_far};
  await(mine);
  if (calls_.count() % calls_a_turn == 0) make_a_turn();
  return mine.error();
}

operation* channel::run(const detail::collective_call& what, const call_way& as,
                        std::error_code& became) {
  if (failed_.load(std::memory_order_relaxed)) {
    became = errc::peer_failed;
    return nullptr;
  }
  const bool is_short = !is_long(what);
  const bool shares = as.directly ? as.shares : usually_shares(what);
  if (!is_short) note_long(what, shares);
  call_class& by = is_short ? short_ : long_;
  if (by.state == state::asks) [[unlikely]]
    ask(by);
  if (review_due()) [[unlikely]] {
    const review_awaited before_return{*this};
    return run_with_review(by, what, shares, became);
  }
  return run_behind(nullptr, by, what, shares, became);
}

operation* channel::run_with_review(call_class& by, const detail::collective_call& what,
                                    bool shares, std::error_code& became) {
  std::optional<entered> reviewed;
  begin_review(reviewed, calls_.count() + 1);
  return run_behind(reviewed ? &*reviewed : nullptr, by, what, shares, became);
}

inline operation* channel::run_behind(entered* review, call_class& by,
                                      const detail::collective_call& what, bool shares,
                                      std::error_code& became) {
  // Also behind its own review, if that is over.
  const bool alone =
      (innermost_ == nullptr || (review != nullptr && review->is_alone_and_over())) &&
      by.state == state::open;
  entered mine{*this, by, what, shares};
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
  here.emplace(*this, short_, review_, false, true);
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

collective_state* channel::stay_out(const detail::collective_call& what, bool shares) {
  call_class& by = what.kind == refused_call ? short_ : long_;
  if (by.state == state::asks) ask(by);
  entered mine{*this, by, what, shares};
  await(mine);
  return by.state == state::full ? &by.apart->state : nullptr;
}

/// For a rank that is refused the call and asks this one. Nothing is kept of the buffers.
void channel::note_long(const detail::collective_call& what, bool shares) noexcept {
  long_call_made& noted = long_calls_[next_long_++ % long_calls_.size()];
  noted.number = calls_.count();
  noted.call.kind = what.kind;
  noted.call.root = what.root;
  noted.call.bytes = what.bytes;
  noted.call.element_size = what.element_size;
  noted.shares = shares;
}

const channel::long_call_made& channel::call_started(std::uint32_t number) const noexcept {
  const auto found = std::ranges::find(long_calls_, number, &long_call_made::number);
  return found == long_calls_.end() ? long_calls_.front() : *found;
}

}  // namespace peal::direct
