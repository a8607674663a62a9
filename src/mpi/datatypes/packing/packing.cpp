#include "mpi/datatypes/packing/packing.hpp"

#include <algorithm>

#include "mpi/datatypes/packing/copy_pieces.hpp"

namespace peal::mpi {

namespace {

template <direction Way>
class copier {
 public:
  copier(const plan& by, std::byte* stream, std::int64_t skip, std::int64_t left) noexcept
      : steps_{by.steps()}, pieces_{by.pieces()}, stream_{stream}, skip_{skip}, left_{left} {}

  /// What lies in [skip, skip + left) of the step's part of the stream.
  void copy_part(const plan_step& of, std::uintptr_t base) noexcept {
    const std::int64_t start = skip_ / of.length;
    skip_ -= start * of.length;
    base += static_cast<std::uintptr_t>(of.offset) +
            static_cast<std::uintptr_t>(start) * static_cast<std::uintptr_t>(of.stride);
    switch (of.kind) {
      case step_kind::run: return copy_part_of_run(of, base, of.count - start);
      case step_kind::group: return copy_part_of_group(of, base, of.count - start);
      case step_kind::pieces: return copy_part_of_pieces(of, base, of.count - start);
    }
  }

 private:
  void copy_part_of_run(const plan_step& of, std::uintptr_t base, std::int64_t pieces) noexcept {
    if (skip_ != 0) {
      copy_bytes(base + static_cast<std::uintptr_t>(skip_), std::min(of.length - skip_, left_));
      skip_ = 0;
      base += static_cast<std::uintptr_t>(of.stride);
      --pieces;
    }
    const std::int64_t whole = std::min(pieces, left_ / of.length);
    copy_run(of, base, whole);
    left_ -= whole * of.length;
    if (whole == pieces || left_ == 0) return;
    copy_bytes(base + static_cast<std::uintptr_t>(whole) * static_cast<std::uintptr_t>(of.stride),
               left_);
  }
  void copy_part_of_group(const plan_step& of, std::uintptr_t base, std::int64_t copies) noexcept {
    for (; copies != 0 && left_ != 0; --copies) {
      if (skip_ == 0 && left_ >= of.length) {
        copy_list(of, base);
        left_ -= of.length;
      } else {
        copy_part_of_list(of, base);
      }
      base += static_cast<std::uintptr_t>(of.stride);
    }
  }
  void copy_part_of_pieces(const plan_step& of, std::uintptr_t base, std::int64_t copies) noexcept {
    if (skip_ != 0 || left_ < of.length) {
      copy_some_pieces(of, base);
      base += static_cast<std::uintptr_t>(of.stride);
      --copies;
    }
    const std::int64_t whole = std::min(copies, left_ / of.length);
    copy_all_pieces(of, base, whole);
    left_ -= whole * of.length;
    if (whole == copies || left_ == 0) return;
    copy_some_pieces(
        of, base + static_cast<std::uintptr_t>(whole) * static_cast<std::uintptr_t>(of.stride));
  }
  /// Of one copy of a list.
  void copy_some_pieces(const plan_step& of, std::uintptr_t base) noexcept {
    const plan_piece *each = piece_before(of, skip_), *const end = pieces_ + of.last;
    if (const std::int64_t within = skip_ - each->before; within != 0) {
      const std::int64_t length = each[1].before - each->before;
      copy_bytes(base + static_cast<std::uintptr_t>(each->offset + within),
                 std::min(length - within, left_));
      ++each;
    }
    skip_ = 0;
    if (left_ == 0 || each == end) return;
    const plan_piece* const last = piece_before(of, each->before + left_);
    copy_list_part(of, each, last, base, 1);
    left_ -= last->before - each->before;
    if (left_ != 0 && last != end)
      copy_bytes(base + static_cast<std::uintptr_t>(std::int64_t{last->offset}),
                 std::min<std::int64_t>(left_, last[1].before - last->before));
  }
  /// The last piece of a list that begins at this place of its part of the stream, or before it.
  [[nodiscard]] const plan_piece* piece_before(const plan_step& of,
                                               std::int64_t at) const noexcept {
    return std::upper_bound(
               pieces_ + of.first, pieces_ + of.last + 1, at,
               [](std::int64_t place, const plan_piece& piece) { return place < piece.before; }) -
           1;
  }
  /// Of one copy of a group.
  void copy_part_of_list(const plan_step& of, std::uintptr_t base) noexcept {
    const plan_step* const end = steps_ + of.last;
    const plan_step* each = steps_ + of.first;
    if (skip_ != 0) {
      each = std::upper_bound(
                 each, end, skip_,
                 [](std::int64_t skip, const plan_step& step) { return skip < step.before; }) -
             1;
      skip_ -= each->before;
    }
    for (; each != end && left_ != 0; ++each) {
      const std::int64_t all = each->length * each->count;
      if (skip_ == 0 && left_ >= all) {
        copy_whole(*each, base);
        left_ -= all;
      } else {
        copy_part(*each, base);
      }
    }
  }

