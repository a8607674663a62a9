// collective/direct/calls/long_call.hpp
// One collective of one rank, longer than `short_call` takes, through the large areas. It goes
// piece by piece, and each piece is an operation of the flags. Pieces are short enough to stay in
// the caches of the cores between which they go.
//
//   reductions  Each rank joins what all gave; or it `shares`: it joins its part of a piece for
//               all, and gives that along with its next piece, so there is one operation more than
//               there are pieces. All ranks of a call must do the same.
//   scans       Each rank takes what the rank below it has joined, and gives it, joined with its
//               own vector.
//   the others  A rank that has something gives it, a rank that wants it reads it.
//
// A rank that takes no part (`spoilt`) stamps as often as the others, but another kind, and gives
// nothing.
//
// A rank whose vector lies in memory of peal::allocate gives only the place of it, and the others
// read it there. Then the call is over when all have read it, so there is one operation more; and
// where all ranks give a place, there is one piece only.
//
// Vectors are joined in the order of kernels/join_order.hpp, so all ranks have the same bits.
//
// Layer    collective/direct: may include collective/, base/.
// Units    bytes.
// Threads  one at a time. `ready` changes nothing that other ranks see.
// Errors   truncated and invalid_argument where a rank has called something else, or with another
//          length. When a user's function throws, the ranks that wanted its result end with
//          operation_failed, and what it threw comes out of the last `step` here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <system_error>

#include "collective/direct/flags.hpp"
#include "collective/kernels/reduction.hpp"
#include "peal/detail/core.hpp"
#include "peal/error.hpp"

namespace peal::direct {

class long_call {
 public:
  /// Whether such a call goes this way, if it is too long for `short_call`. `oversubscribed`: there
  /// are more ranks than cores. Depends on nothing but what is the same on every rank.
  [[nodiscard]] static bool fits(const detail::collective_call& call, int size,
                                 bool oversubscribed) noexcept;
  /// Whether it can go this way, whatever it takes then. As `fits`, the same on every rank.
  [[nodiscard]] static bool serves(const detail::collective_call& call) noexcept;

  /// Whether other ranks may read this rank's vector where it is: they see it (`sees(address,
  /// bytes)`), and this rank does not write over it before all have read it. `shares`: as the
  /// constructor has it.
  template <class Predicate>
  [[nodiscard]] static bool opens(const detail::collective_call& call, int rank, int size,
                                  bool shares, Predicate&& sees) noexcept {
    using detail::collective;
    const bool in_place = call.in_place || !call.send;
    const std::size_t whole = call.bytes * static_cast<std::size_t>(size);
    switch (call.kind) {
      case collective::bcast: return rank == call.root && sees(call.receive, call.bytes);
      case collective::allreduce:
        return sees(call.receive, call.bytes) && (in_place ? shares : sees(call.send, call.bytes));
      case collective::allgather:
        return in_place ? sees(call.receive, whole) : sees(call.send, call.bytes);
      case collective::alltoall:
      case collective::reduce_scatter: return !in_place && sees(call.send, whole);
      default: return false;
    }
  }
  /// Whether each rank may join a part for all, or whole vectors.
  [[nodiscard]] static bool may_share(detail::collective kind, int size) noexcept {
    return size > 2 &&
           (kind == detail::collective::reduce || kind == detail::collective::allreduce);
  }
  /// Whether it does where nothing is learnt. The same for all lengths above a power of two, up to
  /// the next.
  [[nodiscard]] static bool usually_shares(const detail::collective_call& call, int size,
                                           bool oversubscribed) noexcept;
  /// Whether the other thing is worth a trial.
  [[nodiscard]] static bool may_do_otherwise(const detail::collective_call& call, int size,
                                             bool oversubscribed) noexcept;
  /// In how many pieces it goes. Requires: serves.
  [[nodiscard]] static std::size_t pieces_of(const detail::collective_call& call,
                                             int size) noexcept;

  /// Requires: serves(call), and areas of long_area_bytes. Both must outlive this.
  /// `shares`: the same on every rank; only where this may be. `open`: other ranks see this rank's
  /// buffers.
  long_call(flags& all, const detail::collective_call& call, bool shares,
            bool open = false) noexcept;
  long_call(const long_call&) = delete;
  long_call& operator=(const long_call&) = delete;

  /// False: the operation has no meaning for the type, on any rank; not to be begun.
  [[nodiscard]] bool valid() const noexcept {
    return !detail::is_reduction(call_.kind) || with_.valid() || call_.spoilt;
  }
  /// Requires: the last operation of these flags is over.
  void begin() noexcept {
    all_.next();
    if (awaits_ == awaited::rank_below) all_.to_one();
    else all_.to_all();
  }

