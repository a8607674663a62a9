#include "collective/direct/channel.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/cache_line.hpp"
#include "peal/error.hpp"

namespace peal::direct {

namespace {

/// Looks before the first turn of the engine: a microsecond or two, several times what a line takes from core to core. With a pause behind
/// each, since a look takes the line away from the core that is about to write it: two ranks, 8 B, to no pause (AMD EPYC 9004, virtual,
/// medians of 15 pairs; in brackets when its caches are slow to each other) allreduce 0.94 (0.89), barrier 0.80 (0.94), bcast 0.85 (0.96),
/// allgather 0.80. When they are quick two and three were slower than one.
constexpr int first_looks = 128;
/// And at each turn. Together about as long as the rest of a turn, which polls all that messages come by.
constexpr int looks_a_turn = 8;

/// A rank that always comes last never waits: one call in so many makes progress with messages.
constexpr std::uint32_t calls_a_turn = 32;

}  // namespace

/// A call that waits, as a source of progress: so a sleep that should have ended counts as missed, and another thread that polls looks in
/// the place of this one.
class channel::awaited final : public progress_source {
 public:
  awaited(engine& in, play& call) : in_{in}, call_{call}, looks_{in.spins() ? looks_a_turn : 1} {
    const std::lock_guard<engine> guard{in_};
    in_.add(*this);
  }
  ~awaited() {
    const std::lock_guard<engine> guard{in_};
    in_.remove(*this);
  }
  awaited(const awaited&) = delete;
  awaited& operator=(const awaited&) = delete;

  bool poll() noexcept override {
    if (came()) return false;
    for (int look = 0; look != looks_; ++look) {
      if (!call_.ready()) continue;
      came_.store(true, std::memory_order_release);  // pairs with the acquire in came
      return true;
    }
    return false;
  }
  bool arm() noexcept override { return true; }  // who stamps rings, as who sends does
  [[nodiscard]] bool came() const noexcept { return came_.load(std::memory_order_acquire); }
  /// Somebody else carries the call on: from now on nobody looks at it here.
  void stop() {
    const std::lock_guard<engine> guard{in_};
    came_.store(true, std::memory_order_release);
  }

