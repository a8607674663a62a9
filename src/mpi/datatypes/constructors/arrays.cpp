#include "mpi/datatypes/constructors/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mpi/datatypes/layouts/checked.hpp"

namespace peal::mpi {

namespace {

void need_in_list(bool holds, const char* list, std::size_t index, std::int64_t value,
                  const char* why) {
  if (!holds) [[unlikely]]
    fail(MPI_ERR_ARG, fmt::format("{}[{}] is {}: {}", list, index, value, why));
}

void need_array(count_list sizes, int order) {
  need(!sizes.empty(), MPI_ERR_ARG, "ndims", 0, "an array has at least one dimension");
  need(order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN, MPI_ERR_ARG, "order", order,
       "it must be MPI_ORDER_C or MPI_ORDER_FORTRAN");
}

/// Goes through the dimensions, from the one whose elements are neighbours to the outermost, and
/// has `part(dimension, inner, stride)` make of the layout of a row that of rows.
template <class Part>
definition_pointer make_array(count_list sizes, int order, const definition_pointer& old,
                              contents with, const Part& part) {
  layout inner = old->layout();
  std::int64_t stride = old->extent();
  for (std::size_t each = 0; each != sizes.size(); ++each) {
    const std::size_t dimension = order == MPI_ORDER_C ? sizes.size() - 1 - each : each;
    inner = part(dimension, inner, stride);
    stride = product_of(stride, sizes[dimension]);
  }
  return std::make_shared<const definition>(with_bounds(std::move(inner), 0, stride),
                                            std::move(with));
}

/// What a process has of one dimension.
struct share {
  std::int64_t size = 0;   // of the dimension
  std::int64_t block = 0;  // so many at a time
  std::int64_t processes = 1;
  std::int64_t place = 0;  // of this process among them
};

share share_of(const distribution& how, std::size_t dimension, std::int64_t place) {
  const std::int64_t size = how.sizes[dimension];
  const std::int64_t processes = how.processes[dimension];
  const std::int64_t argument = how.arguments[dimension];
  const bool given = argument != MPI_DISTRIBUTE_DFLT_DARG;
  switch (how.kinds[dimension]) {
    case MPI_DISTRIBUTE_NONE:
      need_in_list(processes == 1, "array_of_psizes", dimension, processes,
                   "a dimension that is not distributed has one process");
      return {size, size, 1, 0};
    case MPI_DISTRIBUTE_BLOCK: {
      const std::int64_t least = (size - 1) / processes + 1;
      need_in_list(!given || argument >= least, "array_of_dargs", dimension, argument,
                   "the blocks do not cover the dimension");
      return {size, given ? argument : least, processes, place};
    }
    case MPI_DISTRIBUTE_CYCLIC:
      need_in_list(!given || argument > 0, "array_of_dargs", dimension, argument,
                   "a block has at least one element");
      return {size, given ? argument : 1, processes, place};
    default:
      need_in_list(false, "array_of_distribs", dimension, how.kinds[dimension],
                   "it is no distribution");
      return {};
  }
}

layout layout_of_share(const share& of, const layout& inner, std::int64_t stride) {
  const std::int64_t start = of.place * of.block;
  if (start >= of.size) return assemble({inner}, {});
  const std::int64_t cycle = of.processes * of.block;
  const std::int64_t whole =
      of.size - start < of.block ? 0 : (of.size - start - of.block) / cycle + 1;
  const std::int64_t rest_start = start + whole * cycle;
  std::vector<layout> children;
  std::vector<layout_part> parts;
  if (whole != 0) {
    children.push_back(repeated(inner, of.block, stride));
    parts.push_back(
        {product_of(start, stride), whole, whole == 1 ? 0 : product_of(cycle, stride), 0});
  }
  if (rest_start < of.size) {  // less than a block
    parts.push_back({product_of(rest_start, stride), of.size - rest_start, stride,
                     static_cast<std::uint32_t>(children.size())});
    children.push_back(inner);
  }
  return assemble(std::move(children), std::move(parts));
}

void need_distribution(const distribution& how) {
  need_array(how.sizes, how.order);
  need(how.size > 0, MPI_ERR_ARG, "size", how.size, "it must be positive");
  need(how.rank >= 0 && how.rank < how.size, MPI_ERR_RANK, "rank", how.rank,
       "it is not in the grid of processes");
  std::int64_t product = 1;
  for (std::size_t each = 0; each != how.sizes.size(); ++each) {
    need_in_list(how.sizes[each] > 0, "array_of_gsizes", each, how.sizes[each],
                 "it must be positive");
    need_in_list(how.processes[each] > 0, "array_of_psizes", each, how.processes[each],
                 "it must be positive");
    product = product_of(product, how.processes[each]);
  }
  need(product == how.size, MPI_ERR_ARG, "size", how.size,
       "it is not the product of array_of_psizes");
}

}  // namespace

definition_pointer make_subarray(form made_by, count_list sizes, count_list subsizes,
                                 count_list starts, int order, const definition_pointer& old) {
  need_array(sizes, order);
  for (std::size_t each = 0; each != sizes.size(); ++each) {
    need_in_list(sizes[each] > 0, "array_of_sizes", each, sizes[each], "it must be positive");
    need_in_list(subsizes[each] > 0 && subsizes[each] <= sizes[each], "array_of_subsizes", each,
                 subsizes[each], "it must be positive, and not above the size");
    need_in_list(starts[each] >= 0 && starts[each] <= sizes[each] - subsizes[each],
                 "array_of_starts", each, starts[each], "the part is not inside of the array");
  }
  contents with{MPI_COMBINER_SUBARRAY, made_by, {old}};
  with.add_integer(static_cast<int>(sizes.size()));
  with.add_counts(sizes);
  with.add_counts(subsizes);
  with.add_counts(starts);
  with.add_integer(order);
  return make_array(sizes, order, old, std::move(with),
                    [&](std::size_t dimension, const layout& inner, std::int64_t stride) {
                      return assemble({inner}, {{product_of(starts[dimension], stride),
                                                 subsizes[dimension], stride, 0}});
                    });
}

definition_pointer make_darray(form made_by, const distribution& how,
                               const definition_pointer& old) {
  need_distribution(how);
  // The processes of the grid are counted as the elements of an array of C, in either order.
  std::vector<std::int64_t> places(how.sizes.size());
  std::int64_t rest = how.rank;
  for (std::size_t each = places.size(); each-- != 0;) {
    places[each] = rest % how.processes[each];
    rest /= how.processes[each];
  }
  contents with{MPI_COMBINER_DARRAY, made_by, {old}};
  with.add_integer(how.size);
  with.add_integer(how.rank);
  with.add_integer(static_cast<int>(how.sizes.size()));
  with.add_counts(how.sizes);
  with.add_integers(how.kinds);
  with.add_integers(how.arguments);
  with.add_integers(how.processes);
  with.add_integer(how.order);
  return make_array(how.sizes, how.order, old, std::move(with),
                    [&](std::size_t dimension, const layout& inner, std::int64_t stride) {
                      return layout_of_share(share_of(how, dimension, places[dimension]), inner,
                                             stride);
                    });
}

}  // namespace peal::mpi
