#include "collective/direct/groups/group_call.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "base/copy.hpp"

namespace peal::direct {

using detail::collective;

namespace {

void copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes <= short_copy) copy_short(to, from, bytes);
  else std::memcpy(to, from, bytes);
}

}  // namespace

group_call::group_call(group_flags& in, const detail::collective_call& call) noexcept
    : ends_{in.ends()},
      memory_{in},
      call_{call},
      whole_{call.bytes},
      in_place_{call.in_place || !call.send} {
  const group_end& first = here();
  rank_ = first.members[static_cast<std::size_t>(first.own)];
  is_root_ = rank_ == call.root;
  wants_result_ = is_root_ || (call.kind != collective::reduce && call.kind != collective::gather);
  if (moves_blocks(call.kind)) whole_ *= first.part_of.size();
  const std::byte* const own_block =
      static_cast<std::byte*>(call.receive) + static_cast<std::size_t>(rank_) * call.bytes;
  switch (call.kind) {
    case collective::bcast: have_ = call.receive; break;
    case collective::scatter: have_ = call.send; break;
    // In place is the root's alone here; the others may have no `receive`.
    case collective::reduce: have_ = in_place_ && is_root_ ? call.receive : call.send; break;
    case collective::gather: have_ = in_place_ && is_root_ ? own_block : call.send; break;
    case collective::allgather: have_ = in_place_ ? own_block : call.send; break;
    default: have_ = in_place_ ? call.receive : call.send;
  }
  if (first.top || !first.leads()) stage_ = stage::gives;
  if (detail::is_reduction(call.kind)) with_.set(call);
}

int group_call::awaited() noexcept {
  if (call_.spoilt) return nobody;
  const bool up = stage_ == stage::collects;
  switch (call_.kind) {
    case collective::bcast:
    case collective::scatter: {
      const int root = root_part();
      if (up) return root > 0 ? root : nobody;
      if (root == here().own) return nobody;
      return here().top ? root : 0;
    }
    case collective::reduce:
    case collective::gather:
      if (up) return everybody;
      if (root_part() != here().own) return nobody;
      break;
    default: break;
  }
  return reads_all() ? everybody : 0;
}

std::size_t group_call::gives() noexcept {
  if (error_ || call_.spoilt) return 0;
  const bool down = stage_ == stage::returns;
  switch (call_.kind) {
    case collective::barrier: return 0;
    case collective::bcast:
    case collective::scatter: return down || root_part() == here().own ? whole_ : 0;
    case collective::reduce:
    case collective::gather:
      if (down) return root_part() > 0 ? whole_ : 0;
      break;
    default: break;
  }
  return down ? whole_ : part_bytes(here().own);
}

bool group_call::ready() noexcept {
  group_end& group = here();
  switch (stage_) {
    case stage::collects:
    case stage::awaits: {
      const int from = awaited();
      if (from == everybody) return group.all.all_have_come(next_);
      return from == nobody || group.all.has_come(from);
    }
    case stage::gives:
      return group.top ? group.all.has_room(gives()) : group.all.has_room_for_one(0);
    case stage::returns: return group.all.has_room(gives());
    case stage::over: break;
  }
  return true;
}

int group_call::awaits() noexcept {
  if (ready()) return -1;
  const bool stamps = stage_ == stage::gives || stage_ == stage::returns;
  int member = stamps ? (here().top || here().leads() ? here().all.behind() : 0) : awaited();
  if (member == everybody) member = next_;
  return member < 0 ? -1 : here().members[static_cast<std::size_t>(member)];
}

bool group_call::step() {
  const bool stamps = stage_ == stage::gives || stage_ == stage::returns;
  if (stamps) stamp(gives());
  else if (stage_ != stage::over && awaited() != nobody) read();
  begin_next();
  if (stage_ == stage::over) {
    if (thrown_) [[unlikely]]
      std::rethrow_exception(std::exchange(thrown_, nullptr));
    take_own();
  }
  return stamps;
}

void group_call::begin_next() noexcept {
  next_ = 0;
  if (stage_ == stage::collects) {
    ++at_;
    if (here().top || !here().leads()) stage_ = stage::gives;
    return;
  }
  if (stage_ == stage::gives) {
    stage_ = stage::awaits;
    if (awaited() != nobody) return;
  }
  if (at_ == 0) stage_ = stage::over;
  else --at_, stage_ = stage::returns;
}