 private:
  engine& in_;
  play& call_;
  int looks_;
  std::atomic<bool> came_{false};
};

channel::channel(site* in, collectives& together, const collective_state& plain, const team& members)
    : size_{members.size()}, in_{in}, together_{together}, members_{members}, failed_{plain.failed()} {
  if (in == nullptr || size_ < 2 || size_ > most_ranks) return;
  if (!std::ranges::all_of(members.peers(), [&](peer_id each) { return in->shm.reaches(each); })) return;
  for (unsigned kind = 0; kind != detail::collectives_in_all; ++kind)
    if (!together.forced(static_cast<detail::collective>(kind))) kinds_ |= 1U << kind;
  state_ = state::asks;
}

channel::~channel() {
  if (state_ != state::open) return;
  shared_->left.fetch_add(1, std::memory_order_release);  // pairs with the acquire in arena::collect
  if (own_block_ != 0) in_->blocks.leave_to_others(own_block_);
}

/// At the first call: from one rank to everybody, by messages, where the block is.
void channel::ask() noexcept {
  const std::lock_guard<engine> guard{in_->progress};
  // By a hash, so that no process gives all.
  const int giver = static_cast<int>((members_.context() * 0x9e3779b1U >> 16) % static_cast<std::uint32_t>(size_));
  if (giver == members_.rank()) where_ = own_block_ = in_->blocks.take(size_);
  detail::collective_call call;
  call.kind = detail::collective::bcast;
  call.root = giver;
  call.receive = &where_;
  call.bytes = sizeof where_;
  apart_.emplace(together_, members_);
  telling_ = &together_.start(apart_->state, call);
  state_ = state::told;
}

/// Once the bcast is over.
void channel::hear() noexcept {
  const std::lock_guard<engine> guard{in_->progress};
  const bool well = !telling_->result.error;
  in_->messages.release(*std::exchange(telling_, nullptr));
  // A block that not everybody has heard of because a rank died is lost: those who have may look at it.
  state_ = state::full;
  if (!well || where_ == 0) return;
  shared_ = in_->shm.segment().at<block>(where_);
  flags_ = flags{*shared_, members_.rank(), size_};
  for (int rank = 0; rank != size_; ++rank)
    if (rank != members_.rank()) others_.push_back(in_->shm.receiver_of(members_.peer(rank)));
  apart_.reset();
  state_ = state::open;
}

template <class Predicate>
void channel::wait(Predicate&& holds) {
  try {
    in_->progress.wait_unlocked(holds);
  } catch (...) {
    if (!thrown_) thrown_ = std::current_exception();
    else in_->progress.defer_throw(std::current_exception());
  }
}

/// Until this rank knows how calls go. A call inside may have heard it first.
void channel::listen() {
  // acquire: pairs with the release that ends an operation.
  wait([this] { return state_ != state::told || telling_->finished.load(std::memory_order_acquire); });
  if (state_ == state::told) hear();
}

void channel::ring(const shm::receiver& sleeper) noexcept {
  const std::lock_guard<engine> guard{in_->progress};
  sleeper.ringer->ring(sleeper.index);
}

/// Until the call is ready, which it is when a call inside of it has carried it on. False: a member is dead.
bool channel::await(entered& mine) {
  engine& progress = in_->progress;
  for (int look = progress.spins() ? first_looks : 1; look != 0; --look) {
    if (mine.direct->ready()) return true;
    relax();
  }
  {
    awaited wanted{progress, *mine.direct};
    mine.waits = &wanted;
    wait([&] { return wanted.came() || failed_.load(std::memory_order_relaxed); });
    mine.waits = nullptr;
  }
  return mine.direct->ready();  // what the dead had given counts
}

/// Its turn has come: those made before it are over, or under way as messages.
void channel::begin(entered& mine) {
  if (state_ == state::told) [[unlikely]] {
    listen();
    if (mine.direct || mine.started != nullptr) return;  // a call inside has begun it
  }
  if (state_ == state::full) [[unlikely]] {
    const std::lock_guard<engine> guard{in_->progress};
    mine.started = &together_.start(apart_->state, mine.what);
    return;
  }
  in_->calls.store(in_->calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  mine.direct.emplace(flags_, mine.what);
  if (mine.direct->valid()) mine.direct->begin();
  else mine.direct->give_up(errc::invalid_argument);
}

void channel::carry(entered& mine) {
  if (mine.outer != nullptr) [[unlikely]]
    carry_outer(*mine.outer);
  // Unless a call inside has, in the waits above.
  if (!mine.direct && mine.started == nullptr) begin(mine);
  if (mine.started != nullptr) [[unlikely]]
    return;
  play& call = *mine.direct;
  while (!call.over()) {
    if (!call.ready() && !await(mine)) call.give_up(errc::peer_failed);
    if (call.step()) wake_all();
  }
}

/// A call that waits on this thread's stack, on behalf of a continuation that makes the next one.
void channel::carry_outer(entered& waiting) noexcept {
  if (waiting.over()) return;
  if (waiting.waits != nullptr) waiting.waits->stop();
  try {
    carry(waiting);
  } catch (...) {
    waiting.thrown = std::current_exception();
  }
}

operation* channel::run(const detail::collective_call& what, std::error_code& became) {
  if (failed_.load(std::memory_order_relaxed)) {
    became = errc::peer_failed;
    return nullptr;
  }
  if (state_ == state::asks) [[unlikely]]
    ask();
  struct inside {
    inside(entered*& last, entered& mine) noexcept : innermost{last} { last = &mine; }
    ~inside() { innermost = innermost->outer; }
    entered*& innermost;
  };
  entered mine{what, innermost_};
  {
    const inside guard{innermost_, mine};
    carry(mine);
  }
  if (mine.started != nullptr) [[unlikely]] {
    if (thrown_) in_->progress.defer_throw(std::exchange(thrown_, nullptr));
    return mine.started;
  }
  if (mine.thrown) [[unlikely]]
    std::rethrow_exception(mine.thrown);
  if (thrown_) [[unlikely]]
    std::rethrow_exception(std::exchange(thrown_, nullptr));
  became = mine.direct->error();
  if (++calls_ % calls_a_turn == 0) in_->progress.progress();
  return nullptr;
}

}  // namespace peal::direct