  /// Whether the next step can be made.
  [[nodiscard]] bool ready() noexcept {
    if (stage_ == stage::gives && awaits_ == awaited::rank_below)
      return (all_.rank() == 0 || all_.has_come(all_.rank() - 1)) &&
             (!gives_ || all_.has_room_for_one(all_.rank() + 1));
    if (stage_ == stage::gives) return has_room();
    return stage_ == stage::over || have_come();
  }
  /// A rank that keeps it from being ready, or -1.
  [[nodiscard]] int awaits() noexcept {
    if (ready()) return -1;
    if (stage_ == stage::reads) return awaits_ == awaited::root ? call_.root : next_;
    if (awaits_ != awaited::rank_below) return all_.behind();
    return all_.rank() != 0 && !all_.has_come(all_.rank() - 1) ? all_.rank() - 1 : all_.rank() + 1;
  }
  /// Requires: ready(). True: the operation was stamped, so the ranks that sleep are to be woken.
  bool step();
  [[nodiscard]] bool over() const noexcept { return stage_ == stage::over; }
  /// It will not be ready any more.
  void give_up(errc why) noexcept {
    stage_ = stage::over;
    note(why);
  }
  [[nodiscard]] std::error_code error() const noexcept { return error_; }

 private:
  enum class stage : std::uint8_t { gives, reads, over };
  enum class awaited : std::uint8_t { nobody, everybody, root, rank_below };
  /// A range of bytes of a piece.
  struct range {
    std::size_t begin;
    std::size_t end;
    [[nodiscard]] std::size_t bytes() const noexcept { return end - begin; }
  };

  [[nodiscard]] bool is_root() const noexcept { return all_.rank() == call_.root; }
  [[nodiscard]] bool has_room() noexcept {
    return all_.has_room(gives_ && !gives_places() ? long_area_bytes : 0);
  }
  /// In this operation.
  [[nodiscard]] bool gives_places() const noexcept { return open_ && (now_ == 0 || all_open_); }
  [[nodiscard]] bool have_come() noexcept {
    if (awaits_ == awaited::everybody) return all_.all_have_come(next_);
    return awaits_ != awaited::root || all_.has_come(call_.root);
  }
  /// Where piece `index` begins, and how long it is; beyond the last one: the end, and 0.
  [[nodiscard]] std::size_t begin_of(std::size_t index) const noexcept {
    return std::min(index * piece_, call_.bytes);
  }
  [[nodiscard]] std::size_t bytes_of(std::size_t index) const noexcept;
  /// What a rank joins for all of a piece so long.
  [[nodiscard]] range part_of(int rank, std::size_t bytes) const noexcept;

  void look_who_is_open() noexcept;
  void begin_next() noexcept;
  void copy_out(std::byte* to, const std::byte* from, std::size_t bytes) const noexcept;
  void give();
  void give_blocks() noexcept;
  void read();
  void read_blocks() noexcept;
  void read_parts() noexcept;
  void pass_on(std::byte* area);
  template <class Body>
  void guarded(Body&& body) noexcept;
  void join(std::size_t in_vector, std::size_t in_area, std::size_t bytes, std::byte* into);
  [[nodiscard]] bool gave(int rank) noexcept;
  [[nodiscard]] std::byte* given(int rank, std::size_t in_vector,
                                 std::size_t in_area) const noexcept;
  void note(errc why) noexcept {
    if (!error_) error_ = make_error_code(why);
  }

  [[nodiscard]] const std::byte* vector() const noexcept {
    return static_cast<const std::byte*>(in_place_ ? call_.receive : call_.send);
  }
  [[nodiscard]] std::byte* receive() const noexcept {
    return static_cast<std::byte*>(call_.receive);
  }
  [[nodiscard]] std::size_t block(int rank) const noexcept {
    return static_cast<std::size_t>(rank) * call_.bytes;
  }

  flags& all_;
  const detail::collective_call& call_;
  reduction with_;
  std::size_t piece_;   // of a vector or a block, the last one may be shorter
  std::size_t pieces_;  // of it
  std::size_t unit_;    // pieces and parts are multiples of
  std::size_t now_ = 0;
  stage stage_ = stage::gives;
  awaited awaits_ = awaited::everybody;
  bool gives_ = true;  // has something to give
  bool in_place_;
  bool shares_;          // each joins a part for all
  bool spoilt_ = false;  // what this rank gives from now on
  bool streams_;         // results past the caches
  bool open_;            // this rank's buffers
  bool any_open_ = false;
  bool all_open_ = false;  // of the ranks that give
  int next_ = 0;           // the first that may not have come
  std::exception_ptr thrown_;
  std::error_code error_;
};

}  // namespace peal::direct
