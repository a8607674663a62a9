#include "mpi/datatypes/constructors/constructors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mpi/datatypes/layouts/checked.hpp"

namespace peal::mpi {

namespace {

void need_count(std::int64_t count) {
  need(count >= 0, MPI_ERR_COUNT, "count", count, "it must not be negative");
}

void need_length(std::int64_t length) {
  need(length >= 0, MPI_ERR_ARG, "blocklength", length, "it must not be negative");
}

void need_lengths(count_list lengths) {
  const auto wrong = std::ranges::find_if(lengths, [](std::int64_t each) { return each < 0; });
  if (wrong != lengths.end())
    fail(MPI_ERR_ARG, fmt::format("array_of_blocklengths[{}] is {}: it must not be negative",
                                  wrong - lengths.begin(), *wrong));
}

definition_pointer made(mpi::layout layout, contents with) {
  return std::make_shared<const definition>(std::move(layout), std::move(with));
}

/// Blocks of one type; `unit` is what displacements count in.
layout blocks_layout(count_list lengths, count_list displacements, std::int64_t unit,
                     const layout& old) {
  std::vector<layout_part> parts;
  parts.reserve(displacements.size());
  for (std::size_t each = 0; each != displacements.size(); ++each) {
    const std::int64_t length = lengths.size() == 1 ? lengths[0] : lengths[each];
    if (length != 0)
      parts.push_back({product_of(displacements[each], unit), length, old.extent(), 0});
  }
  return assemble({old}, std::move(parts));
}

layout vector_layout(std::int64_t count, std::int64_t length, std::int64_t stride,
                     const layout& old) {
  need_count(count);
  need_length(length);
  return repeated(contiguous_layout(old, length), count, stride);
}

contents vector_contents(form made_by, int combiner, std::int64_t count, std::int64_t length,
                         const definition_pointer& old) {
  contents with{combiner, made_by, {old}};
  with.add_count(count);
  with.add_count(length);
  return with;
}

contents block_contents(form made_by, int combiner, count_list displacements,
                        const definition_pointer& old) {
  contents with{combiner, made_by, {old}};
  with.add_count(static_cast<std::int64_t>(displacements.size()));
  return with;
}

}  // namespace

definition_pointer make_contiguous(form made_by, std::int64_t count,
                                   const definition_pointer& old) {
  need_count(count);
  contents with{MPI_COMBINER_CONTIGUOUS, made_by, {old}};
  with.add_count(count);
  return made(contiguous_layout(old->layout(), count), std::move(with));
}

definition_pointer make_vector(form made_by, std::int64_t count, std::int64_t length,
                               std::int64_t stride, const definition_pointer& old) {
  contents with = vector_contents(made_by, MPI_COMBINER_VECTOR, count, length, old);
  with.add_count(stride);
  return made(vector_layout(count, length, product_of(stride, old->extent()), old->layout()),
              std::move(with));
}

definition_pointer make_hvector(form made_by, std::int64_t count, std::int64_t length,
                                std::int64_t stride, const definition_pointer& old) {
  contents with = vector_contents(made_by, MPI_COMBINER_HVECTOR, count, length, old);
  with.add_address(stride);
  return made(vector_layout(count, length, stride, old->layout()), std::move(with));
}

definition_pointer make_indexed(form made_by, count_list lengths, count_list displacements,
                                const definition_pointer& old) {
  need_lengths(lengths);
  contents with = block_contents(made_by, MPI_COMBINER_INDEXED, displacements, old);
  with.add_counts(lengths);
  with.add_counts(displacements);
  return made(blocks_layout(lengths, displacements, old->extent(), old->layout()), std::move(with));
}

definition_pointer make_hindexed(form made_by, count_list lengths, count_list displacements,
                                 const definition_pointer& old) {
  need_lengths(lengths);
  contents with = block_contents(made_by, MPI_COMBINER_HINDEXED, displacements, old);
  with.add_counts(lengths);
  with.add_addresses(displacements);
  return made(blocks_layout(lengths, displacements, 1, old->layout()), std::move(with));
}

definition_pointer make_indexed_block(form made_by, std::int64_t length, count_list displacements,
                                      const definition_pointer& old) {
  need_length(length);
  contents with = block_contents(made_by, MPI_COMBINER_INDEXED_BLOCK, displacements, old);
  with.add_count(length);
  with.add_counts(displacements);
  return made(blocks_layout({&length, 1}, displacements, old->extent(), old->layout()),
              std::move(with));
}

definition_pointer make_hindexed_block(form made_by, std::int64_t length, count_list displacements,
                                       const definition_pointer& old) {
  need_length(length);
  contents with = block_contents(made_by, MPI_COMBINER_HINDEXED_BLOCK, displacements, old);
  with.add_count(length);
  with.add_addresses(displacements);
  return made(blocks_layout({&length, 1}, displacements, 1, old->layout()), std::move(with));
}

definition_pointer make_struct(form made_by, count_list lengths, count_list displacements,
                               std::vector<definition_pointer> types) {
  need_lengths(lengths);
  std::vector<layout> children;
  std::vector<layout_part> parts;
  children.reserve(types.size());
  parts.reserve(types.size());
  for (std::size_t each = 0; each != types.size(); ++each) {
    if (lengths[each] == 0) continue;
    const layout& child = types[each]->layout();
    parts.push_back({displacements[each], lengths[each], child.extent(),
                     static_cast<std::uint32_t>(children.size())});
    children.push_back(child);
  }
  contents with{MPI_COMBINER_STRUCT, made_by};
  with.add_count(static_cast<std::int64_t>(types.size()));
  with.add_counts(lengths);
  with.add_addresses(displacements);
  with.types = std::move(types);
  return made(assemble(std::move(children), std::move(parts)), std::move(with));
}

definition_pointer make_resized(form made_by, std::int64_t lower, std::int64_t extent,
                                const definition_pointer& old) {
  contents with{MPI_COMBINER_RESIZED, made_by, {old}};
  with.add_address(lower);
  with.add_address(extent);
  return made(with_bounds(old->layout(), lower, extent), std::move(with));
}

definition_pointer make_dup(const definition_pointer& old) {
  return made(old->layout(), contents{MPI_COMBINER_DUP, form::small, {old}});
}

}  // namespace peal::mpi
