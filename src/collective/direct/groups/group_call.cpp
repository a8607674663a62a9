#include "collective/direct/groups/group_call.hpp"

#include <cstring>
#include <utility>

#include "base/copy.hpp"
#include "collective/direct/short_call.hpp"

namespace peal::direct {

using detail::collective;

group_call::group_call(group_flags& in, const detail::collective_call& call) noexcept
    : ends_{in.ends()}, memory_{in}, call_{call}, wants_result_{call.kind != collective::reduce} {
  const bool in_place = call.in_place || !call.send;
  const group_end& first = here();
  is_root_ = first.members[static_cast<std::size_t>(first.own)] == call.root;
  if (call.kind == collective::reduce) wants_result_ = is_root_;
  // In place is the root's alone in a reduce; the others may have no `receive`.
  const bool from_receive =
      call.kind == collective::bcast || (in_place && (call.kind != collective::reduce || is_root_));
  have_ = from_receive ? call.receive : call.send;
  if (first.top || !first.leads()) stage_ = stage::gives;
  if (reduces()) with_.set(call);
}

int group_call::awaited() noexcept {
  if (call_.spoilt) return nobody;
  const bool collects = stage_ == stage::collects;
  switch (call_.kind) {
    case collective::bcast: {
      const int root = root_part();
      if (collects) return root > 0 ? root : nobody;
      if (root == here().own) return nobody;
      return here().top ? root : 0;
    }
    case collective::reduce:
      if (collects) return everybody;
      if (root_part() != here().own) return nobody;
      break;
    default: break;
  }
  return collects || here().top ? everybody : 0;
}

std::size_t group_call::gives() noexcept {
  if (error_ || call_.spoilt) return 0;
  const bool returns = stage_ == stage::returns;
  switch (call_.kind) {
    case collective::bcast: return returns || root_part() == here().own ? call_.bytes : 0;
    case collective::reduce: return !returns || root_part() > 0 ? call_.bytes : 0;
    case collective::allreduce: return call_.bytes;
    default: return 0;
  }
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
  if (stage_ == stage::over && thrown_) [[unlikely]]
    std::rethrow_exception(std::exchange(thrown_, nullptr));
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
  const std::size_t bytes = flags::bytes_in(stamp);
  if (same && bytes == call_.bytes && !flags::spoilt_in(stamp)) [[likely]]
    return true;
  if (same && flags::spoilt_in(stamp)) note(static_cast<errc>(bytes));
  else note(same && bytes > call_.bytes ? errc::truncated : errc::invalid_argument);
  return false;
}

void group_call::read() {
  if (error_) return;
  if (reduces() && (stage_ == stage::collects || here().top)) join();
  else if (call_.kind != collective::barrier) take_from(awaited());
}

void group_call::take_from(int member) noexcept {
  if (!gave(member)) return;
  void* const into = wants_result_ ? call_.receive : memory_.sum(0);
  const std::byte* const from = here().all.payload_of(member);
  if (call_.bytes <= short_copy) copy_short(into, from, call_.bytes);
  else std::memcpy(into, from, call_.bytes);
  have_ = into;
}

/// What the members of this group gave, from the first to the last. A user's function writes into
/// its higher operand, so what is joined goes back and forth between two buffers then.
void group_call::join() noexcept {
  flags& all = here().all;
  const int count = all.size();
  const bool collects = stage_ == stage::collects;
  for (int member = 0; member != count; ++member)
    if (member != all.rank() && !gave(member)) return;
  // Not over what this rank has, unless that has been stamped.
  const std::size_t free = have_ == memory_.sum(0) ? 1 : 0;
  std::byte* const result =
      !collects && wants_result_ ? static_cast<std::byte*>(call_.receive) : memory_.sum(free);
  std::byte* const other = memory_.sum(have_ == memory_.sum(free + 1) ? 0 : free + 1);
  // What is not `into` is read only.
  const auto operand = [&](int member) {
    return static_cast<std::byte*>(const_cast<void*>(
        collects && member == 0 ? have_ : static_cast<const void*>(all.payload_of(member))));
  };
  try {
    std::byte* sum = operand(0);
    for (int member = 1; member != count; ++member) {
      std::byte* const into = with_.builtin() || (count - member) % 2 != 0 ? result : other;
      with_.apply(sum, operand(member), into, call_.bytes);
      sum = into;
    }
    have_ = result;
  } catch (...) {
    thrown_ = std::current_exception();
    note(errc::operation_failed);
  }
}

}  // namespace peal::direct
