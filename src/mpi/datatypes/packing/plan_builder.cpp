#include "mpi/datatypes/packing/plan_builder.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

// A list up to this length is copied into the one around it, where it may be merged with its
// neighbours; a longer one is referred to, so that lists cannot grow with each level of nesting.
constexpr std::size_t longest_copied = 64;

// Two pieces of one length are a run, though there may be no other reason for it.
constexpr std::int64_t longest_listed_run = 3;

bool touches(const plan_step& one, const plan_step& next) noexcept {
  return !one.is_group() && !next.is_group() && one.count == 1 && next.count == 1 &&
         next.offset == one.offset + one.length;
}

bool same_pieces(const plan_step& one, const plan_step& other) noexcept {
  return one.kind == other.kind && one.length == other.length && one.first == other.first &&
         one.last == other.last;
}

/// Where the copy that follows `of` would begin; whether there is such a place at all.
bool end_of(const plan_step& of, std::int64_t& end) noexcept {
  std::int64_t way = 0;
  return !__builtin_mul_overflow(of.count, of.stride, &way) &&
         !__builtin_add_overflow(of.offset, way, &end);
}

/// Makes `one` longer by `next`, if both are pieces of one run.
bool extends(plan_step& one, const plan_step& next) noexcept {
  if (!same_pieces(one, next)) return false;
  plan_step made = one;
  if (made.count == 1 && __builtin_sub_overflow(next.offset, one.offset, &made.stride))
    return false;
  std::int64_t end = 0;
  if (!end_of(made, end) || end != next.offset) return false;
  if (next.count != 1 && next.stride != made.stride) return false;
  made.count += next.count;
  one = made;
  return true;
}

/// Single pieces at equal distances become runs.
void find_runs(plan_builder::step_list& list) {
  if (list.empty()) return;
  std::size_t last = 0;
  for (std::size_t each = 1; each != list.size(); ++each)
    if (!extends(list[last], list[each])) list[++last] = list[each];
  list.resize(last + 1);
}

void append(plan_builder::step_list& list, const plan_step& next) {
  if (!list.empty() && touches(list.back(), next)) list.back().length += next.length;
  else list.push_back(next);
}

/// Makes copies of what is one step, if they can be one step again.
bool repeat(plan_step& of, std::int64_t count, std::int64_t stride) noexcept {
  if (count == 1) return true;
  if (of.count == 1) {
    if (stride == of.length && !of.is_group()) {
      of.length *= count;
    } else {
      of.count = count;
      of.stride = stride;
    }
    return true;
  }
  std::int64_t way = 0;
  if (__builtin_mul_overflow(of.count, of.stride, &way) || way != stride) return false;
  of.count *= count;
  return true;
}

/// How many of them, from the first one on, can be one list of pieces.
std::size_t short_runs(std::span<const plan_step> list) noexcept {
  constexpr std::size_t longest_list = 1 << 20;  // so that what it takes in the stream can be told
  std::size_t count = 0;
  while (count != std::min(list.size(), longest_list)) {
    const plan_step& run = list[count];
    std::int64_t last = 0, way = 0;
    if (run.kind != step_kind::run || run.count > longest_listed_run ||
        run.length > longest_listed_piece ||
        __builtin_mul_overflow(run.count - 1, run.stride, &last) ||
        __builtin_sub_overflow(run.offset, list.front().offset, &way) ||
        !std::in_range<std::int32_t>(way) || !std::in_range<std::int32_t>(last) ||
        !std::in_range<std::int32_t>(way + last))
      break;
    ++count;
  }
  return count;
}

}  // namespace

const plan_builder::step_list& plan_builder::compile(const layout_body& body) {
  return compile_once(body).list;
}

plan_builder::compiled& plan_builder::compile_once(const layout_body& body) {
  const auto found = done_.find(&body);
  if (found != done_.end()) return found->second;
  step_list list;
  if (body.basic != nullptr) {
    list.push_back({.length = body.basic->size});
  } else {
    std::vector<compiled*> children;
    children.reserve(body.children.size());
    for (const layout& child : body.children) children.push_back(&compile_once(*child.body));
    for (const layout_part& part : body.parts)
      if (part.count != 0) append_copies(list, *children[part.child], part);
    find_runs(list);
  }
  return done_.emplace(&body, compiled{std::move(list)}).first->second;
}

void plan_builder::append_copies(step_list& list, compiled& child, const layout_part& part) {
  if (child.list.empty()) return;
  if (child.list.size() == 1) {
    plan_step only = child.list[0];
    if (repeat(only, part.count, part.stride)) {
      only.offset += part.displacement;
      return append(list, only);
    }
  } else if (part.count == 1 && child.list.size() <= longest_copied) {
    for (plan_step each : child.list) {
      each.offset += part.displacement;
      append(list, each);
    }
    return;
  }
  plan_step group = group_of(child);
  group.offset = part.displacement;
  group.count = part.count;
  group.stride = part.count == 1 ? 0 : part.stride;
  append(list, group);
}

plan_step plan_builder::group_of(compiled& child) {
  if (child.first == child.last) {
    child.first = store(child.list);
    child.last = static_cast<std::uint32_t>(steps_.size());
  }
  plan_step made;
  made.kind = step_kind::group;
  made.first = child.first;
  made.last = child.last;
  const plan_step& end = steps_[child.last - 1];
  made.length = end.before + end.length * end.count;
  return made;
}

std::uint32_t plan_builder::store(const step_list& list) {
  if (steps_.size() + list.size() > std::numeric_limits<std::uint32_t>::max())
    fail(MPI_ERR_NO_MEM, "the datatype has more than 2^32 pieces");
  const auto first = static_cast<std::uint32_t>(steps_.size());
  std::int64_t before = 0;
  for (std::span<const plan_step> left = list; !left.empty();) {
    const std::size_t short_ones = short_runs(left);
    plan_step made = short_ones > 1 ? list_of(left.first(short_ones)) : left.front();
    made.before = before;
    before += made.length * made.count;
    steps_.push_back(made);
    left = left.subspan(std::max<std::size_t>(short_ones, 1));
  }
  return first;
}

plan_step plan_builder::list_of(std::span<const plan_step> runs) {
  plan_step made;
  made.kind = step_kind::pieces;
  made.offset = runs.front().offset;
  made.first = static_cast<std::uint32_t>(pieces_.size());
  for (const plan_step& run : runs) {
    made.longest = std::max(made.longest, static_cast<std::uint32_t>(run.length));
    for (std::int64_t each = 0; each != run.count; ++each) {
      pieces_.push_back({static_cast<std::int32_t>(run.offset + each * run.stride - made.offset),
                         static_cast<std::uint32_t>(made.length)});
      made.length += run.length;
    }
  }
  made.last = static_cast<std::uint32_t>(pieces_.size());
  pieces_.push_back({0, static_cast<std::uint32_t>(made.length)});
  return made;
}

}  // namespace peal::mpi
