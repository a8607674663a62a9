#include "mpi/datatypes/packing/packing.hpp"

#include <algorithm>

#include "mpi/datatypes/packing/copy_pieces.hpp"

namespace peal::mpi {

namespace {

template <direction Way>
class copier {
 public:
  copier(const plan_step* steps, std::byte* stream, std::int64_t skip, std::int64_t left) noexcept
      : steps_{steps}, stream_{stream}, skip_{skip}, left_{left} {}

  /// What lies in [skip, skip + left) of the step's part of the stream.
  void copy_part(const plan_step& of, std::uintptr_t base) noexcept {
    const std::int64_t start = skip_ / of.length;
    skip_ -= start * of.length;
    base += static_cast<std::uintptr_t>(of.offset) +
            static_cast<std::uintptr_t>(start) * static_cast<std::uintptr_t>(of.stride);
    if (of.is_group()) copy_part_of_group(of, base, of.count - start);
    else copy_part_of_run(of, base, of.count - start);
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
    if (!of.is_group()) return copy_run(of, base, of.count);
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
  void copy_bytes(std::uintptr_t address, std::int64_t bytes) noexcept {
    copy_block<Way>(address, stream_, static_cast<std::size_t>(bytes));
    stream_ += bytes;
    left_ -= bytes;
  }

  const plan_step* steps_;
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
  copier<Way>{by.steps(), stream, position, static_cast<std::int64_t>(bytes)}.copy_part(
      by.whole(count), data);
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

}  // namespace peal::mpi
