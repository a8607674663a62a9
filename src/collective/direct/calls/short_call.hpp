// collective/direct/calls/short_call.hpp
// One small collective of one rank through the flags. The rank stamps the operation, with what it
// gives as payload, waits for the ranks whose payload it needs, and reads that payload where it
// lies. A rank that reduces does so alone, in the order of kernels/join_order.hpp. So every rank
// has the same bits, and no rank depends on what another one computes.
//
//     short_call call{all, what};
//     call.begin();
//     while (!call.over()) {
//       ... until call.ready(); then wake the ranks that sleep if call.step() says so
//     }
//
// Layer    collective/direct: may include collective/, base/.
// Units    bytes.
// Threads  one at a time. `ready` changes nothing that other ranks see.
// Errors   truncated and invalid_argument where a rank has called something else, or with another
//          length. What a user's function throws comes out of `step`; the call is over then.
#pragma once

#include <cstddef>
#include <system_error>

#include "collective/direct/calls/short_part.hpp"
#include "collective/direct/flags.hpp"
#include "collective/kernels/join_order.hpp"
#include "collective/kernels/reduction.hpp"
#include "peal/detail/core.hpp"
#include "peal/error.hpp"

namespace peal::direct {

/// With more ranks that have a core each, each would look at so many lines that messages in a few
/// rounds take less: an estimate, as for flat schedules. Where they share cores it is their turns
/// that cost, and the fewest of them are here: 17 to 48 ranks on two cores took 0.01 to 0.7 of what
/// messages took (allreduce, bcast, allgather and alltoall of 8 B to 32 KiB); more was not
/// measured.
constexpr int most_ranks(bool oversubscribed) noexcept { return oversubscribed ? 64 : 16; }
static_assert(most_ranks(true) <= most_ranks_with_rooms);

/// Whether such a call can go through flags: blocks are of one length and fit. Depends on nothing
/// but what is the same on every rank.
[[nodiscard]] inline bool fits(const detail::collective_call& call, int size) noexcept {
  using detail::collective;
  if (call.kind == collective::barrier) return true;
  if (call.kind == collective::neighbor_allgather || call.kind == collective::neighbor_alltoall)
    return false;
  if (call.varying || call.send_bytes || call.send_offsets || call.receive_bytes ||
      call.receive_offsets)
    return false;
  const bool all = call.kind == collective::alltoall || call.kind == collective::scatter ||
                   call.kind == collective::reduce_scatter;
  const std::size_t most = all ? area_bytes / static_cast<std::size_t>(size) : area_bytes;
  return call.bytes - 1 < most;  // empty ones wrap, and do not fit
}

/// What a rank stamps as its call when it was refused the call: it differs from what the other
/// ranks have called.
inline constexpr auto refused_call = static_cast<detail::collective>(0xf);
/// The call of that rank, when the call of the other ranks is a short one.
[[nodiscard]] inline detail::collective_call no_part_in_a_short_call() noexcept {
  detail::collective_call made;
  made.kind = refused_call;
  made.spoilt = true;
  made.bytes = 1;
  return made;
}

class short_call {
 public:
  /// Requires: fits(call, all.size()). Both must outlive this.
  short_call(flags& all, const detail::collective_call& call) noexcept
      : all_{all},
        call_{call},
        part_{part_of(call, call.kind, all.rank(), all.size())},
        joins_{detail::is_reduction(call.kind)},
        next_{part_.first} {
    if (joins_) with_.set(call);
  }
  short_call(const short_call&) = delete;
  short_call& operator=(const short_call&) = delete;

  /// False: the operation has no meaning for the type, on any rank; not to be begun.
  [[nodiscard]] bool valid() const noexcept { return !joins_ || with_.valid(); }
  /// Requires: the last operation of these flags is over.
  void begin() noexcept { all_.next(); }
  /// Instead of begin: goes on with what quick_call.hpp has begun.
  void go_on(bool has_given) noexcept {
    if (has_given) stage_ = stage::reads;
  }

  /// Whether the next step can be made.
  [[nodiscard]] bool ready() noexcept {
    switch (stage_) {
      case stage::gives: return all_.has_room(part_.bytes());
      case stage::reads: return have_come();
      case stage::over: break;
    }
    return true;
  }
  /// A rank that keeps it from being ready, or -1.
  [[nodiscard]] int awaits() noexcept {
    if (ready()) return -1;
    return stage_ == stage::gives ? all_.behind() : next_;
  }
  /// Where ranks share cores, and it is not ready: whether all that it waits for run on other ones.
  [[nodiscard]] bool awaits_other_cores() noexcept {
    return stage_ == stage::reads && !all_.misses_some_on(all_.note_core());
  }
  /// Requires: ready(). True: the operation was stamped, so the ranks that sleep are to be woken.
  bool step() {
    if (stage_ == stage::gives) {
      all_.stamp(static_cast<std::uint32_t>(call_.kind), part_.given, part_.bytes());
      stage_ = stage::reads;
      return true;
    }
    if (stage_ == stage::reads) {
      stage_ = stage::over;  // also where a user's function throws
      read();
    }
    return false;
  }
  [[nodiscard]] bool over() const noexcept { return stage_ == stage::over; }
  /// It will not be ready any more.
  void give_up(errc why) noexcept {
    stage_ = stage::over;
    note(why);
  }
  [[nodiscard]] std::error_code error() const noexcept { return error_; }

 private:
  enum class stage : std::uint8_t { gives, reads, over };

  [[nodiscard]] bool have_come() noexcept {
    for (; next_ < part_.last; ++next_)
      if (next_ != all_.rank() && !all_.has_come(next_)) return false;
    if (part_.first == 0 && part_.last == all_.size()) all_.all_came();
    return true;
  }
  void read();
  void join(int ranks, std::size_t offset);
  [[nodiscard]] bool gave(int rank) noexcept;
  void note(errc why) noexcept {
    if (!error_) error_ = make_error_code(why);
  }

  flags& all_;
  const detail::collective_call& call_;
  const short_part part_;
  const bool joins_;
  stage stage_ = stage::gives;
  int next_;  // the first that may not have come
  reduction with_;
  std::error_code error_;
};

}  // namespace peal::direct
