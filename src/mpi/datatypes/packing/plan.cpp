#include "mpi/datatypes/packing/plan.hpp"

#include "mpi/datatypes/packing/plan_builder.hpp"

namespace peal::mpi {

plan::plan(const layout& of) : size_{of.size}, extent_{of.extent()} {
  plan_builder builder{steps_, pieces_};
  const plan_builder::step_list& list = builder.compile(*of.body);
  first_ = builder.store(list);
  if (list.empty()) return;
  const plan_step& only = list[0];
  offset_ = only.offset;
  one_block_ = list.size() == 1 && !only.is_group() && only.count == 1;
  contiguous_ = one_block_ && only.length == extent_;
}

plan_step plan::whole(std::int64_t count) const noexcept {
  const std::uint32_t last = step_count();
  if (last - first_ == 1) {
    plan_step only = steps_[first_];
    if (only.count == 1) {
      if (contiguous_) only.length *= count;
      else only.count = count;
      only.stride = extent_;
      return only;
    }
    std::int64_t way = 0;
    if (count == 1 || (!__builtin_mul_overflow(only.count, only.stride, &way) && way == extent_)) {
      only.count *= count;
      return only;
    }
  }
  plan_step group;
  group.count = count;
  group.stride = extent_;
  group.length = size_;
  group.kind = step_kind::group;
  group.first = first_;
  group.last = last;
  return group;
}

}  // namespace peal::mpi
