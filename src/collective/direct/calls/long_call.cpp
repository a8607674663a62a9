#include "collective/direct/calls/long_call.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/cache_line.hpp"
#include "base/copy.hpp"
#include "collective/direct/calls/short_call.hpp"
#include "collective/kernels/join_order.hpp"

namespace peal::direct {

using detail::collective;

namespace {

/// Joins of more than two vectors go through the first-level cache, so many bytes at a time.
constexpr std::size_t joined_at_once = 4096;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

/// Results of all ranks together of which little stays in a cache, so that it would only cost time
/// to bring in the lines that they are written to. Without it allgather of 4 MiB with 4 and 8 ranks
/// took 1.8 times as long.
constexpr std::size_t long_results = std::size_t{8} << 20;

std::size_t results_of(const detail::collective_call& call, int size) noexcept {
  const auto ranks = static_cast<std::size_t>(size);
  const bool blocks = call.kind == collective::allgather || call.kind == collective::alltoall;
  return call.bytes * ranks * (blocks ? ranks : 1);  // gather: of the root
}

/// Of which a piece has one for each rank.
bool has_blocks(collective kind) noexcept {
  return kind == collective::scatter || kind == collective::alltoall ||
         kind == collective::reduce_scatter;
}

/// Whole elements, and whole cache lines where that is possible.
std::size_t unit_of(const detail::collective_call& call) noexcept {
  if (!detail::is_reduction(call.kind)) return cache_line;
  return cache_line % call.element_size == 0 ? cache_line : call.element_size;
}

/// Requires: serves.
std::size_t longest_piece(const detail::collective_call& call, int size) noexcept {
  const std::size_t unit = unit_of(call);
  return (has_blocks(call.kind) ? piece_bytes / static_cast<std::size_t>(size) : piece_bytes) /
         unit * unit;
}

/// Up to which length it takes less than messages do. With two ranks that have a core each these
/// are better from a length on from which both sides share the copying (transport/shm/); and
/// messages of scatter and gather are copied by each rank from or to the root's memory, while here
/// the root alone copies all. Measured with 2, 4 and 8 ranks on two cores (AMD EPYC 9004, virtual),
/// messages in turn; on more than two cores it was not measured.
std::size_t most_bytes(collective kind, int size, bool oversubscribed) noexcept {
  constexpr std::size_t any = ~std::size_t{0};
  switch (kind) {
    case collective::barrier:
    case collective::neighbor_allgather:
    case collective::neighbor_alltoall: return 0;
    default: break;
  }
  if (size == 2 && !oversubscribed) return (std::size_t{32} << 10) - 1;
  if (kind == collective::gather) return std::size_t{512} << 10;
  if (kind == collective::alltoall) return (std::size_t{64} << 10) - 1;
  return kind == collective::scatter ? piece_bytes / static_cast<std::size_t>(size) : any;
}

/// Up to which length whole vectors are joined, by the root or by every rank: where each joins a
/// part there is one operation more, in which every rank has its turn. The root alone joins what
/// all others have copied, so with three ranks, and where ranks share cores, parts save it little:
/// with 3, 4 and 8 ranks on two cores they take 1.35, 1.03 and 1.01 of the time of a reduce of
/// 32 KiB and a barrier, and 1.5, 0.99 and 1.16 for 256 KiB; where the cores are slow to each other
/// 1.07, 0.83 and 0.83, and 1.07, 0.85 and 0.78. Every rank of an allreduce joins the vectors of
/// all, so the more ranks there are the sooner parts pay: with 4, 8 and 16 they take 1.26, 1.11 and
/// 0.92 for 8 KiB, and 0.93, 0.72 and 0.55 for 32 KiB (AMD EPYC 9004).
std::size_t most_joined_whole(collective kind, int size, bool oversubscribed) noexcept {
  if (kind == collective::allreduce)
    return (std::size_t{64} << 10) / static_cast<std::size_t>(size);
  return oversubscribed || size == 3 ? ~std::size_t{0} : std::size_t{16} << 10;
}

}  // namespace

bool long_call::usually_shares(const detail::collective_call& call, int size,
                               bool oversubscribed) noexcept {
  return may_share(call.kind, size) &&
         std::bit_ceil(call.bytes) > most_joined_whole(call.kind, size, oversubscribed);
}

bool long_call::may_do_otherwise(const detail::collective_call& call, int size,
                                 bool oversubscribed) noexcept {
  constexpr std::size_t further = 8;
  return may_share(call.kind, size) &&
         call.bytes / further <= most_joined_whole(call.kind, size, oversubscribed);
}

bool long_call::fits(const detail::collective_call& call, int size, bool oversubscribed) noexcept {
  return call.bytes - 1 < most_bytes(call.kind, size, oversubscribed) && serves(call);  // 0 wraps
}

bool long_call::serves(const detail::collective_call& call) noexcept {
  if (call.bytes == 0 || most_bytes(call.kind, 2, true) == 0) return false;
  if (call.varying || call.send_bytes || call.send_offsets || call.receive_bytes ||
      call.receive_offsets)
    return false;
  if (detail::is_reduction(call.kind) && call.element_size > joined_at_once / 4) return false;
  return true;
}

std::size_t long_call::pieces_of(const detail::collective_call& call, int size) noexcept {
  const std::size_t most = longest_piece(call, size);
  return (call.bytes + most - 1) / most;
}

long_call::long_call(flags& all, const detail::collective_call& call, bool shares,
                     bool open) noexcept
    : all_{all},
      call_{call},
      unit_{unit_of(call)},
      in_place_{call.in_place || !call.send},
      shares_{shares},
      streams_{past_caches_pays() && results_of(call, all.size()) >= long_results},
      open_{open && !call.spoilt} {
  const std::size_t most = longest_piece(call, all.size());
  pieces_ = (call.bytes + most - 1) / most;
  piece_ = std::min(rounded_up((call.bytes + pieces_ - 1) / pieces_, unit_), most);
  switch (call.kind) {
    case collective::bcast:
    case collective::scatter:
      gives_ = is_root();
      awaits_ = is_root() ? awaited::nobody : awaited::root;
      break;
    case collective::gather:
      gives_ = !is_root();
      awaits_ = is_root() ? awaited::everybody : awaited::nobody;
      break;
    case collective::reduce:
    case collective::allreduce:
      // In place is the root's alone.
      if (call.kind == collective::reduce && !is_root()) in_place_ = false;
      if (shares_ || call.kind == collective::allreduce) break;
      gives_ = !is_root();
      awaits_ = is_root() ? awaited::everybody : awaited::nobody;
      break;
    case collective::scan:
    case collective::exscan:
      gives_ = all.rank() + 1 != all.size();
      awaits_ = awaited::rank_below;
      break;
    default: break;
  }
  if (detail::is_reduction(call.kind)) with_.set(call);
}

std::size_t long_call::bytes_of(std::size_t index) const noexcept {
  return index < pieces_ ? std::min(piece_, call_.bytes - begin_of(index)) : 0;
}

long_call::range long_call::part_of(int rank, std::size_t bytes) const noexcept {
  const auto size = static_cast<std::size_t>(all_.size()), own = static_cast<std::size_t>(rank);
  const std::size_t part = rounded_up((bytes + size - 1) / size, unit_);
  return {std::min(own * part, bytes), std::min((own + 1) * part, bytes)};
}

/// Whether that rank has made the same call, with the same length.
bool long_call::gave(int rank) noexcept {
  const std::uint64_t stamp = all_.stamp_of(rank), expected = call_.bytes & bytes_mask;
  const bool same = flags::kind_in(stamp) == static_cast<std::uint32_t>(call_.kind);
  if (same && flags::bytes_in(stamp) == expected) [[likely]]
    return true;
  note(same && flags::bytes_in(stamp) > expected ? errc::truncated : errc::invalid_argument);
  return false;
}

/// A user's function may throw in it; then what this rank gives is spoilt.
template <class Body>
void long_call::guarded(Body&& body) noexcept {
  if (thrown_) return;
  try {
    body();
  } catch (...) {
    thrown_ = std::current_exception();
    spoilt_ = true;
  }
}

bool long_call::step() {
  if (stage_ == stage::gives) {
    const auto kind = static_cast<std::uint32_t>(call_.spoilt ? refused_call : call_.kind);
    if (gives_ && gives_places()) {
      const std::byte* const given = call_.kind == collective::bcast ? receive()
                                     : call_.kind == collective::allgather && in_place_
                                         ? receive() + block(all_.rank())
                                         : vector();
      all_.stamp_places(kind, call_.bytes, given, call_.receive, spoilt_);
    } else {
      if (!call_.spoilt) give();
      all_.stamp_area(kind, call_.bytes, gives_ && !call_.spoilt, spoilt_);
    }
    stage_ = stage::reads;
    if (awaits_ != awaited::nobody && awaits_ != awaited::rank_below) return true;
  } else {
    read();
  }
  const bool stamped = awaits_ == awaited::nobody || awaits_ == awaited::rank_below;
  if (now_ == 0 && awaits_ == awaited::nobody) look_who_is_open();
  begin_next();
  if (stage_ == stage::over && thrown_) [[unlikely]]
    std::rethrow_exception(std::exchange(thrown_, nullptr));
  return stamped;
}

void long_call::begin_next() noexcept {
  const std::size_t last = pieces_ + (shares_ ? 1 : 0) + (any_open_ ? 1 : 0);
  next_ = 0;
  stage_ = ++now_ == last ? stage::over : stage::gives;
  if (stage_ == stage::over) return;
  begin();
  if (any_open_ && now_ + 1 == last) {
    gives_ = false;
    awaits_ = open_ ? awaited::everybody : awaited::nobody;
  } else if (now_ == pieces_ && call_.kind == collective::reduce && !is_root()) {
    awaits_ = awaited::nobody;  // the parts are for the root
  }
}

/// After the first operation.
void long_call::look_who_is_open() noexcept {
  if (call_.kind == collective::bcast) {
    any_open_ = all_open_ = all_.gave_places(call_.root);
  } else if (awaits_ == awaited::everybody) {
    all_open_ = true;
    for (int rank = 0; rank != all_.size(); ++rank) {
      const bool open = all_.gave_places(rank);
      any_open_ |= open;
      all_open_ &= open;
    }
  }
  if (!all_open_) return;
  pieces_ = 1;
  piece_ = rounded_up(call_.bytes, unit_);
}

/// What a rank has given: where it lies in its vector, or in its area.
std::byte* long_call::given(int rank, std::size_t in_vector, std::size_t in_area) const noexcept {
  if (all_.gave_places(rank)) return all_.place_of(rank, 0) + in_vector;
  return const_cast<std::byte*>(all_.payload_of(rank)) + in_area;  // read only: see join
}

/// To where a result belongs.
void long_call::copy_out(std::byte* to, const std::byte* from, std::size_t bytes) const noexcept {
  constexpr std::size_t aligned = 32;
  if (!streams_ || bytes < aligned) return copy_wide(to, from, bytes);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(to) % aligned;
  std::copy_n(from, before, to);
  copy_past_caches(to + before, from + before, bytes - before);
}

void long_call::give() {
  std::byte* const area = gives_ ? all_.next_area() : nullptr;
  const std::size_t at = begin_of(now_), bytes = bytes_of(now_);
  switch (call_.kind) {
    case collective::bcast:
      if (gives_) copy_wide(area, receive() + at, bytes);
      break;
    case collective::gather:
      if (gives_) copy_wide(area, static_cast<const std::byte*>(call_.send) + at, bytes);
      break;
    case collective::allgather:
      copy_wide(
          area,
          (in_place_ ? receive() + block(all_.rank()) : static_cast<const std::byte*>(call_.send)) +
              at,
          bytes);
      break;
    case collective::scatter:
    case collective::alltoall:
    case collective::reduce_scatter:
      if (gives_) give_blocks();
      break;
    case collective::reduce:
    case collective::allreduce: {
      if (!gives_) break;
      // No other rank joins this rank's part; the part that it has joined of the last piece lies
      // there already.
      const range own = shares_ ? part_of(all_.rank(), bytes) : range{bytes, bytes};
      copy_wide(area, vector() + at, own.begin);
      copy_wide(area + own.end, vector() + at + own.end, bytes - own.end);
      break;
    }
    case collective::scan:
    case collective::exscan:
      if (all_.rank() != 0 && !gave(all_.rank() - 1)) {
        spoilt_ = true;
        break;
      }
      if (all_.rank() != 0 && flags::spoilt_in(all_.stamp_of(all_.rank() - 1))) [[unlikely]] {
        note(errc::operation_failed);
        spoilt_ = true;
      }
      if (!spoilt_) guarded([&] { pass_on(area); });
      break;
    default: break;
  }
}

/// A piece of each block, one behind the other.
void long_call::give_blocks() noexcept {
  const std::size_t at = begin_of(now_), bytes = bytes_of(now_);
  const std::byte* const from =
      call_.kind == collective::scatter ? static_cast<const std::byte*>(call_.send) : vector();
  for (int rank = 0; rank != all_.size(); ++rank)
    if (rank != all_.rank())
      copy_wide(all_.next_area() + static_cast<std::size_t>(rank) * piece_, from + block(rank) + at,
                bytes);
  if (call_.kind == collective::scatter && !in_place_)
    copy_wide(receive() + at, from + block(all_.rank()) + at, bytes);
}

/// Of a scan: from the rank below, and on to the one above.
void long_call::pass_on(std::byte* area) {
  const std::size_t at = begin_of(now_), bytes = bytes_of(now_);
  // Read only, unless it is where the result belongs.
  auto* const own = const_cast<std::byte*>(vector() + at);
  const bool whole = call_.kind == collective::scan;
  if (all_.rank() == 0) {
    if (gives_) copy_wide(area, own, bytes);
    if (whole && !in_place_) copy_wide(receive() + at, own, bytes);
    return;
  }
  auto* const below = const_cast<std::byte*>(all_.payload_of(all_.rank() - 1));
  if (whole) {
    with_.apply(below, own, receive() + at, bytes);
    if (gives_) copy_wide(area, receive() + at, bytes);
  } else {
    if (gives_) with_.apply(below, own, area, bytes);
    copy_wide(receive() + at, below, bytes);
  }
}

void long_call::read() {
  if (now_ == 0) look_who_is_open();
  if (call_.spoilt || now_ == pieces_ + (shares_ ? 1 : 0)) return;  // all have read what lay open
  const std::size_t at = begin_of(now_), bytes = bytes_of(now_);
  switch (call_.kind) {
    case collective::bcast:
      if (gave(call_.root)) copy_out(receive() + at, given(call_.root, at, 0), bytes);
      break;
    case collective::scatter: {
      if (gave(call_.root))
        copy_wide(receive() + at,
                  all_.payload_of(call_.root) + static_cast<std::size_t>(all_.rank()) * piece_,
                  bytes);
      break;
    }
    case collective::gather:
    case collective::allgather:
    case collective::alltoall: read_blocks(); break;
    case collective::reduce_scatter:
      guarded([&] {
        join(block(all_.rank()) + at, static_cast<std::size_t>(all_.rank()) * piece_, bytes,
             receive() + at);
      });
      break;
    case collective::reduce:
    case collective::allreduce: {
      if (!shares_) {
        guarded([&] { join(at, 0, bytes, receive() + at); });
        break;
      }
      if (now_ != 0) read_parts();
      if (now_ == pieces_) break;
      // All ranks have stamped this piece, so they have read the one before: the next area is free.
      const range own = part_of(all_.rank(), bytes);
      guarded([&] {
        join(at + own.begin, own.begin, own.bytes(),
             all_open_ ? receive() + own.begin : all_.next_area() + piece_bytes);
      });
      break;
    }
    default: break;
  }
}

/// A piece from each rank.
void long_call::read_blocks() noexcept {
  const std::size_t at = begin_of(now_), bytes = bytes_of(now_);
  const bool all = call_.kind == collective::alltoall;
  for (int rank = 0; rank != all_.size(); ++rank) {
    std::byte* const into = receive() + block(rank) + at;
    if (rank != all_.rank()) {
      const std::size_t own = static_cast<std::size_t>(all_.rank());
      if (gave(rank))
        copy_out(into, given(rank, (all ? block(all_.rank()) : 0) + at, all ? own * piece_ : 0),
                 bytes);
    } else if (!in_place_) {
      copy_out(into, static_cast<const std::byte*>(call_.send) + (all ? block(rank) : 0) + at,
               bytes);
    }
  }
}

/// What all have joined of the last piece.
void long_call::read_parts() noexcept {
  if (call_.kind == collective::reduce && !is_root()) return;
  const std::size_t at = begin_of(now_ - 1), bytes = bytes_of(now_ - 1);
  for (int rank = 0; rank != all_.size(); ++rank) {
    const range part = part_of(rank, bytes);
    if (part.bytes() == 0) continue;
    if (rank != all_.rank() && !gave(rank)) continue;
    if (rank != all_.rank() && flags::spoilt_in(all_.stamp_of(rank))) [[unlikely]]
      note(errc::operation_failed);
    if (!all_open_)
      copy_out(receive() + at + part.begin, all_.payload_of(rank) + piece_bytes, part.bytes());
    else if (rank != all_.rank())
      copy_out(receive() + part.begin, all_.place_of(rank, 1) + part.begin, part.bytes());
  }
}

/// What all ranks gave at `in_area` of their areas, and have at `in_vector` of their vectors.
/// `into` may be that place in the vector.
void long_call::join(std::size_t in_vector, std::size_t in_area, std::size_t bytes,
                     std::byte* into) {
  const int size = all_.size();
  for (int rank = 0; rank != size; ++rank)
    if (rank != all_.rank() && !gave(rank)) return;
  alignas(cache_line) std::byte rooms[most_rooms * joined_at_once];
  const std::size_t step =
      size == 2 && with_.builtin() ? bytes : std::min(bytes, joined_at_once / unit_ * unit_);
  for (std::size_t done = 0; done < bytes; done += step) {
    const std::size_t now = std::min(step, bytes - done);
    // What is not `to` is read only.
    const auto operand = [&](int rank) {
      return (rank == all_.rank() ? const_cast<std::byte*>(vector()) + in_vector
                                  : given(rank, in_vector, in_area)) +
             done;
    };
    join_in_order(call_.kind, size, operand, into + done, rooms, joined_at_once,
                  [&](std::byte* lower, std::byte* higher, std::byte* to) {
                    if (with_.builtin() || to != lower) return with_.apply(lower, higher, to, now);
                    // A user's function writes into its higher operand, which may not be lost. No
                    // sum waits in the first room while the operands of the two highest ranks are
                    // joined.
                    with_.apply(lower, higher, rooms, now);
                    std::copy_n(rooms, now, to);
                  });
  }
}

}  // namespace peal::direct