  // What follows copies all of a step, and does not look at skip_ and left_.
  void copy_whole(const plan_step& of, std::uintptr_t base) noexcept {
    base += static_cast<std::uintptr_t>(of.offset);
    if (of.kind == step_kind::run) return copy_run(of, base, of.count);
    if (of.kind == step_kind::pieces) return copy_all_pieces(of, base, of.count);
    for (std::int64_t each = 0; each != of.count; ++each) {
      copy_list(of, base);
      base += static_cast<std::uintptr_t>(of.stride);
    }
  }
  void copy_list(const plan_step& of, std::uintptr_t base) noexcept {
    for (const plan_step *each = steps_ + of.first, *end = steps_ + of.last; each != end; ++each)
      copy_whole(*each, base);
  }
  void copy_run(const plan_step& of, std::uintptr_t base, std::int64_t count) noexcept {
    copy_pieces<Way>(base, of.stride, of.length, count, stream_);
    stream_ += count * of.length;
  }
  void copy_all_pieces(const plan_step& of, std::uintptr_t base, std::int64_t copies) noexcept {
    copy_list_part(of, pieces_ + of.first, pieces_ + of.last, base, copies);
  }
  void copy_list_part(const plan_step& of, const plan_piece* first, const plan_piece* last,
                      std::uintptr_t base, std::int64_t copies) noexcept {
    const piece_list_copy all{.pieces = first,
                              .count = static_cast<std::uint32_t>(last - first),
                              .longest = of.longest,
                              .base = base,
                              .stride = of.stride,
                              .copies = copies,
                              .stream = stream_};
    if constexpr (Way == direction::pack) piece_lists().pack(all);
    else piece_lists().unpack(all);
    stream_ += copies * (last->before - first->before);
  }
  void copy_bytes(std::uintptr_t address, std::int64_t bytes) noexcept {
    copy_block<Way>(address, stream_, static_cast<std::size_t>(bytes));
    stream_ += bytes;
    left_ -= bytes;
  }

  const plan_step* steps_;
  const plan_piece* pieces_;
  std::byte* stream_;
  std::int64_t skip_;  // of the stream, before what is wanted
  std::int64_t left_;  // of what is wanted
};

template <direction Way>
std::size_t copy(const plan& by, std::uintptr_t data, std::int64_t count, std::int64_t position,
                 std::byte* stream, std::size_t room) noexcept {
  const std::int64_t there = std::max<std::int64_t>(by.size() * count - position, 0);
  const std::size_t bytes = std::min(room, static_cast<std::size_t>(there));
  if (bytes == 0) return 0;
  if (by.is_contiguous()) {
    copy_block<Way>(data + static_cast<std::uintptr_t>(by.offset() + position), stream, bytes);
    return bytes;
  }
  copier<Way>{by, stream, position, static_cast<std::int64_t>(bytes)}.copy_part(by.whole(count),
                                                                                data);
  return bytes;
}

}  // namespace

std::size_t pack(const plan& by, const void* data, std::int64_t count, std::int64_t position,
                 void* stream, std::size_t room) noexcept {
  return copy<direction::pack>(by, reinterpret_cast<std::uintptr_t>(data), count, position,
                               static_cast<std::byte*>(stream), room);
}

std::size_t unpack(const plan& by, void* data, std::int64_t count, std::int64_t position,
                   const void* stream, std::size_t bytes) noexcept {
  // The stream is only read in this direction.
  return copy<direction::unpack>(by, reinterpret_cast<std::uintptr_t>(data), count, position,
                                 static_cast<std::byte*>(const_cast<void*>(stream)), bytes);
}

detail::strided_blocks blocks_of(const plan& of, const void* data, std::int64_t count) noexcept {
  if (count == 0 || of.size() == 0) return {};
  const plan_step all = of.whole(count);
  if (all.kind != step_kind::run || all.stride < all.length) return {};
  return {
      place_at(reinterpret_cast<std::uintptr_t>(data) + static_cast<std::uintptr_t>(all.offset)),
      static_cast<std::size_t>(all.length), static_cast<std::size_t>(all.stride)};
}

}  // namespace peal::mpi