void group_call::stamp(std::size_t bytes) noexcept {
  flags& all = here().all;
  stamped_ = &here();
  if (call_.spoilt) all.stamp(static_cast<std::uint32_t>(refused_call), nullptr, 0);
  else if (const auto kind = static_cast<std::uint32_t>(call_.kind); error_) [[unlikely]]
    all.stamp_area(kind, static_cast<std::uint64_t>(error_.value()), false, true);
  else all.stamp(kind, have_, bytes);
}

/// Whether that member has given what it should.
bool group_call::gave(int member) noexcept {
  const std::uint64_t stamp = here().all.stamp_of(member);
  const bool same = flags::kind_in(stamp) == static_cast<std::uint32_t>(call_.kind);
  const std::size_t bytes = flags::bytes_in(stamp),
                    wanted = reads_all() ? part_bytes(member) : whole_;
  if (same && bytes == wanted && !flags::spoilt_in(stamp)) [[likely]]
    return true;
  if (same && flags::spoilt_in(stamp)) note(static_cast<errc>(bytes));
  else note(same && bytes > wanted ? errc::truncated : errc::invalid_argument);
  return false;
}

void group_call::read() noexcept {
  if (error_ || call_.kind == collective::barrier) return;
  if (reads_all() && joins(call_.kind)) join();
  else if (reads_all() && collects(call_.kind)) put_together();
  else take_from(awaited());
}

void group_call::take_from(int member) noexcept {
  if (!gave(member)) return;
  void* const into = wants_result_ && !moves_blocks(call_.kind) ? call_.receive : memory_.sum(0);
  copy_bytes(into, here().all.payload_of(member), whole_);
  have_ = into;
}

/// The blocks of all ranks of this group, in their order.
void group_call::put_together() noexcept {
  const group_end& group = here();
  const bool up = stage_ == stage::collects;
  std::array<const std::byte*, rank_groups::most_members> from;
  for (int member = 0; member != group.all.size(); ++member) {
    const bool own = member == group.own;
    if (!own && !gave(member)) return;
    // What a leader has of its own it has not stamped in this group yet.
    from[static_cast<std::size_t>(member)] =
        own && up ? static_cast<const std::byte*>(have_) : group.all.payload_of(member);
  }
  std::byte* const into = memory_.sum(have_ == memory_.sum(0) ? 1 : 0);
  std::byte* to = into;
  for (const std::int16_t part : group.part_of) {
    if (part < 0) continue;
    const std::byte*& next = from[static_cast<std::size_t>(part)];
    copy_bytes(to, next, call_.bytes);
    next += call_.bytes;
    to += call_.bytes;
  }
  have_ = into;
}

/// Of the blocks that have come.
void group_call::take_own() noexcept {
  if (error_ || !wants_result_ || !moves_blocks(call_.kind)) return;
  const auto* const own =
      static_cast<const std::byte*>(have_) + static_cast<std::size_t>(rank_) * call_.bytes;
  switch (call_.kind) {
    case collective::scatter:
      if (!is_root_ || !in_place_) copy_bytes(call_.receive, own, call_.bytes);
      break;
    case collective::reduce_scatter: copy_bytes(call_.receive, own, call_.bytes); break;
    default: copy_bytes(call_.receive, have_, whole_);
  }
}

/// What the members of this group gave, from the first to the last. A user's function writes into
/// its higher operand, so what is joined goes back and forth between two buffers then.
void group_call::join() noexcept {
  flags& all = here().all;
  const int count = all.size();
  const bool up = stage_ == stage::collects;
  for (int member = 0; member != count; ++member)
    if (member != all.rank() && !gave(member)) return;
  // Neither over what this rank has, which may not have been stamped, nor one over the other: what
  // members gave is not to be written to.
  const std::size_t first = have_ == memory_.sum(0) ? 1 : 0,
                    second = have_ == memory_.sum(first + 1) ? first + 2 : first + 1;
  std::byte* const result = !up && wants_result_ && !moves_blocks(call_.kind)
                                ? static_cast<std::byte*>(call_.receive)
                                : memory_.sum(first);
  std::byte* const other = memory_.sum(second);
  // What is not `into` is read only.
  const auto operand = [&](int member) {
    return static_cast<std::byte*>(const_cast<void*>(
        up && member == 0 ? have_ : static_cast<const void*>(all.payload_of(member))));
  };
  try {
    std::byte* sum = operand(0);
    for (int member = 1; member != count; ++member) {
      std::byte* const into = with_.builtin() || (count - member) % 2 != 0 ? result : other;
      with_.apply(sum, operand(member), into, whole_);
      sum = into;
    }
    have_ = result;
  } catch (...) {
    thrown_ = std::current_exception();
    note(errc::operation_failed);
  }
}

}  // namespace peal::direct
