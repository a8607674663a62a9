#include "collective/direct/short_call.hpp"

#include <cstring>

namespace peal::direct {

using detail::collective;

namespace {

void copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes <= short_copy) copy_short(to, from, bytes);
  else std::memcpy(to, from, bytes);
}

}  // namespace

short_call::short_call(flags& all, const detail::collective_call& call) noexcept
    : all_{all}, call_{call}, in_place_{call.in_place || !call.send} {
  const bool root = all.rank() == call.root;
  const void* const vector = in_place_ ? call.receive : call.send;
  const std::size_t whole = call.bytes * static_cast<std::size_t>(all.size());
  const auto gives = [&](const void* data, std::size_t bytes) {
    given_ = data;
    given_bytes_ = bytes;
  };
  switch (call.kind) {  // refused_call gives nothing, and awaits no rank
    case collective::barrier: awaits_ = awaited::everybody; break;
    case collective::bcast:
      if (root) gives(call.receive, call.bytes);
      if (!root) awaits_ = awaited::root;
      break;
    case collective::reduce:
      // In place is the root's alone; the others may have no `receive`.
      gives(root ? vector : call.send, call.bytes);
      if (root) awaits_ = awaited::everybody;
      break;
    case collective::allreduce:
      gives(vector, call.bytes);
      awaits_ = awaited::everybody;
      break;
    case collective::gather:
      if (!root) gives(call.send, call.bytes);
      if (root) awaits_ = awaited::everybody;
      break;
    case collective::scatter:
      if (root) gives(call.send, whole);
      awaits_ = awaited::root;  // the root of itself: it has a block too
      break;
    case collective::allgather:
      gives(in_place_ ? block(all.rank()) : call.send, call.bytes);
      awaits_ = awaited::everybody;
      break;
    case collective::alltoall:
    case collective::reduce_scatter:
      gives(vector, whole);
      awaits_ = awaited::everybody;
      break;
    case collective::neighbor_allgather:
    case collective::neighbor_alltoall: break;  // do not fit
    case collective::scan:
    case collective::exscan:
      gives(vector, call.bytes);
      awaits_ = awaited::lower_ranks;
      break;
  }
  if (!detail::is_reduction(call.kind)) return;
  joins_nothing_ = false;
  with_.set(call);
}

/// Whether that rank has given so many bytes, in the same collective.
bool short_call::gave(int rank, std::size_t bytes) noexcept {
  const std::uint64_t stamp = all_.stamp_of(rank);
  const bool same = flags::kind_in(stamp) == static_cast<std::uint32_t>(call_.kind);
  if (same && flags::bytes_in(stamp) == bytes) [[likely]]
    return true;
  note(same && flags::bytes_in(stamp) > bytes ? errc::truncated : errc::invalid_argument);
  return false;
}

void short_call::take(int from, std::size_t given, std::size_t offset, std::byte* into) noexcept {
  if (gave(from, given)) copy_bytes(into, all_.payload_of(from) + offset, call_.bytes);
}

/// Of gather and allgather.
void short_call::take_blocks() noexcept {
  for (int rank = 0; rank != all_.size(); ++rank) {
    if (rank != all_.rank()) take(rank, call_.bytes, 0, block(rank));
    else if (!in_place_) copy_bytes(block(rank), call_.send, call_.bytes);
  }
}

/// What ranks [0, ranks) gave, joined from left to right. A user's function writes into its higher
/// operand, so the result goes back and forth between a buffer of our own and where it belongs.
void short_call::join(int ranks, std::size_t given, std::size_t offset) {
  for (int rank = 0; rank != ranks; ++rank)
    if (!gave(rank, given)) return;
  auto* const result = static_cast<std::byte*>(call_.receive);
  // What is not `into` is read only.
  const auto operand = [&](int rank) {
    return const_cast<std::byte*>(all_.payload_of(rank)) + offset;
  };
  if (ranks == 1) {
    copy_bytes(result, operand(0), call_.bytes);
    return;
  }
  if (with_.builtin()) {
    with_.apply(operand(0), operand(1), result, call_.bytes);
    for (int rank = 2; rank < ranks; ++rank)
      with_.apply(result, operand(rank), result, call_.bytes);
    return;
  }
  alignas(cache_line) std::byte other[area_bytes];
  std::byte* sum = operand(0);
  for (int rank = 1; rank < ranks; ++rank) {
    std::byte* const into = (ranks - rank) % 2 != 0 ? result : other;
    with_.apply(sum, operand(rank), into, call_.bytes);
    sum = into;
  }
}

void short_call::read() {
  const std::size_t bytes = call_.bytes, whole = bytes * static_cast<std::size_t>(all_.size());
  auto* const receive = static_cast<std::byte*>(call_.receive);
  switch (call_.kind) {
    case collective::barrier:
    case collective::neighbor_allgather:
    case collective::neighbor_alltoall: break;
    case collective::bcast: take(call_.root, bytes, 0, receive); break;
    case collective::reduce:
    case collective::allreduce: join(all_.size(), bytes, 0); break;
    case collective::gather:
    case collective::allgather: take_blocks(); break;
    case collective::scatter:
      if (all_.rank() != call_.root || !in_place_) take(call_.root, whole, own_offset(), receive);
      break;
    case collective::alltoall:
      for (int rank = 0; rank != all_.size(); ++rank) take(rank, whole, own_offset(), block(rank));
      break;
    case collective::reduce_scatter: join(all_.size(), whole, own_offset()); break;
    case collective::scan: join(all_.rank() + 1, bytes, 0); break;
    case collective::exscan:
      if (all_.rank() != 0) join(all_.rank(), bytes, 0);
      break;
  }
}

}  // namespace peal::direct
