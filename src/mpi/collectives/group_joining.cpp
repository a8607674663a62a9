#include "mpi/collectives/group_joining.hpp"

#include <cstring>
#include <utility>

#include "mpi/datatypes/packing/packing.hpp"

namespace peal::mpi {

two_vectors::two_vectors(joining& by, std::size_t count, bool is_second) noexcept
    : by_{by}, count_{count}, is_second_{is_second} {}

std::size_t two_vectors::vector_bytes() const noexcept { return count_ * by_.element_bytes(); }

std::size_t two_vectors::vector_at(std::size_t which) const noexcept {
  const std::size_t each = (vector_bytes() + alignment - 1) / alignment * alignment;
  return alignment + which * each;
}

void two_vectors::mark(std::byte* element) const noexcept {
  const std::uint64_t there = is_second_ ? 2 : 1;
  std::memcpy(element, &there, sizeof there);
}

void two_vectors::set(detail::collective_call& call) noexcept {
  detail::collective_call of_elements;
  by_.set(of_elements);
  call.type = detail::scalar::opaque;
  call.bytes = call.element_size = bytes();
  call.op.commutative = of_elements.op.commutative;
  call.op.combine = &combine;
  call.op.context = this;
}

void two_vectors::combine(void* self, const void* in, void* inout, std::size_t count) {
  const two_vectors& here = *static_cast<const two_vectors*>(self);
  for (std::size_t each = 0; each != count; ++each) {
    const std::byte* const lower = static_cast<const std::byte*>(in) + each * here.bytes();
    std::byte* const higher = static_cast<std::byte*>(inout) + each * here.bytes();
    std::uint64_t below = 0, above = 0;
    std::memcpy(&below, lower, sizeof below);
    std::memcpy(&above, higher, sizeof above);
    for (std::size_t which = 0; which != 2; ++which) {
      if ((below >> which & 1) == 0) continue;
      const std::size_t at = here.vector_at(which);
      if ((above >> which & 1) != 0) here.by_.join(lower + at, higher + at, here.count_);
      else std::memcpy(higher + at, lower + at, here.vector_bytes());
    }
    above |= below;
    std::memcpy(higher, &above, sizeof above);
  }
}

gathered_vectors::gathered_vectors(joining& by, definition_pointer type, void* into,
                                   std::int64_t count, int ranks)
    : by_{by},
      type_{std::move(type)},
      into_{into},
      count_{count},
      ranks_{ranks},
      bytes_{static_cast<std::size_t>(bytes_of(*type_, count))},
      packed_{new std::byte[bytes_ * static_cast<std::size_t>(ranks) + 1]} {
  const std::size_t raw = static_cast<std::size_t>(count) * by.element_bytes() + 1;
  lower_.reset(new std::byte[raw]());
  joined_.reset(new std::byte[raw]());
}

void gathered_vectors::join() noexcept {
  const plan& by = type_->plan();
  const std::int64_t first = type_->layout().lower;
  const auto take = [&](int rank, std::byte* into) {
    unpack(by, into - first, count_, 0, packed_.get() + bytes_ * static_cast<std::size_t>(rank),
           bytes_);
  };
  take(ranks_ - 1, joined_.get());
  for (int rank = ranks_ - 2; rank >= 0; --rank) {
    take(rank, lower_.get());
    by_.join(lower_.get(), joined_.get(), static_cast<std::size_t>(count_));
  }
  // By way of packed memory, so that only what the type covers is written.
  pack(by, joined_.get() - first, count_, 0, packed_.get(), bytes_);
  unpack(by, into_, count_, 0, packed_.get(), bytes_);
}

}  // namespace peal::mpi
