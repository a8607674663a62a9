#include "collective/direct/channel.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "peal/error.hpp"

namespace peal::direct {

namespace {

/// With more ranks each would look at so many lines that messages in a few rounds take less: an estimate, as for flat schedules.
constexpr int most_ranks = 16;

/// Looks before the first turn of the engine: a few hundred nanoseconds, several times what a line takes from core to core.
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

channel::channel(site* in, collectives& together, collective_state& plain, const team& members)
    : size_{members.size()}, in_{in}, together_{together}, plain_{plain}, members_{members}, failed_{plain.failed()} {
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

bool channel::open() noexcept {
  state_ = state::closed;
  // By a hash, so that no process gives all.
  const int giver = static_cast<int>((members_.context() * 0x9e3779b1U >> 16) % static_cast<std::uint32_t>(size_));
  if (giver == members_.rank()) {
    const std::lock_guard<engine> guard{in_->progress};
    own_block_ = in_->blocks.take(size_);
  }
  std::uint64_t where = own_block_;
  // A block that not everybody has heard of because a rank died is lost: those who have may look at it.
  if (!tell(where, giver) || where == 0) return false;
  shared_ = in_->shm.segment().at<block>(where);
  flags_ = flags{*shared_, members_.rank(), size_};
  for (int rank = 0; rank != size_; ++rank)
    if (rank != members_.rank()) others_.push_back(in_->shm.receiver_of(members_.peer(rank)));
  state_ = state::open;
  return true;
}

/// From the giver to everybody, by messages. False: a rank has died.
bool channel::tell(std::uint64_t& where, int giver) noexcept {
  detail::collective_call call;
  call.kind = detail::collective::bcast;
  call.root = giver;
  call.receive = &where;
  call.bytes = sizeof where;
  engine& progress = in_->progress;
  progress.lock();
  operation& told = together_.start(plain_, call);
  progress.unlock();
  try {
    // acquire: pairs with the release that ends an operation.
    progress.wait_unlocked([&] { return told.finished.load(std::memory_order_acquire); });
  } catch (...) {
    progress.defer_throw(std::current_exception());
  }
  const std::lock_guard<engine> guard{progress};
  const bool well = !told.result.error;
  in_->messages.release(told);
  return well;
}

void channel::ring(const shm::receiver& sleeper) noexcept {
  const std::lock_guard<engine> guard{in_->progress};
  sleeper.ringer->ring(sleeper.index);
}

/// Until the call is ready, which it is when a call inside of it has carried it on. False: a member is dead.
bool channel::await(entered& mine) {
  engine& progress = in_->progress;
  for (int look = progress.spins() ? first_looks : 1; look != 0; --look)
    if (mine.call->ready()) return true;
  {
    awaited wanted{progress, *mine.call};
    mine.waits = &wanted;
    try {
      progress.wait_unlocked([&] { return wanted.came() || failed_.load(std::memory_order_relaxed); });
    } catch (...) {
      if (!thrown_) thrown_ = std::current_exception();
      else progress.defer_throw(std::current_exception());
    }
    mine.waits = nullptr;
  }
  return mine.call->ready();  // what the dead had given counts
}

void channel::carry(entered& mine) {
  struct inside {
    inside(entered*& last, entered& mine) noexcept : innermost{last} {
      mine.outer = last;
      last = &mine;
    }
    ~inside() { innermost = innermost->outer; }
    entered*& innermost;
  } const guard{innermost_, mine};
  play& call = *mine.call;
  while (!call.over()) {
    if (!call.ready() && !await(mine)) call.give_up(errc::peer_failed);
    if (call.step()) wake_all();
  }
}

/// A call that waits on this thread's stack, on behalf of a continuation that makes the next one.
void channel::carry_outer(entered& waiting) noexcept {
  if (waiting.call->over()) return;
  waiting.waits->stop();
  entered again{waiting.call};
  try {
    carry(again);
  } catch (...) {
    waiting.thrown = std::current_exception();
  }
}

std::error_code channel::run(const detail::collective_call& what) {
  if (failed_.load(std::memory_order_relaxed)) return errc::peer_failed;
  play call{flags_, what};
  if (!call.valid()) return errc::invalid_argument;
  if (innermost_) [[unlikely]]
    carry_outer(*innermost_);
  call.begin();
  in_->calls.store(in_->calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  entered mine{&call};
  carry(mine);
  if (mine.thrown) [[unlikely]]
    std::rethrow_exception(mine.thrown);
  if (thrown_) [[unlikely]]
    std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (++calls_ % calls_a_turn == 0) in_->progress.progress();
  return call.error();
}

}  // namespace peal::direct
