#include "mpi/datatypes/layouts/layout.hpp"

#include <algorithm>

#include "mpi/datatypes/layouts/checked.hpp"

namespace peal::mpi {

namespace {

/// The bounds of several pieces, of which none has been seen yet.
struct bounds {
  bool any = false;
  std::int64_t lower = 0;
  std::int64_t upper = 0;

  void add(std::int64_t low, std::int64_t high) noexcept {
    lower = any ? std::min(lower, low) : low;
    upper = any ? std::max(upper, high) : high;
    any = true;
  }
};

class bounds_of_parts {
 public:
  void add(const layout& child, const layout_part& part) {
    if (part.count == 0) return;
    const std::int64_t way = part.count == 1 ? 0 : product_of(part.count - 1, part.stride);
    const std::int64_t first = sum_of(part.displacement, std::min<std::int64_t>(way, 0));
    const std::int64_t last = sum_of(part.displacement, std::max<std::int64_t>(way, 0));
    if (child.marked) marked_.add(sum_of(child.lower, first), sum_of(child.upper, last));
    if (child.elements == 0) return;
    true_.add(sum_of(child.true_lower, first), sum_of(child.true_upper, last));
  }
  void tell(layout& made) const {
    made.marked = marked_.any;
    made.lower = marked_.any ? marked_.lower : true_.lower;
    made.upper = marked_.any ? marked_.upper : true_.upper;
    made.true_lower = true_.lower;
    made.true_upper = true_.upper;
    if (made.marked) return;
    // The next one of an array is aligned as its most demanding element wants it.
    const std::int64_t over = difference_of(made.upper, made.lower) % made.alignment;
    if (over != 0) made.upper = sum_of(made.upper, made.alignment - over);
  }

 private:
  bounds marked_, true_;
};

/// Extents are differences of bounds: both have to fit.
void need_extents(const layout& made) {
  (void)difference_of(made.upper, made.lower);
  (void)difference_of(made.true_upper, made.true_lower);
}

}  // namespace

layout layout_of(const basic_type& basic) {
  auto body = std::make_shared<layout_body>();
  body->basic = &basic;
  return {std::move(body), basic.size, 1,          basic.external_size(), 0,
          basic.size,      0,          basic.size, basic.alignment,       false};
}

layout assemble(std::vector<layout> children, std::vector<layout_part> parts) {
  if (parts.size() == 1 && parts[0].count == 1 && parts[0].displacement == 0)
    return children[parts[0].child];
  layout made;
  bounds_of_parts bounds;
  int depth = 0;
  for (const layout_part& each : parts) {
    const layout& child = children[each.child];
    bounds.add(child, each);
    made.size = sum_of(made.size, product_of(child.size, each.count));
    made.elements = sum_of(made.elements, product_of(child.elements, each.count));
    made.external_size = sum_of(made.external_size, product_of(child.external_size, each.count));
    if (each.count != 0) made.alignment = std::max(made.alignment, child.alignment);
  }
  bounds.tell(made);
  need_extents(made);
  for (const layout& child : children) depth = std::max(depth, child.body->depth + 1);
  if (depth > most_nested) fail(MPI_ERR_OTHER, "datatypes are nested more than 4096 deep");
  // What has no elements has told its bounds, and need not be walked through.
  std::erase_if(parts, [&](const layout_part& each) {
    return each.count == 0 || children[each.child].elements == 0;
  });
  if (parts.empty()) {
    children.clear();
    depth = 0;
  }
  made.body = std::make_shared<const layout_body>(
      layout_body{nullptr, std::move(children), std::move(parts), depth});
  return made;
}

layout repeated(const layout& of, std::int64_t count, std::int64_t stride) {
  return assemble({of}, {{0, count, stride, 0}});
}

layout contiguous_layout(const layout& of, std::int64_t count) {
  return repeated(of, count, of.extent());
}

layout with_bounds(layout of, std::int64_t lower, std::int64_t extent) {
  of.lower = lower;
  of.upper = sum_of(lower, extent);
  of.marked = true;
  (void)difference_of(of.upper, of.lower);
  return of;
}

}  // namespace peal::mpi
